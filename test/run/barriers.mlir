// A reduction tree in shared memory: a loop with barriers whose trip count is an argument, in a loop over chunks that
// carries each unit's sum and a uniform count. With 100 units the tree is uneven.
// RUN-ARGS: --arg x=%S/data/scan.x.npy --arg r=zeros:4 --arg chunk=256 --cube-count 4 --check r=%S/data/tree.r.npy
cube.kernel @tree(%x: !cube.array<i32> {cube.host = "u32"}, %r: !cube.array<i32> {cube.host = "u32"},
                  %chunk: i32 {cube.host = "u32"}) cube_dim(10, 10) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %tile = cube.alloc : !cube.shared<100 x i32>
  %mine = cube.alloc : !cube.local<4 x i32>
  %u = cube.topology unit_pos
  %units = cube.topology cube_dim
  %cube = cube.topology cube_pos
  %start = arith.muli %cube, %chunk : i32
  %slot = arith.remui %u, %two : i32
  cube.store %zero, %mine[%slot] : i32, !cube.local<4 x i32>
  %sum, %turns = scf.for unsigned %k = %zero to %chunk step %units iter_args(%s = %zero, %t = %zero) -> (i32, i32) : i32 {
    %own = arith.addi %k, %u : i32
    %inside = arith.cmpi ult, %own, %chunk : i32
    %next = scf.if %inside -> (i32) {
      %at = arith.addi %start, %own : i32
      %v = cube.load %x[%at] : !cube.array<i32> -> i32
      %more = arith.addi %s, %v : i32
      scf.yield %more : i32
    } else {
      scf.yield %s : i32
    }
    %old = cube.load %mine[%slot] : !cube.local<4 x i32> -> i32
    %new = arith.addi %old, %one : i32
    cube.store %new, %mine[%slot] : i32, !cube.local<4 x i32>
    cube.sync cube
    %turn = arith.addi %t, %one : i32
    scf.yield %next, %turn : i32, i32
  }
  cube.store %sum, %tile[%u] : i32, !cube.shared<100 x i32>
  cube.sync cube
  %left = scf.while (%n = %units) : (i32) -> (i32) {
    %more = arith.cmpi ugt, %n, %one : i32
    scf.condition(%more) %n : i32
  } do {
  ^bb0(%n: i32):
    %up = arith.addi %n, %one : i32
    %half = cube.divui %up, %two : i32
    %other = arith.addi %u, %half : i32
    %has = arith.cmpi ult, %other, %n : i32
    scf.if %has {
      %a = cube.load %tile[%u] : !cube.shared<100 x i32> -> i32
      %b = cube.load %tile[%other] : !cube.shared<100 x i32> -> i32
      %c = arith.addi %a, %b : i32
      cube.store %c, %tile[%u] : i32, !cube.shared<100 x i32>
    }
    cube.sync cube
    scf.yield %half : i32
  }
  %first = arith.cmpi eq, %u, %zero : i32
  scf.if %first {
    // The sum, plus the iterations of the outer loop, counted in two variables (3 each), plus the last tree size (1).
    %all = cube.load %tile[%zero] : !cube.shared<100 x i32> -> i32
    %counted = cube.load %mine[%slot] : !cube.local<4 x i32> -> i32
    %e = arith.addi %all, %turns : i32
    %f = arith.addi %e, %counted : i32
    %g = arith.addi %f, %left : i32
    cube.store %g, %r[%cube] : i32, !cube.array<i32>
  }
  cube.return
}
