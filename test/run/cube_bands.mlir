// The loop reads a by the position of the cube along x, and b by the position along y, so the CPU runs the cubes in bands of
// four rows. The last band has three rows, and a launch with one row or one column has one short band. Each cube adds
// its sum once.
// RUN-ARGS: --kernel bands --arg a=%S/data/cube_bands.a.npy --arg b=%S/data/cube_bands.b.npy --arg out=zeros:280 --arg n=3 --cube-count 5,7,2 --check out=%S/data/cube_bands.r572.npy
// RUN-ARGS: --kernel bands --arg a=%S/data/cube_bands.a.npy --arg b=%S/data/cube_bands.b.npy --arg out=zeros:20 --arg n=3 --cube-count 5,1,1 --check out=%S/data/cube_bands.r511.npy
// RUN-ARGS: --kernel bands --arg a=%S/data/cube_bands.a.npy --arg b=%S/data/cube_bands.b.npy --arg out=zeros:84 --arg n=3 --cube-count 1,7,3 --check out=%S/data/cube_bands.r173.npy
cube.kernel @bands(%a: !cube.array<i32>, %b: !cube.array<i32>, %out: !cube.array<i32>, %n: i32 {cube.host = "u32"}) cube_dim(4) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c1000 = arith.constant 1000 : i32
  %x = cube.topology cube_pos_x
  %y = cube.topology cube_pos_y
  %z = cube.topology cube_pos_z
  %u = cube.topology unit_pos_x
  %cube = cube.topology cube_pos
  %row = arith.muli %x, %c3 : i32
  %column = arith.muli %y, %c3 : i32
  %start = arith.muli %z, %c1000 : i32
  %sum = scf.for unsigned %k = %c0 to %n step %c1 iter_args(%s = %start) -> (i32) : i32 {
    %i = arith.addi %row, %k : i32
    %j = arith.addi %column, %k : i32
    %p = cube.load %a[%i] : !cube.array<i32> -> i32
    %q = cube.load %b[%j] : !cube.array<i32> -> i32
    %pq = arith.muli %p, %q : i32
    %more = arith.addi %s, %pq : i32
    scf.yield %more : i32
  }
  %mine = arith.addi %sum, %u : i32
  %first = arith.muli %cube, %c4 : i32
  %at = arith.addi %first, %u : i32
  %old = cube.load %out[%at] : !cube.array<i32> -> i32
  %new = arith.addi %old, %mine : i32
  cube.store %new, %out[%at] : i32, !cube.array<i32>
  cube.return
}
