#include "cube.h"
static int calls = 7;
void state(const struct Launch *launch, uint64_t first, uint64_t last) {
    int *x = launch->buffers[0];
    x[0] = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}
