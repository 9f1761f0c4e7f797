// RUN: cubec %s --target wgsl:core --kernel integers -o - | FileCheck %s --check-prefix=INT
// RUN: cubec %s --target wgsl:core --kernel constants -o - | FileCheck %s --check-prefix=CONST
// RUN: cubec %s --target wgsl:core --kernel floats -o - | FileCheck %s --check-prefix=FLOAT
// RUN: cubec %s --target wgsl:core --kernel bools -o - | FileCheck %s --check-prefix=BOOL
// RUN: cubec %s --target wgsl:core-f16 --kernel directed -o - | FileCheck %s --check-prefix=DIRECTED

// Integers are u32, with bitcasts for signed operations. Division and shifts are total; shift amounts are masked.
// INT: bitcast<u32>(bitcast<i32>([[A:[a-z0-9.]+]]) / bitcast<i32>([[B:[a-z0-9.]+]]))
// INT: [[A]] % {{v[0-9]+}}
// INT: [[A]] << ([[B]] & 31u)
// INT: bitcast<u32>(bitcast<i32>([[A]]) >> ([[B]] & 31u))
// INT: bitcast<u32>(min(bitcast<i32>([[A]]), bitcast<i32>([[B]])))
// INT: countLeadingZeros([[A]])
// INT: reverseBits([[A]])
// INT: bitcast<i32>([[A]]) < bitcast<i32>([[B]])
cube.kernel @integers(%a: i32, %b: i32, %out: !cube.array<i32>) cube_dim(1) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %i4 = arith.constant 4 : i32
  %i5 = arith.constant 5 : i32
  %i6 = arith.constant 6 : i32
  %i7 = arith.constant 7 : i32
  %v0 = cube.load %out[%i0] : !cube.array<i32> -> i32
  %q = cube.divsi %a, %b : i32
  %two = arith.shrui %v0, %i1 : i32
  %r = cube.remui %a, %two : i32
  %l = cube.shl %a, %b : i32
  %s = cube.shrsi %a, %b : i32
  %m = arith.minsi %a, %b : i32
  %z = math.ctlz %a : i32
  %v = cube.reverse_bits %a : i32
  %less = arith.cmpi slt, %a, %b : i32
  %w = arith.select %less, %v0, %b : i32
  cube.store %q, %out[%i0] : i32, !cube.array<i32>
  cube.store %r, %out[%i1] : i32, !cube.array<i32>
  cube.store %l, %out[%i2] : i32, !cube.array<i32>
  cube.store %s, %out[%i3] : i32, !cube.array<i32>
  cube.store %m, %out[%i4] : i32, !cube.array<i32>
  cube.store %z, %out[%i5] : i32, !cube.array<i32>
  cube.store %v, %out[%i6] : i32, !cube.array<i32>
  cube.store %w, %out[%i7] : i32, !cube.array<i32>
  cube.return
}

// WGSL rejects infinities, NaN, -0 and subnormal numbers in constant expressions, or can lose them, so they are
// computed at run time. An access at a constant index outside of an array is never executed.
// CONST: fn run_time(number: u32) -> u32 {
// CONST: out[0u] = bitcast<f32>(run_time(0x7f800000u));
// CONST: out[1u] = bitcast<f32>(run_time(0x7fc00000u));
// CONST: out[2u] = bitcast<f32>(run_time(0x80000000u));
// CONST: out[3u] = bitcast<f32>(run_time(1u));
// CONST: out[4u] = -1.5e-7f;
// CONST: out[5u] = 3.4028234663852886e38f;
cube.kernel @constants(%out: !cube.array<f32>) cube_dim(1) unchecked {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %i4 = arith.constant 4 : i32
  %i5 = arith.constant 5 : i32
  %inf = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %zero = arith.constant -0.0 : f32
  %least = arith.constant 0x00000001 : f32
  %small = arith.constant -1.5e-7 : f32
  %max = arith.constant 0x7F7FFFFF : f32
  cube.store %inf, %out[%i0] : f32, !cube.array<f32>
  cube.store %nan, %out[%i1] : f32, !cube.array<f32>
  cube.store %zero, %out[%i2] : f32, !cube.array<f32>
  cube.store %least, %out[%i3] : f32, !cube.array<f32>
  cube.store %small, %out[%i4] : f32, !cube.array<f32>
  cube.store %max, %out[%i5] : f32, !cube.array<f32>
  cube.return
}

// A test for NaN compares bits. An unordered comparison is the negation of the opposite ordered comparison.
// FLOAT: ((bitcast<u32>([[X:[a-z0-9.]+]]) & 0x7fffffffu) > 0x7f800000u)
// FLOAT: !([[X]] <= [[Y:[a-z0-9.]+]])
// FLOAT: floor([[X]])
// FLOAT: f32(bitcast<i32>({{[a-z0-9.]+}}))
cube.kernel @floats(%x: f32, %y: f32, %n: i32, %out: !cube.array<f32>) cube_dim(1) {
  %i0 = arith.constant 0 : i32
  %nan = arith.cmpf uno, %x, %x : f32
  %more = arith.cmpf ugt, %x, %y : f32
  %f = math.floor %x : f32
  %g = arith.sitofp %n : i32 to f32
  %a = arith.select %nan, %f, %g : f32
  %b = arith.select %more, %a, %y : f32
  cube.store %b, %out[%i0] : f32, !cube.array<f32>
  cube.return
}

// For one-bit integers, addition and subtraction are `!=`, and true is sign-extended to -1.
// BOOL: [[P:v[0-9]+]] != [[Q:v[0-9]+]]
// BOOL: [[P]] & !{{v[0-9]+}}
// BOOL: select(0u, 0xffffffffu, {{v[0-9]+}})
cube.kernel @bools(%p: i1, %q: i1, %out: !cube.array<i32>) cube_dim(1) {
  %i0 = arith.constant 0 : i32
  %sum = arith.addi %p, %q : i1
  %less = arith.cmpi slt, %p, %sum : i1
  %wide = arith.extsi %less : i1 to i32
  cube.store %wide, %out[%i0] : i32, !cube.array<i32>
  cube.return
}

// A conversion to f16 that rounds upward moves the nearest f16 by one bit pattern where this f16 is below the number. The
// language has no 16-bit integers, so a word contains the bits of the f16.
// DIRECTED: let [[NEAR:v[0-9]+]] = f16([[X:[a-z0-9.]+]]);
// DIRECTED: let [[BACK:v[0-9]+]] = f32([[NEAR]]);
// DIRECTED: let [[BITS:v[0-9]+]] = pack2x16float(vec2<f32>(f32([[NEAR]]),
// DIRECTED: let {{v[0-9]+}} = [[BITS]] + 1u;
// DIRECTED: let [[LOW:v[0-9]+]] = [[BACK]] < [[X]];
// DIRECTED: select([[BITS]], {{v[0-9]+}}, [[LOW]])
// DIRECTED: f16(unpack2x16float(
cube.kernel @directed(%x: f32, %out: !cube.array<f16>) cube_dim(1) {
  %i0 = arith.constant 0 : i32
  %h = cube.cast %x round upward : f32 to f16
  cube.store %h, %out[%i0] : f16, !cube.array<f16>
  cube.return
}
