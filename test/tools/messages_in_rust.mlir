// At a location in a Rust file, messages use the terms of Rust kernels; at a location in MLIR, they name operations.

// RUN: not cube-run %s --backend interp --kernel race --arg y=zeros:1 --cube-count 1 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: src/k.rs:4:52: error[CUBE0711]: races: the kernel writes y[0]
// RACE: src/k.rs:4:52: note: this write of unit
// RACE-NOT: cube.store

// RUN: not cube-run %s --backend interp --kernel here --arg y=zeros:1 --cube-count 1 2>&1 | FileCheck %s --check-prefix=HERE
// HERE: messages_in_rust.mlir:[[#@LINE+17]]:3: error[CUBE0711]: races: 'cube.store' writes y[0]

// RUN: not cubec %s --kernel stored --target cpu -o %t.o 2>&1 | FileCheck %s --check-prefix=STORED
// STORED: src/k.rs:7:5: error[CUBE0314]: this comparison computes with tf32, which is a storage type; convert the value first, as with `f32::cast_from`
// STORED-NOT: arith

cube.kernel @race(%y: !cube.array<i32>) cube_dim(2) {
  %zero = arith.constant 0 : i32
  %i = cube.topology absolute_pos
  cube.store %i, %y[%zero] : i32, !cube.array<i32> loc("src/k.rs":4:52)
  cube.return
}

cube.kernel @here(%y: !cube.array<i32>) cube_dim(2) {
  %zero = arith.constant 0 : i32
  %i = cube.topology absolute_pos
  // The store of the other kernel, with a location in this file.
  cube.store %i, %y[%zero] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @stored(%x: !cube.array<tf32>, %y: !cube.array<i32>) cube_dim(2) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<tf32> -> tf32
  %same = arith.cmpf oeq, %v, %v : tf32 loc("src/k.rs":7:5)
  %n = arith.extui %same : i1 to i32
  cube.store %n, %y[%i] : i32, !cube.array<i32>
  cube.return
}
