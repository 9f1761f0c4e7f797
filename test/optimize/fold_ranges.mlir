// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fold-ranges))' --cube-stats 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t
// RUN: cube-opt %s --pass-pipeline='builtin.module(cube.kernel(fold-ranges{visits=0}))' -o %t.few
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
// STATS: fold-ranges{{.*}}ranges widened
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
