// Loop-invariant loads: a load out of bounds gives 0, also before a loop without iterations. A value that the loop
// stores must be loaded in the next iteration.
// RUN-ARGS: --kernel lines --arg x=%S/data/hoisted_loads.x.npy --arg y=%S/data/hoisted_loads.y.npy --arg r=zeros:24 --arg k=3 --cube-count 3 --check r=%S/data/hoisted_loads.r.npy
// RUN-ARGS: --kernel lines --arg x=%S/data/hoisted_loads.x.npy --arg y=%S/data/hoisted_loads.y.npy --arg r=zeros:24 --arg k=0 --cube-count 3 --check r=%S/data/hoisted_loads.none.npy
// RUN-ARGS: --kernel written --arg x=%S/data/hoisted_loads.w.npy --arg n=4 --check x=%S/data/hoisted_loads.wr.npy

// Sums of distances between lines. x has 20 lines, so the last units read out of bounds.
cube.kernel @lines(%x: !cube.array<f32, 4>, %y: !cube.array<f32, 4>, %r: !cube.array<f32>, %k: i32 {cube.host = "u32"}) cube_dim(8) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %i = cube.topology absolute_pos
  %sum = scf.for unsigned %c = %zero to %k step %one iter_args(%so_far = %none) -> (f32) : i32 {
    %a = cube.load %x[%i] : !cube.array<f32, 4> -> vector<4xf32>
    %b = cube.load %y[%c] : !cube.array<f32, 4> -> vector<4xf32>
    %d = arith.subf %a, %b : vector<4xf32>
    %m = arith.mulf %d, %d : vector<4xf32>
    %next = vector.reduction <add>, %m, %so_far : vector<4xf32> into f32
    scf.yield %next : f32
  }
  cube.store %sum, %r[%i] : f32, !cube.array<f32>
  cube.return
}

// Each iteration doubles x[u] and adds another unit's value from shared memory.
cube.kernel @written(%x: !cube.array<i32> {cube.host = "u32"}, %n: i32 {cube.host = "u32"}) cube_dim(8) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %tile = cube.alloc : !cube.shared<8 x i32>
  %u = cube.topology unit_pos
  %o = arith.xori %u, %seven : i32
  cube.store %u, %tile[%u] : i32, !cube.shared<8 x i32>
  cube.sync cube
  scf.for unsigned %c = %zero to %n step %one : i32 {
    %v = cube.load %x[%u] : !cube.array<i32> -> i32
    %w = cube.load %tile[%o] : !cube.shared<8 x i32> -> i32
    cube.sync cube
    %s = arith.addi %v, %v : i32
    %t = arith.addi %s, %w : i32
    cube.store %t, %x[%u] : i32, !cube.array<i32>
    cube.store %t, %tile[%u] : i32, !cube.shared<8 x i32>
    cube.sync cube
  }
  cube.return
}
