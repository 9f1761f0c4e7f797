// A loop-carried sum from left to right must be exact to the last bit, with more units than rows, and without columns.
// RUN-ARGS: --arg matrix=%S/data/row_sum.matrix.npy --arg sums=random:37 --arg rows=37 --arg cols=53 \
// RUN-ARGS:   --check sums=%S/data/row_sum.sums.npy
// RUN-ARGS: --arg matrix=zeros:0 --arg sums=ones:37 --arg rows=37 --arg cols=0 --check sums=%S/data/zeros37.npy
cube.kernel @row_sum(%matrix: !cube.array<f32>, %sums: !cube.array<f32>,
                     %rows: i32 {cube.host = "u32"}, %cols: i32 {cube.host = "u32"}) cube_dim(16) {
  %zero = arith.constant 0.0 : f32
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %row = cube.topology absolute_pos
  %inside = arith.cmpi ult, %row, %rows : i32
  scf.if %inside {
    %start = arith.muli %row, %cols : i32
    %sum = scf.for unsigned %col = %0 to %cols step %1 iter_args(%so_far = %zero) -> (f32) : i32 {
      %at = arith.addi %start, %col : i32
      %v = cube.load %matrix[%at] : !cube.array<f32> -> f32
      %next = arith.addf %so_far, %v : f32
      scf.yield %next : f32
    }
    cube.store %sum, %sums[%row] : f32, !cube.array<f32>
  }
  cube.return
}
