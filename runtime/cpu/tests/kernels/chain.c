// x[0] = 0.5 x[0] + a, two million times in each cube; cube dim 1. It takes milliseconds and uses no memory.
#include "cube.h"
void chain(const struct Launch *launch, uint64_t first, uint64_t last) {
    float *x = launch->buffers[0];
    float value = x[0], a = scalar_f32(launch, 0);
    for (uint64_t cube = first; cube < last; cube++)
        for (int step = 0; step < 2000000; step++) value = 0.5f * value + a;
    x[0] = value;
}
