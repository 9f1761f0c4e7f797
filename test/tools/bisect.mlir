// RUN: cube-run %s --bisect --arg x=random:70 --arg y=zeros:x | FileCheck %s --check-prefix=CLEAN
// RUN: not env CUBE_TEST_MUTATE=inline:operands cube-run %s --bisect --bisect-folder %t --arg x=random:70 --arg y=zeros:x 2>&1 | FileCheck %s --check-prefix=INLINE
// RUN: not env CUBE_TEST_MUTATE=specialize:constant cube-run %s --bisect --bisect-folder %t --arg x=random:70 --arg y=zeros:x 2>&1 | FileCheck %s --check-prefix=SPECIALIZE
// RUN: not env CUBE_TEST_MUTATE=remove-checks:bounds cube-run %s --bisect --bisect-folder %t --arg x=random:70 --arg y=zeros:x 2>&1 | FileCheck %s --check-prefix=REMOVE
// RUN: not env CUBE_TEST_MUTATE=expand-math:operands cube-run %s --bisect --bisect-folder %t --arg x=random:70 --arg y=zeros:x 2>&1 | FileCheck %s --check-prefix=MATH
// RUN: not env CUBE_TEST_MUTATE=buffers-to-memref:bounds cube-run %s --bisect --bisect-folder %t --arg x=random:70 --arg y=zeros:x 2>&1 | FileCheck %s --check-prefix=MEMREF
// RUN: ls %t | FileCheck %s --check-prefix=FILES

// CLEAN: expand-math same
// CLEAN: no pass changes the result
// INLINE: error[CUBE0720]: pass inline (number 2 of the pipeline, phase specialize) changes the result: {{.*}} elements of y
// SPECIALIZE: error[CUBE0720]: pass specialize
// REMOVE: error[CUBE0720]: pass remove-checks
// MATH: error[CUBE0720]: pass expand-math
// MEMREF: error[CUBE0720]: pass buffers-to-memref
// MEMREF-SAME: cube-opt {{.*}}before.mlir --pass-pipeline='builtin.module(cube.kernel(buffers-to-memref))'
// FILES: after.mlir
// FILES: before.mlir
// FILES: command.txt
cube.kernel @k(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %three = arith.constant 3 : i32
  %at = arith.remui %i, %three : i32
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %w = cube.load %x[%at] : !cube.array<f32> -> f32
  %d = arith.subf %v, %w : f32
  %e = math.exp %d : f32
  cube.store %e, %y[%i] : f32, !cube.array<f32>
  cube.return
}
