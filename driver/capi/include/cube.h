/* Cube from C: compiles a kernel, loads the kernel on a device, sets its arguments by name, and launches the kernel.
 *
 *   cube_compile, cube_artifact_read       text or bytes -> artifact
 *   cube_device_open, cube_buffer_new      a device and its memory
 *   cube_kernel_load, cube_args_new        artifact -> kernel -> arguments
 *   cube_check, cube_launch                check of the rules of a launch, and the launch
 *   cube_artifact_...                      content of an artifact, for programs that call the code themselves
 *
 * - A function that can fail takes `char **error`, which can be NULL. After a failure, the result is NULL or 0, and *error is a
 *   text. The caller frees the text with cube_text_free. After a success, *error is NULL. cube_error_code returns the code of a text.
 * - Handles can be freed in any order: a kernel keeps its device alive, and arguments keep their kernel and buffers alive. NULL can
 *   also be freed.
 * - All functions are thread-safe, also for one handle. Exception: only one thread at a time can use a cube_args.
 * - Invalid text or arguments do not end the process. No function throws an exception.
 * - A pointer that a function of an artifact returns is valid until the artifact is freed.
 * - All texts are UTF-8 and end with a zero byte.
 */
#ifndef CUBE_H
#define CUBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It increases if the meaning of a function or struct changes. */
#define CUBE_ABI_VERSION 2
uint32_t cube_abi_version(void);

/* Frees an error text. */
void cube_text_free(char *text);

/* Writes the first code of an error text, such as CUBE0920, and returns 1. If the text contains no code, the result is 0.
 * `cubec --explain CODE` explains a code. */
int cube_error_code(const char *text, char code[9]);

/* ---- Compilation ------------------------------------------------------------------------------------------------------ */

/* A compiled kernel. */
typedef struct cube_artifact cube_artifact;

/* Options of a compilation, in addition to source and target. NULL selects all defaults. */
typedef struct cube_options {
  const char *kernel;        /* name of the kernel; NULL: the only kernel of the module */
  const char *file_name;     /* name of the source in messages; NULL: "<input>" */
  const char *const *params; /* comptime parameters, each "NAME=VALUE" */
  size_t param_count;
} cube_options;

/* Compiles a kernel for a target such as "cpu", "cpu:x86-64-v3" or "nvptx:sm_90a". NULL selects "cpu".
 *
 * Damaged bytecode can crash the process. LLVM ends the process in a few cases that cannot be checked before, for example if
 * memory is exhausted. */
cube_artifact *cube_compile(const void *source, size_t length, const char *target, const cube_options *options,
                            char **error);

/* Reads an artifact from the bytes that cube_artifact_bytes or `cubec --emit artifact` wrote. */
cube_artifact *cube_artifact_read(const void *bytes, size_t length, char **error);

void cube_artifact_free(cube_artifact *artifact);

/* ---- Devices and memory ----------------------------------------------------------------------------------------------- */

typedef struct cube_device cube_device;
typedef struct cube_buffer cube_buffer;

/* Settings of the device "cpu". */
typedef struct cube_cpu_options {
  uint32_t threads;  /* number of threads; 0: one thread per processor */
  int guard_buffers; /* not 0: each buffer ends at an inaccessible page */
  int catch_faults;  /* not 0, on x86-64 Linux: a fault makes the launch fail with CUBE0941. The device installs handlers for
                        SIGFPE, SIGSEGV, SIGBUS and SIGILL. 0: a fault ends the process. Only kernels with unchecked accesses
                        or undefined operations can fault. */
  double time_limit; /* maximum duration of a launch in seconds; 0: no limit */
} cube_cpu_options;

/* Opens the device "cpu" or "cuda". If options is NULL, the environment variables CUBE_CPU_THREADS, CUBE_CPU_GUARD,
 * CUBE_CPU_TIME_LIMIT and CUBE_CUDA_DEVICE apply. For the device "cuda", options must be NULL. */
cube_device *cube_device_open(const char *name, const cube_cpu_options *options, char **error);
void cube_device_free(cube_device *device);

/* Waits for all launches on the device. Returns the error of a failed launch that no other call has reported. */
int cube_device_sync(const cube_device *device, char **error);

/* Allocates a buffer of this size. All bytes are zero. */
cube_buffer *cube_buffer_new(const cube_device *device, uint64_t bytes, char **error);

/* The bytes start to end - 1 of a buffer, as another buffer that shares these bytes. */
cube_buffer *cube_buffer_slice(const cube_buffer *buffer, uint64_t start, uint64_t end, char **error);
void cube_buffer_free(cube_buffer *buffer);
uint64_t cube_buffer_size(const cube_buffer *buffer);

/* Copy bytes to and from a buffer, starting at a byte offset of the buffer. Both functions wait for the launches that use the
 * buffer. */
int cube_buffer_write(const cube_buffer *buffer, uint64_t offset, const void *data, size_t length, char **error);
int cube_buffer_read(const cube_buffer *buffer, uint64_t offset, void *data, size_t length, char **error);

/* ---- Launches --------------------------------------------------------------------------------------------------------- */

typedef struct cube_kernel cube_kernel;
typedef struct cube_args cube_args;

/* Loads the code of an artifact. The kernel has a copy of the artifact. A second load of the same content is fast. */
cube_kernel *cube_kernel_load(const cube_device *device, const cube_artifact *artifact, char **error);
void cube_kernel_free(cube_kernel *kernel);

/* Arguments of a kernel. No argument is set. The arguments can be set again, and launched any number of times. */
cube_args *cube_args_new(const cube_kernel *kernel, char **error);
void cube_args_free(cube_args *args);

/* Shape of a buffer in elements, with the outermost dimension first, and at most 8 dimensions. A buffer without a shape has one
 * dimension, which contains all bytes. */
typedef struct cube_shape {
  size_t rank;
  const uint64_t *shape;
  const uint64_t *strides; /* distance of neighbours along each dimension, in elements; NULL: contiguous */
  int in_place;            /* not 0: another argument can have exactly the same bytes, also if the kernel writes these bytes */
} cube_shape;

/* A DLPack 1 tensor, declared in dlpack.h of DLPack. */
struct DLManagedTensorVersioned;

/* Creates a tensor that shares the memory of a buffer, for a library such as torch or numpy. If shape is NULL, the tensor has one
 * dimension. The call waits for the device. The memory exists until any thread calls the tensor's deleter. `elem` is a type of
 * cube_args_set_buffer. */
struct DLManagedTensorVersioned *cube_buffer_to_dlpack(const cube_buffer *buffer, const char *elem, const cube_shape *shape,
                                                       char **error);

/* Creates a buffer that shares the memory of another library's tensor. The memory must be writable and on the device. The call
 * takes ownership of the tensor, also if the call fails, and the library calls the tensor's deleter after the last use of the
 * memory. Read the type and the shape for cube_args_set_buffer from the tensor before the call. */
cube_buffer *cube_buffer_from_dlpack(const cube_device *device, struct DLManagedTensorVersioned *tensor, char **error);

/* Set the argument of the parameter `name`. `elem` is the type of the data on the host: "bool" (a byte, 0 or 1), "i8" to "i64",
 * "u8" to "u64", "f16", "bf16", "f32" or "f64". The type must be the type of the kernel's parameter (cube_param). The value of a
 * scalar is copied from `value`. */
int cube_args_set_buffer(cube_args *args, const char *name, const char *elem, const cube_buffer *buffer,
                         const cube_shape *shape, char **error);
int cube_args_set_scalar(cube_args *args, const char *name, const char *elem, const void *value, char **error);

/* Checks all rules for a launch of count[0] x count[1] x count[2] cubes, without the launch. */
int cube_check(const cube_args *args, const uint32_t count[3], char **error);

/* Checks the rules, and launches the kernel. On the device "cpu", the launch has completed when the function returns. On "cuda",
 * the launch is queued. */
int cube_launch(const cube_args *args, const uint32_t count[3], char **error);

/* A function that the library calls with `data` for each line that a kernel of this process prints. Any thread can call the
 * function, but only one thread at a time. The function must not launch kernels, call cube_set_prints, or exit by longjmp or an
 * exception. If no function is set (NULL), lines are written to standard output. */
typedef void (*cube_print_line)(void *data, const char *line);
void cube_set_prints(cube_print_line line, void *data);

/* ---- The content of an artifact --------------------------------------------------------------------------------------- */

/* Name of the kernel, symbol of the entry function, and the target with its chip. */
const char *cube_artifact_kernel(const cube_artifact *artifact);
const char *cube_artifact_entry(const cube_artifact *artifact);
const char *cube_artifact_target(const cube_artifact *artifact);

/* The format of the code. Each backend defines the name of its format. The names "elf-object", "ptx" and "hsaco" have numbers. */
enum { CUBE_OTHER_FORMAT = 0, CUBE_ELF_OBJECT = 1, CUBE_PTX = 2, CUBE_HSACO = 3 };
uint32_t cube_artifact_format(const cube_artifact *artifact);
const char *cube_artifact_format_name(const cube_artifact *artifact);

/* The code. *length receives the number of bytes. */
const uint8_t *cube_artifact_code(const cube_artifact *artifact, size_t *length);

/* The artifact as the content of a file. *length receives the number of bytes. */
const uint8_t *cube_artifact_bytes(const cube_artifact *artifact, size_t *length);

/* Units of a cube along x, y, z, and bytes of shared memory of one cube. */
void cube_artifact_cube_dim(const cube_artifact *artifact, uint32_t dim[3]);
uint32_t cube_artifact_shared_bytes(const cube_artifact *artifact);

/* Bytes of scratch memory that each call of the entry function needs. */
uint64_t cube_artifact_scratch_bytes(const cube_artifact *artifact);

/* Units of a plane, and the largest number of units of a launch; 0 if the code does not fix them. */
uint32_t cube_artifact_plane_dim(const cube_artifact *artifact);
uint64_t cube_artifact_unit_limit(const cube_artifact *artifact);

/* Whether the code checks that accesses are in bounds, and whether the code prints or can stop a launch. */
int cube_artifact_checked(const cube_artifact *artifact);
int cube_artifact_prints(const cube_artifact *artifact);

/* Required features of the processor, with the names of Rust's is_x86_feature_detected, for example "avx2". The result is NULL
 * for an index that is too large. */
size_t cube_artifact_feature_count(const cube_artifact *artifact);
const char *cube_artifact_feature(const cube_artifact *artifact, size_t index);

/* A parameter of a kernel. */
enum { CUBE_SCALAR = 0, CUBE_READ = 1, CUBE_WRITE = 2, CUBE_READ_WRITE = 3, CUBE_UNACCESSED = 4 };
typedef struct cube_param {
  const char *name;
  const char *elem; /* type on the host: "f32", "u8", "bool", ... */
  uint32_t kind;    /* CUBE_SCALAR, or the kernel's accesses to the buffer */
  uint32_t line;    /* number of elements of a line; 0 for a scalar */
  uint32_t align;   /* required alignment of the buffer's address in bytes; 0 for a scalar */
} cube_param;

/* Parameters in the order of the source. cube_artifact_param returns 1, or 0 if the index is too large. */
size_t cube_artifact_param_count(const cube_artifact *artifact);
int cube_artifact_param(const cube_artifact *artifact, size_t index, cube_param *param);

/* Words of the info array of a launch. Each word is the length of a buffer in lines. cube_artifact_info_param returns the number of
 * the buffer's parameter. */
size_t cube_artifact_info_count(const cube_artifact *artifact);
size_t cube_artifact_info_param(const cube_artifact *artifact, size_t index);

/* A scalar that the caller of the code computes from the arguments. The expression is a number, the name of an integer scalar
 * argument, or one of the following calls:
 *   len(x) buffer_len(x) rank(x) shape(x, d) stride(x, d)  of buffer argument x; len and buffer_len in lines, the rest in
 *                                                          elements; 0 if d is not below the rank
 *   offset(x)                                              address of buffer argument x modulo 256, in bytes
 *   cubes(axis)                                            requested number of cubes along axis 0, 1 or 2
 *   add sub mul div rem ceildiv min max shl shr            of two expressions, as unsigned 64-bit numbers with wrap-around; a / 0
 *                                                          is a, a % 0 is 0, and a shift amount is taken modulo 64
 *   eq lt                                                  of two expressions: 1 if the first is equal to (eq) or less than (lt)
 *                                                          the second, otherwise 0
 *   magic_mul(n) magic_shift(n) magic_mul64(n) magic_shift64(n)
 *   magic_factor(n) magic_addend(n) magic_log(n)
 *   magic_signed(n) magic_signed64(n)
 * Let N = 64 for names that end in 64, and otherwise N = 32. n has N bits, and s is the smallest number with 2^s >= n.
 * magic_shift is s, and magic_mul is floor(2^N * (2^s - n) / n) + 1. Both are 0 for n <= 1.
 * magic_log is l = floor(log2 n), with n = 1 instead of n = 0. For a power of two, magic_factor and magic_addend are 2^32 - 1.
 * Otherwise let f = floor(2^(32 + l) / n). If (f + 1) * n - 2^(32 + l) <= 2^l, magic_factor is f + 1 and magic_addend is 0. If not,
 * both are f.
 * magic_signed is (floor(2^(N + max(s, 1) - 1) / n) + 1) mod 2^N for the magnitude of the signed number n, with 1 instead of 0. */
typedef struct cube_derived {
  const char *name;
  const char *elem; /* "u32" or "u64": the value must fit */
  const char *expression;
} cube_derived;
size_t cube_artifact_derived_count(const cube_artifact *artifact);
int cube_artifact_derived(const cube_artifact *artifact, size_t index, cube_derived *derived);
/* The number of cubes to run along axis 0, 1 or 2, as an expression of the requested numbers cubes(axis). NULL if both numbers are
 * equal. With another number of cubes, the results of the kernel are wrong. cube_launch evaluates the expression. */
const char *cube_artifact_cube_count(const cube_artifact *artifact, size_t axis);

/* ---- Calling the code without this library ---------------------------------------------------------------------------- */

/* Number of words in the print buffer of a kernel that prints. */
#define CUBE_PRINT_WORDS 262144

/* Code of the format CUBE_ELF_OBJECT is an object with one global function and no undefined symbols. The caller must fulfil all rules
 * that cube_launch checks.
 *
 * buffers  One pointer for each buffer, in the order of the parameters. The pointer is aligned to `align`, and is not null, even if
 *          the buffer is empty. A buffer has fewer than 2^32 lines. Two buffers can overlap only if the kernel writes neither of
 *          them, or if both have the same bytes and each cube accesses only the elements that it writes. If cube_artifact_prints
 *          returns 1, the last pointer is the print buffer: CUBE_PRINT_WORDS words of 4 bytes, which are zero before the launch.
 *          After the launch, word 1 is not zero if the kernel has stopped the launch.
 * info     The info words. If cube_artifact_prints returns 1, the last word is CUBE_PRINT_WORDS.
 * scalars  One slot for each scalar in order, then one slot for each derived scalar. The value is in the low bytes of the slot, and
 *          the other bytes are zero.
 * stop     0. Another thread can write 1 to request the end of the launch. The code then returns at the next iteration of a loop
 *          that is not known to terminate, and writes the highest bit and the line of the loop to `stop`. */
typedef struct cube_launch_block {
  void *const *buffers;
  const uint64_t *info;
  const uint64_t *scalars;
  uint32_t cube_count[3];
  uint32_t stop;
} cube_launch_block;

/* Runs the cubes with the numbers first to last - 1. The number of a cube is x + count_x * (y + count_y * z). Several threads can run
 * disjoint ranges with one block at the same time. `scratch` points to cube_artifact_scratch_bytes bytes, aligned to 128, with any
 * content, which no other call uses at the same time. If the number of bytes is 0, `scratch` is NULL. The code also uses up to
 * 64 KiB of stack. */
typedef void (*cube_entry)(cube_launch_block *block, uint64_t first, uint64_t last, void *scratch);

#ifdef __cplusplus
}
#endif
#endif
