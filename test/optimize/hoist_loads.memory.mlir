// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(hoist-loads))' --cube-stats --split-input-file 2>%t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said

// A memref can alias any buffer, so a write to a memref in a loop keeps all loads in the loop.
// CHECK-LABEL: cube.kernel @vector_store
// CHECK:       scf.for
// CHECK:         cube.load %x
// CHECK:         vector.maskedstore
cube.kernel @vector_store(%x: !cube.array<f32>, %p: i32, %k: i32) {
  %m = memref.alloca() : memref<8xf32>
  %i = arith.constant 0 : index
  %on = arith.constant dense<true> : vector<4xi1>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %c = %zero to %k step %one : i32 {
    %v = cube.load %x[%p] checked : !cube.array<f32> -> f32
    %all = vector.broadcast %v : f32 to vector<4xf32>
    vector.maskedstore %m[%i], %on, %all : memref<8xf32>, vector<4xi1>, vector<4xf32>
  }
  cube.return
}

// -----

// CHECK-LABEL: cube.kernel @memref_atomic
// CHECK:       scf.for
// CHECK:         cube.load %x
// CHECK:         memref.atomic_rmw
cube.kernel @memref_atomic(%x: !cube.array<i32>, %p: i32, %k: i32) {
  %m = memref.alloca() : memref<8xi32>
  %i = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %c = %zero to %k step %one : i32 {
    %v = cube.load %x[%p] checked : !cube.array<i32> -> i32
    %old = memref.atomic_rmw addi %v, %m[%i] : (i32, memref<8xi32>) -> i32
  }
  cube.return
}

// -----

// An operation that only reads does not block hoisting.
// CHECK-LABEL: cube.kernel @vector_load
// CHECK:       cube.load %x
// CHECK:       scf.for
// CHECK:         vector.load
cube.kernel @vector_load(%x: !cube.array<f32>, %y: !cube.array<f32>, %p: i32, %k: i32) {
  %m = memref.alloca() : memref<8xf32>
  %i = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %sum = scf.for unsigned %c = %zero to %k step %one iter_args(%so_far = %none) -> (f32) : i32 {
    %v = cube.load %x[%p] checked : !cube.array<f32> -> f32
    %w = vector.load %m[%i] : memref<8xf32>, vector<4xf32>
    %first = vector.extract %w[0] : f32 from vector<4xf32>
    %both = arith.addf %v, %first : f32
    %next = arith.addf %so_far, %both : f32
    scf.yield %next : f32
  }
  cube.store %sum, %y[%p] : f32, !cube.array<f32>
  cube.return
}

// SAID-DAG: hoist-loads {{.*}}1 loads hoisted
// SAID-DAG: hoist-loads {{.*}}2 loads kept
