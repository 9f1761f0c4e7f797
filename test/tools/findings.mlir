// Each finding of the interpreter has kind, location, units, cubes and a code; the exit code is 1.

// RUN: not cube-run %s --backend interp --kernel race --arg y=zeros:4 --cube-count 1 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: findings.mlir:[[#@LINE+29]]:3: {{.*}}CUBE0711

// RUN: not cube-run %s --backend interp --kernel unset --arg x=zeros:4 --arg y=zeros:4 --uninit x --cube-count 1 2>&1 | FileCheck %s --check-prefix=UNSET
// UNSET: CUBE0712

// RUN: not cube-run %s --backend interp --kernel undefined --arg y=zeros:4 --cube-count 1 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: CUBE0713

// RUN: not cube-run %s --backend interp --find bounds --kernel far --arg y=zeros:2 --cube-count 1 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: CUBE0710

// RUN: not cube-run %s --backend interp --check barriers,races --kernel apart --arg y=zeros:4 --cube-count 1 2>&1 | FileCheck %s --check-prefix=APART
// APART: findings.mlir:[[#@LINE+9]]:5: {{.*}}CUBE0714
// APART-SAME: only 2 of 4 units of the cube reach this operation; another unit has ended

cube.kernel @apart(%y: !cube.array<i32>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %two = arith.constant 2 : i32
  %low = arith.cmpi ult, %i, %two : i32
  cube.store %i, %y[%i] : i32, !cube.array<i32>
  cube.if %low {
    cube.sync cube
  }
  cube.return
}

cube.kernel @race(%y: !cube.array<i32>) cube_dim(2) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  cube.store %i, %y[%zero] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @unset(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @undefined(%y: !cube.array<i32>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %v = cube.load %y[%i] : !cube.array<i32> -> i32
  %q = arith.divui %i, %v : i32
  cube.store %q, %y[%i] : i32, !cube.array<i32>
  cube.return
}

cube.kernel @far(%y: !cube.array<i32>) cube_dim(4) {
  %i = cube.topology absolute_pos
  cube.store %i, %y[%i] : i32, !cube.array<i32>
  cube.return
}
