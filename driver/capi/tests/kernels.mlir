// The kernels of the C tests.

// Stores each scalar into a buffer of the scalar's type.
cube.kernel @scalars(%bool: i1, %to_bool: !cube.array<i1>,
                     %i8: i8, %to_i8: !cube.array<i8>,
                     %u8: i8 {cube.host = "u8"}, %to_u8: !cube.array<i8> {cube.host = "u8"},
                     %i16: i16, %to_i16: !cube.array<i16>,
                     %u16: i16 {cube.host = "u16"}, %to_u16: !cube.array<i16> {cube.host = "u16"},
                     %i32: i32, %to_i32: !cube.array<i32>,
                     %u32: i32 {cube.host = "u32"}, %to_u32: !cube.array<i32> {cube.host = "u32"},
                     %i64: i64, %to_i64: !cube.array<i64>,
                     %u64: i64 {cube.host = "u64"}, %to_u64: !cube.array<i64> {cube.host = "u64"},
                     %f16: f16, %to_f16: !cube.array<f16>,
                     %bf16: bf16, %to_bf16: !cube.array<bf16>,
                     %f32: f32, %to_f32: !cube.array<f32>,
                     %f64: f64, %to_f64: !cube.array<f64>) {
  %0 = arith.constant 0 : i32
  cube.store %bool, %to_bool[%0] : i1, !cube.array<i1>
  cube.store %i8, %to_i8[%0] : i8, !cube.array<i8>
  cube.store %u8, %to_u8[%0] : i8, !cube.array<i8>
  cube.store %i16, %to_i16[%0] : i16, !cube.array<i16>
  cube.store %u16, %to_u16[%0] : i16, !cube.array<i16>
  cube.store %i32, %to_i32[%0] : i32, !cube.array<i32>
  cube.store %u32, %to_u32[%0] : i32, !cube.array<i32>
  cube.store %i64, %to_i64[%0] : i64, !cube.array<i64>
  cube.store %u64, %to_u64[%0] : i64, !cube.array<i64>
  cube.store %f16, %to_f16[%0] : f16, !cube.array<f16>
  cube.store %bf16, %to_bf16[%0] : bf16, !cube.array<bf16>
  cube.store %f32, %to_f32[%0] : f32, !cube.array<f32>
  cube.store %f64, %to_f64[%0] : f64, !cube.array<f64>
  cube.return
}

// Division by a scalar: the multiplier and the shift are derived arguments.
cube.kernel @divide(%x: !cube.array<i32> {cube.host = "u32"}, %by: i32 {cube.host = "u32"}) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %q = cube.divui %v, %by : i32
  cube.store %q, %x[%i] : i32, !cube.array<i32>
  cube.return
}

// Reverses a tile in 80,000 bytes of shared memory, more than the generated code allocates on its stack.
cube.kernel @turn(%x: !cube.array<f32>, %y: !cube.array<f32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %last = arith.constant 63 : i32
  %far = arith.constant 19000 : i32
  %tile = cube.alloc : !cube.shared<20000 x f32>
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %at = arith.addi %u, %far : i32
  cube.store %v, %tile[%at] : f32, !cube.shared<20000 x f32>
  cube.sync cube
  %other = arith.subi %last, %u : i32
  %from = arith.addi %other, %far : i32
  %w = cube.load %tile[%from] : !cube.shared<20000 x f32> -> f32
  cube.store %w, %y[%i] : f32, !cube.array<f32>
  cube.return
}

// Reads rank, extents and strides of a tensor, and one of its elements.
cube.kernel @shapes(%x: !cube.tensor<f32>, %row: i32 {cube.host = "u32"}, %out: !cube.array<i32> {cube.host = "u32"}, %element: !cube.array<f32>) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %3 = arith.constant 3 : i32
  %4 = arith.constant 4 : i32
  %5 = arith.constant 5 : i32
  %r = cube.rank %x : !cube.tensor<f32>
  %rows = cube.shape %x, %0 : !cube.tensor<f32>
  %columns = cube.shape %x, %1 : !cube.tensor<f32>
  %stride = cube.stride %x, %0 : !cube.tensor<f32>
  %len = cube.len %x : !cube.tensor<f32>
  %held = cube.buffer_len %x : !cube.tensor<f32>
  cube.store %r, %out[%0] : i32, !cube.array<i32>
  cube.store %rows, %out[%1] : i32, !cube.array<i32>
  cube.store %columns, %out[%2] : i32, !cube.array<i32>
  cube.store %stride, %out[%3] : i32, !cube.array<i32>
  cube.store %len, %out[%4] : i32, !cube.array<i32>
  cube.store %held, %out[%5] : i32, !cube.array<i32>
  %at = arith.muli %row, %stride : i32
  %v = cube.load %x[%at] : !cube.tensor<f32> -> f32
  cube.store %v, %element[%0] : f32, !cube.array<f32>
  cube.return
}

// A kernel with lines of four numbers and a comptime parameter.
cube.kernel @lines comptime(@N : i32 = 1)(%x: !cube.array<i16, 4>, %y: !cube.array<i16, 4>) cube_dim(8) {
  %i = cube.topology absolute_pos
  %n = cube.constant <@N> : i32
  %short = arith.trunci %n : i32 to i16
  %all = vector.broadcast %short : i16 to vector<4xi16>
  %v = cube.load %x[%i] : !cube.array<i16, 4> -> vector<4xi16>
  %w = arith.muli %v, %all : vector<4xi16>
  cube.store %w, %y[%i] : vector<4xi16>, !cube.array<i16, 4>
  cube.return
}

cube.kernel @prints(%n: i32) cube_dim(3) {
  %u = cube.topology unit_pos
  cube.print "unit {} of {}"(%u, %n) : i32, i32
  cube.return
}

cube.kernel @stops(%n: i32) {
  cube.print "{} is too much"(%n) : i32 fails
  cube.return
}

// Reads one element beyond the end of the buffer.
cube.kernel @outside(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) unchecked {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  cube.store %v, %y[%i] : i32, !cube.array<i32>
  cube.return
}

// Divides by a number from memory, which can be zero.
cube.kernel @undefined(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %c = arith.constant 64 : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %w = arith.divui %c, %v : i32
  cube.store %w, %y[%i] : i32, !cube.array<i32>
  cube.return
}

// Waits for a value that is never written.
cube.kernel @waits(%x: !cube.array<i32>) {
  %z = arith.constant 0 : i32
  cube.loop {
    %v = cube.atomic_load %x[%z] : !cube.array<i32> -> i32
    %s = arith.cmpi eq, %v, %z : i32
    cube.if %s {
      cube.continue
    }
    cube.break
  }
  cube.return
}
