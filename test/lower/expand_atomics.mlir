// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-atomics))' | FileCheck %s

// Bits are compared, not numbers: a NaN in memory would never be equal to itself.
// CHECK-LABEL: cube.kernel @adds
// CHECK: %[[FIRST:.*]] = cube.atomic_load %x[%[[I:.*]]] : memref<?xf16> -> f16
// CHECK: %[[R:.*]] = scf.while (%[[OLD:.*]] = %[[FIRST]]) : (f16) -> f16 {
// CHECK:   %[[NEW:.*]] = arith.addf %[[OLD]], %v : f16
// CHECK:   %[[SEEN:.*]] = cube.atomic_cas %[[OLD]], %[[NEW]], %x[%[[I]]] : f16
// CHECK:   %[[A:.*]] = arith.bitcast %[[SEEN]] : f16 to i16
// CHECK:   %[[B:.*]] = arith.bitcast %[[OLD]] : f16 to i16
// CHECK:   %[[LOST:.*]] = arith.cmpi ne, %[[A]], %[[B]] : i16
// CHECK:   scf.condition(%[[LOST]]) %[[SEEN]] : f16
// CHECK: memref.store %[[R]]
cube.kernel @adds(%x: memref<?xf16>, %v: f16) cube_dim(8) {
  %zero = arith.constant 0 : index
  %old = cube.atomic_rmw addf %v, %x[%zero] : f16, memref<?xf16>
  memref.store %old, %x[%zero] : memref<?xf16>
  cube.return
}

// Integers have instructions; an exchange of floats moves bits.
// CHECK-LABEL: cube.kernel @integers
// CHECK-NOT: scf.while
// CHECK: cube.atomic_rmw maxsi
// CHECK: cube.atomic_rmw exchange
// CHECK-NOT: scf.while
cube.kernel @integers(%x: memref<?xi64>, %v: i64, %y: memref<?xf32>, %f: f32) cube_dim(8) {
  %zero = arith.constant 0 : index
  %b = cube.atomic_rmw maxsi %v, %x[%zero] : i64, memref<?xi64>
  %c = cube.atomic_rmw exchange %f, %y[%zero] : f32, memref<?xf32>
  cube.return
}
