// A barrier of scope `storage` orders accesses to global memory.
// arg: iota i32 64
// arg: uninit i32 64
// cubes: 1
cube.kernel @storage_orders_global(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %c = cube.topology cube_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %last = arith.constant 63 : i32
  %n = arith.constant 64 : i32
  cube.store %i, %y[%u] : i32, !cube.array<i32>
  cube.sync storage
  %o = arith.xori %u, %one : i32
  %w = cube.load %y[%o] : !cube.array<i32> -> i32
  cube.store %w, %x[%i] : i32, !cube.array<i32>
  cube.return
}
