// RUN: cube-opt %s --units-to-loops --atomics-to-instructions | FileCheck %s

// CHECK-LABEL: llvm.func internal @all.body
// CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: %[[BITS:.*]] = llvm.load %[[P]] atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK: %[[V:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK: llvm.store %{{.*}}, %{{.*}} atomic monotonic {alignment = 4 : i64} : i32, !llvm.ptr
// CHECK: llvm.atomicrmw umin %{{.*}}, %{{.*}} monotonic {alignment = 1 : i64} : !llvm.ptr, i8
// CHECK: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} monotonic monotonic : !llvm.ptr, i32
// CHECK: llvm.extractvalue %{{.*}}[0] : !llvm.struct<(i32, i1)>
// CHECK-NOT: cube.atomic
cube.kernel @all(%x: memref<?xf32>, %y: memref<?xi8>, %f: f32, %b: i8) cube_dim(8) {
  %zero = arith.constant 0 : index
  %v = cube.atomic_load %x[%zero] : memref<?xf32> -> f32
  cube.atomic_store %v, %x[%zero] : f32, memref<?xf32>
  %old = cube.atomic_rmw minui %b, %y[%zero] : i8, memref<?xi8>
  %seen = cube.atomic_cas %f, %v, %x[%zero] : f32, memref<?xf32>
  cube.return
}
