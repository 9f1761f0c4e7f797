// RUN: env CUBE_TEST_PASSES=1 cube-opt %s --test-rules=limit=7 | FileCheck %s
// RUN: env CUBE_TEST_PASSES=1 cube-opt %s --test-rules=limit=7 --cube-stats --cube-remarks=passed,missed 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
// RUN: env CUBE_TEST_PASSES=1 cube-opt %s --test-rules --cube-stats 2>&1 >/dev/null | FileCheck %s --check-prefix=DEFAULT

// A rule reads the option of its pass, updates a statistic, and suggests a fix in a remark.
// CHECK-LABEL: cube.kernel @k
// CHECK: %[[SEVEN:.*]] = arith.constant -7 : i32
// CHECK: arith.subi %{{.*}}, %[[SEVEN]] : i32
// CHECK: arith.addi
// CHECK: arith.addi
cube.kernel @k(%y: !cube.array<i32>) cube_dim(1) {
  %seven = arith.constant 7 : i32
  %eight = arith.constant 8 : i32
  %u = cube.topology unit_pos
  // SAID: test_rules.mlir:[[@LINE+1]]:8: remark: passed [test-rules:turn] 'arith.addi' is rewritten
  %a = arith.addi %u, %seven : i32
  // SAID: test_rules.mlir:[[@LINE+1]]:8: remark: missed [test-rules:turn] 8 is above the limit; raise the option limit
  %b = arith.addi %a, %eight : i32
  %c = arith.addi %b, %u : i32
  cube.store %c, %y[%u] : i32, !cube.array<i32>
  cube.return
}
// SAID-DAG: test-rules{{ +}}1 sums turned
// SAID-DAG: test-rules{{ +}}1 sums with large constants
// DEFAULT-DAG: test-rules{{ +}}0 sums turned
// DEFAULT-DAG: test-rules{{ +}}2 sums with large constants
