// Accelerations of n bodies, for a multiple n of 64. Each cube loads tiles of 64 bodies into shared memory.
cube.kernel @nbody(%bodies: !cube.array<f32, 4> {cube.host = "f32"}, %pull: !cube.array<f32, 4> {cube.host = "f32"}) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %units = arith.constant 64 : i32
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %soft = arith.constant 0.01 : f32
  %tile = cube.alloc : !cube.shared<64 x f32, 4>
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %n = cube.len %bodies : !cube.array<f32, 4>
  %own = cube.load %bodies[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %x = vector.extract %own[0] : f32 from vector<4xf32>
  %y = vector.extract %own[1] : f32 from vector<4xf32>
  %z = vector.extract %own[2] : f32 from vector<4xf32>
  %sum:3 = scf.for unsigned %first = %zero to %n step %units iter_args(%ax = %f0, %ay = %f0, %az = %f0) -> (f32, f32, f32) : i32 {
    %at = arith.addi %first, %u : i32
    %body = cube.load %bodies[%at] : !cube.array<f32, 4> -> vector<4xf32>
    cube.store %body, %tile[%u] : vector<4xf32>, !cube.shared<64 x f32, 4>
    cube.sync cube
    %part:3 = scf.for unsigned %j = %zero to %units step %one iter_args(%bx = %ax, %by = %ay, %bz = %az) -> (f32, f32, f32) : i32 {
      %other = cube.load %tile[%j] : !cube.shared<64 x f32, 4> -> vector<4xf32>
      %ox = vector.extract %other[0] : f32 from vector<4xf32>
      %oy = vector.extract %other[1] : f32 from vector<4xf32>
      %oz = vector.extract %other[2] : f32 from vector<4xf32>
      %mass = vector.extract %other[3] : f32 from vector<4xf32>
      %dx = arith.subf %ox, %x : f32
      %dy = arith.subf %oy, %y : f32
      %dz = arith.subf %oz, %z : f32
      %xx = arith.mulf %dx, %dx : f32
      %yy = arith.mulf %dy, %dy : f32
      %zz = arith.mulf %dz, %dz : f32
      %xy = arith.addf %xx, %yy : f32
      %xyz = arith.addf %xy, %zz : f32
      %square = arith.addf %xyz, %soft : f32
      %root = math.sqrt %square : f32
      %inverse = arith.divf %f1, %root : f32
      %i2 = arith.mulf %inverse, %inverse : f32
      %i3 = arith.mulf %i2, %inverse : f32
      %force = arith.mulf %mass, %i3 : f32
      %fx = arith.mulf %force, %dx : f32
      %fy = arith.mulf %force, %dy : f32
      %fz = arith.mulf %force, %dz : f32
      %cx = arith.addf %bx, %fx : f32
      %cy = arith.addf %by, %fy : f32
      %cz = arith.addf %bz, %fz : f32
      scf.yield %cx, %cy, %cz : f32, f32, f32
    }
    cube.sync cube
    scf.yield %part#0, %part#1, %part#2 : f32, f32, f32
  }
  %r = vector.from_elements %sum#0, %sum#1, %sum#2, %f0 : vector<4xf32>
  cube.store %r, %pull[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}
