// Adds a decimal number with the position of cube c (digits z, y, x) and the stop word of the launch to out[c]. A cube has one unit.
#include "cube.h"
void positions(const struct Launch *launch, uint64_t first, uint64_t last) {
    uint64_t *out = launch->buffers[0];
    for (uint64_t c = first; c < last; c++) {
        uint64_t x = c % launch->cube_count[0];
        uint64_t y = c / launch->cube_count[0] % launch->cube_count[1];
        uint64_t z = c / launch->cube_count[0] / launch->cube_count[1];
        if (c < launch->info[0]) out[c] += 1 + x + 100 * y + 10000 * z + 1000000 * (uint64_t)launch->stop;
    }
}
