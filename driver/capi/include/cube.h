/* Cube from C: compile a kernel, load it on a device, set its arguments by name, launch it.
 *
 *   cube_compile, cube_artifact_read       text or bytes -> artifact
 *   cube_device_open, cube_buffer_new      a device and its memory
 *   cube_kernel_load, cube_args_new        artifact -> kernel -> arguments
 *   cube_check, cube_launch                the rules of a launch, and the launch
 *   cube_artifact_...                      the content of an artifact, for programs that call its code themselves
 *
 * - A function that can fail takes `char **error`, which can be NULL. On failure the result is NULL or 0, and *error is a text
 *   to be freed with cube_text_free. On success *error is NULL. cube_error_code reads the code of a text.
 * - Handles are freed in any order: a kernel keeps its device, arguments keep their kernel and buffers. Freeing NULL is allowed.
 * - All functions are thread-safe, also for one handle. A cube_args is used by one thread at a time.
 * - Nothing here ends the process on bad text or bad arguments, or throws.
 * - Pointers that an artifact gives stay valid until that artifact is freed.
 * - All texts are UTF-8 and end in a zero byte.
 */
#ifndef CUBE_H
#define CUBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function or struct below changes its meaning. */
#define CUBE_ABI_VERSION 2
uint32_t cube_abi_version(void);

/* Frees a text of *error. */
void cube_text_free(char *text);

/* Writes the first code of a text of *error, such as CUBE0920, and returns 1, or 0 without a code. `cubec --explain CODE`
 * explains it. */
int cube_error_code(const char *text, char code[9]);

/* ---- Compilation ------------------------------------------------------------------------------------------------------ */

/* A compiled kernel. */
typedef struct cube_artifact cube_artifact;

/* Options of a compilation besides source and target; NULL means all defaults. */
typedef struct cube_options {
  const char *kernel;        /* name of the kernel; NULL: the only kernel of the module */
  const char *file_name;     /* name of the source in messages; NULL: "<input>" */
  const char *const *params; /* comptime parameters, each "NAME=VALUE" */
  size_t param_count;
} cube_options;

/* Compiles a kernel for a target such as "cpu", "cpu:x86-64-v3" or "nvptx:sm_90a"; NULL: "cpu".
 *
 * Bytecode is trusted: damaged bytecode can crash the process. LLVM ends the process on a few inputs that no check can
 * foresee, such as running out of memory. */
cube_artifact *cube_compile(const void *source, size_t length, const char *target, const cube_options *options,
                            char **error);

/* The artifact in bytes that cube_artifact_bytes or `cubec --emit artifact` made. */
cube_artifact *cube_artifact_read(const void *bytes, size_t length, char **error);

void cube_artifact_free(cube_artifact *artifact);

/* ---- Devices and memory ----------------------------------------------------------------------------------------------- */

typedef struct cube_device cube_device;
typedef struct cube_buffer cube_buffer;

/* Settings of the device "cpu". */
typedef struct cube_cpu_options {
  uint32_t threads;  /* 0: one for each processor */
  int guard_buffers; /* not 0: each buffer ends at an inaccessible page */
  int catch_faults;  /* not 0: a launch whose code faults fails with CUBE0941, on x86-64 Linux, by handlers for SIGFPE, SIGSEGV,
                        SIGBUS and SIGILL; 0: a fault ends the process. Only kernels with unchecked accesses or undefined
                        operations fault. */
  double time_limit; /* seconds that a launch may take; 0: no limit */
} cube_cpu_options;

/* Opens "cpu" or "cuda". Without options the variables CUBE_CPU_THREADS, CUBE_CPU_GUARD, CUBE_CPU_TIME_LIMIT and
 * CUBE_CUDA_DEVICE count. The device "cuda" takes no options. */
cube_device *cube_device_open(const char *name, const cube_cpu_options *options, char **error);
void cube_device_free(cube_device *device);

/* Waits for all launches on the device; reports the failure of one that nothing else has reported. */
int cube_device_sync(const cube_device *device, char **error);

/* A buffer of this many bytes, all zero. */
cube_buffer *cube_buffer_new(const cube_device *device, uint64_t bytes, char **error);

/* The bytes from start to before end of a buffer, as a separate buffer that shares them. */
cube_buffer *cube_buffer_slice(const cube_buffer *buffer, uint64_t start, uint64_t end, char **error);
void cube_buffer_free(cube_buffer *buffer);
uint64_t cube_buffer_size(const cube_buffer *buffer);

/* Copies to and from a buffer, from its byte offset on. Both wait for the launches that use it. */
int cube_buffer_write(const cube_buffer *buffer, uint64_t offset, const void *data, size_t length, char **error);
int cube_buffer_read(const cube_buffer *buffer, uint64_t offset, void *data, size_t length, char **error);

/* ---- Launches --------------------------------------------------------------------------------------------------------- */

typedef struct cube_kernel cube_kernel;
typedef struct cube_args cube_args;

/* Loads the code of an artifact. The artifact is copied. Loading the same content again is cheap. */
cube_kernel *cube_kernel_load(const cube_device *device, const cube_artifact *artifact, char **error);
void cube_kernel_free(cube_kernel *kernel);

/* Arguments of a kernel, none of them set. They can be set again and launched any number of times. */
cube_args *cube_args_new(const cube_kernel *kernel, char **error);
void cube_args_free(cube_args *args);

/* Shape of a buffer, in elements, outermost dimension first; at most 8 dimensions. Without it, a buffer has one dimension and is
 * as long as its bytes. */
typedef struct cube_shape {
  size_t rank;
  const uint64_t *shape;
  const uint64_t *strides; /* elements between neighbours along each dimension; NULL: contiguous */
  int in_place;            /* not 0: another argument can be exactly the same bytes, although the kernel writes them */
} cube_shape;

/* A tensor of DLPack 1, see dlpack.h of that project. */
struct DLManagedTensorVersioned;

/* A tensor that shares the memory of a buffer, for a library such as torch or numpy. NULL as the shape: one dimension. The call
 * waits for the device. The buffer's memory exists until the tensor's deleter is called, from any thread. `elem` is a type as below. */
struct DLManagedTensorVersioned *cube_buffer_to_dlpack(const cube_buffer *buffer, const char *elem, const cube_shape *shape,
                                                       char **error);

/* A buffer that shares the memory of a tensor of another library, which must be writable and on the device. The call takes the
 * tensor, also if it fails: its deleter is called after the last use of the memory. The tensor's own fields state the type and the
 * shape for cube_args_set_buffer: read them before the call. */
cube_buffer *cube_buffer_from_dlpack(const cube_device *device, struct DLManagedTensorVersioned *tensor, char **error);

/* Sets a parameter by its name. `elem` is the type of the data on the host: "bool" (a byte, 0 or 1), "i8" to "i64", "u8" to "u64",
 * "f16", "bf16", "f32" or "f64". It must be the kernel's, see cube_param. A scalar's value is copied from `value`. */
int cube_args_set_buffer(cube_args *args, const char *name, const char *elem, const cube_buffer *buffer,
                         const cube_shape *shape, char **error);
int cube_args_set_scalar(cube_args *args, const char *name, const char *elem, const void *value, char **error);

/* All rules of a launch of count[0] x count[1] x count[2] cubes, without the launch. */
int cube_check(const cube_args *args, const uint32_t count[3], char **error);

/* Checks the rules and launches. On the cpu the work is done when this returns; on cuda it is queued. */
int cube_launch(const cube_args *args, const uint32_t count[3], char **error);

/* Called once for each line that a kernel of this process prints, with `data`. It is called from any thread, one call at a time,
 * and must not launch kernels, set the function, or leave by longjmp or an exception. NULL: lines go to standard output. */
typedef void (*cube_print_line)(void *data, const char *line);
void cube_set_prints(cube_print_line line, void *data);

/* ---- The content of an artifact --------------------------------------------------------------------------------------- */

/* Name of the kernel, symbol of its code, and target with the chip that was meant. */
const char *cube_artifact_kernel(const cube_artifact *artifact);
const char *cube_artifact_entry(const cube_artifact *artifact);
const char *cube_artifact_target(const cube_artifact *artifact);

/* How the code is encoded. The name is the backend's own; those with a number here are "elf-object", "ptx", "hsaco". */
enum { CUBE_OTHER_FORMAT = 0, CUBE_ELF_OBJECT = 1, CUBE_PTX = 2, CUBE_HSACO = 3 };
uint32_t cube_artifact_format(const cube_artifact *artifact);
const char *cube_artifact_format_name(const cube_artifact *artifact);

/* The code, *length bytes. */
const uint8_t *cube_artifact_code(const cube_artifact *artifact, size_t *length);

/* The whole artifact as the content of a file, *length bytes. */
const uint8_t *cube_artifact_bytes(const cube_artifact *artifact, size_t *length);

/* Units of a cube along x, y, z, and bytes of shared memory of one cube. */
void cube_artifact_cube_dim(const cube_artifact *artifact, uint32_t dim[3]);
uint32_t cube_artifact_shared_bytes(const cube_artifact *artifact);

/* Bytes of scratch memory of each call of the entry. */
uint64_t cube_artifact_scratch_bytes(const cube_artifact *artifact);

/* Units of a plane, and the largest number of units of a launch; 0 if the code does not fix them. */
uint32_t cube_artifact_plane_dim(const cube_artifact *artifact);
uint64_t cube_artifact_unit_limit(const cube_artifact *artifact);

/* Whether the code checks that accesses are inside their buffers, and whether it prints or can stop a launch. */
int cube_artifact_checked(const cube_artifact *artifact);
int cube_artifact_prints(const cube_artifact *artifact);

/* Features that the processor must have, by the names of is_x86_feature_detected in Rust, such as "avx2"; NULL beyond the last. */
size_t cube_artifact_feature_count(const cube_artifact *artifact);
const char *cube_artifact_feature(const cube_artifact *artifact, size_t index);

/* What a parameter is. */
enum { CUBE_SCALAR = 0, CUBE_READ = 1, CUBE_WRITE = 2, CUBE_READ_WRITE = 3 };
typedef struct cube_param {
  const char *name;
  const char *elem; /* type on the host: "f32", "u8", "bool", ... */
  uint32_t kind;    /* CUBE_SCALAR, or what the kernel does with the buffer */
  uint32_t line;    /* elements of a line of a buffer; 0 for a scalar */
  uint32_t align;   /* bytes of which the buffer's address must be a multiple; 0 for a scalar */
} cube_param;

/* Parameters in the order of the source. cube_artifact_param returns 1, or 0 for an index without a parameter. */
size_t cube_artifact_param_count(const cube_artifact *artifact);
int cube_artifact_param(const cube_artifact *artifact, size_t index, cube_param *param);

/* Words of the info array of a launch: each is the length, in lines, of the buffer that is parameter number PARAM. */
size_t cube_artifact_info_count(const cube_artifact *artifact);
size_t cube_artifact_info_param(const cube_artifact *artifact, size_t index);

/* A scalar that the caller of the code computes from the arguments. The expression is a number, the name of an integer scalar
 * argument, or a call of
 *   len(x) buffer_len(x) rank(x) shape(x, d) stride(x, d)  of buffer argument x; len and buffer_len in lines, the rest in
 *                                                          elements, 0 from the rank on
 *   offset(x)                                              bytes from a multiple of 256 to the first byte of buffer argument x
 *   cubes(axis)                                            cubes that the program asks for along axis 0, 1 or 2
 *   add sub mul div rem ceildiv min max shl shr            of two expressions, as unsigned 64-bit numbers that wrap; a / 0 is a,
 *                                                          a % 0 is 0, shifts count modulo 64
 *   eq lt                                                  of two expressions: 1 where they are equal, or the first is less
 *   magic_mul(n) magic_shift(n) magic_mul64(n) magic_shift64(n)
 *   magic_factor(n) magic_addend(n) magic_log(n)
 *   magic_signed(n) magic_signed64(n)
 * With N = 32, or 64 for names that end so, n of N bits, and s the smallest number with 2^s >= n: magic_shift is s, magic_mul is
 * floor(2^N * (2^s - n) / n) + 1; both are 0 for n <= 1.
 * magic_log is l = floor(log2 n), taking 1 for 0. For a power of two magic_factor and magic_addend are 2^32 - 1. Otherwise, with
 * f = floor(2^(32 + l) / n): magic_factor is f + 1 and magic_addend 0 where (f + 1) * n - 2^(32 + l) <= 2^l, else both are f.
 * magic_signed is (floor(2^(N + max(s, 1) - 1) / n) + 1) mod 2^N for the magnitude of n as a signed number, taking 1 for 0. */
typedef struct cube_derived {
  const char *name;
  const char *elem; /* "u32" or "u64": the value must fit */
  const char *expression;
} cube_derived;
size_t cube_artifact_derived_count(const cube_artifact *artifact);
int cube_artifact_derived(const cube_artifact *artifact, size_t index, cube_derived *derived);
/* The cubes along axis 0, 1 or 2 that run, as an expression over what the program asks for, cubes(axis); null where these are the
 * same. A launch that runs another count runs the kernel wrongly. cube_launch evaluates it. */
const char *cube_artifact_cube_count(const cube_artifact *artifact, size_t axis);

/* ---- Calling the code without this library ---------------------------------------------------------------------------- */

/* Words of the buffer of records of a kernel that prints. */
#define CUBE_PRINT_WORDS 262144

/* Code of format CUBE_ELF_OBJECT is an object with one global function and no undefined symbols. The caller keeps all rules that
 * cube_launch checks.
 *
 * buffers  One pointer for each buffer, in order: aligned to its `align`, not null even where the buffer is empty, of less than 2^32
 *          lines. Two buffers overlap only where neither is written, or where they are the same bytes and each cube touches only
 *          the elements that it writes. Where cube_artifact_prints holds, one more: CUBE_PRINT_WORDS
 *          words of 4 bytes, zero before the launch. Word 1 is not zero after a launch that has stopped itself.
 * info     The info words; where cube_artifact_prints holds, one more: CUBE_PRINT_WORDS.
 * scalars  One slot for each scalar in order, then one for each derived scalar: the value in the low bytes, zeros above.
 * stop     0. Another thread may ask for the end of the launch by writing 1; code then returns at the next iteration of a loop
 *          that is not known to end, and writes the highest bit and the line of the loop. So the struct is not const. */
typedef struct cube_launch_block {
  void *const *buffers;
  const uint64_t *info;
  const uint64_t *scalars;
  uint32_t cube_count[3];
  uint32_t stop;
} cube_launch_block;

/* Runs the cubes first <= c < last of x + count_x * (y + count_y * z). Disjoint ranges may run at the same time on several threads,
 * with one block. `scratch` points to cube_artifact_scratch_bytes bytes of any content, aligned to 128, that no other call uses
 * meanwhile; NULL where that is 0. The code uses up to 64 KiB of stack besides. */
typedef void (*cube_entry)(cube_launch_block *block, uint64_t first, uint64_t last, void *scratch);

#ifdef __cplusplus
}
#endif
#endif
