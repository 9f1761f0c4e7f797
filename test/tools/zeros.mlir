// RUN: cubec %s --target nvptx:sm_90a --emit asm -o - | FileCheck %s --check-prefix=PTX
// RUN: cubec %s --target nvptx:sm_70 --emit asm -o - | FileCheck %s --check-prefix=OLD
// RUN: cubec %s --target amdgpu:gfx942 --emit asm -o - | FileCheck %s --check-prefix=AMD

// GPU instructions order -0 below +0 and return the operand that is not NaN: PTX specifies this for min and max, AMD
// for v_min and v_max. LLVM's own expansion of a minimum would not order zeros, so it must not be used.
// PTX: min.f32
// PTX: max.f64
// PTX: min.f16
// PTX: min.f32
// PTX: atom{{.*}}.cas.b32
// PTX: max.f16
// PTX: atom{{.*}}.cas.b32
// OLD: min.f32
// OLD: max.f64
// OLD: min.f32
// OLD: min.f32
// OLD: atom{{.*}}.cas.b32
// OLD: max.f32
// OLD: atom{{.*}}.cas.b32
// AMD: v_min_f32
// AMD: v_max_f64
// AMD: v_min_f16
// AMD: v_min_f32
// AMD: global_atomic_cmpswap
// AMD: v_max_f16
// AMD: global_atomic_cmpswap
cube.kernel @zeros(%p: f32, %q: f32, %d: f64, %e: f64, %h: f16, %g: f16, %y: !cube.array<f32>, %z: !cube.array<f64>, %w: !cube.array<f16>) cube_dim(1) {
  %c0 = arith.constant 0 : i32
  %0 = arith.minnumf %p, %q : f32
  cube.store %0, %y[%c0] : f32, !cube.array<f32>
  %1 = arith.maxnumf %d, %e : f64
  cube.store %1, %z[%c0] : f64, !cube.array<f64>
  %2 = arith.minnumf %h, %g : f16
  cube.store %2, %w[%c0] : f16, !cube.array<f16>
  %3 = cube.atomic_rmw minf %p, %y[%c0] : f32, !cube.array<f32>
  %4 = cube.atomic_rmw maxf %h, %w[%c0] : f16, !cube.array<f16>
  cube.return
}
