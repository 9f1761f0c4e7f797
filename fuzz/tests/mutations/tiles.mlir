// A loop over tiles in shared memory: the units load a tile, wait, and each unit sums elements of the tile.
cube.kernel @k(%x: !cube.array<f32>, %k: !cube.array<i32>, %h: !cube.array<f16>, %b: !cube.array<bf16>, %t: !cube.tensor<f32>, %y: !cube.array<f32>, %r: !cube.array<i32>, %n: i32, %a: i32) cube_dim(40) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %units = arith.constant 40 : i32
  %tile = cube.alloc : !cube.shared<40 x i32>
  %unit = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %sum = scf.for unsigned %c = %zero to %a step %one iter_args(%so_far = %i) -> (i32) : i32 {
    %first = arith.muli %c, %units : i32
    %at = arith.addi %first, %unit : i32
    %v = cube.load %k[%at] : !cube.array<i32> -> i32
    cube.store %v, %tile[%unit] : i32, !cube.shared<40 x i32>
    cube.sync cube
    %part = scf.for unsigned %j = %zero to %n step %one iter_args(%s = %so_far) -> (i32) : i32 {
      %place = arith.addi %unit, %j : i32
      %in = arith.remui %place, %units : i32
      %w = cube.load %tile[%in] : !cube.shared<40 x i32> -> i32
      %product = arith.muli %w, %j : i32
      %next = arith.addi %s, %product : i32
      scf.yield %next : i32
    }
    cube.sync cube
    scf.yield %part : i32
  }
  cube.store %sum, %r[%i] : i32, !cube.array<i32>
  cube.return
}
