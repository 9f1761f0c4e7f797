// Plane operations in divergent branches and loops apply to the active lanes. In the loops, unit u executes u mod 5
// iterations and skips each iteration whose number divides its lane. The active lanes are in the same iteration,
// although other lanes skip code in it. A Python model computed the expected values for each lane.
// SKIP: wgpu plane operations require uniform control flow
// SKIP: wgpu-spirv plane operations require uniform control flow
// RUN-ARGS: --arg x=%S/data/plane_parts.x.npy --arg r=zeros:852 --cube-count 1 --check r=%S/data/plane_parts.r.npy
cube.kernel @plane_parts(%x: !cube.array<i32>, %r: !cube.array<i32>) cube_dim(71) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %twelve = arith.constant 12 : i32
  %u = cube.topology unit_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%u] : !cube.array<i32> -> i32
  %f = arith.sitofp %v : i32 to f32
  %tenth = arith.constant 0.1 : f32
  %part = arith.mulf %f, %tenth : f32
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %odd = arith.andi %u, %one : i32
  %is_odd = arith.cmpi ne, %odd, %zero : i32
  %at = arith.muli %u, %twelve : i32
  scf.if %mine {
    %sum = cube.plane_reduce addi %v : i32
    %before = cube.plane_scan exclusive maxsi %v : i32
    %upto = cube.plane_scan inclusive addf %part : f32
    %upto_i = arith.bitcast %upto : f32 to i32
    // In this branch lane 1 is active and lane 3 is inactive.
    %first = cube.plane_broadcast %v, %one : i32
    %own = cube.plane_broadcast %v, %three : i32
    %xor = cube.plane_shuffle xor %v, %three : i32
    %down = cube.plane_shuffle down %v, %third : i32
    %me = cube.plane_elect
    %me_i = arith.extui %me : i1 to i32
    %all = cube.plane_vote all %mine
    %all_i = arith.extui %all : i1 to i32
    %bits = cube.plane_ballot %is_odd : vector<4xi32>
    %word = vector.extract %bits[0] : i32 from vector<4xi32>
    cube.store %sum, %r[%at] : i32, !cube.array<i32>
    %p1 = arith.addi %at, %one : i32
    cube.store %before, %r[%p1] : i32, !cube.array<i32>
    %p2 = arith.addi %p1, %one : i32
    cube.store %upto_i, %r[%p2] : i32, !cube.array<i32>
    %p3 = arith.addi %p2, %one : i32
    cube.store %first, %r[%p3] : i32, !cube.array<i32>
    %p4 = arith.addi %p3, %one : i32
    cube.store %own, %r[%p4] : i32, !cube.array<i32>
    %p5 = arith.addi %p4, %one : i32
    cube.store %xor, %r[%p5] : i32, !cube.array<i32>
    %p6 = arith.addi %p5, %one : i32
    cube.store %down, %r[%p6] : i32, !cube.array<i32>
    %p7 = arith.addi %p6, %one : i32
    %twice = arith.addi %all_i, %all_i : i32
    %flags = arith.addi %twice, %me_i : i32
    cube.store %flags, %r[%p7] : i32, !cube.array<i32>
    %p8 = arith.addi %p7, %one : i32
    cube.store %word, %r[%p8] : i32, !cube.array<i32>
  } else {
    %all = cube.plane_vote all %is_odd
    scf.if %is_odd {
      %low = cube.plane_reduce minsi %v : i32
      cube.store %low, %r[%at] : i32, !cube.array<i32>
    }
  }
  %turns = cube.remui %u, %five : i32
  %counted = scf.for %i = %zero to %turns step %one iter_args(%acc = %zero) -> (i32) : i32 {
    %next = arith.addi %i, %one : i32
    %rest = cube.remui %lane, %next : i32
    %here = arith.cmpi ne, %rest, %zero : i32
    %more = scf.if %here -> (i32) {
      %s = cube.plane_reduce addi %v : i32
      scf.yield %s : i32
    } else {
      scf.yield %one : i32
    }
    %sum = arith.addi %acc, %more : i32
    scf.yield %sum : i32
  }
  %p9 = arith.constant 9 : i32
  %at9 = arith.addi %at, %p9 : i32
  cube.store %counted, %r[%at9] : i32, !cube.array<i32>
  %again:2 = scf.while (%i = %zero, %acc = %zero) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi ult, %i, %turns : i32
    %bits = cube.plane_ballot %go : vector<4xi32>
    %word = vector.extract %bits[0] : i32 from vector<4xi32>
    %sum = arith.addi %acc, %word : i32
    scf.condition(%go) %i, %sum : i32, i32
  } do {
  ^bb0(%i: i32, %acc: i32):
    %next = arith.addi %i, %one : i32
    %most = cube.plane_reduce maxsi %v : i32
    %sum = arith.addi %acc, %most : i32
    scf.yield %next, %sum : i32, i32
  }
  %at10 = arith.addi %at9, %one : i32
  cube.store %again#1, %r[%at10] : i32, !cube.array<i32>
  %at11 = arith.addi %at10, %one : i32
  %case = arith.index_castui %third : i32 to index
  %chosen = scf.index_switch %case -> i32
  case 0 {
    %s = cube.plane_reduce addi %v : i32
    scf.yield %s : i32
  }
  case 2 {
    %s = cube.plane_reduce maxsi %v : i32
    scf.yield %s : i32
  }
  default {
    %s = cube.plane_scan exclusive addi %v : i32
    scf.yield %s : i32
  }
  cube.store %chosen, %r[%at11] : i32, !cube.array<i32>
  cube.return
}
