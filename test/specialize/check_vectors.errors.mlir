// RUN: cube-opt %s --check-vectors --verify-diagnostics --split-input-file

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  %z = arith.constant 0 : i32
  // expected-error@+1 CUBE0415 {other = "vector.multi_reduction", why = "it is for vectors of several dimensions; write it with vectors of one dimension: vector.shuffle, vector.reduction, vector.fma and arith"}
  %a = vector.multi_reduction <add>, %v, %z [0] : vector<8xi32> to i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0415 {other = "vector.outerproduct", why = "it is for vectors of several dimensions; write it with vectors of one dimension: vector.shuffle, vector.reduction, vector.fma and arith"}
  %a = vector.outerproduct %v, %i : vector<8xi32>, i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  %z = arith.constant 0 : i32
  // expected-error@+1 CUBE0415 {other = "vector.contract", why = "it is for vectors of several dimensions; write it with vectors of one dimension: vector.shuffle, vector.reduction, vector.fma and arith"}
  %a = vector.contract {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} %v, %v, %z : vector<8xi32>, vector<8xi32> into i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0415 {other = "vector.transpose", why = "it is for vectors of several dimensions; write it with vectors of one dimension: vector.shuffle, vector.reduction, vector.fma and arith"}
  %a = vector.transpose %v, [0] : vector<8xi32> to vector<8xi32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0415 {other = "vector.constant_mask", why = "vector masks are unsupported; compare lanes with arith.cmpi and choose with arith.select"}
  %a = vector.constant_mask [3] : vector<8xi1>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  %n = arith.constant 3 : index
  // expected-error@+1 CUBE0415 {other = "vector.create_mask", why = "vector masks are unsupported; compare lanes with arith.cmpi and choose with arith.select"}
  %a = vector.create_mask %n : vector<8xi1>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  %m = arith.constant dense<true> : vector<8xi1>
  // expected-error@+1 CUBE0415 {other = "vector.mask", why = "vector masks are unsupported; compare lanes with arith.cmpi and choose with arith.select"}
  %a = vector.mask %m { vector.reduction <add>, %v : vector<8xi32> into i32 } : vector<8xi1> -> i32
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0415 {other = "vector.vscale", why = "the number of lanes must be known at compile time; use vectors of a fixed size"}
  %a = vector.vscale
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0415 {other = "vector.print", why = "it calls a library of the host; print with cube.print"}
  vector.print %v : vector<8xi32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0416 {ty = "vector<4x2xi32>"}
  %a = vector.shape_cast %v : vector<8xi32> to vector<4x2xi32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0416 {ty = "vector<i32>"}
  %a = arith.constant dense<3> : vector<i32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0416 {ty = "vector<[8]xi32>"}
  %a = arith.constant dense<3> : vector<[8]xi32>
  cube.return
}

// -----

cube.kernel @k(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0416 {ty = "tensor<8xi32>"}
  %a = arith.constant dense<3> : tensor<8xi32>
  cube.return
}

// -----

// `vector.scan` needs a zero-dimensional start vector, which is not supported.
cube.kernel @scan(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0416.shape {ty = "vector<i32>"}
  %z = arith.constant dense<0> : vector<i32>
  %a, %q = vector.scan <add>, %v, %z {inclusive = true, reduction_dim = 0 : i64} : vector<8xi32>, vector<i32>
  cube.return
}

// -----

// The types of block arguments are checked too.
cube.kernel @block(%x: !cube.array<i32, 8>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<i32, 8> -> vector<8xi32>
  // expected-error@+1 CUBE0416.shape {ty = "vector<2x4xi32>"}
  %m = vector.shape_cast %v : vector<8xi32> to vector<2x4xi32>
  %c = arith.constant true
  %n = scf.if %c -> vector<2x4xi32> {
    scf.yield %m : vector<2x4xi32>
  } else {
    scf.yield %m : vector<2x4xi32>
  }
  cube.return
}

// -----

// An operation of `cube.generic` is checked too.
cube.kernel @chosen comptime(@T : type)(%x: !cube.array<!cube.param<@T>>, %i: i32) cube_dim(1) {
  %v = cube.load %x[%i] : !cube.array<!cube.param<@T>> -> !cube.param<@T>
  // expected-error@+1 CUBE0415.operation {other = "vector.outerproduct", why = "it is for vectors of several dimensions; write it with vectors of one dimension: vector.shuffle, vector.reduction, vector.fma and arith"}
  %r = cube.generic int "vector.outerproduct"(%v, %v) : (!cube.param<@T>, !cube.param<@T>) -> !cube.param<@T>
  cube.store %r, %x[%i] : !cube.param<@T>, !cube.array<!cube.param<@T>>
  cube.return
}
