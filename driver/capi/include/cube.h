/* Cube from C: text or trusted bytecode of a kernel in, code and what a launch needs to know out.
 *
 * - Functions may be called from any threads at the same time; one artifact may be read by several.
 * - Nothing here ends the process on bad text, prints, or throws. Failures are NULL or 0, with a text where one is asked for.
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
#define CUBE_ABI_VERSION 1
uint32_t cube_abi_version(void);

/* A compiled kernel. */
typedef struct cube_artifact cube_artifact;

/* What a compilation asks for besides source and target; NULL in its place means all defaults. */
typedef struct cube_options {
  const char *kernel;        /* which kernel; NULL: the only one of the module */
  const char *file_name;     /* what messages call the source; NULL: "<input>" */
  const char *const *params; /* comptime parameters, each "NAME=VALUE" */
  size_t param_count;
} cube_options;

/* Compiles a kernel for a target such as "cpu", "cpu:x86-64-v3" or "nvptx:sm_90a".
 *
 * Bytecode is trusted: damaged bytecode can crash the process. On failure the result is NULL, and *error, unless error is
 * NULL, holds the messages, to be freed with cube_text_free. On success *error is NULL. */
cube_artifact *cube_compile(const void *source, size_t length, const char *target, const cube_options *options,
                            char **error);

/* The artifact in bytes that cube_artifact_bytes or `cubec --emit artifact` made; failures as for cube_compile. */
cube_artifact *cube_artifact_read(const void *bytes, size_t length, char **error);

/* NULL may be freed. */
void cube_artifact_free(cube_artifact *artifact);
void cube_text_free(char *text);

/* Name of the kernel, symbol of its code, and target with the chip that was meant. */
const char *cube_artifact_kernel(const cube_artifact *artifact);
const char *cube_artifact_entry(const cube_artifact *artifact);
const char *cube_artifact_target(const cube_artifact *artifact);

/* How the code is encoded. */
enum { CUBE_ELF_OBJECT = 1, CUBE_PTX = 2, CUBE_AMDGPU_ASSEMBLY = 3 };
uint32_t cube_artifact_format(const cube_artifact *artifact);

/* The code, *length bytes. */
const uint8_t *cube_artifact_code(const cube_artifact *artifact, size_t *length);

/* The whole artifact as the content of a file, *length bytes. */
const uint8_t *cube_artifact_bytes(const cube_artifact *artifact, size_t *length);

/* Units of a cube along x, y, z, and bytes of shared memory of one cube. */
void cube_artifact_cube_dim(const cube_artifact *artifact, uint32_t dim[3]);
uint32_t cube_artifact_shared_bytes(const cube_artifact *artifact);

/* What a parameter is. */
enum { CUBE_SCALAR = 0, CUBE_READ = 1, CUBE_WRITE = 2, CUBE_READ_WRITE = 3 };
typedef struct cube_param {
  const char *name;
  const char *elem; /* type on the host: "f32", "u8", "bool", ... */
  uint32_t kind;    /* CUBE_SCALAR, or what the kernel does with the buffer */
  uint32_t line;    /* elements of a line of a buffer; 0 for a scalar */
} cube_param;

/* Parameters in the order of the source. cube_artifact_param gives 1, or 0 where there is no such parameter. */
size_t cube_artifact_param_count(const cube_artifact *artifact);
int cube_artifact_param(const cube_artifact *artifact, size_t index, cube_param *param);

/* Words of the info array of a launch: each is the length, in lines, of the buffer that is parameter number PARAM. */
size_t cube_artifact_info_count(const cube_artifact *artifact);
size_t cube_artifact_info_param(const cube_artifact *artifact, size_t index);

/* How code of format CUBE_ELF_OBJECT is called: it runs the cubes first <= c < last of x + count_x * (y + count_y * z).
 * Ranges that do not meet may run at the same time. The rules that arguments must keep are in runtime/artifact. */
typedef struct cube_launch {
  void *const *buffers;    /* one pointer for each buffer, in order */
  const uint64_t *info;    /* the info words */
  const uint64_t *scalars; /* one slot for each scalar, its value in the low bytes */
  uint32_t cube_count[3];
  uint32_t reserved; /* 0 */
} cube_launch;
typedef void (*cube_entry)(const cube_launch *launch, uint64_t first, uint64_t last);

#ifdef __cplusplus
}
#endif
#endif
