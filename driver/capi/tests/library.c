/* Tests launches through the library, with every kind of argument and every failure: library KERNELS */
#include "check.h"
#include <math.h>

static cube_device *device;
static const char *kernels;

static cube_kernel *load(cube_device *on, const char *name, const char *param) {
  char *error = NULL;
  size_t length;
  const char *source = read_file(kernels, &length);
  cube_options options = {.kernel = name, .params = &param, .param_count = param != NULL};
  cube_artifact *artifact = cube_compile(source, length, "cpu", &options, &error);
  WORKS(artifact);
  cube_kernel *kernel = cube_kernel_load(on, artifact, &error);
  WORKS(kernel);
  /* The kernel does not use the artifact after the load. */
  cube_artifact_free(artifact);
  return kernel;
}

/* Arguments for a kernel of the file. The arguments keep the kernel alive. */
static cube_args *arguments(cube_device *on, const char *name) {
  char *error = NULL;
  cube_kernel *kernel = load(on, name, NULL);
  cube_args *args = cube_args_new(kernel, &error);
  WORKS(args);
  cube_kernel_free(kernel);
  return args;
}

static cube_buffer *buffer_of(cube_device *on, const void *data, size_t length) {
  char *error = NULL;
  cube_buffer *buffer = cube_buffer_new(on, length, &error);
  WORKS(buffer);
  WORKS(cube_buffer_write(buffer, 0, data, length, &error));
  return buffer;
}

static const uint32_t one[3] = {1, 1, 1};

/* Tests each type as a scalar and as the element type of a buffer. */
static void scalars(void) {
  static const char *const names[13] = {"bool", "i8",  "u8",  "i16",  "u16", "i32", "u32",
                                        "i64",  "u64", "f16", "bf16", "f32", "f64"};
  const size_t sizes[13] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  const int8_t i8 = -3;
  const uint8_t yes = 1, u8 = 253;
  const int16_t i16 = -300;
  const uint16_t u16 = 65000, half = 0x3555, brain = 0xc2f7;
  const int32_t i32 = -5;
  const uint32_t u32 = 4294967295u;
  const int64_t i64 = -6000000000;
  const uint64_t u64 = UINT64_MAX;
  const float f32 = 0.1f;
  const double f64 = -0.1;
  const void *values[13] = {&yes, &i8, &u8, &i16, &u16, &i32, &u32, &i64, &u64, &half, &brain, &f32, &f64};
  char *error = NULL, to[32];
  cube_args *args = arguments(device, "scalars");
  cube_buffer *buffers[13];
  for (int i = 0; i < 13; ++i) {
    snprintf(to, sizeof to, "to_%s", names[i]);
    WORKS(cube_args_set_scalar(args, names[i], names[i], values[i], &error));
    buffers[i] = cube_buffer_new(device, sizes[i], &error);
    WORKS(buffers[i]);
    WORKS(cube_args_set_buffer(args, to, names[i], buffers[i], NULL, &error));
    /* The library refuses every other type for the scalar and for the buffer. */
    for (int j = 0; j < 13; ++j)
      if (i != j) {
        const uint64_t other = 1;
        FAILS(cube_args_set_scalar(args, names[i], names[j], &other, &error), "CUBE0920", "convert the data");
        FAILS(cube_args_set_buffer(args, to, names[j], buffers[i], NULL, &error), "CUBE0920", "the kernel takes a buffer");
      }
  }
  WORKS(cube_launch(args, one, &error));
  for (int i = 0; i < 13; ++i) {
    uint64_t value = 0;
    CHECK(cube_buffer_size(buffers[i]) == sizes[i]);
    WORKS(cube_buffer_read(buffers[i], 0, &value, sizes[i], &error));
    CHECK(memcmp(&value, values[i], sizes[i]) == 0);
    cube_buffer_free(buffers[i]);
  }
  const uint8_t two = 2;
  FAILS(cube_args_set_scalar(args, "bool", "bool", &two, &error), "CUBE0920", "a bool has the byte 2");
  cube_args_free(args);
}

/* The library computes derived arguments. */
static void derived(void) {
  char *error = NULL;
  uint32_t x[64], by = 7;
  for (uint32_t i = 0; i < 64; ++i)
    x[i] = i * 100000007u;
  cube_args *args = arguments(device, "divide");
  cube_buffer *buffer = buffer_of(device, x, sizeof x);
  WORKS(cube_args_set_buffer(args, "x", "u32", buffer, NULL, &error));
  for (by = 7; by > 5; --by) {
    WORKS(cube_buffer_write(buffer, 0, x, sizeof x, &error));
    WORKS(cube_args_set_scalar(args, "by", "u32", &by, &error));
    WORKS(cube_launch(args, one, &error));
    uint32_t y[64];
    WORKS(cube_buffer_read(buffer, 0, y, sizeof y, &error));
    for (uint32_t i = 0; i < 64; ++i)
      CHECK(y[i] == x[i] / by);
  }
  cube_buffer_free(buffer);
  cube_args_free(args);
}

/* Tests shared memory and a barrier with several numbers of threads. */
static void shared(void) {
  char *error = NULL;
  float x[640], y[640];
  for (int i = 0; i < 640; ++i)
    x[i] = (float)i;
  for (uint32_t threads = 0; threads < 4; ++threads) {
    cube_cpu_options options = {.threads = threads};
    cube_device *own = cube_device_open("cpu", &options, &error);
    WORKS(own);
    cube_args *args = arguments(own, "turn");
    cube_buffer *from = buffer_of(own, x, sizeof x), *to = cube_buffer_new(own, sizeof y, &error);
    WORKS(to);
    WORKS(cube_args_set_buffer(args, "x", "f32", from, NULL, &error));
    WORKS(cube_args_set_buffer(args, "y", "f32", to, NULL, &error));
    /* The order does not matter: an object lives until no other object uses it. */
    cube_device_free(own);
    cube_buffer_free(from);
    const uint32_t ten[3] = {10, 1, 1};
    WORKS(cube_launch(args, ten, &error));
    cube_args_free(args);
    WORKS(cube_buffer_read(to, 0, y, sizeof y, &error));
    for (int i = 0; i < 640; ++i)
      CHECK(y[i] == (float)(i / 64 * 128 + 63 - i));
    cube_buffer_free(to);
  }
}

static void shapes(void) {
  char *error = NULL;
  float x[24], element;
  uint32_t out[6], row = 2;
  for (int i = 0; i < 24; ++i)
    x[i] = (float)i;
  const uint64_t shape[] = {3, 4, 5, 6, 7, 8, 9, 10, 11}, strides[] = {8, 1};
  const cube_shape apart = {2, shape, strides, 0}, dense = {2, shape, NULL, 0};
  cube_args *args = arguments(device, "shapes");
  cube_buffer *tensor = buffer_of(device, x, sizeof x), *numbers = cube_buffer_new(device, sizeof out, &error);
  cube_buffer *value = cube_buffer_new(device, sizeof element, &error);
  WORKS(cube_args_set_buffer(args, "x", "f32", tensor, &apart, &error));
  WORKS(cube_args_set_scalar(args, "row", "u32", &row, &error));
  WORKS(cube_args_set_buffer(args, "out", "u32", numbers, NULL, &error));
  WORKS(cube_args_set_buffer(args, "element", "f32", value, NULL, &error));
  WORKS(cube_launch(args, one, &error));
  WORKS(cube_buffer_read(numbers, 0, out, sizeof out, &error));
  WORKS(cube_buffer_read(value, 0, &element, sizeof element, &error));
  CHECK(out[0] == 2 && out[1] == 3 && out[2] == 4 && out[3] == 8 && out[4] == 12 && out[5] == 24 && element == 16);

  WORKS(cube_args_set_buffer(args, "x", "f32", tensor, &dense, &error));
  WORKS(cube_launch(args, one, &error));
  WORKS(cube_buffer_read(numbers, 0, out, sizeof out, &error));
  CHECK(out[3] == 4 && out[4] == 12);

  /* A part of a buffer, and a shape that exceeds this part. */
  cube_buffer *part = cube_buffer_slice(tensor, 16, 64, &error);
  WORKS(part);
  CHECK(cube_buffer_size(part) == 48);
  WORKS(cube_args_set_buffer(args, "x", "f32", part, &dense, &error));
  WORKS(cube_launch(args, one, &error));
  WORKS(cube_buffer_read(value, 0, &element, sizeof element, &error));
  CHECK(element == 12);
  FAILS(cube_args_set_buffer(args, "x", "f32", part, &apart, &error), "CUBE0920",
        "shape [3, 4] with strides [8, 1] requires 20 elements, but the buffer has 12");
  FAILS(cube_buffer_slice(tensor, 90, 97, &error), "CUBE0920", "are not within a buffer of 96 bytes");

  const cube_shape deep = {9, shape, NULL, 0}, nothing = {2, NULL, NULL, 0}, strided = {0, NULL, strides, 0};
  FAILS(cube_args_set_buffer(args, "x", "f32", tensor, &deep, &error), "CUBE0925", "at most 8 dimensions");
  FAILS(cube_args_set_buffer(args, "x", "f32", tensor, &nothing, &error), "CUBE0925", "shape is null");
  FAILS(cube_args_set_buffer(args, "x", "f32", tensor, &strided, &error), "CUBE0925", "shape is null");
  cube_buffer_free(part);
  cube_buffer_free(tensor);
  cube_buffer_free(numbers);
  cube_buffer_free(value);
  cube_args_free(args);
}

/* Tests lines, a comptime parameter, and two arguments with the same memory. */
static void lines(void) {
  char *error = NULL;
  int16_t x[32], y[32];
  for (int16_t i = 0; i < 32; ++i)
    x[i] = i;
  cube_kernel *kernel = load(device, "lines", "N=-5");
  cube_args *args = cube_args_new(kernel, &error);
  cube_buffer *buffer = buffer_of(device, x, sizeof x), *odd = cube_buffer_new(device, 62, &error);
  const cube_shape marked = {0, NULL, NULL, 1};
  WORKS(cube_args_set_buffer(args, "x", "i16", buffer, NULL, &error));
  WORKS(cube_args_set_buffer(args, "y", "i16", buffer, NULL, &error));
  FAILS(cube_check(args, one, &error), "CUBE0920", "it shares bytes with argument 'x'");
  FAILS(cube_launch(args, one, &error), "CUBE0920", "mark one of the two arguments as in place");
  WORKS(cube_args_set_buffer(args, "y", "i16", buffer, &marked, &error));
  WORKS(cube_check(args, one, &error));
  WORKS(cube_launch(args, one, &error));
  WORKS(cube_buffer_read(buffer, 0, y, sizeof y, &error));
  for (int i = 0; i < 32; ++i)
    CHECK(y[i] == -5 * i);
  WORKS(cube_args_set_buffer(args, "y", "i16", odd, NULL, &error));
  FAILS(cube_launch(args, one, &error), "CUBE0920", "62 bytes are not a whole number of lines of 4 x i16");
  const uint32_t many[3] = {UINT32_MAX, 1, 1}, none[3] = {0, 1, 1};
  WORKS(cube_args_set_buffer(args, "y", "i16", buffer, &marked, &error));
  FAILS(cube_launch(args, many, &error), "CUBE0922", "split the launch");
  WORKS(cube_launch(args, none, &error));
  cube_args_free(args);
  cube_kernel_free(kernel);
  cube_buffer_free(buffer);
  cube_buffer_free(odd);
}

static void keep(void *data, const char *line) {
  strcat(data, line);
  strcat(data, "\n");
}

static void prints(void) {
  char *error = NULL, said[256] = "";
  int32_t n = 3;
  cube_args *args = arguments(device, "prints"), *stops = arguments(device, "stops");
  WORKS(cube_args_set_scalar(args, "n", "i32", &n, &error));
  WORKS(cube_args_set_scalar(stops, "n", "i32", &n, &error));
  cube_set_prints(keep, said);
  WORKS(cube_launch(args, one, &error));
  CHECK(strcmp(said, "unit 0 of 3\nunit 1 of 3\nunit 2 of 3\n") == 0);
  /* A kernel that stops its launch makes the launch fail, with the text of the kernel. */
  FAILS(cube_launch(stops, one, &error), "CUBE0943", "kernel 'stops': 3 is too much");
  cube_set_prints(NULL, NULL);
  WORKS(cube_launch(args, one, &error));
  CHECK(strlen(said) == 36);
  cube_args_free(args);
  cube_args_free(stops);
}

/* Accesses out of bounds, faults and endless loops make their launch fail. */
static void faults(void) {
  char *error = NULL;
  int32_t x[64], y[64];
  cube_cpu_options options = {.threads = 2, .guard_buffers = 1, .catch_faults = 1, .time_limit = 0.1};
  cube_device *own = cube_device_open("cpu", &options, &error);
  WORKS(own);
  for (int i = 0; i < 64; ++i)
    x[i] = i + 1;
  cube_args *args = arguments(own, "outside"), *undefined = arguments(own, "undefined"), *waits = arguments(own, "waits");
  cube_buffer *full = buffer_of(own, x, sizeof x), *to = cube_buffer_new(own, sizeof y, &error);
  WORKS(cube_args_set_buffer(args, "x", "i32", full, NULL, &error));
  WORKS(cube_args_set_buffer(args, "y", "i32", to, NULL, &error));
  WORKS(cube_launch(args, one, &error));
  for (size_t n = 1; n < 64; ++n) {
    char words[64];
    cube_buffer *shorter = buffer_of(own, x, 4 * n);
    WORKS(cube_args_set_buffer(args, "x", "i32", shorter, NULL, &error));
    snprintf(words, sizeof words, "of argument 'x', which has %zu bytes", 4 * n);
    FAILS(cube_launch(args, one, &error), "CUBE0941", words);
    cube_buffer_free(shorter);
  }
  WORKS(cube_args_set_buffer(undefined, "x", "i32", full, NULL, &error));
  WORKS(cube_args_set_buffer(undefined, "y", "i32", to, NULL, &error));
  WORKS(cube_launch(undefined, one, &error));
  x[63] = 0;
  WORKS(cube_buffer_write(full, 0, x, sizeof x, &error));
  FAILS(cube_launch(undefined, one, &error), "CUBE0941", "kernel 'undefined': it divided an integer by zero");
  WORKS(cube_args_set_buffer(waits, "x", "i32", to, NULL, &error));
  memset(y, 0, sizeof y);
  WORKS(cube_buffer_write(to, 0, y, sizeof y, &error));
  FAILS(cube_launch(waits, one, &error), "CUBE0944", "in the loop at line");
  /* The device works after the failures. */
  WORKS(cube_args_set_buffer(args, "x", "i32", full, NULL, &error));
  WORKS(cube_launch(args, one, &error));
  WORKS(cube_buffer_read(to, 0, y, sizeof y, &error));
  CHECK(memcmp(x, y, sizeof x) == 0);
  WORKS(cube_device_sync(own, &error));
  cube_args_free(args);
  cube_args_free(undefined);
  cube_args_free(waits);
  cube_buffer_free(full);
  cube_buffer_free(to);
  cube_device_free(own);
}

/* Wrong and missing arguments cause errors. */
static void mistakes(void) {
  char *error = NULL;
  uint32_t number = 7;
  cube_kernel *kernel = load(device, "divide", NULL);
  cube_args *args = cube_args_new(kernel, &error);
  cube_buffer *x = cube_buffer_new(device, 256, &error);
  FAILS(cube_launch(args, one, &error), "CUBE0920", "kernel 'divide', argument 'x': it has no value; call cube_args_set_buffer");
  WORKS(cube_args_set_buffer(args, "x", "u32", x, NULL, &error));
  FAILS(cube_check(args, one, &error), "CUBE0920", "argument 'by': it has no value; call cube_args_set_scalar");
  FAILS(cube_args_set_buffer(args, "bye", "u32", x, NULL, &error), "CUBE0920", "it has no parameter bye: its parameters are x, by; did you mean by?");
  FAILS(cube_args_set_buffer(args, "by", "u32", x, NULL, &error), "CUBE0920", "the argument is a buffer; call cube_args_set_scalar");
  FAILS(cube_args_set_scalar(args, "x", "u32", &number, &error), "CUBE0920", "the argument is a scalar; call cube_args_set_buffer");
  FAILS(cube_args_set_scalar(args, "by", "u23", &number, &error), "CUBE0925", "'u23' is not an element type");
  FAILS(cube_args_set_scalar(args, "by", "u32", NULL, &error), "CUBE0925", "the value is null");
  FAILS(cube_args_set_scalar(args, NULL, "u32", &number, &error), "CUBE0925", "the parameter's name is null");
  FAILS(cube_args_set_scalar(args, "by", NULL, &number, &error), "CUBE0925", "the element type is null");
  FAILS(cube_args_set_scalar(args, "\xff", "u32", &number, &error), "CUBE0925", "is not UTF-8");
  FAILS(cube_args_set_scalar(NULL, "by", "u32", &number, &error), "CUBE0925", "the arguments are null");
  FAILS(cube_args_set_buffer(NULL, "x", "u32", x, NULL, &error), "CUBE0925", "the arguments are null");
  FAILS(cube_args_set_buffer(args, "x", "u32", NULL, NULL, &error), "CUBE0925", "the buffer is null");
  FAILS(cube_launch(NULL, one, &error), "CUBE0925", "the arguments are null");
  FAILS(cube_launch(args, NULL, &error), "CUBE0925", "the cube count is null");
  FAILS(cube_args_new(NULL, &error), "CUBE0925", "the kernel is null");
  FAILS(cube_kernel_load(NULL, NULL, &error), "CUBE0925", "the device is null");
  FAILS(cube_kernel_load(device, NULL, &error), "CUBE0925", "the artifact is null");
  FAILS(cube_buffer_new(NULL, 1, &error), "CUBE0925", "the device is null");
  FAILS(cube_buffer_new(device, UINT64_MAX, &error), "CUBE0922", "is larger than");
  FAILS(cube_buffer_write(x, 255, &number, 4, &error), "CUBE0920", "exceed a buffer of 256 bytes");
  FAILS(cube_buffer_read(x, UINT64_MAX, &number, 4, &error), "CUBE0920", "exceed a buffer of 256 bytes");
  FAILS(cube_buffer_write(x, 0, NULL, 4, &error), "CUBE0925", "data is null");
  FAILS(cube_buffer_read(x, 0, &number, SIZE_MAX, &error), "CUBE0925", "which exceeds the memory");
  WORKS(cube_buffer_write(x, 256, NULL, 0, &error));
  FAILS(cube_buffer_read(NULL, 0, &number, 4, &error), "CUBE0925", "the buffer is null");
  FAILS(cube_device_open("cpi", NULL, &error), "CUBE0610", "choose cpu or cuda; did you mean cpu?");
  FAILS(cube_device_open(NULL, NULL, &error), "CUBE0925", "the device's name is null");
  FAILS(cube_device_sync(NULL, &error), "CUBE0925", "the device is null");
  cube_cpu_options options = {.time_limit = -1};
  FAILS(cube_device_open("cpu", &options, &error), "CUBE0925", "time_limit is -1");
  options.time_limit = NAN;
  FAILS(cube_device_open("cpu", &options, &error), "CUBE0925", "time_limit is NaN");
  FAILS(cube_device_open("cuda", &options, &error), "CUBE0925", "pass NULL for cuda");
  /* The pointer to the error text can be null, and null objects can be freed. */
  CHECK(cube_launch(NULL, NULL, NULL) == 0 && cube_buffer_size(NULL) == 0);
  cube_device_free(NULL);
  cube_buffer_free(NULL);
  cube_kernel_free(NULL);
  cube_args_free(NULL);
  cube_text_free(NULL);

  /* A buffer of another device, code for another target, and a GPU that most machines lack. */
  cube_device *other = cube_device_open("cpu", NULL, &error);
  cube_buffer *foreign = cube_buffer_new(other, 256, &error);
  FAILS(cube_args_set_buffer(args, "x", "u32", foreign, NULL, &error), "CUBE0920", "belongs to another device");
  size_t length;
  cube_options chosen = {.kernel = "divide"};
  const char *source = read_file(kernels, &length);
  cube_artifact *ptx = cube_compile(source, length, "nvptx:sm_80", &chosen, &error);
  WORKS(ptx);
  FAILS(cube_kernel_load(device, ptx, &error), "CUBE0920", "it is compiled for nvptx:sm_80, but this device runs cpu");
  cube_device *cuda = cube_device_open("cuda", NULL, &error);
  if (cuda != NULL) {
    /* Runs the same kernel on the GPU. */
    cube_kernel *there = cube_kernel_load(cuda, ptx, &error);
    WORKS(there);
    uint32_t numbers[64] = {0, 8, 700};
    cube_args *launch = cube_args_new(there, &error);
    cube_buffer *memory = buffer_of(cuda, numbers, sizeof numbers);
    WORKS(cube_args_set_buffer(launch, "x", "u32", memory, NULL, &error));
    WORKS(cube_args_set_scalar(launch, "by", "u32", &number, &error));
    WORKS(cube_launch(launch, one, &error));
    WORKS(cube_device_sync(cuda, &error));
    WORKS(cube_buffer_read(memory, 0, numbers, sizeof numbers, &error));
    CHECK(numbers[0] == 0 && numbers[1] == 1 && numbers[2] == 100);
    cube_args_free(launch);
    cube_buffer_free(memory);
    cube_kernel_free(there);
    cube_device_free(cuda);
  } else {
    FAILS(cuda, "CUBE0940", "CUDA");
  }
  cube_artifact_free(ptx);
  cube_buffer_free(foreign);
  cube_device_free(other);
  cube_buffer_free(x);
  cube_args_free(args);
  cube_kernel_free(kernel);
}

/* The versioned DLPack 1 tensor. */
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(struct DLManagedTensorVersioned *);
  uint64_t flags;
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};

static int deleted;
static void delete(struct DLManagedTensorVersioned *tensor) {
  ++deleted;
  tensor->deleter = NULL;
}

/* Exported and imported tensors of DLPack share their memory with buffers. */
static void dlpack(void) {
  char *error = NULL;
  float x[6] = {1, 2, 3, 4, 5, 6};
  cube_buffer *buffer = buffer_of(device, x, sizeof x);
  uint64_t sizes[2] = {2, 3};
  cube_shape shape = {.rank = 2, .shape = sizes};
  struct DLManagedTensorVersioned *out = cube_buffer_to_dlpack(buffer, "f32", &shape, &error);
  WORKS(out);
  CHECK(out->major == 1 && out->device_type == 1 && out->ndim == 2 && out->code == 2 && out->bits == 32 && out->lanes == 1);
  CHECK(out->shape[0] == 2 && out->shape[1] == 3);
  float *shared = (float *)((char *)out->data + out->byte_offset);
  CHECK(shared[4] == 5);
  shared[4] = 50;
  WORKS(cube_buffer_read(buffer, 0, x, sizeof x, &error));
  CHECK(x[4] == 50);
  /* The exported tensor keeps the memory alive. */
  cube_buffer_free(buffer);
  CHECK(shared[5] == 6);
  /* Imports the exported tensor as a buffer. When the buffer is freed, it calls the deleter of the tensor. */
  buffer = cube_buffer_from_dlpack(device, out, &error);
  WORKS(buffer);
  CHECK(cube_buffer_size(buffer) == sizeof x);
  WORKS(cube_buffer_read(buffer, 0, x, sizeof x, &error));
  CHECK(x[3] == 4 && x[4] == 50);
  FAILS(cube_buffer_to_dlpack(buffer, "f64", &shape, &error), "CUBE0920", "exceeds its buffer of 24 bytes");
  FAILS(cube_buffer_to_dlpack(buffer, "f99", NULL, &error), "CUBE0925", "'f99' is not an element type");
  cube_buffer_free(buffer);

  static float memory[4] = {7, 8, 9, 10};
  int64_t length = 4;
  struct DLManagedTensorVersioned in = {.major = 1, .deleter = delete, .data = memory, .device_type = 1, .ndim = 1,
                                        .code = 2, .bits = 32, .lanes = 1, .shape = &length};
  buffer = cube_buffer_from_dlpack(device, &in, &error);
  WORKS(buffer);
  float nine = 9.5f;
  WORKS(cube_buffer_write(buffer, 8, &nine, sizeof nine, &error));
  CHECK(memory[2] == 9.5f && deleted == 0);
  cube_buffer_free(buffer);
  CHECK(deleted == 1);
  in.deleter = delete;
  in.flags = 1;
  FAILS(cube_buffer_from_dlpack(device, &in, &error), "CUBE0920", "read-only");
  CHECK(deleted == 2);
  FAILS(cube_buffer_from_dlpack(device, NULL, &error), "CUBE0925", "the tensor is null");
}

int main(int argc, char **argv) {
  char *error = NULL;
  CHECK(argc == 2);
  kernels = argv[1];
  device = cube_device_open("cpu", NULL, &error);
  WORKS(device);
  scalars();
  derived();
  shared();
  shapes();
  lines();
  prints();
  faults();
  dlpack();
  mistakes();
  cube_device_free(device);
  printf("launches agree\n");
  return 0;
}
