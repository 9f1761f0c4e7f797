// RUN: cube-opt %s --pass-pipeline='builtin.module(atomics-to-llvm{scope=device})' | FileCheck %s --check-prefixes=CHECK,NV
// RUN: cube-opt %s --pass-pipeline='builtin.module(atomics-to-llvm{scope=agent negated=true})' | FileCheck %s --check-prefixes=CHECK,AMD
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(expand-atomics),atomics-to-llvm)' | FileCheck %s --check-prefix=CPU

// CHECK-LABEL: cube.kernel @count
// CHECK:         %[[WHOLE:.*]] = builtin.unrealized_conversion_cast %{{.*}} : memref<?xi32> to !llvm.struct
// CHECK:         %[[BASE:.*]] = llvm.extractvalue %[[WHOLE]][1]
// CHECK:         %[[AT:.*]] = llvm.getelementptr %[[BASE]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// NV:            llvm.atomicrmw add %[[AT]], %{{.*}} syncscope("device") monotonic
// AMD:           llvm.atomicrmw add %[[AT]], %{{.*}} syncscope("agent") monotonic
// CHECK:         llvm.atomicrmw umin
// CHECK:         llvm.atomicrmw xchg
// CHECK:         llvm.load %{{.*}} atomic syncscope({{.*}}) monotonic {alignment = 4 : i64}
// CHECK:         llvm.store %{{.*}} atomic syncscope({{.*}}) monotonic {alignment = 4 : i64}
// CHECK-NOT:     cube.atomic
cube.kernel @count(%x: memref<?xi32>, %v: i32) cube_dim(64) {
  %i = arith.constant 3 : index
  %a = cube.atomic_rmw addi %v, %x[%i] inbounds : i32, memref<?xi32>
  %b = cube.atomic_rmw minui %a, %x[%i] inbounds : i32, memref<?xi32>
  %c = cube.atomic_rmw exchange %b, %x[%i] inbounds : i32, memref<?xi32>
  %d = cube.atomic_load %x[%i] inbounds : memref<?xi32> -> i32
  %e = arith.addi %c, %d : i32
  cube.atomic_store %e, %x[%i] inbounds : i32, memref<?xi32>
  cube.return
}

// CHECK-LABEL: cube.kernel @floats
// CHECK:         llvm.atomicrmw fadd
// CHECK:         llvm.atomicrmw fmin
// CHECK:         %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK:         llvm.cmpxchg %{{.*}}, %[[BITS]], %{{.*}} syncscope({{.*}}) monotonic monotonic {alignment = 4 : i64} : !llvm.ptr, i32
cube.kernel @floats(%x: memref<?xf32>, %v: f32) cube_dim(64) {
  %i = arith.constant 0 : index
  %a = cube.atomic_rmw addf %v, %x[%i] inbounds : f32, memref<?xf32>
  %b = cube.atomic_rmw minf %a, %x[%i] inbounds : f32, memref<?xf32>
  %c = cube.atomic_cas %a, %b, %x[%i] inbounds : f32, memref<?xf32>
  memref.store %c, %x[%i] : memref<?xf32>
  cube.return
}

// An atomic on memory with an address space has a pointer of this address space.
// CHECK-LABEL: cube.kernel @spaces
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} : memref<8xi32, 3> to !llvm.struct<(ptr<3>, ptr<3>,
// CHECK:         llvm.atomicrmw add %{{.*}} : !llvm.ptr<3>, i32
cube.kernel @spaces(%v: i32) cube_dim(64) {
  %i = arith.constant 3 : index
  %x = memref.alloca() : memref<8xi32, 3>
  %a = cube.atomic_rmw addi %v, %x[%i] inbounds : i32, memref<8xi32, 3>
  cube.return
}

// CHECK-LABEL: cube.kernel @take
// CHECK:         %[[PAIR:.*]] = llvm.cmpxchg
// CHECK:         llvm.extractvalue %[[PAIR]][0]
cube.kernel @take(%x: memref<?xi64>, %v: i64, %w: i64) cube_dim(64) {
  %i = arith.constant 0 : index
  %a = cube.atomic_cas %v, %w, %x[%i] inbounds : i64, memref<?xi64>
  memref.store %a, %x[%i] : memref<?xi64>
  cube.return
}

// On the CPU, atomic loads and stores are monotonic, and a float is loaded and stored as its bits.
// CPU-LABEL: cube.kernel @moves
// CPU: %[[BITS:.*]] = llvm.load %[[P:.*]] atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
// CPU: %[[V:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CPU: llvm.store %{{.*}}, %{{.*}} atomic monotonic {alignment = 4 : i64} : i32, !llvm.ptr
// CPU: llvm.atomicrmw umin %{{.*}}, %{{.*}} monotonic {alignment = 1 : i64} : !llvm.ptr, i8
// CPU: llvm.atomicrmw xchg %{{.*}}, %{{.*}} monotonic {alignment = 4 : i64} : !llvm.ptr, i32
// CPU: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} monotonic monotonic {alignment = 4 : i64} : !llvm.ptr, i32
// CPU-NOT: cube.atomic
cube.kernel @moves(%x: memref<?xf32>, %y: memref<?xi8>, %f: f32, %b: i8) cube_dim(8) {
  %zero = arith.constant 0 : index
  %v = cube.atomic_load %x[%zero] : memref<?xf32> -> f32
  cube.atomic_store %v, %x[%zero] : f32, memref<?xf32>
  %old = cube.atomic_rmw minui %b, %y[%zero] : i8, memref<?xi8>
  %before = cube.atomic_rmw exchange %f, %x[%zero] : f32, memref<?xf32>
  %seen = cube.atomic_cas %f, %v, %x[%zero] : f32, memref<?xf32>
  cube.return
}

// With the option, a float subtraction becomes an addition of the negated value.
// CHECK-LABEL: cube.kernel @subtract
// NV:            llvm.atomicrmw fsub %{{.*}}, %v
// AMD:           %[[MINUS:.*]] = arith.negf %v : f32
// AMD:           llvm.atomicrmw fadd %{{.*}}, %[[MINUS]]
cube.kernel @subtract(%x: memref<?xf32>, %v: f32) cube_dim(64) {
  %i = arith.constant 0 : index
  %a = cube.atomic_rmw subf %v, %x[%i] inbounds : f32, memref<?xf32>
  cube.return
}
