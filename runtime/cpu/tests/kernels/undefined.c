#include "cube.h"
extern float expf(float);
extern int elsewhere;
void undefined(const struct Launch *launch, uint64_t first, uint64_t last) {
    float *x = launch->buffers[0];
    x[0] = expf(x[0]) + elsewhere;
}
