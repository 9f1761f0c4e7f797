// Buffers and scalars of every element type. Each sum of products is rounded twice in the element type.
// SKIP: wgpu@i8_f32,u8_f32,i8_neg it has no i8
// SKIP: wgpu@i64,f64_f32,f64_sq it has neither i64 nor f64
// SKIP: wgpu@bf16,scalars it has no bf16
// SKIP: wgpu-spirv@bf16,scalars it has no bf16
// RUN-ARGS: --kernel i8_f32 --arg x=%S/data/types.i8.npy --arg y=zeros:x --check y=%S/data/types.i8_f32.npy
// RUN-ARGS: --kernel u8_f32 --arg x=%S/data/types.u8.npy --arg y=zeros:x --check y=%S/data/types.u8_f32.npy
// RUN-ARGS: --kernel i8_neg --arg x=%S/data/types.i8.npy --arg y=zeros:x --check y=%S/data/types.i8_neg.npy
// RUN-ARGS: --kernel i64 --arg x=%S/data/types.i64.npy --arg y=zeros:x --check y=%S/data/types.i64_r.npy
// RUN-ARGS: --kernel f64_f32 --arg x=%S/data/types.f64.npy --arg y=zeros:x --check y=%S/data/types.f64_f32.npy
// RUN-ARGS: --kernel f64_sq --arg x=%S/data/types.f64.npy --arg y=zeros:x --check y=%S/data/types.f64_sq.npy
// RUN-ARGS: --kernel f16 --arg x=%S/data/types.f16.npy --arg y=zeros:x --check y=%S/data/types.f16_r.npy
// RUN-ARGS: --kernel f32_f16 --arg x=%S/data/types.x.npy --arg y=zeros:x --check y=%S/data/types.f32_f16.npy
// RUN-ARGS: --kernel bf16 --arg x=%S/data/types.bf16.npy --arg y=zeros:x --check y=%S/data/types.bf16_r.npy
// RUN-ARGS: --kernel bools --arg x=%S/data/types.x.npy --arg flags=%S/data/types.flags.npy --arg y=zeros:x \
// RUN-ARGS:   --check y=%S/data/types.less.npy
// RUN-ARGS: --kernel scalars --arg b=true --arg i8=-3 --arg u8=253 --arg i16=-300 --arg u16=65000 --arg i32=-5 \
// RUN-ARGS:   --arg u32=4294967295 --arg i64=-6 --arg u64=18446744073709551615 --arg f16=0.1 --arg bf16=-1e30 --arg f32=0.1 \
// RUN-ARGS:   --arg f64=0.1 --cube-count 1 --arg r=zeros:13 --check r=%S/data/types.scalars.npy

cube.kernel @i8_f32(%x: !cube.array<i8>, %y: !cube.array<f32>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i8> -> i8
  %r = arith.sitofp %v : i8 to f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @u8_f32(%x: !cube.array<i8> {cube.host = "u8"}, %y: !cube.array<f32>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i8> -> i8
  %r = arith.uitofp %v : i8 to f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @i8_neg(%x: !cube.array<i8>, %y: !cube.array<i8>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i8> -> i8
  %0 = arith.constant 0 : i8
  %r = arith.subi %0, %v : i8
  cube.store %r, %y[%i] : i8, !cube.array<i8>
  cube.return
}

cube.kernel @i64(%x: !cube.array<i64>, %y: !cube.array<i64>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i64> -> i64
  %3 = arith.constant 3 : i64
  %1 = arith.constant 1 : i64
  %p = arith.muli %v, %3 : i64
  %r = arith.addi %p, %1 : i64
  cube.store %r, %y[%i] : i64, !cube.array<i64>
  cube.return
}

cube.kernel @f64_f32(%x: !cube.array<f64>, %y: !cube.array<f32>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f64> -> f64
  %r = arith.truncf %v : f64 to f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @f64_sq(%x: !cube.array<f64>, %y: !cube.array<f64>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f64> -> f64
  %1 = arith.constant 1.0 : f64
  %p = arith.mulf %v, %v : f64
  %r = arith.subf %p, %1 : f64
  cube.store %r, %y[%i] : f64, !cube.array<f64>
  cube.return
}

cube.kernel @f16(%x: !cube.array<f16>, %y: !cube.array<f16>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f16> -> f16
  %c = arith.constant 0.1 : f16
  %p = arith.mulf %v, %v : f16
  %r = arith.addf %p, %c : f16
  cube.store %r, %y[%i] : f16, !cube.array<f16>
  cube.return
}

cube.kernel @f32_f16(%x: !cube.array<f32>, %y: !cube.array<f16>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = arith.truncf %v : f32 to f16
  cube.store %r, %y[%i] : f16, !cube.array<f16>
  cube.return
}

cube.kernel @bf16(%x: !cube.array<bf16>, %y: !cube.array<bf16>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<bf16> -> bf16
  %c = arith.constant 0.1 : bf16
  %p = arith.mulf %v, %v : bf16
  %r = arith.addf %p, %c : bf16
  cube.store %r, %y[%i] : bf16, !cube.array<bf16>
  cube.return
}

cube.kernel @bools(%x: !cube.array<f32>, %flags: !cube.array<i1>, %y: !cube.array<i1>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %limit = arith.constant 3.5 : f32
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %f = cube.load %flags[%i] : !cube.array<i1> -> i1
  %less = arith.cmpf olt, %v, %limit : f32
  %r = arith.xori %less, %f : i1
  cube.store %r, %y[%i] : i1, !cube.array<i1>
  cube.return
}

// Each scalar converted to f64, in the order of the parameters.
cube.kernel @scalars(%b: i1, %i8: i8, %u8: i8 {cube.host = "u8"}, %i16: i16, %u16: i16 {cube.host = "u16"}, %i32: i32,
                     %u32: i32 {cube.host = "u32"}, %i64: i64, %u64: i64 {cube.host = "u64"}, %f16: f16, %bf16: bf16,
                     %f32: f32, %f64: f64, %r: !cube.array<f64>) {
  %at0 = arith.constant 0 : i32
  %as0 = arith.uitofp %b : i1 to f64
  cube.store %as0, %r[%at0] : f64, !cube.array<f64>
  %at1 = arith.constant 1 : i32
  %as1 = arith.sitofp %i8 : i8 to f64
  cube.store %as1, %r[%at1] : f64, !cube.array<f64>
  %at2 = arith.constant 2 : i32
  %as2 = arith.uitofp %u8 : i8 to f64
  cube.store %as2, %r[%at2] : f64, !cube.array<f64>
  %at3 = arith.constant 3 : i32
  %as3 = arith.sitofp %i16 : i16 to f64
  cube.store %as3, %r[%at3] : f64, !cube.array<f64>
  %at4 = arith.constant 4 : i32
  %as4 = arith.uitofp %u16 : i16 to f64
  cube.store %as4, %r[%at4] : f64, !cube.array<f64>
  %at5 = arith.constant 5 : i32
  %as5 = arith.sitofp %i32 : i32 to f64
  cube.store %as5, %r[%at5] : f64, !cube.array<f64>
  %at6 = arith.constant 6 : i32
  %as6 = arith.uitofp %u32 : i32 to f64
  cube.store %as6, %r[%at6] : f64, !cube.array<f64>
  %at7 = arith.constant 7 : i32
  %as7 = arith.sitofp %i64 : i64 to f64
  cube.store %as7, %r[%at7] : f64, !cube.array<f64>
  %at8 = arith.constant 8 : i32
  %as8 = arith.uitofp %u64 : i64 to f64
  cube.store %as8, %r[%at8] : f64, !cube.array<f64>
  %at9 = arith.constant 9 : i32
  %as9 = arith.extf %f16 : f16 to f64
  cube.store %as9, %r[%at9] : f64, !cube.array<f64>
  %at10 = arith.constant 10 : i32
  %as10 = arith.extf %bf16 : bf16 to f64
  cube.store %as10, %r[%at10] : f64, !cube.array<f64>
  %at11 = arith.constant 11 : i32
  %as11 = arith.extf %f32 : f32 to f64
  cube.store %as11, %r[%at11] : f64, !cube.array<f64>
  %at12 = arith.constant 12 : i32
  cube.store %f64, %r[%at12] : f64, !cube.array<f64>
  cube.return
}
