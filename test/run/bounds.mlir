// A read out of bounds gives zero and a write out of bounds is dropped, also before the start of the buffer, at the end
// of the index range, and for lines.
// RUN-ARGS: --kernel shifted --arg x=%S/data/bounds.x.npy --arg y=%S/data/bounds.y.npy --cube-count 1 \
// RUN-ARGS:   --check y=%S/data/bounds.r.npy
// RUN-ARGS: --kernel lines --arg x=%S/data/bounds.x4.npy --arg y=ones:8 --cube-count 1 --check y=%S/data/bounds.r4.npy
// RUN-ARGS: --kernel far --arg x=ones:4 --arg y=zeros:4 --cube-count 1 --check y=%S/data/bounds.far.npy
// RUN-ARGS: --kernel far --arg x=ones:0 --arg y=zeros:0 --cube-count 1

// Unit i reads x[i - 3] and writes y[i + 2]; the first three indices are negative and wrap around.
cube.kernel @shifted(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(16) {
  %i = cube.topology absolute_pos
  %2 = arith.constant 2 : i32
  %3 = arith.constant 3 : i32
  %from = arith.subi %i, %3 : i32
  %to = arith.addi %i, %2 : i32
  %v = cube.load %x[%from] : !cube.array<f32> -> f32
  cube.store %v, %y[%to] : f32, !cube.array<f32>
  cube.return
}

cube.kernel @lines(%x: !cube.array<i32, 4>, %y: !cube.array<i32, 4>) cube_dim(4) {
  %i = cube.topology absolute_pos
  %3 = arith.constant 3 : i32
  %from = arith.subi %3, %i : i32
  %v = cube.load %x[%from] : !cube.array<i32, 4> -> vector<4xi32>
  cube.store %v, %y[%i] : vector<4xi32>, !cube.array<i32, 4>
  cube.return
}

// Accesses at index 2^32 - 1 and at 2^31: y[0] receives the loaded value, and y[1] shows that the kernel ran.
cube.kernel @far(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(1) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %last = arith.constant -1 : i32
  %half = arith.constant 0x80000000 : i32
  %one = arith.constant 1.0 : f32
  %a = cube.load %x[%last] : !cube.array<f32> -> f32
  %b = cube.load %x[%half] : !cube.array<f32> -> f32
  %sum = arith.addf %a, %b : f32
  cube.store %one, %y[%last] : f32, !cube.array<f32>
  cube.store %one, %y[%half] : f32, !cube.array<f32>
  cube.store %sum, %y[%0] : f32, !cube.array<f32>
  cube.store %one, %y[%1] : f32, !cube.array<f32>
  cube.return
}
