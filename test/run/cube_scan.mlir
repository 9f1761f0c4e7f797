// The example kernel cube_scan: barriers, shared memory and plane scans compute an inclusive scan in each cube.
// RUN-ARGS: --arg x=%S/data/scan.x.npy --arg r=zeros:1024 --cube-count 4 --check r=%S/data/scan.r.npy
cube.kernel @cube_scan(%x: !cube.array<i32> {cube.host = "u32"}, %r: !cube.array<i32> {cube.host = "u32"}) cube_dim(256) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sums = cube.alloc : !cube.shared<32 x i32>
  %i = cube.topology absolute_pos
  %plane = cube.topology plane_pos
  %lane = cube.topology unit_pos_plane
  %lanes = cube.topology plane_dim
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %upto = cube.plane_scan inclusive addi %v : i32
  %last = arith.subi %lanes, %one : i32
  %is_last = arith.cmpi eq, %lane, %last : i32
  scf.if %is_last {
    cube.store %upto, %sums[%plane] : i32, !cube.shared<32 x i32>
  }
  cube.sync cube
  %before = scf.for unsigned %p = %zero to %plane step %one iter_args(%so_far = %zero) -> (i32) : i32 {
    %sum = cube.load %sums[%p] : !cube.shared<32 x i32> -> i32
    %next = arith.addi %so_far, %sum : i32
    scf.yield %next : i32
  }
  %all = arith.addi %upto, %before : i32
  cube.store %all, %r[%i] : i32, !cube.array<i32>
  cube.return
}
