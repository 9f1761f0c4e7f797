// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fold-ranges))' --cube-stats 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fold-ranges{visits=1}))' --cube-stats 2>&1 -o %t.few | FileCheck %s --check-prefix=FEW
// RUN: cubec %s --kernel carried --emit asm -o %t.asm

// Comparisons that the ranges of positions decide become constants.
// CHECK-LABEL: @positions
// CHECK: %[[T:.*]] = arith.constant true
// CHECK: cube.store %[[T]], %y
cube.kernel @positions(%y: !cube.array<i1>) cube_dim(8, 1, 1) {
  %c8 = arith.constant 8 : i32
  %u = cube.topology unit_pos_x
  %c = arith.cmpi ult, %u, %c8 : i32
  cube.store %c, %y[%u] : i1, !cube.array<i1>
  cube.return
}

// The inner loop carries the sum %next, unchanged, to the end of the outer loop. MLIR's pass int-range-optimizations needs
// 2^64 steps here.
// CHECK-LABEL: @carried
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK: scf.while
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : i64
// STATS: fold-ranges {{ *}}2 ranges widened
// FEW: fold-ranges {{ *}}3 ranges widened
cube.kernel @carried(%n: i32, %y: !cube.array<i64>) cube_dim(1) {
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : i64
  %w = arith.constant 100000 : i64
  %r:2 = scf.while (%a = %z, %i = %n) : (i64, i32) -> (i64, i32) {
    %more = arith.cmpi ugt, %i, %c0 : i32
    scf.condition(%more) %a, %i : i64, i32
  } do {
  ^bb0(%a: i64, %i: i32):
    %one = arith.constant 1 : i64
    %one32 = arith.constant 1 : i32
    %next = arith.addi %a, %one : i64
    %j = arith.subi %i, %one32 : i32
    %inner:2 = scf.while (%b = %next, %k = %j) : (i64, i32) -> (i64, i32) {
      %odd = arith.andi %k, %one32 : i32
      %again = arith.cmpi ne, %odd, %c0 : i32
      scf.condition(%again) %b, %k : i64, i32
    } do {
    ^bb0(%b: i64, %k: i32):
      %half = arith.shrui %k, %one32 : i32
      scf.yield %b, %half : i64, i32
    }
    scf.yield %inner#0, %inner#1 : i64, i32
  }
  %few = arith.cmpi ult, %r#0, %w : i64
  %value = arith.extui %few : i1 to i64
  %at = cube.topology absolute_pos
  cube.store %value, %y[%at] : i64, !cube.array<i64>
  cube.return
}

// A loop with a float among its values: the flag %found is not constant, because the loop's body can be executed.
// CHECK-LABEL: @with_float
// CHECK: %[[R:.*]]:3 = scf.while
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %[[FOUND:[^,]*]], %{{.*}} : i32, i1, f32
// CHECK: cube.store %[[R]]#1, %y
cube.kernel @with_float(%n: i32, %x: f32, %y: !cube.array<i1>) cube_dim(1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %false = arith.constant false
  %true = arith.constant true
  %r:3 = scf.while (%i = %n, %found = %false, %f = %x) : (i32, i1, f32) -> (i32, i1, f32) {
    %more = arith.cmpi ugt, %i, %c0 : i32
    scf.condition(%more) %i, %found, %f : i32, i1, f32
  } do {
  ^bb0(%i: i32, %found: i1, %f: f32):
    %j = arith.subi %i, %c1 : i32
    %g = arith.addf %f, %f : f32
    %odd = arith.cmpf ogt, %g, %x : f32
    %now:2 = scf.if %odd -> (i1, f32) {
      scf.yield %true, %x : i1, f32
    } else {
      scf.yield %found, %g : i1, f32
    }
    scf.yield %j, %now#0, %now#1 : i32, i1, f32
  }
  %at = cube.topology absolute_pos
  cube.store %r#1, %y[%at] : i1, !cube.array<i1>
  cube.return
}
