// Barriers behind a uniform loaded value, after a version of the code without checks. LLVM moves the stores of both versions
// to one block, and the value passes through two phis after the divergent check of the store. The value is uniform, so the
// compiler accepts the kernels.

// RUN: cubec %s --kernel of_plane --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=PLANE
// RUN: cubec %s --kernel of_cube --target nvptx:sm_90a -o - | FileCheck %s --check-prefix=CUBE

// PLANE: bar.warp.sync
// CUBE: bar.sync 0
cube.kernel @of_plane(%x: !cube.array<f16>, %y: !cube.array<f16>) cube_dim(2) {
  %none = arith.constant 0.0 : f16
  %zero = arith.constant 0 : i32
  %i = cube.topology absolute_pos
  %v = cube.load %x[%zero] : !cube.array<f16> -> f16
  cube.store %v, %y[%i] : f16, !cube.array<f16>
  %is = arith.cmpf oeq, %v, %none : f16
  cube.if %is {
    cube.sync plane
    cube.terminate
  }
  cube.return
}

cube.kernel @of_cube(%x: !cube.array<i64>, %f: !cube.array<f32>, %y: !cube.array<i64>) cube_dim(2) {
  %none = arith.constant 0.0 : f32
  %zero = arith.constant 0 : i32
  %i = cube.topology absolute_pos_x
  %v = cube.load %f[%zero] : !cube.array<f32> -> f32
  %w = cube.load %x[%i] : !cube.array<i64> -> i64
  %is = arith.cmpf ueq, %none, %v : f32
  cube.if %is {
    cube.sync cube
  }
  cube.store %w, %y[%zero] : i64, !cube.array<i64>
  cube.return
}
