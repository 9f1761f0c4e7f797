// The kernels that `compare.py` compares with Cube's kernels. The arguments, bounds checks and positions are equal.
typedef unsigned int u32;
typedef unsigned long u64;
#define KERNEL(units) __attribute__((reqd_work_group_size(units, 1, 1))) kernel void
#define CONSTANT constant

static u32 absolute_pos(u32 units) {
  CONSTANT u32 *counts = (CONSTANT u32 *)__builtin_amdgcn_implicitarg_ptr();
  u32 row = __builtin_amdgcn_workgroup_id_y() + counts[1] * __builtin_amdgcn_workgroup_id_z();
  return (__builtin_amdgcn_workgroup_id_x() + counts[0] * row) * units + __builtin_amdgcn_workitem_id_x();
}

KERNEL(256) scale(global float *x, u64 x_len, global float *y, u64 y_len, float factor) {
  u32 i = absolute_pos(256);
  if (i < (u32)y_len) y[i] = (i < (u32)x_len ? x[i] : 0.0f) * factor;
}

KERNEL(32) saxpy(float a, global float *x, u64 x_len, global float *y, u64 y_len) {
  u32 i = absolute_pos(32);
  if (i < (u32)y_len) {
    float p = a * (i < (u32)x_len ? x[i] : 0.0f);
    y[i] = p + y[i];
  }
}

KERNEL(256) add(global float4 *a, u64 a_len, global float4 *b, u64 b_len, global float4 *c, u64 c_len) {
  u32 i = absolute_pos(256);
  if (i < (u32)c_len) c[i] = (i < (u32)a_len ? a[i] : (float4)0.0f) + (i < (u32)b_len ? b[i] : (float4)0.0f);
}

KERNEL(256) add_unchecked(global float4 *a, u64 a_len, global float4 *b, u64 b_len, global float4 *c, u64 c_len) {
  u32 i = absolute_pos(256);
  c[i] = a[i] + b[i];
}

KERNEL(256) add_one(global float *a, u64 a_len, global float *b, u64 b_len, global float *c, u64 c_len) {
  u32 i = absolute_pos(256);
  if (i < (u32)c_len) c[i] = (i < (u32)a_len ? a[i] : 0.0f) + (i < (u32)b_len ? b[i] : 0.0f);
}

KERNEL(256) fill(global float *y, u64 y_len, u32 seed) {
  u32 i = absolute_pos(256);
  u32 h = i + seed;
  h = (h ^ h >> 16) * 0x7feb352du;
  h = (h ^ h >> 15) * 0x846ca68bu;
  h ^= h >> 16;
  if (i < (u32)y_len) y[i] = (float)(h >> 8) * 0x1p-23f - 1.0f;
}

KERNEL(64) row_sum(global float *matrix, u64 matrix_len, global float *sums, u64 sums_len, u32 rows, u32 cols) {
  u32 row = absolute_pos(64);
  if (row < rows) {
    float sum = 0.0f;
    for (u32 col = 0; col < cols; col++) {
      u32 at = row * cols + col;
      sum += at < (u32)matrix_len ? matrix[at] : 0.0f;
    }
    if (row < (u32)sums_len) sums[row] = sum;
  }
}

KERNEL(256) cube_scan(global u32 *x, u64 x_len, global u32 *r, u64 r_len) {
  local u32 sums[32];
  u32 lanes = __builtin_amdgcn_wavefrontsize();
  u32 i = absolute_pos(256), unit = __builtin_amdgcn_workitem_id_x();
  u32 plane = unit / lanes, lane = unit % lanes;
  u32 upto = i < (u32)x_len ? x[i] : 0;
  for (u32 step = 1; step < lanes; step *= 2) {
    u32 before = __builtin_amdgcn_ds_bpermute((lane - step & lanes - 1) << 2, upto);
    if (lane >= step) upto += before;
  }
  if (lane == lanes - 1) sums[plane] = upto;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  u32 before = 0;
  for (u32 p = 0; p < plane; p++) before += sums[p];
  if (i < (u32)r_len) r[i] = upto + before;
}
