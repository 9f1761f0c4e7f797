// The kernels run the numbers of cubes in n, whichever number is launched: fewer cubes, more cubes, or one. The buffer n is a column of
// numbers, of which the first three count.
// RUN-ARGS: --kernel places --arg out=zeros:280 --arg n=%S/data/loop_cubes.n572.npy --cube-count 1,1,1 --check out=%S/data/loop_cubes.r572.npy
// RUN-ARGS: --kernel places --arg out=zeros:280 --arg n=%S/data/loop_cubes.n572.npy --cube-count 12,1,1 --check out=%S/data/loop_cubes.r572.npy
// RUN-ARGS: --kernel places --arg out=zeros:280 --arg n=%S/data/loop_cubes.n572.npy --cube-count 3,5,7 --check out=%S/data/loop_cubes.r572.npy
// RUN-ARGS: --kernel places --arg out=zeros:280 --arg n=%S/data/loop_cubes.n502.npy --cube-count 12,1,1 --check out=%S/data/loop_cubes.none.npy
// RUN-ARGS: --kernel turns --arg out=zeros:280 --arg n=%S/data/loop_cubes.n572.npy --cube-count 3,1,1 --check out=%S/data/loop_cubes.t572.npy
cube.kernel @places(%out: !cube.array<i32>, %n: !cube.array<i32> {cube.access = "read", cube.cubes, cube.host = "u32"}) cube_dim(4) {
  %c10 = arith.constant 10 : i32
  %c100 = arith.constant 100 : i32
  %c1000 = arith.constant 1000 : i32
  %x = cube.topology cube_pos_x
  %y = cube.topology cube_pos_y
  %z = cube.topology cube_pos_z
  %u = cube.topology unit_pos
  %count = cube.topology cube_count
  %at = cube.topology absolute_pos
  %xs = arith.muli %x, %c10 : i32
  %ys = arith.muli %y, %c100 : i32
  %zs = arith.muli %z, %c1000 : i32
  %s0 = arith.addi %xs, %u : i32
  %s1 = arith.addi %s0, %ys : i32
  %s2 = arith.addi %s1, %zs : i32
  %s3 = arith.addi %s2, %count : i32
  %old = cube.load %out[%at] : !cube.array<i32> -> i32
  %sum = arith.addi %old, %s3 : i32
  cube.store %sum, %out[%at] : i32, !cube.array<i32>
  cube.return
}

// Each cube reverses the order of its units through shared memory.
cube.kernel @turns(%out: !cube.array<i32>, %n: !cube.array<i32> {cube.access = "read", cube.cubes, cube.host = "u32"}) cube_dim(4) {
  %s = cube.alloc : !cube.shared<4 x i32>
  %c3 = arith.constant 3 : i32
  %u = cube.topology unit_pos
  %at = cube.topology absolute_pos
  cube.store %at, %s[%u] : i32, !cube.shared<4 x i32>
  cube.sync cube
  %other = arith.subi %c3, %u : i32
  %w = cube.load %s[%other] : !cube.shared<4 x i32> -> i32
  cube.store %w, %out[%at] : i32, !cube.array<i32>
  cube.return
}
