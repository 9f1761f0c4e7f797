/* Linked with the object that compile.c wrote: a C program runs a kernel with no library of ours. */
#include "cube.h"
#include <stdio.h>

extern void scale(const cube_launch *launch, uint64_t first, uint64_t last);

int main(void) {
  uint32_t x[100];
  for (uint32_t i = 0; i < 100; ++i)
    x[i] = i;
  void *buffers[] = {x};
  uint64_t info[] = {100}, scalars[] = {7};
  cube_launch launch = {buffers, info, scalars, {2, 1, 1}, 0};
  cube_entry entry = scale;
  /* Cubes in any order and in ranges of any size; the second has 28 units beyond the buffer. */
  entry(&launch, 1, 2);
  entry(&launch, 0, 1);
  for (uint32_t i = 0; i < 100; ++i)
    if (x[i] != 3 * i + 7) {
      fprintf(stderr, "x[%u] is %u, not %u\n", i, x[i], 3 * i + 7);
      return 1;
    }
  printf("3 * 99 + 7 = %u\n", x[99]);
  return 0;
}
