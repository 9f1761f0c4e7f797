// Every plane operation on planes of 8 lanes, in cubes of 4 x 5 units: the last plane has 4 lanes. A Python model
// computed the expected values for each lane.
// SKIP: cuda its planes have 32 lanes, and these values are those of planes of 8
// SKIP: wgpu plane operations require uniform control flow
// SKIP: wgpu-spirv plane operations require uniform control flow
// RUN-ARGS: --arg x=%S/data/planes.x.npy --arg r=zeros:400 --cube-count 2 --check r=%S/data/planes.r.npy
cube.kernel @planes(%x: !cube.array<i32>, %r: !cube.array<i32>) cube_dim(4, 5) attributes {cube.plane_dim = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %ten = arith.constant 10 : i32
  %u = cube.topology unit_pos
  %cube = cube.topology cube_pos
  %units = cube.topology cube_dim
  %lane = cube.topology unit_pos_plane
  %plane = cube.topology plane_pos
  %base = arith.muli %cube, %units : i32
  %i = arith.addi %base, %u : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %sum = cube.plane_reduce addi %v : i32
  %least = cube.plane_reduce minsi %v : i32
  %upto = cube.plane_scan inclusive muli %v : i32
  %before = cube.plane_scan exclusive maxsi %v : i32
  %xor = cube.plane_shuffle xor %v, %three : i32
  %up = cube.plane_shuffle up %v, %two : i32
  %down = cube.plane_shuffle down %v, %lane : i32
  %third = cube.plane_broadcast %v, %three : i32
  %positive = arith.cmpi sgt, %v, %zero : i32
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %word = vector.extract %bits[0] : i32 from vector<4xi32>
  %me = cube.plane_elect
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %two_all = arith.muli %all_i, %two : i32
  %four = arith.muli %two, %two : i32
  %four_me = arith.muli %me_i, %four : i32
  %f0 = arith.addi %any_i, %two_all : i32
  %flags = arith.addi %f0, %four_me : i32
  // The condition is uniform in the plane, so all lanes take the same arm.
  %inside = scf.if %any -> (i32) {
    %s = cube.plane_reduce ori %v : i32
    scf.yield %s : i32
  } else {
    scf.yield %plane : i32
  }
  %at = arith.muli %i, %ten : i32
  %p1 = arith.addi %at, %one : i32
  %p2 = arith.addi %p1, %one : i32
  %p3 = arith.addi %p2, %one : i32
  %p4 = arith.addi %p3, %one : i32
  %p5 = arith.addi %p4, %one : i32
  %p6 = arith.addi %p5, %one : i32
  %p7 = arith.addi %p6, %one : i32
  %p8 = arith.addi %p7, %one : i32
  %p9 = arith.addi %p8, %one : i32
  %third_down = arith.xori %third, %down : i32
  cube.store %sum, %r[%at] : i32, !cube.array<i32>
  cube.store %least, %r[%p1] : i32, !cube.array<i32>
  cube.store %upto, %r[%p2] : i32, !cube.array<i32>
  cube.store %before, %r[%p3] : i32, !cube.array<i32>
  cube.store %xor, %r[%p4] : i32, !cube.array<i32>
  cube.store %up, %r[%p5] : i32, !cube.array<i32>
  cube.store %third_down, %r[%p6] : i32, !cube.array<i32>
  cube.store %word, %r[%p7] : i32, !cube.array<i32>
  cube.store %flags, %r[%p8] : i32, !cube.array<i32>
  cube.store %inside, %r[%p9] : i32, !cube.array<i32>
  cube.return
}
