// Counts the lanes of the plane whose value is above 0.
cube.kernel @uses_plane_ballot(%x: !cube.array<i32>, %out: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %above = arith.cmpi sgt, %v, %zero : i32
  %bits = cube.plane_ballot %above : vector<4xi32>
  %counts = math.ctpop %bits : vector<4xi32>
  %n = vector.reduction <add>, %counts : vector<4xi32> into i32
  cube.store %n, %out[%i] : i32, !cube.array<i32>
  cube.return
}
