// Loop-carried values are swapped around a barrier, with 1024 units: all loads of an iteration precede all stores.
// SKIP: wgpu the kernel takes more shared memory than it has
// SKIP: wgpu-spirv the kernel takes more shared memory than it has
// RUN-ARGS: --arg x=%S/data/scan.x.npy --arg r=zeros:1024 --arg n=5 --cube-count 1 --check r=%S/data/swap.r.npy
cube.kernel @swap(%x: !cube.array<i32> {cube.host = "u32"}, %r: !cube.array<i32> {cube.host = "u32"},
                  %n: i32 {cube.host = "u32"}) cube_dim(1024) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %mask = arith.constant 1023 : i32
  %big = cube.alloc : !cube.shared<40000 x i32>
  %u = cube.topology unit_pos
  %v = cube.load %x[%u] : !cube.array<i32> -> i32
  %a, %b, %c = scf.for unsigned %k = %zero to %n step %one iter_args(%p = %v, %q = %u, %s = %zero) -> (i32, i32, i32) : i32 {
    cube.store %p, %big[%u] : i32, !cube.shared<40000 x i32>
    cube.sync cube
    %next = arith.addi %u, %one : i32
    %at = arith.andi %next, %mask : i32
    %w = cube.load %big[%at] : !cube.shared<40000 x i32> -> i32
    %t = arith.addi %s, %w : i32
    cube.sync cube
    scf.yield %q, %p, %t : i32, i32, i32
  }
  %d = arith.subi %a, %b : i32
  %e = arith.addi %d, %c : i32
  cube.store %e, %r[%u] : i32, !cube.array<i32>
  cube.return
}
