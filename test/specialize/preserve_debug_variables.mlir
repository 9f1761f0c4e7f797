// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(preserve-debug-variables))' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(preserve-debug-variables,structured-mem2reg))' | FileCheck %s --check-prefix=PROMOTED

// A named value is stored with its name and type. Types of arguments are those of the kernel; topology values are
// unsigned. After a barrier every variable is stored again, for the unit that continues.
// CHECK-LABEL: cube.kernel @names
// CHECK-SAME: attributes {cube.debug = ["x: f32", ""]}
// CHECK-DAG: %[[I:.*]] = cube.alloc {cube.debug} : !cube.local<1 x i32>
// CHECK-DAG: %[[V:.*]] = cube.alloc {cube.debug} : !cube.local<1 x f32>
// CHECK-DAG: cube.store %n, %{{.*}} inbounds {{.*}} loc("n: u8"
// CHECK: %[[POS:.*]] = cube.topology absolute_pos loc("k.mlir":3:8)
// CHECK: cube.store %[[POS]], %[[I]]{{.*}} loc("i: u32"("k.mlir":3:8))
// CHECK: %[[LOAD:.*]] = cube.load %x[{{.*}} loc("k.mlir":4:8)
// CHECK: cube.store %[[LOAD]], %[[V]]{{.*}} loc("v: f32"("k.mlir":4:8))
// CHECK: cube.sync cube
// CHECK: %[[AGAIN:.*]] = cube.load %[[I]]
// CHECK: cube.store %[[AGAIN]], %[[I]]{{.*}} loc("i: u32"("k.mlir":5:3))
// CHECK: cube.load %[[V]]
// Values with equal names and types share a variable.
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: cube.store %[[SUM]], %[[V]]{{.*}} loc("v: f32"("k.mlir":6:8))
// PROMOTED-LABEL: cube.kernel @names
// PROMOTED-COUNT-3: cube.alloc {cube.debug}
// PROMOTED-NOT: cube.alloc :
cube.kernel @names(%x: !cube.array<f32>, %n: i8 {cube.host = "u8"}) cube_dim(64) {
  %i = cube.topology absolute_pos loc("i"("k.mlir":3:8))
  %v = cube.load %x[%i] : !cube.array<f32> -> f32 loc("v"("k.mlir":4:8))
  cube.sync cube loc("k.mlir":5:3)
  %w = arith.addf %v, %v : f32 loc(callsite("v"("k.mlir":6:8) at "k.mlir":7:1))
  cube.store %w, %x[%i] : f32, !cube.array<f32>
  %cell = cube.alloc : !cube.local<1 x f32>
  %zero = arith.constant 0 : i32
  cube.store %w, %cell[%zero] : f32, !cube.local<1 x f32>
  cube.return
}

// Loop counters and loop-carried values have names too, one for each result; a value without a name is unchanged.
// CHECK-LABEL: cube.kernel @loops
// CHECK-COUNT-2: cube.alloc {cube.debug} : !cube.local<1 x i32>
// CHECK: scf.for unsigned %[[K:.*]] = {{.*}} iter_args(%[[S:[^ ]*]] =
// CHECK: cube.store %[[K]], {{.*}} loc("k: i32"("k.mlir":9:20))
// CHECK-NOT: cube.store %[[S]]
// CHECK: scf.yield
// CHECK: cube.store {{.*}} loc("sum: i32"("k.mlir":9:10))
cube.kernel @loops(%r: !cube.array<i32>) cube_dim(64) {
  %a = arith.constant 0 : i32
  %b = arith.constant 8 : i32
  %c = arith.constant 1 : i32
  %s = "scf.for"(%a, %b, %c, %a) <{unsignedCmp}> ({
  ^bb0(%k: i32 loc("k"("k.mlir":9:20)), %so_far: i32):
    %t = arith.addi %so_far, %k : i32
    scf.yield %t : i32
  }) : (i32, i32, i32, i32) -> i32 loc("sum"("k.mlir":9:10))
  cube.store %s, %r[%a] : i32, !cube.array<i32>
  cube.return
}

// The copy of an argument is allocated before the argument is stored to it, regardless of the original position.
// CHECK-LABEL: cube.kernel @slot_of_an_argument
// CHECK: %[[OWN:.*]] = cube.alloc {cube.debug} : !cube.local<1 x f32>
// CHECK: cube.store %a, %[[OWN]]{{.*}} loc("a: f32"
cube.kernel @slot_of_an_argument(%y: !cube.array<f32>, %a: f32 {cube.host = "f32"}) cube_dim(64) {
  %own = cube.alloc {cube.debug} : !cube.local<1 x f32>
  %zero = arith.constant 0 : i32
  cube.store %a, %own[%zero] : f32, !cube.local<1 x f32> loc("a: f32"("k.rs":2:8))
  cube.store %a, %y[%zero] : f32, !cube.array<f32>
  cube.return
}
