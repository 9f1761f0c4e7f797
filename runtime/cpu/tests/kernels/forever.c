#include "cube.h"
// Loops until the launch must stop. If the first number of the buffer is not 0, the kernel reports line 7.
void forever(struct Launch *launch, uint64_t first, uint64_t last) {
    int *says = launch->buffers[0];
    volatile uint32_t *stop = &launch->stop;
    for (uint64_t cube = first; cube < last; cube++)
        while (!*stop) {
        }
    if (*says)
        *stop = 0x80000000u | 7;
}
