/* Compiles kernels through the C interface, checks the properties of artifacts, and writes objects: compile SCALE KERNELS FOLDER */
#include "check.h"

static void refuses(const char *source, const char *target, const cube_options *options, const char *word) {
  char *error = NULL;
  CHECK(cube_compile(source, strlen(source), target, options, &error) == NULL);
  CHECK(error != NULL && strstr(error, word) != NULL);
  cube_text_free(error);
  /* The pointer to the error text can be null. */
  CHECK(cube_compile(source, strlen(source), target, options, NULL) == NULL);
}

/* Compiles a kernel and writes its object. For the kernel @turn, prints the bytes of scratch memory. */
static void write_object(const char *kernels, const char *name, const char *folder) {
  char *error = NULL, file_name[4096];
  cube_options options = {.kernel = name};
  size_t length, code_length;
  const char *source = read_file(kernels, &length);
  cube_artifact *artifact = cube_compile(source, length, "cpu", &options, &error);
  WORKS(artifact);
  const uint8_t *code = cube_artifact_code(artifact, &code_length);
  snprintf(file_name, sizeof file_name, "%s/%s.o", folder, name);
  FILE *file = fopen(file_name, "wb");
  CHECK(file != NULL && fwrite(code, 1, code_length, file) == code_length && fclose(file) == 0);

  int divides = strcmp(name, "divide") == 0, turns = strcmp(name, "turn") == 0, prints = strcmp(name, "prints") == 0;
  CHECK(cube_artifact_scratch_bytes(artifact) % 128 == 0 || !turns);
  CHECK((cube_artifact_scratch_bytes(artifact) >= 80000) == turns);
  CHECK(cube_artifact_shared_bytes(artifact) == (turns ? 80000 : 0));
  CHECK(cube_artifact_prints(artifact) == prints && cube_artifact_checked(artifact) == 1);
  /* Positions in the launch have 32 bits. The kernel @prints uses no positions. */
  CHECK(cube_artifact_unit_limit(artifact) == (prints ? 0 : UINT64_C(1) << 32));
  CHECK(cube_artifact_plane_dim(artifact) == 32);
  /* Code for this machine can require each feature of this machine. */
  for (size_t i = 0; i < cube_artifact_feature_count(artifact); ++i)
    CHECK(strlen(cube_artifact_feature(artifact, i)) > 0);
  CHECK(cube_artifact_feature(artifact, cube_artifact_feature_count(artifact)) == NULL);
  cube_derived derived;
  const char *const expressions[] = {"magic_factor(by)", "magic_addend(by)", "magic_log(by)"};
  CHECK(cube_artifact_derived_count(artifact) == (divides ? 3 : 0));
  for (size_t i = 0; i < cube_artifact_derived_count(artifact); ++i) {
    CHECK(cube_artifact_derived(artifact, i, &derived) && strcmp(derived.expression, expressions[i]) == 0);
    CHECK(strcmp(derived.elem, i == 1 ? "u64" : "u32") == 0 && strlen(derived.name) > 0);
  }
  CHECK(!cube_artifact_derived(artifact, 3, &derived));
  /* On the CPU, the program selects the cubes to run, so the artifact has no cube count. */
  CHECK(cube_artifact_cube_count(artifact, 0) == NULL && cube_artifact_cube_count(artifact, 3) == NULL);
  if (turns)
    printf("%llu\n", (unsigned long long)cube_artifact_scratch_bytes(artifact));
  cube_artifact_free(artifact);
}

int main(int argc, char **argv) {
  CHECK(argc == 4 && cube_abi_version() == CUBE_ABI_VERSION);
  size_t length;
  char *source = read_file(argv[1], &length);

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
  CHECK(strcmp(cube_artifact_format_name(artifact), "elf-object") == 0);
  uint32_t dim[3];
  cube_artifact_cube_dim(artifact, dim);
  CHECK(dim[0] == 64 && dim[1] == 1 && dim[2] == 1 && cube_artifact_shared_bytes(artifact) == 0);

  cube_param param;
  CHECK(cube_artifact_param_count(artifact) == 2);
  CHECK(cube_artifact_param(artifact, 0, &param) && strcmp(param.name, "x") == 0 && strcmp(param.elem, "u32") == 0);
  CHECK(param.kind == CUBE_READ_WRITE && param.line == 1 && param.align == 4);
  CHECK(cube_artifact_param(artifact, 1, &param) && strcmp(param.name, "add") == 0 && param.kind == CUBE_SCALAR);
  CHECK(!cube_artifact_param(artifact, 2, &param));
  CHECK(cube_artifact_info_count(artifact) == 1 && cube_artifact_info_param(artifact, 0) == 0);

  /* An artifact that is read from the bytes of another artifact has equal bytes. */
  size_t code_length, size, size_again;
  const uint8_t *code_bytes = cube_artifact_code(artifact, &code_length), *bytes = cube_artifact_bytes(artifact, &size);
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
  options.params = NULL;
  refuses(source, "cpu", &options, "CUBE0925");

  char code[9];
  CHECK(cube_error_code("a\nk:1:2: error[CUBE0123]: b", code) && strcmp(code, "CUBE0123") == 0);
  CHECK(!cube_error_code("no code [CUBE12]", code) && !cube_error_code(NULL, code));

  /* All functions accept a null artifact. */
  CHECK(cube_artifact_kernel(NULL) == NULL && cube_artifact_param_count(NULL) == 0);
  CHECK(cube_artifact_code(NULL, &size) == NULL && size == 0);
  cube_artifact_free(NULL);

  CHECK(cube_artifact_scratch_bytes(NULL) == 0 && cube_artifact_feature(NULL, 0) == NULL);
  FILE *file;
  char file_name[4096];
  snprintf(file_name, sizeof file_name, "%s/scale.o", argv[3]);
  file = fopen(file_name, "wb");
  CHECK(file != NULL && fwrite(code_bytes, 1, code_length, file) == code_length && fclose(file) == 0);
  cube_artifact_free(artifact);
  write_object(argv[2], "divide", argv[3]);
  write_object(argv[2], "turn", argv[3]);
  write_object(argv[2], "prints", argv[3]);
  return 0;
}
