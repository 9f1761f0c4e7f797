// x[i] *= a; cube dim 64.
#include "cube.h"
void scale(const struct Launch *launch, uint64_t first, uint64_t last) {
    float *x = launch->buffers[0];
    float a = scalar_f32(launch, 0);
    uint64_t end = last * 64 < launch->info[0] ? last * 64 : launch->info[0];
    for (uint64_t i = first * 64; i < end; i++) x[i] *= a;
}
