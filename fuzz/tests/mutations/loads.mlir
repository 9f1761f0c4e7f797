// Loads of a loop-invariant value, a load of memory that the loop writes, and sums in shared memory.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %cells = cube.alloc : !cube.local<2 x i32>
  %sums = cube.alloc : !cube.shared<40 x i32>
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  cube.store %zero, %sums[%u] : i32, !cube.shared<40 x i32>
  cube.sync cube
  %odd = arith.andi %i, %one : i32
  cube.store %i, %cells[%odd] : i32, !cube.local<2 x i32>
  %s = scf.for unsigned %c = %zero to %n step %one iter_args(%sum = %i) -> (i32) : i32 {
    %at = arith.addi %i, %a : i32
    %same = cube.load %k[%at] checked : !cube.array<i32> -> i32
    %next = cube.load %k[%c] checked : !cube.array<i32> -> i32
    %old = cube.load %cells[%odd] : !cube.local<2 x i32> -> i32
    %product = arith.muli %same, %next : i32
    %new = arith.addi %old, %product : i32
    cube.store %new, %cells[%odd] : i32, !cube.local<2 x i32>
    %mixed = arith.xori %sum, %new : i32
    scf.yield %mixed : i32
  }
  %lane = arith.shrui %u, %one : i32
  %before = cube.atomic_rmw addi %s, %sums[%lane] : i32, !cube.shared<40 x i32>
  cube.sync cube
  %sum = cube.atomic_load %sums[%u] : !cube.shared<40 x i32> -> i32
  cube.store %sum, %r[%i] : i32, !cube.array<i32>
  cube.return
}
