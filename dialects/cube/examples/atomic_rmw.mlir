// A histogram of eight bins.
cube.kernel @uses_atomic_rmw(%x: !cube.array<i32>, %bins: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %n = cube.len %x : !cube.array<i32>
  %one = arith.constant 1 : i32
  %eight = arith.constant 8 : i32
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %v = cube.load %x[%i] : !cube.array<i32> -> i32
    %bin = cube.remui %v, %eight : i32
    %old = cube.atomic_rmw addi %one, %bins[%bin] : i32, !cube.array<i32>
  }
  cube.return
}
