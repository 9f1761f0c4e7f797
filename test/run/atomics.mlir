// Atomics of every kind: a histogram, a maximum, float sums by compare and swap, counts in shared memory. The floats
// are integers, so the order of sums has no effect. The second run checks another interleaving of threads.
// SKIP: wgpu@atomics it has no i64, no i8, and no atomic sums of f16
// SKIP: wgpu-spirv@atomics it has no atomic sums of f16 in global memory
// RUN-ARGS: --kernel atomics --arg x=%S/data/scan.x.npy --arg bins=zeros:8 --arg f=zeros:2 --arg h=zeros:1 --arg most=zeros:1 --arg b=zeros:16 --cube-count 16 \
// RUN-ARGS:   --check bins=%S/data/atomics.bins.npy --check f=%S/data/atomics.f.npy --check h=%S/data/atomics.h.npy --check most=%S/data/atomics.most.npy --check b=%S/data/atomics.b.npy
// RUN-ARGS: --kernel differences --arg f=zeros:2 --cube-count 16
cube.kernel @atomics(%x: !cube.array<i32> {cube.host = "u32"}, %bins: !cube.array<i32> {cube.host = "u32"},
                     %f: !cube.array<f32>, %h: !cube.array<f16>, %most: !cube.array<i64> {cube.host = "u64"},
                     %b: !cube.array<i8> {cube.host = "u8"}) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %fone = arith.constant 1.0 : f32
  %hone = arith.constant 1.0 : f16
  %bone = arith.constant 1 : i8
  %seen = cube.alloc : !cube.shared<1 x i32>
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %cube = cube.topology cube_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %bin = cube.remui %v, %eight : i32
  %old = cube.atomic_rmw addi %one, %bins[%bin] : i32, !cube.array<i32>
  %sum = cube.atomic_rmw addf %fone, %f[%zero] : f32, !cube.array<f32>
  %hbin = cube.remui %i, %three : i32
  %hrare = arith.cmpi eq, %hbin, %zero : i32
  scf.if %hrare {
    %hsum = cube.atomic_rmw addf %hone, %h[%zero] : f16, !cube.array<f16>
  }
  %small = arith.uitofp %bin : i32 to f32
  %max = cube.atomic_rmw maxf %small, %f[%one] : f32, !cube.array<f32>
  %wide = arith.extui %v : i32 to i64
  %m = cube.atomic_rmw maxui %wide, %most[%zero] : i64, !cube.array<i64>
  %first = arith.cmpi eq, %u, %zero : i32
  scf.if %first {
    cube.atomic_store %zero, %seen[%zero] : i32, !cube.shared<1 x i32>
  }
  cube.sync cube
  %t = cube.atomic_rmw addi %one, %seen[%zero] : i32, !cube.shared<1 x i32>
  cube.sync cube
  %n = cube.atomic_load %seen[%zero] : !cube.shared<1 x i32> -> i32
  %nb = arith.trunci %n : i32 to i8
  %p = cube.atomic_rmw maxui %nb, %b[%cube] : i8, !cube.array<i8>
  cube.return
}

// Sums and differences of integral floats in memory that all cubes share.
cube.kernel @differences(%f: !cube.array<f32>) cube_dim(64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = cube.topology absolute_pos
  %n = arith.addi %i, %one : i32
  %v = arith.uitofp %n : i32 to f32
  %less = cube.atomic_rmw subf %v, %f[%zero] : f32, !cube.array<f32>
  %more = cube.atomic_rmw addf %v, %f[%one] : f32, !cube.array<f32>
  cube.return
}
