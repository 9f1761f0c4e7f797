// c = a + b; each unit computes 16 bytes.
cube.kernel @add(%a: !cube.array<f32, 4>, %b: !cube.array<f32, 4>, %c: !cube.array<f32, 4>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %n = cube.len %c : !cube.array<f32, 4>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %x = cube.load %a[%i] : !cube.array<f32, 4> -> vector<4xf32>
    %y = cube.load %b[%i] : !cube.array<f32, 4> -> vector<4xf32>
    %s = arith.addf %x, %y : vector<4xf32>
    cube.store %s, %c[%i] : vector<4xf32>, !cube.array<f32, 4>
  }
  cube.return
}

// c = a + b with 16 bytes for each unit; the caller promises that all accesses are in bounds.
cube.kernel @add_unchecked(%a: !cube.array<f32, 4>, %b: !cube.array<f32, 4>, %c: !cube.array<f32, 4>) cube_dim(256) unchecked {
  %i = cube.topology absolute_pos
  %x = cube.load %a[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %y = cube.load %b[%i] : !cube.array<f32, 4> -> vector<4xf32>
  %s = arith.addf %x, %y : vector<4xf32>
  cube.store %s, %c[%i] : vector<4xf32>, !cube.array<f32, 4>
  cube.return
}

// c = a + b; each unit computes one element.
cube.kernel @add_one(%a: !cube.array<f32>, %b: !cube.array<f32>, %c: !cube.array<f32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %n = cube.len %c : !cube.array<f32>
  %inside = arith.cmpi ult, %i, %n : i32
  scf.if %inside {
    %x = cube.load %a[%i] : !cube.array<f32> -> f32
    %y = cube.load %b[%i] : !cube.array<f32> -> f32
    %s = arith.addf %x, %y : f32
    cube.store %s, %c[%i] : f32, !cube.array<f32>
  }
  cube.return
}

// Fills a buffer on the device with pseudo-random numbers in [-1, 1), for data that is too large to transfer.
cube.kernel @fill(%y: !cube.array<f32>, %seed: i32 {cube.host = "u32"}) cube_dim(256) {
  %i = cube.topology absolute_pos
  %m1 = arith.constant 0x7feb352d : i32
  %m2 = arith.constant 0x846ca68b : i32
  %c8 = arith.constant 8 : i32
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  %scale = arith.constant 1.1920928955078125e-7 : f32
  %one = arith.constant 1.0 : f32
  %h0 = arith.addi %i, %seed : i32
  %s0 = cube.shrui %h0, %c16 : i32
  %h1 = arith.xori %h0, %s0 : i32
  %h2 = arith.muli %h1, %m1 : i32
  %s1 = cube.shrui %h2, %c15 : i32
  %h3 = arith.xori %h2, %s1 : i32
  %h4 = arith.muli %h3, %m2 : i32
  %s2 = cube.shrui %h4, %c16 : i32
  %h5 = arith.xori %h4, %s2 : i32
  %bits = cube.shrui %h5, %c8 : i32
  %f = arith.uitofp %bits : i32 to f32
  %v = arith.mulf %f, %scale : f32
  %r = arith.subf %v, %one : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// An empty kernel with eight parameters, to measure the cost of a launch.
cube.kernel @empty(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32, %f: i32, %g: i32, %h: i32) cube_dim(32) {
  cube.return
}
