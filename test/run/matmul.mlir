// Matrix product with tiles in shared memory, in cubes of 16 x 16; each unit carries a sum across barriers.
// RUN-ARGS: --arg a=%S/data/matmul.a.npy --arg b=%S/data/matmul.b.npy --arg c=zeros:1024 --arg n=32 --cube-count 2,2 --check c=%S/data/matmul.c.npy
cube.kernel @matmul_tiled(%a: !cube.array<f32>, %b: !cube.array<f32>, %c: !cube.array<f32>, %n: i32 {cube.host = "u32"}) cube_dim(16, 16) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %side = arith.constant 16 : i32
  %none = arith.constant 0.0 : f32
  %ta = cube.alloc : !cube.shared<256 x f32>
  %tb = cube.alloc : !cube.shared<256 x f32>
  %x = cube.topology unit_pos_x
  %y = cube.topology unit_pos_y
  %col = cube.topology absolute_pos_x
  %row = cube.topology absolute_pos_y
  %line = arith.muli %y, %side : i32
  %own = arith.addi %line, %x : i32
  %row_start = arith.muli %row, %n : i32
  %sum = scf.for unsigned %k = %zero to %n step %side iter_args(%so_far = %none) -> (f32) : i32 {
    %kx = arith.addi %k, %x : i32
    %ia = arith.addi %row_start, %kx : i32
    %va = cube.load %a[%ia] : !cube.array<f32> -> f32
    cube.store %va, %ta[%own] : f32, !cube.shared<256 x f32>
    %ky = arith.addi %k, %y : i32
    %ky_start = arith.muli %ky, %n : i32
    %ib = arith.addi %ky_start, %col : i32
    %vb = cube.load %b[%ib] : !cube.array<f32> -> f32
    cube.store %vb, %tb[%own] : f32, !cube.shared<256 x f32>
    cube.sync cube
    %part = scf.for unsigned %j = %zero to %side step %one iter_args(%acc = %so_far) -> (f32) : i32 {
      %ja = arith.addi %line, %j : i32
      %wa = cube.load %ta[%ja] : !cube.shared<256 x f32> -> f32
      %jl = arith.muli %j, %side : i32
      %jb = arith.addi %jl, %x : i32
      %wb = cube.load %tb[%jb] : !cube.shared<256 x f32> -> f32
      %next = math.fma %wa, %wb, %acc : f32
      scf.yield %next : f32
    }
    cube.sync cube
    scf.yield %part : f32
  }
  %at = arith.addi %row_start, %col : i32
  cube.store %sum, %c[%at] : f32, !cube.array<f32>
  cube.return
}
