// A dense switch (jump table), a constant table in .rodata, a table of pointers (.data.rel.ro), a call to another function and
// a global read through the GOT.
#include "cube.h"
static const uint32_t primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
static const uint32_t squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
static const uint32_t *const tables[2] = {primes, squares};
// The assembler defines this constant, so that the compiler must read its address from the global offset table.
extern const uint32_t offset_of_all;
__asm__(".pushsection .rodata\n.balign 4\n.globl offset_of_all\noffset_of_all: .long 1000\n.popsection");

__attribute__((noinline)) uint32_t mix(uint32_t i, uint32_t v) {
    switch (i % 11) {
    case 0: return v * 3;
    case 1: return v ^ 0x55;
    case 2: return v + i;
    case 3: return v << 3;
    case 4: return v - 7;
    case 5: return v * v;
    case 6: return ~v;
    case 7: return v >> 1;
    case 8: return v | 0x100;
    case 9: return v & 0xf;
    default: return 77;
    }
}

void tables_kernel(const struct Launch *launch, uint64_t first, uint64_t last) {
    uint32_t *out = launch->buffers[0];
    for (uint64_t c = first; c < last && c < launch->info[0]; c++) {
        const uint32_t *table = ((const uint32_t *const volatile *)tables)[c & 1];
        out[c] = mix((uint32_t)c, table[(c >> 1) & 7]) + offset_of_all;
    }
}
