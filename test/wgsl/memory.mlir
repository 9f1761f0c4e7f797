// RUN: cubec %s --target wgsl:core --kernel lines -o - | FileCheck %s --check-prefix=LINE
// RUN: cubec %s --target wgsl:core --kernel spaces -o - | FileCheck %s --check-prefix=SPACE
// RUN: cubec %s --target wgsl:core --kernel flags -o - | FileCheck %s --check-prefix=FLAG
// RUN: cubec %s --target wgsl:core-f16 --kernel halves -o - | FileCheck %s --check-prefix=HALF
// RUN: cubec %s --target wgsl:core-f16 --kernel words -o - | FileCheck %s --check-prefix=WORD
// RUN: cubec %s --target wgsl:core-f16 --kernel extremes -o - | FileCheck %s --check-prefix=BITS

// A line of 4 lanes is a WGSL vector; a line of 8 lanes is two vectors.
// LINE: var<storage, read> x: array<vec4<f32>>;
// LINE: var<storage, read> e: array<vec4<f32>>;
// LINE: var<storage, read> t: array<vec2<f32>>;
// LINE: var<storage, read_write> y: array<vec4<f32>>;
// LINE: let [[V:v[0-9]+]] = x[arguments.i];
// LINE: e[arguments.i * 2u];
// LINE: let [[W:v[0-9]+]] = e[arguments.i * 2u + 1u];
// LINE: let [[T:v[0-9]+]] = t[arguments.i];
// LINE: [[V]].w + [[W]].w
// LINE: y[arguments.i] = vec4<f32>([[T]].y, 
cube.kernel @lines(%x: !cube.array<f32, 4>, %e: !cube.array<f32, 8>, %t: !cube.array<f32, 2>, %y: !cube.array<f32, 4>, %i: i32) cube_dim(1) unchecked {
  %a = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %b = cube.load %e[%i] : !cube.array<f32, 8> -> vector<8xf32>
  %c = cube.load %t[%i] : !cube.array<f32, 2> -> vector<2xf32>
  %h = vector.extract_strided_slice %b {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
  %s = arith.addf %a, %h : vector<4xf32>
  %l = vector.extract %c[1] : f32 from vector<2xf32>
  %r = vector.insert %l, %s[0] : f32 into vector<4xf32>
  cube.store %r, %y[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}

// Shared memory is a module variable, local memory a function variable, also for an allocation in a loop.
// SPACE: var<workgroup> shared_1: array<u32, 64>;
// SPACE: fn spaces(
// SPACE: {
// SPACE: var local_1: array<u32, 9>;
// SPACE: for (
// SPACE: local_1[{{.*}}] =
// SPACE: shared_1[{{.*}}] =
cube.kernel @spaces(%n: i32, %out: !cube.array<i32>) cube_dim(64) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i9 = arith.constant 9 : i32
  %u = cube.topology unit_pos
  %tile = cube.alloc : !cube.shared<64 x i32>
  scf.for %i = %i0 to %n step %i1 : i32 {
    %own = cube.alloc : !cube.local<9 x i32>
    cube.store %i, %own[%i] : i32, !cube.local<9 x i32>
    %v = cube.load %own[%u] : !cube.local<9 x i32> -> i32
    cube.store %v, %tile[%u] : i32, !cube.shared<64 x i32>
  }
  cube.sync cube
  %last = arith.subi %i9, %u : i32
  %r = cube.load %tile[%last] : !cube.shared<64 x i32> -> i32
  cube.store %r, %out[%u] : i32, !cube.array<i32>
  cube.return
}

// A bool is a byte in host memory, so a store changes one byte of a word atomically.
// FLAG: var<storage, read> x: array<u32>;
// FLAG: var<storage, read_write> y: array<atomic<u32>>;
// FLAG: extractBits(x[([[I:[a-z0-9_.]+]]) / 4u], (([[I]]) & 3u) * 8u, 8u)
// FLAG: let [[AT:v[0-9]+]] = (([[I]]) & 3u) * 8u;
// FLAG-NEXT: atomicAnd(&y[([[I]]) / 4u], ~(0xffu << [[AT]]));
// FLAG-NEXT: atomicOr(&y[([[I]]) / 4u], {{v[0-9]+}} << [[AT]]);
cube.kernel @flags(%x: !cube.array<i1>, %y: !cube.array<i1>) cube_dim(16) unchecked {
  %i = cube.topology absolute_pos_x
  %true = arith.constant true
  %v = cube.load %x[%i] : !cube.array<i1> -> i1
  %r = arith.xori %v, %true : i1
  cube.store %r, %y[%i] : i1, !cube.array<i1>
  cube.return
}

// HALF: enable f16;
// HALF: h: u32,
// HALF: var<storage, read_write> x: array<f16>;
// HALF: f16(unpack2x16float(arguments.h).x)
// HALF: f16(
cube.kernel @halves(%x: !cube.array<f16>, %h: f16) cube_dim(16) unchecked {
  %i = cube.topology absolute_pos_x
  %v = cube.load %x[%i] : !cube.array<f16> -> f16
  %s = arith.addf %v, %h : f16
  %w = arith.extf %s : f16 to f32
  %d = arith.mulf %w, %w : f32
  %r = cube.cast %d : f32 to f16
  cube.store %r, %x[%i] : f16, !cube.array<f16>
  cube.return
}

// WORD: pack2x16float(vec2<f32>(f32({{.*}}), f32({{.*}})))
// WORD: f16(unpack2x16float({{.*}}).y)
cube.kernel @words(%x: !cube.array<f16, 2>, %y: !cube.array<i32>) cube_dim(16) unchecked {
  %i = cube.topology absolute_pos_x
  %v = cube.load %x[%i] : !cube.array<f16, 2> -> vector<2xf16>
  %w = vector.bitcast %v : vector<2xf16> to vector<1xi32>
  %n = vector.extract %w[0] : i32 from vector<1xi32>
  %o = cube.load %y[%i] : !cube.array<i32> -> i32
  cube.store %n, %y[%i] : i32, !cube.array<i32>
  %b = vector.broadcast %o : i32 to vector<1xi32>
  %r = vector.bitcast %b : vector<1xi32> to vector<2xf16>
  cube.store %r, %x[%i] : vector<2xf16>, !cube.array<f16, 2>
  cube.return
}

// The bits of an f16 are the lower half of a word; the minimum compares them to order -0 below +0.
// BITS: pack2x16float(vec2<f32>(f32({{.*}}), 0.0f))
// BITS: {{v[0-9]+}} | {{v[0-9]+}}
// BITS: f16(unpack2x16float({{.*}}).x)
cube.kernel @extremes(%x: !cube.array<f16>, %h: f16) cube_dim(16) unchecked {
  %i = cube.topology absolute_pos_x
  %v = cube.load %x[%i] : !cube.array<f16> -> f16
  %m = arith.minnumf %v, %h : f16
  cube.store %m, %x[%i] : f16, !cube.array<f16>
  cube.return
}
