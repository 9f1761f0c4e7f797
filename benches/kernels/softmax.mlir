// Softmax of each row of a matrix with %cols columns. The units of one cube read the row three times, in parallel.
// Shared memory combines the results of the planes; a cube has at most 32 planes.
cube.func @over_cube_max(%own: f32, %parts: !cube.shared<32 x f32>) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %least = arith.constant 0xFF800000 : f32
  %plane = cube.topology plane_pos
  %lanes = cube.topology plane_dim
  %units = cube.topology cube_dim
  %planes = cube.divui %units, %lanes : i32
  %part = cube.plane_reduce maxf %own : f32
  %first = cube.plane_elect
  scf.if %first {
    cube.store %part, %parts[%plane] : f32, !cube.shared<32 x f32>
  }
  cube.sync cube
  %all = scf.for unsigned %p = %zero to %planes step %one iter_args(%so_far = %least) -> (f32) : i32 {
    %v = cube.load %parts[%p] : !cube.shared<32 x f32> -> f32
    %next = arith.maximumf %so_far, %v : f32
    scf.yield %next : f32
  }
  cube.sync cube
  cube.return %all : f32
}

cube.func @over_cube_sum(%own: f32, %parts: !cube.shared<32 x f32>) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %plane = cube.topology plane_pos
  %lanes = cube.topology plane_dim
  %units = cube.topology cube_dim
  %planes = cube.divui %units, %lanes : i32
  %part = cube.plane_reduce addf %own : f32
  %first = cube.plane_elect
  scf.if %first {
    cube.store %part, %parts[%plane] : f32, !cube.shared<32 x f32>
  }
  cube.sync cube
  %all = scf.for unsigned %p = %zero to %planes step %one iter_args(%so_far = %none) -> (f32) : i32 {
    %v = cube.load %parts[%p] : !cube.shared<32 x f32> -> f32
    %next = arith.addf %so_far, %v : f32
    scf.yield %next : f32
  }
  cube.return %all : f32
}

cube.kernel @softmax(%x: !cube.array<f32>, %y: !cube.array<f32>, %cols: i32 {cube.host = "u32"}) cube_dim(256) {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %parts = cube.alloc : !cube.shared<32 x f32>
  %unit = cube.topology unit_pos
  %units = cube.topology cube_dim
  %row = cube.topology cube_pos
  %start = arith.muli %row, %cols : i32
  %own_max = scf.for unsigned %col = %unit to %cols step %units iter_args(%so_far = %least) -> (f32) : i32 {
    %at = arith.addi %start, %col : i32
    %v = cube.load %x[%at] : !cube.array<f32> -> f32
    %next = arith.maximumf %so_far, %v : f32
    scf.yield %next : f32
  }
  %max = cube.call @over_cube_max(%own_max, %parts) : (f32, !cube.shared<32 x f32>) -> f32
  %own_sum = scf.for unsigned %col = %unit to %cols step %units iter_args(%so_far = %none) -> (f32) : i32 {
    %at = arith.addi %start, %col : i32
    %v = cube.load %x[%at] : !cube.array<f32> -> f32
    %less = arith.subf %v, %max : f32
    %e = math.exp %less : f32
    cube.store %e, %y[%at] : f32, !cube.array<f32>
    %next = arith.addf %so_far, %e : f32
    scf.yield %next : f32
  }
  %sum = cube.call @over_cube_sum(%own_sum, %parts) : (f32, !cube.shared<32 x f32>) -> f32
  %scale = arith.divf %one, %sum : f32
  scf.for unsigned %col = %unit to %cols step %units : i32 {
    %at = arith.addi %start, %col : i32
    %e = cube.load %y[%at] : !cube.array<f32> -> f32
    %r = arith.mulf %e, %scale : f32
    cube.store %r, %y[%at] : f32, !cube.array<f32>
  }
  cube.return
}
