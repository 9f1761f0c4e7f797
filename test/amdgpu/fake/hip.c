// A library with HIP's symbols for tests. Device memory is memory of the host, and the emulator runs launches through `launch.py`. A
// recording stream adds launches and copies to its graph.
//
// A stream runs its commands as late as HIP allows: a command runs only when a call waits for it. Streams that do not wait for each
// other have no order. A missing wait, or host memory that is reused too early, therefore gives wrong results. With FAKE_HIP_RUN, a
// launch and all earlier commands run immediately, so that an error belongs to its launch.
//
// A fault has the code ILLEGAL_ADDRESS. All later calls return the fault, as with ROCm. Without HIP_SKIP_ABORT_ON_GPU_ERROR=1, a fault
// of a running command ends the process, as with ROCm.
//
// FAKE_HIP_FAIL=FUNCTION:CODE      calls of the function return the code
// FAKE_HIP_FAIL=FUNCTION:CODE:N    only the Nth call of the function returns the code, counted from 1
// FAKE_HIP_FAIL=@FILE              FILE contains a function, a number N and a code. The Nth call, counted from 0 since the last change of
//                                  FILE, returns the code, and its name is written to FILE.hit. No call fails while FILE.hit exists
// FAKE_HIP_CHIP=gfx1100            the chip (default: gfx942)
// FAKE_HIP_MEMORY=BYTES            the size of device memory (default: 64 MiB)
// FAKE_HIP_RUN=COMMAND             a program that reads one folder of a launch per input line, and answers "ok", "Unsupported: ..." or an
//                                  error. If the program ends, the launch has faulted. Without the variable, a launch does nothing
// FAKE_HIP_SCALE=KERNEL            without FAKE_HIP_RUN, a launch of this kernel multiplies its buffer of f32 by its number.
//                                  A kernel with the name "fault" faults
// FAKE_HIP_LEAKS=FILE              at the end of the process, the live objects are written to FILE
//
// -DVERSION=N sets the version of the library. With -DWITHOUT_WAITS, hipStreamWaitEvent does nothing.
#define _GNU_SOURCE // memmem, pipe2
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef VERSION
#define VERSION 70100000
#endif
#ifdef WITHOUT_WAITS
#undef WITHOUT_WAITS
#define WITHOUT_WAITS 1
#else
#define WITHOUT_WAITS 0
#endif

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 101, INVALID_IMAGE = 200, NO_BINARY = 209, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, NOT_SUPPORTED = 801, UNKNOWN = 999 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int current;

// The list of all live objects. A use of any other object is an error. The real library can also report such a use.
struct object { char kind; char *at; size_t bytes; };
static struct object objects[1 << 16];
static size_t count;
static size_t used;

static struct object *find(char kind, const void *at) {
  for (size_t i = 0; i < count; i++)
    if (objects[i].kind == kind && objects[i].at == at) return &objects[i];
  return NULL;
}

// The allocation that contains a range.
static struct object *holder(const void *from, size_t bytes) {
  for (size_t i = 0; i < count; i++)
    if (objects[i].kind == 'm' && (char *)from >= objects[i].at && (char *)from + bytes <= objects[i].at + objects[i].bytes) return &objects[i];
  return NULL;
}

static void *add(char kind, void *at, size_t bytes) {
  if (count == sizeof objects / sizeof *objects) abort();
  objects[count++] = (struct object){kind, at, bytes};
  return at;
}

static int drop(char kind, void *at) {
  struct object *found = find(kind, at);
  if (!found) return INVALID_HANDLE;
  if (kind == 'm') used -= found->bytes;
  *found = objects[--count];
  free(at);
  return 0;
}

// The code of a call with FAKE_HIP_FAIL=@FILE: the Nth call of a function since the last change of the file fails.
static int failure_in(const char *file, const char *name) {
  static char before[96], function[64];
  static long wanted = -1, calls;
  static int code;
  char text[96] = "", path[512];
  FILE *in = fopen(file, "r"); if (in) { if (!fgets(text, sizeof text, in)) text[0] = 0; fclose(in); }
  if (strcmp(text, before)) { strcpy(before, text); calls = 0; if (sscanf(text, "%63s %ld %d", function, &wanted, &code) != 3) wanted = -1; }
  if (wanted < 0 || strcmp(function, name) || calls++ != wanted) return 0;
  snprintf(path, sizeof path, "%s.hit", file);
  if (!access(path, F_OK)) return 0;
  FILE *out = fopen(path, "w"); if (out) { fputs(name, out); fclose(out); }
  return code;
}

// The code that a test requests for this call; 0 if the call must succeed.
static int failure(const char *name) {
  static int calls;
  const char *wish = getenv("FAKE_HIP_FAIL");
  if (wish && *wish == '@') return failure_in(wish + 1, name);
  size_t length = strlen(name);
  if (!wish || strncmp(wish, name, length) || wish[length] != ':') return 0;
  char *rest;
  int code = (int)strtol(wish + length + 1, &rest, 10);
  if (*rest != ':') return code;
  return ++calls == atoi(rest + 1) ? code : 0;
}

// The fault that every call returns.
static int sticky;

// Runs the body under the lock, unless the test requests a failure. Functions with FACT also work after a fault.
#define FACT(name, ...) { pthread_mutex_lock(&turn); int code = failure(#name); if (code == ILLEGAL_ADDRESS) sticky = code; if (!code) { __VA_ARGS__ } pthread_mutex_unlock(&turn); return code; }
#define CALL(name, ...) FACT(name, if (sticky) code = sticky; else { __VA_ARGS__ })
#define STREAM(s) if (!find('s', s)) code = INVALID_HANDLE; else

static void report(void) {
  const char *file = getenv("FAKE_HIP_LEAKS");
  FILE *out = file ? fopen(file, "w") : NULL;
  if (!out) return;
  for (size_t i = 0; i < count; i++) fputc(objects[i].kind, out);
  fclose(out);
}

int hipInit(unsigned flags) FACT(hipInit, { static int once; if (!once++) atexit(report); (void)flags; })
int hipRuntimeGetVersion(int *version) FACT(hipRuntimeGetVersion, { *version = VERSION; })
int hipGetDeviceCount(int *n) FACT(hipGetDeviceCount, { *n = 2; })
int hipSetDevice(int device) CALL(hipSetDevice, { if (device < 0 || device > 1) code = NO_DEVICE; else current = device; })
const char *hipGetErrorName(int code) { static _Thread_local char text[32]; snprintf(text, sizeof text, "hipError%d", code); return text; }
const char *hipGetErrorString(int code) { (void)code; return "as the test wants it"; }

// The fields of hipDeviceProp_tR0600 that the runtime reads, at their offsets in ROCm 6 and 7. The tests of the runtime compare the
// offsets with the bindings.
struct properties {
  char name[256]; char uuid[16]; char luid[8]; unsigned mask; size_t memory; size_t shared; int registers; int warp; size_t pitch;
  int units; int dim[3]; int grid[3];
};

static size_t memory(void) {
  const char *text = getenv("FAKE_HIP_MEMORY");
  return text ? strtoull(text, NULL, 10) : 64u << 20;
}

#ifndef ARCH_OFFSET
#error "the place of gcnArchName comes from the bindings"
#endif
int hipGetDevicePropertiesR0600(struct properties *p, int device) FACT(hipGetDevicePropertiesR0600, {
  const char *chip = getenv("FAKE_HIP_CHIP");
  snprintf(p->name, sizeof p->name, "fake GPU %d", device);
  p->memory = memory(); p->shared = 65536; p->warp = 64; p->units = 1024;
  for (int i = 0; i < 3; i++) p->dim[i] = 1024;
  p->grid[0] = 2147483647; p->grid[1] = p->grid[2] = 65535;
  *(int *)((char *)p + PROCESSORS_OFFSET) = 4;
  snprintf((char *)p + ARCH_OFFSET, 64, "%s:sramecc+:xnack-", chip ? chip : "gfx942");
})

int hipMalloc(void **at, size_t bytes) CALL(hipMalloc, {
  if (used + bytes > memory()) code = OUT_OF_MEMORY;
  else { used += bytes; *at = add('m', aligned_alloc(256, (bytes + 255) / 256 * 256 + 256), bytes); memset(*at, 0xa5, bytes); }
})
int hipFree(void *at) CALL(hipFree, { code = drop('m', at); })
int hipMemGetInfo(size_t *left, size_t *all) CALL(hipMemGetInfo, { *all = memory(); *left = *all - used; })
int hipHostRegister(void *at, size_t bytes, unsigned flags) CALL(hipHostRegister, { (void)at; (void)bytes; (void)flags; })
int hipHostUnregister(void *at) CALL(hipHostUnregister, { (void)at; })
enum kind { LAUNCH, COPY, FILL, RECORD, WAIT };

// A command of a stream or of a graph. The values of a launch are its explicit arguments. A RECORD has an event. A WAIT has an event,
// or a stream and the number of the command to wait for.
struct command {
  enum kind kind;
  void *function; unsigned grid[3], block[3], shared; size_t values; uint64_t *slots;
  void *to; const void *from; size_t bytes; int value, to_host, from_host;
  struct event *event; struct stream *other; uint64_t upto;
};
struct graph { size_t count; struct command *commands; };
// A stream records while its graph is not null.
struct stream { struct graph *recorded; struct command *queue; size_t count, room; uint64_t submitted, executed; };
struct event { struct timespec time; struct stream *stream; uint64_t number; int asked; };

static int act(const struct command *c);

static void run_until(struct stream *s, uint64_t upto) {
  if (!find('s', s)) return;
  while (s->executed < upto && s->count) {
    struct command c = s->queue[0];
    memmove(s->queue, s->queue + 1, --s->count * sizeof c);
    s->executed++;
    int code = sticky ? 0 : act(&c);
    if (code) {
      const char *skip = getenv("HIP_SKIP_ABORT_ON_GPU_ERROR");
      if (code == ILLEGAL_ADDRESS && !(skip && !strcmp(skip, "1"))) { fputs("Memory access fault by GPU\n", stderr); abort(); }
      sticky = code;
    }
    free(c.slots);
  }
}

static void run_all(void) {
  for (size_t i = 0; i < count; i++)
    if (objects[i].kind == 's') run_until((struct stream *)objects[i].at, UINT64_MAX);
}

static int submit(struct stream *s, struct command c) {
  struct graph *g = s->recorded;
  if (g) {
    g->commands = realloc(g->commands, (g->count + 1) * sizeof c); g->commands[g->count++] = c;
    return 0;
  }
  if (s->count == s->room) s->queue = realloc(s->queue, (s->room = s->room * 2 + 8) * sizeof c);
  s->queue[s->count++] = c;
  s->submitted++;
  // An error of the emulator belongs to this launch.
  if (c.kind == LAUNCH && getenv("FAKE_HIP_RUN")) { run_until(s, s->submitted); int code = sticky; if (code != ILLEGAL_ADDRESS) sticky = 0; return code; }
  return 0;
}

#define RANGE(p, n) if (!holder(p, n)) code = INVALID_VALUE; else
int hipDeviceSynchronize(void) CALL(hipDeviceSynchronize, { run_all(); code = sticky; })
int hipMemsetD8Async(void *to, unsigned char value, size_t n, void *s) CALL(hipMemsetD8Async, { STREAM(s) RANGE(to, n) code = submit(s, (struct command){.kind = FILL, .to = to, .value = value, .bytes = n}); })
int hipMemcpyDtoDAsync(void *to, void *from, size_t n, void *s) CALL(hipMemcpyDtoDAsync, { STREAM(s) RANGE(to, n) RANGE(from, n) code = submit(s, (struct command){.kind = COPY, .to = to, .from = from, .bytes = n}); })
int hipMemcpyHtoDAsync(void *to, const void *from, size_t n, void *s) CALL(hipMemcpyHtoDAsync, { STREAM(s) RANGE(to, n) code = submit(s, (struct command){.kind = COPY, .to = to, .from = from, .bytes = n, .from_host = 1}); })
int hipMemcpyDtoHAsync(void *to, void *from, size_t n, void *s) CALL(hipMemcpyDtoHAsync, { STREAM(s) RANGE(from, n) code = submit(s, (struct command){.kind = COPY, .to = to, .from = from, .bytes = n, .to_host = 1}); })
static int peers[2][2];
int hipDeviceCanAccessPeer(int *can, int device, int peer) CALL(hipDeviceCanAccessPeer, { (void)device; (void)peer; *can = !getenv("FAKE_HIP_NO_PEERS"); })
int hipDeviceEnablePeerAccess(int peer, unsigned flags) CALL(hipDeviceEnablePeerAccess, { (void)flags; if (peers[current][peer]++) code = 704; })
int hipMemcpyPeerAsync(void *to, int td, const void *from, int fd, size_t n, void *s) CALL(hipMemcpyPeerAsync, { if (td != fd && !peers[td][fd]) code = INVALID_VALUE; else STREAM(s) RANGE(to, n) RANGE(from, n) code = submit(s, (struct command){.kind = COPY, .to = to, .from = from, .bytes = n}); })

int hipStreamCreateWithFlags(void **s, unsigned flags) CALL(hipStreamCreateWithFlags, { (void)flags; *s = add('s', calloc(1, sizeof(struct stream)), 0); })
int hipStreamDestroy(void *s) CALL(hipStreamDestroy, { run_until(s, UINT64_MAX); if (find('s', s)) free(((struct stream *)s)->queue); code = drop('s', s); })
int hipStreamSynchronize(void *s) CALL(hipStreamSynchronize, { STREAM(s) { run_until(s, UINT64_MAX); code = sticky; } })
#define EVENT(e) if (!find('e', e)) code = INVALID_HANDLE; else
static int is_pending(const struct event *e) { return find('s', e->stream) && e->stream->executed < e->number && e->stream->count; }
static void finish(const struct event *e) { if (is_pending(e)) run_until(e->stream, e->number); }
int hipEventCreateWithFlags(void **e, unsigned flags) CALL(hipEventCreateWithFlags, { (void)flags; *e = add('e', calloc(1, sizeof(struct event)), 0); })
int hipEventDestroy(void *e) CALL(hipEventDestroy, { if (find('e', e)) finish(e); code = drop('e', e); })
int hipEventRecord(void *e, void *s) CALL(hipEventRecord, {
  STREAM(s) EVENT(e) {
    struct event *event = e;
    finish(event);
    code = submit(s, (struct command){.kind = RECORD, .event = event});
    event->stream = s; event->number = event->stream->submitted; event->asked = 0;
  }
})
// The first query returns NOT_READY. The second query completes the event, so that a polling program ends.
int hipEventQuery(void *e) CALL(hipEventQuery, {
  EVENT(e) if (is_pending(e) && !((struct event *)e)->asked++) code = NOT_READY;
  else { finish(e); code = sticky; }
})
int hipEventSynchronize(void *e) CALL(hipEventSynchronize, { EVENT(e) { finish(e); code = sticky; } })
int hipEventElapsedTime(float *ms, void *a, void *b) CALL(hipEventElapsedTime, {
  EVENT(a) EVENT(b) if (is_pending(a) || is_pending(b)) code = NOT_READY;
  else { struct timespec x = ((struct event *)a)->time; struct timespec y = ((struct event *)b)->time; *ms = (float)((double)(y.tv_sec - x.tv_sec) * 1e3 + (double)(y.tv_nsec - x.tv_nsec) / 1e6); }
})
int hipStreamWaitEvent(void *s, void *e, unsigned flags) CALL(hipStreamWaitEvent, { (void)flags; STREAM(s) EVENT(e) if (!WITHOUT_WAITS && is_pending(e)) code = submit(s, (struct command){.kind = WAIT, .other = ((struct event *)e)->stream, .upto = ((struct event *)e)->number}); })

// A module is a copy of its file. A function is a pointer to its name, which the module stores.
struct module { size_t bytes; char *file; char name[256]; };
static size_t file_size(const unsigned char *elf) {
  uint64_t sections; uint16_t size, n;
  memcpy(&sections, elf + 40, 8); memcpy(&size, elf + 58, 2); memcpy(&n, elf + 60, 2);
  return sections + (size_t)size * n;
}
// Whether the flags of a code object name the processor of the device (LLVM, "User Guide for AMDGPU Backend", "Header").
static int is_for_device(const char *image) {
  static const struct { const char *chip; unsigned machine; } machines[] = {{"gfx942", 0x4c}, {"gfx950", 0x4f}, {"gfx1100", 0x41}, {"gfx1200", 0x48}};
  const char *chip = getenv("FAKE_HIP_CHIP");
  uint32_t flags; memcpy(&flags, image + 48, 4);
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
    if (!strcmp(machines[i].chip, chip ? chip : "gfx942")) return (flags & 0xff) == machines[i].machine;
  return 0;
}
int hipModuleLoadData(void **m, const void *image) CALL(hipModuleLoadData, {
  if (memcmp(image, "\x7f""ELF", 4)) code = INVALID_IMAGE;
  else if (!is_for_device(image)) code = NO_BINARY;
  else {
    struct module *made = add('o', malloc(sizeof *made), 0);
    made->bytes = file_size(image); made->file = malloc(made->bytes); memcpy(made->file, image, made->bytes);
    *m = made;
  }
})
int hipModuleUnload(void *m) CALL(hipModuleUnload, { if (find('o', m)) free(((struct module *)m)->file); code = drop('o', m); })
int hipModuleGetFunction(void **f, void *m, const char *name) CALL(hipModuleGetFunction, {
  struct module *module = m;
  if (!find('o', m)) code = INVALID_HANDLE;
  else {
    char symbol[300]; snprintf(symbol, sizeof symbol, "%s.kd", name);
    code = memmem(module->file, module->bytes, symbol, strlen(symbol) + 1) ? 0 : NOT_FOUND;
    snprintf(module->name, sizeof module->name, "%s", name); *f = module;
  }
})

static size_t occurrences(const struct module *m, const char *word) {
  size_t n = 0;
  for (char *at = m->file; (at = memmem(at, m->bytes - (size_t)(at - m->file), word, strlen(word))); at++) n++;
  return n;
}

static void put(const char *folder, const char *name, const void *bytes, size_t n) {
  char path[512]; snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb"); if (out) { fwrite(bytes, 1, n, out); fclose(out); }
}

// The program of FAKE_HIP_RUN. The first launch starts the program, and the next launch after its end starts it again.
static struct { FILE *in, *out; } worker;

static int start(const char *command) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) return 1;
  posix_spawn_file_actions_t files; posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in[0], 0); posix_spawn_file_actions_adddup2(&files, out[1], 1);
  pid_t child; char *argv[] = {"sh", "-c", (char *)command, NULL};
  extern char **environ;
  int failed = posix_spawnp(&child, "sh", &files, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&files); close(in[0]); close(out[1]);
  worker.in = fdopen(in[1], "w"); worker.out = fdopen(out[0], "r");
  return failed;
}

// Converts the answer of the program to an error code. Unsupported code is not a fault.
static int ask(const char *folder) {
  const char *command = getenv("FAKE_HIP_RUN");
  char answer[1024];
  if (!worker.in && start(command)) return UNKNOWN;
  fprintf(worker.in, "%s\n", folder); fflush(worker.in);
  if (fgets(answer, sizeof answer, worker.out)) {
    if (!strcmp(answer, "ok\n")) return 0;
    return strncmp(answer, "Unsupported", 11) ? ILLEGAL_ADDRESS : NOT_SUPPORTED;
  }
  fclose(worker.in); fclose(worker.out); worker.in = worker.out = NULL;
  return ILLEGAL_ADDRESS;
}

// The metadata contains the kind of each explicit argument.
static size_t explicit_arguments(const struct module *m) { return occurrences(m, "global_buffer") + occurrences(m, "by_value"); }

// Writes the code, the arguments and the memory of the arguments to files, runs the launch, and reads the memory from the files.
static int run(const struct command *c) {
  const struct module *m = c->function;
  const char *scale = getenv("FAKE_HIP_SCALE");
  if (!getenv("FAKE_HIP_RUN") && scale && !strcmp("fault", m->name)) return ILLEGAL_ADDRESS;
  if (!getenv("FAKE_HIP_RUN") && scale && !strcmp(scale, m->name)) {
    float factor; memcpy(&factor, &c->slots[2], sizeof factor);
    size_t units = (size_t)c->grid[0] * c->block[0];
    for (size_t i = 0; i < units && i < c->slots[1]; i++) ((float *)(uintptr_t)c->slots[0])[i] *= factor;
  }
  if (!getenv("FAKE_HIP_RUN")) return 0;
  char folder[] = P_tmpdir "/fake-hip-XXXXXX"; if (!mkdtemp(folder)) return UNKNOWN;
  put(folder, "code.hsaco", m->file, m->bytes);
  char text[1 << 16]; size_t at = 0;
  at += (size_t)snprintf(text, sizeof text, "%s %u %u %u %u %u %u %u\n", m->name, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared);
  for (size_t i = 0; i < c->values; i++) at += (size_t)snprintf(text + at, sizeof text - at, "%llu ", (unsigned long long)c->slots[i]);
  at += (size_t)snprintf(text + at, sizeof text - at, "\n");
  char used[sizeof objects / sizeof *objects] = {0};
  for (size_t i = 0; i < c->values; i++) { struct object *o = holder((void *)(uintptr_t)c->slots[i], 0); if (o) used[o - objects] = 1; }
  for (size_t i = 0; i < count; i++) {
    if (!used[i]) continue;
    char name[32]; snprintf(name, sizeof name, "memory.%zu", i);
    put(folder, name, objects[i].at, objects[i].bytes);
    at += (size_t)snprintf(text + at, sizeof text - at, "%s %llu %zu\n", name, (unsigned long long)(uintptr_t)objects[i].at, objects[i].bytes);
  }
  put(folder, "launch", text, at);
  int status = ask(folder);
  for (size_t i = 0; i < count && !status; i++) {
    if (!used[i]) continue;
    char path[512]; snprintf(path, sizeof path, "%s/memory.%zu", folder, i);
    FILE *in = fopen(path, "rb"); if (in) { if (fread(objects[i].at, 1, objects[i].bytes, in) != objects[i].bytes) status = UNKNOWN; fclose(in); }
  }
  char line[1024]; snprintf(line, sizeof line, "rm -r %s", folder); if (system(line)) return UNKNOWN;
  return status;
}

static int act(const struct command *c) {
  int in_memory = (c->to_host || holder(c->to, c->bytes)) && (c->kind != COPY || c->from_host || holder(c->from, c->bytes));
  switch (c->kind) {
  case LAUNCH: return find('o', c->function) ? run(c) : ILLEGAL_ADDRESS;
  case COPY: if (in_memory) memmove(c->to, c->from, c->bytes); return in_memory ? 0 : ILLEGAL_ADDRESS;
  case FILL: if (in_memory) memset(c->to, c->value, c->bytes); return in_memory ? 0 : ILLEGAL_ADDRESS;
  case RECORD: clock_gettime(CLOCK_MONOTONIC, &c->event->time); return 0;
  case WAIT: run_until(c->other, c->upto); return 0;
  }
  return UNKNOWN;
}

int hipModuleLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, void **params, void **extra)
CALL(hipModuleLaunchKernel, {
  (void)extra;
  STREAM(s) if (!find('o', f)) code = INVALID_HANDLE;
  else {
    struct command c = {.kind = LAUNCH, .function = f, .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .values = explicit_arguments(f)};
    c.slots = malloc(c.values * sizeof *c.slots + 1);
    for (size_t i = 0; i < c.values; i++) memcpy(&c.slots[i], params[i], 8);
    code = submit(s, c);
  }
})

static void forget(struct graph *g) {
  for (size_t i = 0; i < g->count; i++) free(g->commands[i].slots);
  free(g->commands);
}

static struct command copied(const struct command *from) {
  struct command made = *from;
  size_t bytes = from->values * sizeof(uint64_t);
  made.slots = malloc(bytes + 1); if (bytes) memcpy(made.slots, from->slots, bytes);
  return made;
}

int hipStreamBeginCapture(void *s, int mode) CALL(hipStreamBeginCapture, {
  (void)mode;
  STREAM(s) if (((struct stream *)s)->recorded) code = INVALID_VALUE;
  else ((struct stream *)s)->recorded = calloc(1, sizeof(struct graph));
})
int hipStreamEndCapture(void *s, void **g) CALL(hipStreamEndCapture, {
  STREAM(s) if (!((struct stream *)s)->recorded) code = INVALID_VALUE;
  else { *g = add('g', ((struct stream *)s)->recorded, 0); ((struct stream *)s)->recorded = NULL; }
})
// The executable graph is a copy, so that the graph can be destroyed first.
int hipGraphInstantiateWithFlags(void **e, void *g, unsigned long long flags) CALL(hipGraphInstantiateWithFlags, {
  (void)flags;
  if (!find('g', g)) code = INVALID_HANDLE;
  else {
    struct graph *from = g;
    struct graph *made = calloc(1, sizeof *made);
    made->commands = malloc(from->count * sizeof *made->commands + 1); made->count = from->count;
    for (size_t i = 0; i < from->count; i++) made->commands[i] = copied(&from->commands[i]);
    *e = add('x', made, 0);
  }
})
int hipGraphDestroy(void *g) CALL(hipGraphDestroy, { if (find('g', g)) forget(g); code = drop('g', g); })
int hipGraphExecDestroy(void *g) CALL(hipGraphExecDestroy, { if (find('x', g)) forget(g); code = drop('x', g); })
int hipGraphLaunch(void *g, void *s) CALL(hipGraphLaunch, {
  STREAM(s) if (!find('x', g)) code = INVALID_HANDLE;
  else for (size_t i = 0; i < ((struct graph *)g)->count && !code; i++) code = submit(s, copied(&((struct graph *)g)->commands[i]));
})
