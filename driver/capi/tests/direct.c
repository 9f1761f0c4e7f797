/* A C program that is linked with the objects of compile.c, and runs kernels without a library of Cube: direct SCRATCH_BYTES */
#include "check.h"

extern void scale(cube_launch_block *block, uint64_t first, uint64_t last, void *scratch);
extern void divide(cube_launch_block *block, uint64_t first, uint64_t last, void *scratch);
extern void turn(cube_launch_block *block, uint64_t first, uint64_t last, void *scratch);
extern void prints(cube_launch_block *block, uint64_t first, uint64_t last, void *scratch);

static void run_scale(void) {
  uint32_t x[100];
  for (uint32_t i = 0; i < 100; ++i)
    x[i] = i;
  void *buffers[] = {x};
  uint64_t info[] = {100}, scalars[] = {7};
  cube_launch_block block = {buffers, info, scalars, {2, 1, 1}, 0};
  cube_entry entry = scale;
  /* A program can run cubes in any order and in ranges of any size. The second cube has 28 units beyond the end of the buffer. */
  entry(&block, 1, 2, NULL);
  entry(&block, 0, 1, NULL);
  for (uint32_t i = 0; i < 100; ++i)
    CHECK(x[i] == 3 * i + 7);
}

/* The formulas of the derived arguments in cube.h. */
static uint64_t magic_log(uint32_t n) {
  uint64_t l = 0;
  while (n >> l > 1)
    ++l;
  return l;
}

static uint64_t magic_factor(uint32_t n) {
  uint64_t l = magic_log(n), f = n <= 1 ? 0 : (UINT64_C(1) << (32 + l)) / n;
  if ((n & (n - 1)) == 0)
    return UINT32_MAX;
  return (f + 1) * n - (UINT64_C(1) << (32 + l)) <= UINT64_C(1) << l ? f + 1 : f;
}

static uint64_t magic_addend(uint32_t n) {
  uint64_t l = magic_log(n), f = n <= 1 ? 0 : (UINT64_C(1) << (32 + l)) / n;
  return (n & (n - 1)) != 0 && magic_factor(n) != f ? 0 : magic_factor(n);
}

static void run_divide(uint32_t by) {
  uint32_t x[64];
  for (uint32_t i = 0; i < 64; ++i)
    x[i] = i * 100000007u;
  void *buffers[] = {x};
  uint64_t info[] = {64};
  uint64_t scalars[] = {by, magic_factor(by), magic_addend(by), magic_log(by)};
  cube_launch_block block = {buffers, info, scalars, {1, 1, 1}, 0};
  divide(&block, 0, 1, NULL);
  for (uint32_t i = 0; i < 64; ++i)
    CHECK(x[i] == (by == 0 ? i * 100000007u : i * 100000007u / by));
}

static void run_turn(size_t scratch_bytes) {
  float x[128], y[128];
  for (int i = 0; i < 128; ++i)
    x[i] = (float)i;
  void *buffers[] = {x, y}, *scratch = aligned_alloc(128, scratch_bytes);
  uint64_t info[] = {128, 128};
  cube_launch_block block = {buffers, info, NULL, {2, 1, 1}, 0};
  turn(&block, 0, 2, scratch);
  for (int i = 0; i < 128; ++i)
    CHECK(y[i] == (float)(i < 64 ? 63 - i : 191 - i));
  free(scratch);
}

static void run_prints(void) {
  uint32_t *records = calloc(CUBE_PRINT_WORDS, 4);
  void *buffers[] = {records};
  uint64_t info[] = {CUBE_PRINT_WORDS}, scalars[] = {5};
  cube_launch_block block = {buffers, info, scalars, {1, 1, 1}, 0};
  prints(&block, 0, 1, NULL);
  /* The buffer has three records (9 words), and the kernel has not stopped the launch. */
  CHECK(records[0] == 9 && records[1] == 0);
  free(records);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  run_scale();
  const uint32_t by[] = {1, 2, 3, 7, 64, 641, 0x7fffffff, 0x80000000, 0xfffffff9, 0xffffffff, 0};
  for (size_t i = 0; i < sizeof by / sizeof *by; ++i)
    run_divide(by[i]);
  run_turn(strtoull(argv[1], NULL, 10));
  run_prints();
  printf("direct calls agree\n");
  return 0;
}
