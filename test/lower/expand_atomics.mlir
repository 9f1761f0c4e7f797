// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-atomics))' | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-atomics))' --cube-remarks=missed -o /dev/null 2>&1 | FileCheck %s --check-prefix=COST

// An atomic on an argument has a remark with its cost and an alternative; an atomic on shared or local memory has none.
// COST:      remark: missed [expand-atomics:atomic] the atomic operation compiles to a loop of compare and swap, which takes about 10 times as long as a plain sum, because other threads share the buffer; accumulate in a variable or in shared memory, where an atomic is a plain sum, and add to the buffer once per cube
// COST:      remark: missed [expand-atomics:atomic] the atomic operation compiles to an instruction that locks the memory, which takes about
// COST:      remark: missed [expand-atomics:atomic] the atomic operation compiles to an instruction that locks the memory, which takes about
// COST-NOT:  remark

// Compare-and-swap compares bits, because a NaN in memory does not equal itself as a number.
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

// Integer atomics have instructions, and so does a float exchange, which only moves bits.
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

// On the CPU no other thread accesses shared or local memory, so a load and a store suffice. A compare and swap
// compares bits; if they differ, memory keeps its value.
// CHECK-LABEL: cube.kernel @own
// CHECK-NOT:  cube.atomic
// CHECK:      %c1 = arith.constant 1 : index
// CHECK-NEXT: %[[SHARED:.*]] = memref.alloca() : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: %[[LOCAL:.*]] = memref.alloca() : memref<4xi32>
// CHECK-NEXT: %[[OLD:.*]] = memref.load %[[SHARED]][%c1]
// CHECK-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %f : f32
// CHECK-NEXT: memref.store %[[NEW]], %[[SHARED]][%c1]
// CHECK-NEXT: %[[MORE:.*]] = memref.load %[[LOCAL]][%c1]
// CHECK-NEXT: %[[MAX:.*]] = arith.maxui %[[MORE]], %v : i32
// CHECK-NEXT: memref.store %[[MAX]], %[[LOCAL]][%c1]
// CHECK-NEXT: %[[SEEN:.*]] = memref.load %[[SHARED]][%c1]
// CHECK-NEXT: %[[A:.*]] = arith.bitcast %[[SEEN]] : f32 to i32
// CHECK-NEXT: %[[B:.*]] = arith.bitcast %[[OLD]] : f32 to i32
// CHECK-NEXT: %[[EQUAL:.*]] = arith.cmpi eq, %[[A]], %[[B]] : i32
// CHECK-NEXT: %[[PUT:.*]] = arith.select %[[EQUAL]], %f, %[[SEEN]] : f32
// CHECK-NEXT: memref.store %[[PUT]], %[[SHARED]][%c1]
// CHECK-NEXT: memref.load %[[SHARED]][%c1]
// CHECK-NEXT: memref.store %f, %[[SHARED]][%c1]
// CHECK-NEXT: memref.load %[[SHARED]][%c1]
// CHECK-NEXT: memref.store %{{.*}}, %[[SHARED]][%c1]
// CHECK-NOT:  cube.atomic
// CHECK:      cube.return
cube.kernel @own(%x: memref<?xf32>, %f: f32, %v: i32) cube_dim(8) {
  %i = arith.constant 1 : index
  %shared = memref.alloca() : memref<4xf32, #gpu.address_space<workgroup>>
  %local = memref.alloca() : memref<4xi32>
  %old = cube.atomic_rmw addf %f, %shared[%i] : f32, memref<4xf32, #gpu.address_space<workgroup>>
  %more = cube.atomic_rmw maxui %v, %local[%i] : i32, memref<4xi32>
  %seen = cube.atomic_cas %old, %f, %shared[%i] : f32, memref<4xf32, #gpu.address_space<workgroup>>
  %was = cube.atomic_rmw exchange %f, %shared[%i] : f32, memref<4xf32, #gpu.address_space<workgroup>>
  %now = cube.atomic_load %shared[%i] : memref<4xf32, #gpu.address_space<workgroup>> -> f32
  cube.atomic_store %now, %shared[%i] : f32, memref<4xf32, #gpu.address_space<workgroup>>
  cube.return
}
