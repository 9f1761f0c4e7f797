// A sum of -0 is -0, and a minimum of NaNs is NaN, also in a partial plane; exclusive scans start from +0 or infinity.
// Five units are a partial plane for any plane size.
// RUN-ARGS: --arg x=%S/data/plane_zeros.x.npy --arg r=ones:40 --cube-count 1 --check r=%S/data/plane_zeros.r.npy
cube.kernel @plane_zeros(%x: !cube.array<f32>, %r: !cube.array<i32>) cube_dim(5) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %u = cube.topology unit_pos
  %zero = cube.load %x[%c0] : !cube.array<f32> -> f32
  %nan = cube.load %x[%c1] : !cube.array<f32> -> f32
  %zeros = vector.broadcast %zero : f32 to vector<2xf32>
  %nans = vector.broadcast %nan : f32 to vector<2xf32>
  %sum = cube.plane_reduce addf %zero : f32
  %least = cube.plane_reduce minf %nan : f32
  %upto = cube.plane_scan inclusive addf %zero : f32
  %before = cube.plane_scan exclusive addf %zero : f32
  %least_before = cube.plane_scan exclusive minf %nan : f32
  %sums = cube.plane_reduce addf %zeros : vector<2xf32>
  %befores = cube.plane_scan exclusive addf %zeros : vector<2xf32>
  %most = cube.plane_reduce maxf %nans : vector<2xf32>
  %sums1 = vector.extract %sums[1] : f32 from vector<2xf32>
  %befores0 = vector.extract %befores[0] : f32 from vector<2xf32>
  %most0 = vector.extract %most[0] : f32 from vector<2xf32>
  %b0 = arith.bitcast %sum : f32 to i32
  %n1 = arith.cmpf uno, %least, %least : f32
  %b1 = arith.extui %n1 : i1 to i32
  %b2 = arith.bitcast %upto : f32 to i32
  %b3 = arith.bitcast %before : f32 to i32
  %n4 = arith.cmpf uno, %least_before, %least_before : f32
  %b4 = arith.extui %n4 : i1 to i32
  %b5 = arith.bitcast %sums1 : f32 to i32
  %b6 = arith.bitcast %befores0 : f32 to i32
  %n7 = arith.cmpf uno, %most0, %most0 : f32
  %b7 = arith.extui %n7 : i1 to i32
  %low = vector.from_elements %b0, %b1, %b2, %b3 : vector<4xi32>
  %high = vector.from_elements %b4, %b5, %b6, %b7 : vector<4xi32>
  %at = arith.muli %u, %c8 : i32
  cube.for unsigned %i = %c0 to %c8 step %c1 : i32 {
    %c4 = arith.constant 4 : i32
    %first = arith.cmpi ult, %i, %c4 : i32
    %lane = arith.remui %i, %c4 : i32
    %l = cube.extract %low[%lane] : vector<4xi32> -> i32
    %h = cube.extract %high[%lane] : vector<4xi32> -> i32
    %v = arith.select %first, %l, %h : i32
    %p = arith.addi %at, %i : i32
    cube.store %v, %r[%p] : i32, !cube.array<i32>
  }
  cube.return
}
