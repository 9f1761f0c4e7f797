/* Compiles a kernel through the C interface, checks what the artifact says, and writes the object: compile KERNEL OBJECT. */
#include "cube.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what) \
  do { \
    if (!(what)) { \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #what); \
      exit(1); \
    } \
  } while (0)

static void refuses(const char *source, const char *target, const cube_options *options, const char *word) {
  char *error = NULL;
  CHECK(cube_compile(source, strlen(source), target, options, &error) == NULL);
  CHECK(error != NULL && strstr(error, word) != NULL);
  cube_text_free(error);
  /* Nobody has to ask why. */
  CHECK(cube_compile(source, strlen(source), target, options, NULL) == NULL);
}

int main(int argc, char **argv) {
  static char source[1 << 16];
  CHECK(argc == 3 && cube_abi_version() == CUBE_ABI_VERSION);
  FILE *file = fopen(argv[1], "rb");
  CHECK(file != NULL);
  size_t length = fread(source, 1, sizeof source - 1, file);
  fclose(file);

  const char *params[] = {"N=3"};
  cube_options options = {.kernel = "scale", .file_name = "given.mlir", .params = params, .param_count = 1};
  char *error = (char *)"untouched";
  cube_artifact *artifact = cube_compile(source, length, "cpu", &options, &error);
  if (artifact == NULL)
    fprintf(stderr, "%s\n", error);
  CHECK(artifact != NULL && error == NULL);
  CHECK(strcmp(cube_artifact_kernel(artifact), "scale") == 0 && strcmp(cube_artifact_entry(artifact), "scale") == 0);
  CHECK(strcmp(cube_artifact_target(artifact), "cpu:native") == 0);
  CHECK(cube_artifact_format(artifact) == CUBE_ELF_OBJECT);
  uint32_t dim[3];
  cube_artifact_cube_dim(artifact, dim);
  CHECK(dim[0] == 64 && dim[1] == 1 && dim[2] == 1 && cube_artifact_shared_bytes(artifact) == 0);

  cube_param param;
  CHECK(cube_artifact_param_count(artifact) == 2);
  CHECK(cube_artifact_param(artifact, 0, &param) && strcmp(param.name, "x") == 0 && strcmp(param.elem, "u32") == 0);
  CHECK(param.kind == CUBE_READ_WRITE && param.line == 1);
  CHECK(cube_artifact_param(artifact, 1, &param) && strcmp(param.name, "add") == 0 && param.kind == CUBE_SCALAR);
  CHECK(!cube_artifact_param(artifact, 2, &param));
  CHECK(cube_artifact_info_count(artifact) == 1 && cube_artifact_info_param(artifact, 0) == 0);

  /* Out to bytes and in again: the same artifact. */
  size_t code_length, size, size_again;
  const uint8_t *code = cube_artifact_code(artifact, &code_length), *bytes = cube_artifact_bytes(artifact, &size);
  cube_artifact *again = cube_artifact_read(bytes, size, &error);
  CHECK(again != NULL && error == NULL);
  const uint8_t *bytes_again = cube_artifact_bytes(again, &size_again);
  CHECK(size_again == size && memcmp(bytes, bytes_again, size) == 0);
  cube_artifact_free(again);
  CHECK(cube_artifact_read(bytes, size - 1, &error) == NULL && strstr(error, "CUBE0921") != NULL);
  cube_text_free(error);

  refuses("cube.kernel @k() {", "cpu", NULL, "CUBE0100");
  refuses("", "cpu", NULL, "CUBE0105");
  refuses(source, "cpv", &options, "did you mean cpu?");
  options.kernel = "scales";
  refuses(source, "cpu", &options, "CUBE0504");
  options.kernel = NULL;
  params[0] = "N";
  refuses(source, "cpu", &options, "CUBE0506");
  params[0] = "\xff=1";
  refuses(source, "cpu", &options, "is not UTF-8");

  /* An artifact that is not there answers, too. */
  CHECK(cube_artifact_kernel(NULL) == NULL && cube_artifact_param_count(NULL) == 0);
  CHECK(cube_artifact_code(NULL, &size) == NULL && size == 0);
  cube_artifact_free(NULL);

  file = fopen(argv[2], "wb");
  CHECK(file != NULL && fwrite(code, 1, code_length, file) == code_length && fclose(file) == 0);
  cube_artifact_free(artifact);
  return 0;
}
