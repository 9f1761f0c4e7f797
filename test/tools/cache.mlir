// RUN: rm -rf %t && env CUBE_CACHE=%t cube-run %s --arg y=zeros:64 --time | FileCheck %s --check-prefix=NEW
// RUN: env CUBE_CACHE=%t cube-run %s --arg y=zeros:64 --time --print y | FileCheck %s --check-prefix=KEPT
// RUN: env CUBE_CACHE=%t CUBE_DEBUG=1 cube-run %s --arg y=zeros:64 --time | FileCheck %s --check-prefix=NEW
// RUN: env CUBE_CACHE=%t CUBE_CACHE_MIB=much not cube-run %s --arg y=zeros:64 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: env CUBE_CACHE=%s cube-run %s --arg y=zeros:64 --print y 2>&1 | FileCheck %s --check-prefix=FULL

// CUBE_CACHE keeps compiled kernels, so each kernel is compiled once; code with debug information is kept separately.
// NEW: parse
// NEW: emit
// KEPT-NOT: parse
// KEPT: cache {{.*}} compiled before
// KEPT: 0 1 2 3
// SIZE: error[CUBE0923]: CUBE_CACHE_MIB is 'much', which is not a number of MiB
// An invalid cache folder is reported, and the kernel runs.
// FULL: error[CUBE0924]: a compiled kernel cannot be kept in {{.*}}cache.mlir
// FULL: 0 1 2 3
cube.kernel @count(%y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  cube.store %i, %y[%i] : i32, !cube.array<i32>
  cube.return
}
