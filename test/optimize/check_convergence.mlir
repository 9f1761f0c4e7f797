// RUN: cube-opt %s --check-convergence --split-input-file --verify-diagnostics

// Uniform conditions: arguments, cube positions, loop bounds computed from them, values loaded from one address.
cube.kernel @uniform(%x: !cube.array<i32>, %n: i32, %p: i1) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.if %p { cube.sync cube }
  %c = cube.topology cube_pos
  %even = arith.cmpi eq, %c, %zero : i32
  scf.if %even { cube.sync storage }
  scf.for %i = %zero to %n step %one : i32 { cube.sync cube }
  %v = cube.load %x[%zero] : !cube.array<i32> -> i32
  %q = arith.cmpi eq, %v, %zero : i32
  scf.if %q { cube.sync cube }
  %s = scf.while (%k = %n) : (i32) -> i32 {
    %go = arith.cmpi ult, %k, %v : i32
    scf.condition(%go) %k : i32
  } do {
  ^bb0(%k: i32):
    cube.sync cube
    %d = arith.muli %k, %k : i32
    scf.yield %d : i32
  }
  cube.return
}

// -----

// Along y the cube has one unit, so the position along y is uniform.
cube.kernel @one_row(%n: i32) cube_dim(64, 1) {
  %y = cube.topology unit_pos_y
  %c = arith.cmpi ult, %y, %n : i32
  scf.if %c { cube.sync cube }
  %plane = cube.topology plane_pos
  %d = arith.cmpi ult, %plane, %n : i32
  scf.if %d { cube.sync plane }
  cube.return
}

// -----

cube.kernel @branch(%n: i32) cube_dim(64) {
  // expected-note@+1 {{because this value differs between units}}
  %u = cube.topology unit_pos
  // expected-note@+1 {{this condition differs between units}}
  %c = arith.cmpi ult, %u, %n : i32
  scf.if %c {
    // expected-error@+1 CUBE0315
    cube.sync cube
  }
  cube.return
}

// -----

// A varying value propagates through a load, arithmetic, and loop-carried values.
cube.kernel @carried(%x: !cube.array<i32>, %n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-note@+1 {{because this value differs between units}}
  %u = cube.topology unit_pos
  // expected-note@+1 {{because this differs}}
  %v = cube.load %x[%u] : !cube.array<i32> -> i32
  // expected-note@+1 {{because this differs}}
  %s = scf.for %i = %zero to %n step %one iter_args(%sum = %zero) -> (i32) : i32 {
    // expected-note@+1 {{because this differs}}
    %t = arith.addi %sum, %v : i32
    scf.yield %t : i32
  }
  // expected-note@+1 {{this condition differs between units}}
  %c = arith.cmpi eq, %s, %zero : i32
  scf.if %c {
    // expected-error@+1 CUBE0315.not_reached {advice = "guard the accesses instead of the barrier, so that all units continue to the barrier"}
    cube.sync storage
  }
  cube.return
}

// -----

// A loop with a varying trip count, and its result.
cube.kernel @trip_counts(%n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-note@+1 {{because this value differs between units}}
  %u = cube.topology absolute_pos
  scf.for %i = %zero to %u step %one : i32 {
    // expected-error@+1 CUBE0315.not_reached {advice = "guard the accesses instead of the barrier, so that all units continue to the barrier"}
    cube.sync cube
  }
  cube.return
}

// -----

// The result of a plane operation differs between planes.
cube.kernel @planes(%v: f32) cube_dim(64) {
  %zero = arith.constant 0.0 : f32
  // expected-note@+1 {{because this value differs between units}}
  %s = cube.plane_reduce addf %v : f32
  // expected-note@+1 {{this condition differs between units}}
  %c = arith.cmpf ogt, %s, %zero : f32
  scf.if %c {
    cube.sync plane
    // expected-error@+1 CUBE0315.not_reached {advice = "guard the accesses instead of the barrier, so that all units continue to the barrier"}
    cube.sync cube
  }
  cube.return
}

// -----

// The result of an atomic is varying.
cube.kernel @first(%x: !cube.array<i32>) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-note@+1 {{because this value differs between units}}
  %old = cube.atomic_rmw addi %one, %x[%zero] : i32, !cube.array<i32>
  // expected-note@+1 {{this condition differs between units}}
  %c = arith.cmpi eq, %old, %zero : i32
  scf.if %c {
    // A barrier of the plane synchronises the active lanes.
    cube.sync plane
    // expected-error@+1 CUBE0315.not_reached {advice = "guard the accesses instead of the barrier, so that all units continue to the barrier"}
    cube.sync cube
  }
  cube.return
}

// -----

// A store to local memory under a varying condition makes the memory varying.
cube.kernel @written(%n: i32, %i: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %a = cube.alloc : !cube.local<4 x i32>
  %u = cube.topology unit_pos
  %c = arith.cmpi ult, %u, %n : i32
  scf.if %c { cube.store %zero, %a[%i] : i32, !cube.local<4 x i32> }
  // expected-note@+1 {{because this value differs between units}}
  %v = cube.load %a[%i] : !cube.local<4 x i32> -> i32
  // expected-note@+1 {{this condition differs between units}}
  %d = arith.cmpi eq, %v, %zero : i32
  scf.if %d {
    // expected-error@+1 CUBE0315.not_reached {advice = "guard the accesses instead of the barrier, so that all units continue to the barrier"}
    cube.sync cube
  }
  cube.return
}

// -----

// A barrier does not write local memory: a uniform value in it stays uniform.
cube.kernel @kept(%n: i32) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %l = cube.alloc : !cube.local<1 x i32>
  cube.store %n, %l[%zero] : i32, !cube.local<1 x i32>
  cube.sync cube
  %v = cube.load %l[%zero] : !cube.local<1 x i32> -> i32
  %c = arith.cmpi eq, %v, %zero : i32
  scf.if %c { cube.sync cube }
  cube.return
}
