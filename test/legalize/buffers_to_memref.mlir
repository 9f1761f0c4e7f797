// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(buffers-to-memref))' | FileCheck %s

// CHECK-LABEL: cube.kernel @lines(%x: memref<?xvector<4xf32>> {cube.access = "read"}, %y: memref<?xf32>, %i: i32) cube_dim(32)
// CHECK: %[[D:.*]] = memref.dim %x, %{{.*}} : memref<?xvector<4xf32>>
// CHECK-NEXT: %[[N:.*]] = arith.index_castui %[[D]] : index to i32
// CHECK-NEXT: %[[I:.*]] = arith.index_castui %[[N]] : i32 to index
// CHECK-NEXT: %[[V:.*]] = memref.load %x[%[[I]]] : memref<?xvector<4xf32>>
// CHECK: memref.store %{{.*}}, %y[%{{.*}}] : memref<?xf32>
// CHECK-NOT: cube.array
cube.kernel @lines(%x: !cube.array<f32, 4> {cube.access = "read"}, %y: !cube.array<f32>, %i: i32) cube_dim(32) {
  %n = cube.len %x : !cube.array<f32, 4>
  %v = cube.load %x[%n] inbounds : !cube.array<f32, 4> -> vector<4xf32>
  %e = vector.extract %v[0] : f32 from vector<4xf32>
  cube.store %e, %y[%i] inbounds : f32, !cube.array<f32>
  cube.return
}

// A bool is stored as a byte; every byte except zero is read as true.
// CHECK-LABEL: cube.kernel @bools(%x: memref<?xi8>, %y: memref<?xvector<2xi8>>
// CHECK: %[[B:.*]] = memref.load %x
// CHECK: %[[V:.*]] = arith.cmpi ne, %[[B]], %{{.*}} : i8
// CHECK: %[[W:.*]] = arith.extui %[[V]] : i1 to i8
// CHECK: memref.store %[[W]], %x
// CHECK: arith.cmpi ne, %{{.*}}, %{{.*}} : vector<2xi8>
// CHECK: arith.extui %{{.*}} : vector<2xi1> to vector<2xi8>
cube.kernel @bools(%x: !cube.array<i1>, %y: !cube.array<i1, 2>, %i: i32) {
  %v = cube.load %x[%i] inbounds : !cube.array<i1> -> i1
  cube.store %v, %x[%i] inbounds : i1, !cube.array<i1>
  %w = cube.load %y[%i] inbounds : !cube.array<i1, 2> -> vector<2xi1>
  cube.store %w, %y[%i] inbounds : vector<2xi1>, !cube.array<i1, 2>
  cube.return
}
