/* Compiles the kernel of a file, and launches it on the CPU: from_c FILE */
#include "cube.h"
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the error text of a failed call. Calls that can fail return NULL or 0, and set an error text. */
static void must(int holds, char *error) {
  if (holds)
    return;
  fprintf(stderr, "%s\n", error);
  cube_text_free(error);
  exit(1);
}

int main(int argc, char **argv) {
  static char source[1 << 16];
  char *error = NULL;
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) {
    fprintf(stderr, "name a kernel: from_c KERNEL.mlir\n");
    return 2;
  }
  size_t length = fread(source, 1, sizeof source, file);
  fclose(file);

  cube_options options = {.kernel = "scale", .file_name = argv[1]};
  cube_artifact *artifact = cube_compile(source, length, "cpu", &options, &error);
  must(artifact != NULL, error);
  cube_device *device = cube_device_open("cpu", NULL, &error);
  must(device != NULL, error);
  cube_kernel *kernel = cube_kernel_load(device, artifact, &error);
  must(kernel != NULL, error);

  float numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7}, factor = 2.5f;
  cube_buffer *x = cube_buffer_new(device, sizeof numbers, &error);
  must(x != NULL, error);
  cube_buffer *y = cube_buffer_new(device, sizeof numbers, &error);
  must(y != NULL, error);
  must(cube_buffer_write(x, 0, numbers, sizeof numbers, &error), error);

  cube_args *args = cube_args_new(kernel, &error);
  must(args != NULL, error);
  must(cube_args_set_buffer(args, "x", "f32", x, NULL, &error), error);
  must(cube_args_set_buffer(args, "y", "f32", y, NULL, &error), error);
  must(cube_args_set_scalar(args, "factor", "f32", &factor, &error), error);
  const uint32_t cubes[3] = {1, 1, 1};
  must(cube_launch(args, cubes, &error), error);
  must(cube_buffer_read(y, 0, numbers, sizeof numbers, &error), error);
  for (int i = 0; i < 8; ++i)
    printf("%g%c", numbers[i], i < 7 ? ' ' : '\n');

  /* The order does not matter: an object lives until no other object uses it. */
  cube_args_free(args);
  cube_buffer_free(x);
  cube_buffer_free(y);
  cube_kernel_free(kernel);
  cube_device_free(device);
  cube_artifact_free(artifact);
  return 0;
}
