// RUN: cubec %s --target spirv:vulkan1.3-full --emit asm -o - | FileCheck %s

// Divisions of 64-bit integers are expanded to divisions of words, because NVIDIA's driver 580.159.04 compiles their modules
// wrong: the upper word of `a - b` is not replaced by 0 where `a < b`.
// CHECK-DAG: [[WORD:%[0-9a-z_]+]] = OpTypeInt 32 0
// CHECK-DAG: [[WIDE:%[0-9a-z_]+]] = OpTypeInt 64 0
// CHECK-NOT: {{OpUDiv|OpSDiv|OpUMod|OpSRem}} [[WIDE]]
// CHECK: OpUDiv [[WORD]]
// CHECK-NOT: {{OpUDiv|OpSDiv|OpUMod|OpSRem}} [[WIDE]]
cube.kernel @difference(%x: !cube.array<i64>, %q: !cube.array<i64>, %y: !cube.array<i64>) cube_dim(32) {
  %i = cube.topology absolute_pos
  %seven = arith.constant 7 : i64
  %hundred = arith.constant 100 : i64
  %a = cube.load %x[%i] : !cube.array<i64> -> i64
  %quotient = cube.divui %a, %seven : i64
  %difference = cube.subui_sat %a, %hundred : i64
  cube.store %quotient, %q[%i] : i64, !cube.array<i64>
  cube.store %difference, %y[%i] : i64, !cube.array<i64>
  cube.return
}
