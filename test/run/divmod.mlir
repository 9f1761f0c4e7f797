// Quotients and remainders by 32-bit and 64-bit scalars of the launch, at edge values; x / 0 is x and x % 0 is 0.
// SKIP: wgpu it has no i64
// RUN-ARGS: --arg n=0 --arg w=0 --arg x=%S/data/divmod.x32.npy --arg y=%S/data/divmod.x64.npy --arg r=zeros:128 --arg s=zeros:128 --cube-count 2 \
// RUN-ARGS:   --check r=%S/data/divmod.r32.0.npy --check s=%S/data/divmod.r64.0.npy
// RUN-ARGS: --arg n=1 --arg w=1 --arg x=%S/data/divmod.x32.npy --arg y=%S/data/divmod.x64.npy --arg r=zeros:128 --arg s=zeros:128 --cube-count 2 \
// RUN-ARGS:   --check r=%S/data/divmod.r32.1.npy --check s=%S/data/divmod.r64.1.npy
// RUN-ARGS: --arg n=3 --arg w=3 --arg x=%S/data/divmod.x32.npy --arg y=%S/data/divmod.x64.npy --arg r=zeros:128 --arg s=zeros:128 --cube-count 2 \
// RUN-ARGS:   --check r=%S/data/divmod.r32.2.npy --check s=%S/data/divmod.r64.2.npy
// RUN-ARGS: --arg n=7 --arg w=10 --arg x=%S/data/divmod.x32.npy --arg y=%S/data/divmod.x64.npy --arg r=zeros:128 --arg s=zeros:128 --cube-count 2 \
// RUN-ARGS:   --check r=%S/data/divmod.r32.3.npy --check s=%S/data/divmod.r64.3.npy
// RUN-ARGS: --arg n=641 --arg w=9223372036854775809 --arg x=%S/data/divmod.x32.npy --arg y=%S/data/divmod.x64.npy --arg r=zeros:128 --arg s=zeros:128 --cube-count 2 \
// RUN-ARGS:   --check r=%S/data/divmod.r32.4.npy --check s=%S/data/divmod.r64.4.npy
// RUN-ARGS: --arg n=65537 --arg w=4294967297 --arg x=%S/data/divmod.x32.npy --arg y=%S/data/divmod.x64.npy --arg r=zeros:128 --arg s=zeros:128 --cube-count 2 \
// RUN-ARGS:   --check r=%S/data/divmod.r32.5.npy --check s=%S/data/divmod.r64.5.npy
// RUN-ARGS: --arg n=3221225473 --arg w=18446744073709551615 --arg x=%S/data/divmod.x32.npy --arg y=%S/data/divmod.x64.npy --arg r=zeros:128 --arg s=zeros:128 --cube-count 2 \
// RUN-ARGS:   --check r=%S/data/divmod.r32.6.npy --check s=%S/data/divmod.r64.6.npy
// RUN-ARGS: --arg n=2147483648 --arg w=9223372036854775808 --arg x=%S/data/divmod.x32.npy --arg y=%S/data/divmod.x64.npy --arg r=zeros:128 --arg s=zeros:128 --cube-count 2 \
// RUN-ARGS:   --check r=%S/data/divmod.r32.7.npy --check s=%S/data/divmod.r64.7.npy
cube.kernel @divmod(%n: i32 {cube.host = "u32"}, %w: i64 {cube.host = "u64"}, %x: !cube.array<i32> {cube.host = "u32"}, %y: !cube.array<i64> {cube.host = "u64"}, %r: !cube.array<i32> {cube.host = "u32"}, %s: !cube.array<i64> {cube.host = "u64"}) cube_dim(32) {
  %one = arith.constant 1 : i32
  %i = cube.topology absolute_pos
  %at = arith.addi %i, %i : i32
  %next = arith.addi %at, %one : i32
  %a = cube.load %x[%i] : !cube.array<i32> -> i32
  %aq = cube.divui %a, %n : i32
  %ar = cube.remui %a, %n : i32
  cube.store %aq, %r[%at] : i32, !cube.array<i32>
  cube.store %ar, %r[%next] : i32, !cube.array<i32>
  %b = cube.load %y[%i] : !cube.array<i64> -> i64
  %bq = cube.divui %b, %w : i64
  %br = cube.remui %b, %w : i64
  cube.store %bq, %s[%at] : i64, !cube.array<i64>
  cube.store %br, %s[%next] : i64, !cube.array<i64>
  cube.return
}
