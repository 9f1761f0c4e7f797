// The calling convention of cube_artifact, for hand-written kernels.
#include <stdint.h>

struct Launch {
    void *const *buffers;
    const uint64_t *info;
    const uint64_t *scalars;
    uint32_t cube_count[3];
    uint32_t stop;
};

static inline float scalar_f32(const struct Launch *launch, int index) {
    union { uint32_t bits; float value; } both = {.bits = (uint32_t)launch->scalars[index]};
    return both.value;
}
