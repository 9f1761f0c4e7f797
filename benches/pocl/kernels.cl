// The kernels of the CPU benchmark, in idiomatic OpenCL C.
__kernel void add(__global const float4 *a, __global const float4 *b, __global float4 *c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

__kernel void gelu(__global const float *x, __global float *y) {
    size_t i = get_global_id(0);
    float v = x[i];
    y[i] = 0.5f * v * (1.0f + erf(v * 0.70710678118654752f));
}

__kernel void row_sum(__global const float *m, __global float *sums, uint cols) {
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (uint c = 0; c < cols; ++c) sum += m[row * cols + c];
    sums[row] = sum;
}

// One work-group per row. The work-items combine their values in local memory.
__kernel void softmax(__global const float *x, __global float *y, uint cols) {
    __local float parts[256];
    size_t unit = get_local_id(0), start = get_group_id(0) * (size_t)cols;
    float own = -INFINITY;
    for (size_t c = unit; c < cols; c += 256) own = fmax(own, x[start + c]);
    parts[unit] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 128; step > 0; step /= 2) {
        if (unit < step) parts[unit] = fmax(parts[unit], parts[unit + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float most = parts[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (size_t c = unit; c < cols; c += 256) {
        float e = exp(x[start + c] - most);
        y[start + c] = e;
        sum += e;
    }
    parts[unit] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 128; step > 0; step /= 2) {
        if (unit < step) parts[unit] += parts[unit + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float scale = 1.0f / parts[0];
    for (size_t c = unit; c < cols; c += 256) y[start + c] *= scale;
}

// Inclusive prefix sums. Each work-group computes the sums of 256 numbers.
__kernel void scan(__global const uint *x, __global uint *r) {
    __local uint sums[256];
    size_t unit = get_local_id(0), i = get_global_id(0);
    sums[unit] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < 256; step *= 2) {
        uint before = unit >= step ? sums[unit - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[unit] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    r[i] = sums[unit];
}

// Each work-group computes a tile of 16 x 16 elements from tiles in local memory.
__kernel void matmul(__global const float *a, __global const float *b, __global float *c, uint n) {
    __local float ta[16][16], tb[16][16];
    size_t x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (uint k = 0; k < n; k += 16) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * (size_t)n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 16; ++j) sum = fma(ta[y][j], tb[j][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

__kernel void nothing(void) {}
