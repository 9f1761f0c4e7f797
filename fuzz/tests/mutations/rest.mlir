// A loop to unroll, a loop with step 2, a comparison that value ranges decide, a rounding in two steps, an unused
// function, a print.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %five = arith.constant 5 : i32
  %forty = arith.constant 40 : i32
  %third = arith.constant 0.3333 : f64
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %w = cube.load %k[%i] : !cube.array<i32> -> i32
  %s = scf.for %c = %zero to %five step %two iter_args(%sum = %w) -> (i32) : i32 {
    %m = arith.muli %sum, %a : i32
    %next = arith.addi %m, %c : i32
    scf.yield %next : i32
  } {cube.unroll}
  %inside = arith.cmpi ult, %u, %forty : i32
  %p = arith.select %inside, %s, %w : i32
  %q = scf.for unsigned %c = %zero to %i step %two iter_args(%sum = %p) -> (i32) : i32 {
    %m = arith.muli %sum, %a : i32
    %next = arith.addi %m, %c : i32
    scf.yield %next : i32
  }
  cube.store %q, %r[%i] : i32, !cube.array<i32>
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %d = arith.extf %v : f32 to f64
  %part = arith.mulf %d, %third : f64
  %half = arith.truncf %part : f64 to f16
  %back = arith.extf %half : f16 to f32
  cube.store %back, %y[%i] : f32, !cube.array<f32>
  cube.print "{} of {}"(%back, %w) : f32, i32
  cube.return
}

cube.func @unused(%x: i32) -> i32 { cube.return %x : i32 }
