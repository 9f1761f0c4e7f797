// RUN: cube-opt %s --verify-diagnostics --pass-pipeline='builtin.module(cube.kernel(expand-conversions))'

// A synthetic target that can only store f16, although other targets compute with it; no real chip is like this.
#target = #cube.target<{access_bits = 128 : i64, atomics = {i32 = ["add", "min_max", "bits", "exchange", "compare_exchange"]}, backend = "wgsl", barriers = true, capabilities = ["f16"], chip = "core-f16", elements = {f16 = "storage", f32 = "native", i1 = "native", i32 = "native"}, index_bits = 32 : i64, integers = {count_ones = ["i32"], division = ["i32"], leading_zeros = ["i32"], reverse_bits = ["i32"], total_division = ["i32"], total_shift = ["i32"], trailing_zeros = ["i32"]}, limits = {cube_count = [65535, 65535, 65535], cube_dim = [256, 256, 64], units_per_cube = 256 : i64}, math = {abs = {f32 = "exact"}, ceil = {f32 = "exact"}, cos = {f32 = "approximate"}, div = {f32 = {normal = 3 : i64}}, exp = {f32 = "approximate"}, exp2 = {f32 = "approximate"}, floor = {f32 = "exact"}, fma = {f32 = "approximate"}, log = {f32 = "approximate"}, log2 = {f32 = "approximate"}, min_max = {f32 = "approximate"}, pow = {f32 = "approximate"}, round_even = {f32 = "exact"}, rsqrt = {f32 = {ulp = 2 : i64}}, sin = {f32 = "approximate"}, sqrt = {f32 = "approximate"}, tan = {f32 = "approximate"}, tanh = {f32 = "approximate"}, trunc = {f32 = "exact"}}, planes = {mask_bits = 32 : i64, operations = [], width = 1 : i64, widths = [1]}, spaces = {global = {address_bits = 32 : i64, llvm = 0 : i64}, local = {address_bits = 32 : i64, bytes = 8192 : i64, llvm = 0 : i64, static_bytes = 8192 : i64}, shared = {address_bits = 32 : i64, bytes = 16384 : i64, llvm = 0 : i64, static_bytes = 16384 : i64}}, version = 3 : i64}>
module attributes {cube.target = #target} {
  cube.kernel @k(%x: !cube.array<f16>) cube_dim(1) {
    %c0_i32 = arith.constant 0 : i32
    %0 = cube.load %x[%c0_i32] : !cube.array<f16> -> f16
    // expected-error @+1 CUBE0314.on_chip {op = "arith.addf", element = "f16", chip = "core-f16"}
    %1 = arith.addf %0, %0 : f16
    cube.store %1, %x[%c0_i32] : f16, !cube.array<f16>
    cube.return
  }
}
