// 0 - x is +0 for x = +0, but -x is -0. Each bit of the result is the sign of a zero, in the order of the calls of
// @push. The expected number is 0b000000110 in each type: only a product with -1 changes the sign of 0 - x.
// SKIP: wgpu@F=bf16,F=f64 it has neither bf16 nor f64
// SKIP: wgpu-spirv@F=bf16 it has no bf16
// RUN-ARGS: --param F=f16 --arg z=0.0 --arg m=-1.0 --arg y=ones:3 --cube-count 1 --check y=%S/data/zero_minus.y.npy
// RUN-ARGS: --param F=bf16 --arg z=0.0 --arg m=-1.0 --arg y=ones:3 --cube-count 1 --check y=%S/data/zero_minus.y.npy
// RUN-ARGS: --param F=f32 --arg z=0.0 --arg m=-1.0 --arg y=ones:3 --cube-count 1 --check y=%S/data/zero_minus.y.npy
// RUN-ARGS: --param F=f64 --arg z=0.0 --arg m=-1.0 --arg y=ones:3 --cube-count 1 --check y=%S/data/zero_minus.y.npy
cube.func @push(%bits: i32, %zero: !cube.param<@F>) -> i32 {
  %one = arith.constant 1.0 : !cube.param<@F>
  %none = arith.constant 0.0 : !cube.param<@F>
  %1 = arith.constant 1 : i32
  %infinity = arith.divf %one, %zero : !cube.param<@F>
  %negative = arith.cmpf olt, %infinity, %none : !cube.param<@F>
  %sign = arith.extui %negative : i1 to i32
  %twice = cube.shl %bits, %1 : i32
  %all = arith.ori %twice, %sign : i32
  cube.return %all : i32
}

cube.kernel @zero_minus comptime(@F : type = f32)
    (%z: !cube.param<@F>, %m: !cube.param<@F>, %y: !cube.array<i32>) cube_dim(3) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : !cube.param<@F>
  %u = cube.topology unit_pos
  %bits = cube.cast %z : !cube.param<@F> to f32
  %none = arith.constant 0.0 : f32
  // The difference, and operations that can negate an operand without an instruction.
  %minus = arith.subf %zero, %z : !cube.param<@F>
  %v1 = cube.call @push(%c0, %minus) : (i32, !cube.param<@F>) -> i32
  %floor = math.floor %minus : !cube.param<@F>
  %v2 = cube.call @push(%v1, %floor) : (i32, !cube.param<@F>) -> i32
  %least = arith.minnumf %minus, %z : !cube.param<@F>
  %v3 = cube.call @push(%v2, %least) : (i32, !cube.param<@F>) -> i32
  // The conversion from f32 rounds the difference of f32.
  %wide = arith.subf %none, %bits : f32
  %narrow = cube.cast %wide : f32 to !cube.param<@F>
  %v4 = cube.call @push(%v3, %narrow) : (i32, !cube.param<@F>) -> i32
  %negated = arith.negf %z : !cube.param<@F>
  %sum = arith.addf %negated, %zero : !cube.param<@F>
  %sum_floor = math.floor %sum : !cube.param<@F>
  %v5 = cube.call @push(%v4, %sum_floor) : (i32, !cube.param<@F>) -> i32
  // A line, of which one element is 0 - x.
  %line = vector.from_elements %zero, %m : vector<2x!cube.param<@F>>
  %both = vector.from_elements %z, %z : vector<2x!cube.param<@F>>
  %lines = arith.subf %line, %both : vector<2x!cube.param<@F>>
  %first = vector.extract %lines[0] : !cube.param<@F> from vector<2x!cube.param<@F>>
  %ceil = math.ceil %first : !cube.param<@F>
  %v6 = cube.call @push(%v5, %ceil) : (i32, !cube.param<@F>) -> i32
  %product = arith.mulf %minus, %m : !cube.param<@F>
  %v7 = cube.call @push(%v6, %product) : (i32, !cube.param<@F>) -> i32
  %other = arith.mulf %m, %first : !cube.param<@F>
  %v8 = cube.call @push(%v7, %other) : (i32, !cube.param<@F>) -> i32
  %fused = math.fma %minus, %z, %minus : !cube.param<@F>
  %v9 = cube.call @push(%v8, %fused) : (i32, !cube.param<@F>) -> i32
  cube.store %v9, %y[%u] : i32, !cube.array<i32>
  cube.return
}
