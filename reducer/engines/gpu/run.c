/* The mgpu functions on a card: see gpu.h.
 *
 * Host memory is pinned and mapped, so a pointer is valid on both sides.
 * Compiled code passes no context, so the state is a global
 * (tests/lint/exempt). */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../base/clock.h"
#include "../../../base/files/file.h"
#include "../../../runners/live.h"
#include "calls.h"
#include "gpu.h"
#include "names.h"

/* ---- the two stacks; the library of one ---- */

#define CUDA_NAME(type, name, cuda, hip, parameters) .name = cuda,
#define HIP_NAME(type, name, cuda, hip, parameters) .name = hip,
static const struct cul_gpu_names cuda_names = {CUL_GPU_CALLS(CUDA_NAME)};
static const struct cul_gpu_names hip_names = {CUL_GPU_CALLS(HIP_NAME)};

const struct cul_gpu_stack cul_gpu_cuda = {
    .name = "CUDA",
    .no_library = "run it on a machine with an NVIDIA driver, or use --device "
                  "emul",
    .no_device = "is a card there, and does nvidia-smi see it? --device emul "
                 "needs none",
    .variable = CUL_CUDA_VARIABLE,
    .libraries = {CUL_CUDA_LIBRARIES},
    .names = &cuda_names,
};
const struct cul_gpu_stack cul_gpu_hip = {
    .name = "HIP",
    .no_library = "run it on a machine with an AMD card and ROCm's runtime, or "
                  "use --device emul",
    .no_device = "is a card there, and does rocminfo see it? --device emul "
                 "needs none",
    .variable = CUL_HIP_VARIABLE,
    .libraries = {CUL_HIP_LIBRARIES},
    .names = &hip_names,
};

static void *open_library(const struct cul_gpu_stack *stack,
                          struct cul_err *err) {
  const char *given = getenv(stack->variable);
  void *library = given ? dlopen(given, RTLD_NOW | RTLD_LOCAL) : NULL;
  for (size_t i = 0; !given && !library && stack->libraries[i]; i++)
    library = dlopen(stack->libraries[i], RTLD_NOW | RTLD_LOCAL);
  if (library)
    return library;
  cul_fail(err, CUL_EENV, stack->no_library, "no %s driver: %s", stack->name,
           dlerror());
  return NULL;
}

/* Open the stack's library and look up all its functions.  Errors: EENV. */
static int find(const struct cul_gpu_stack *stack, struct cul_gpu_calls *out,
                struct cul_err *err) {
  void *library = open_library(stack, err);
  const char *missing = NULL;
  if (!library)
    return err->code;
#define FIND(type, name, cuda, hip, parameters)                                \
  *(void **)&out->name =                                                       \
      stack->names->name[0] ? dlsym(library, stack->names->name) : NULL;       \
  if (!out->name && stack->names->name[0])                                     \
    missing = stack->names->name;
  CUL_GPU_CALLS(FIND)
  return missing ? cul_fail(err, CUL_EENV, stack->no_library,
                            "the %s driver has no %s", stack->name, missing)
                 : 0;
}

/* The same in both stacks. */
enum { NOT_READY = 600, MAPPED = 1 | 2, NON_BLOCKING = 1 };
enum { WITH_TIMING = 0, NO_TIMING = 2 };
enum { HIP_COPY_ANY = 4 };
/* Errors that tell nothing about the module: no code for this chip, defective
 * memory or links, a driver too old for the PTX text. */
static const int not_ours[] = {209, 214, 220, 222};

struct kernel {
  void *function;
  const char *name;
};

/* A launch and the events before and after it. */
struct timed {
  const char *kernel;
  void *start, *end;
};

static struct {
  const struct cul_gpu_stack *stack;
  struct cul_gpu_calls d;
  const char *kernel; /* the last one launched; NULL: none */
  uint64_t patience_us;
  bool timing;
  struct timed *timed;
  size_t n_timed;
} gpu;

/* ---- errors ---- */

static _Noreturn void end(int status, const char *what) {
  fflush(stdout);
  fprintf(stderr, "error: %s: %s\n", gpu.stack->name, what);
  /* Skip atexit handlers: destructors would call the driver again. */
  _exit(status);
}

static const char *error_name(int code) {
  const char *name = NULL;
  if (gpu.d.name_of)
    name = gpu.d.name_of(code);
  else
    gpu.d.name_into(code, &name);
  return name ? name : "unknown error";
}

static void check(int code, const char *api) {
  char what[400];
  if (code == 0)
    return;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(not_ours); i++)
    if (code == not_ours[i]) {
      snprintf(what, sizeof what,
               "%s: %s (%d); the card or its driver is to blame, or it is "
               "another chip than --device names",
               api, error_name(code), code);
      end(CUL_ENGINE_MISSING, what);
    }
  snprintf(what, sizeof what, "%s: %s (%d)%s%s", api, error_name(code), code,
           gpu.kernel ? " in or after kernel " : "",
           gpu.kernel ? gpu.kernel : "");
  end(CUL_GPU_FAILED, what);
}
#define CHECK(name, ...) check(gpu.d.name(__VA_ARGS__), gpu.stack->names->name)

/* ---- opening ---- */

static void use_device(int number) {
  void *context;
  int device;
  if (gpu.d.device_set) {
    CHECK(device_set, number);
    return;
  }
  CHECK(device_get, &device, number);
  CHECK(context_retain, &context, device);
  CHECK(context_set, context);
}

static void *host_memory(size_t size) {
  void *memory = NULL;
  CHECK(host_alloc, &memory, size ? size : 1, MAPPED);
  return memory;
}

int cul_gpu_open(const struct cul_gpu_stack *stack, uint64_t patience_ms,
                 struct cul_err *err) {
  int count = 0, code, rc = find(stack, &gpu.d, err);
  if (rc < 0)
    return rc;
  gpu.stack = stack;
  gpu.patience_us = patience_ms * 1000;
  code = gpu.d.init(0);
  if (code == 0)
    code = gpu.d.device_count(&count);
  if (code || count == 0)
    return cul_fail(err, CUL_EENV, stack->no_device, "no %s device%s%s",
                    stack->name, code ? ": " : "",
                    code ? error_name(code) : "");
  use_device(0);
  cul_jit_memory(host_memory);
  return 0;
}

/* ---- functions for the host ---- */

static void *load_module(void *blob, size_t size) {
  void *module = NULL;
  (void)size;
  CHECK(module_load, &module, blob);
  return module;
}

/* Check that the PTX has NVIDIA's mathematical functions, which are bitcode: if
 * MLIR does not find that, it leaves them out silently. */
static void demand_libdevice(const char *text) {
  const char *name = text, *at = text;
  char what[400];
  while ((at = strstr(at, ".extern .func")) != NULL) {
    size_t len = strcspn(at, ";");
    name = strstr(at, "__nv_");
    if (name && name < at + len)
      break;
    at += len;
  }
  if (!at)
    return;
  snprintf(what, sizeof what,
           "a kernel calls %.*s, and no libdevice was found; set CUDA_HOME to "
           "a directory with nvvm/libdevice/libdevice.10.bc",
           (int)strcspn(name, " (\n"), name);
  end(CUL_ENGINE_MISSING, what);
}

static void *load_jit(void *blob, int level) {
  (void)level;
  demand_libdevice(blob);
  return load_module(blob, 0);
}
static void unload(void *module) { CHECK(module_unload, module); }

static void *get_function(void *module, const char *name) {
  struct kernel *kernel = cul_xcalloc(1, sizeof *kernel);
  kernel->name = name;
  CHECK(function_get, &kernel->function, module, name);
  return kernel;
}

static void *make_stream(void) {
  void *stream = NULL;
  CHECK(stream_create, &stream, NON_BLOCKING);
  return stream;
}
static void drop_stream(void *stream) { CHECK(stream_destroy, stream); }

/* Poll, so that a kernel that hangs can be named. */
static void wait_for(int (*query)(void *), void *thing, const char *api) {
  const struct timespec nap = {0, 50 * 1000};
  uint64_t start = cul_now_us();
  char what[400];
  int code;
  while ((code = query(thing)) == NOT_READY) {
    if (cul_now_us() - start > gpu.patience_us) {
      snprintf(what, sizeof what, "kernel %s does not end",
               gpu.kernel ? gpu.kernel : "(none)");
      end(CUL_GPU_FAILED, what);
    }
    nanosleep(&nap, NULL);
  }
  check(code, api);
}
#define WAIT(name, thing) wait_for(gpu.d.name, thing, gpu.stack->names->name)

static void wait_stream(void *stream) { WAIT(stream_query, stream); }

/* ---- times of kernels ---- */

static void *mark(void *stream) {
  void *event = NULL;
  CHECK(event_create, &event, WITH_TIMING);
  CHECK(event_record, event, stream);
  return event;
}

static void time_start(void *stream) {
  if (!gpu.timing)
    return;
  gpu.timed = cul_xreallocarray(gpu.timed, gpu.n_timed + 1, sizeof *gpu.timed);
  gpu.timed[gpu.n_timed] = (struct timed){gpu.kernel, mark(stream), NULL};
}

static void time_end(void *stream) {
  if (gpu.timing)
    gpu.timed[gpu.n_timed++].end = mark(stream);
}

static double elapsed_us(const struct timed *timed) {
  float ms = 0;
  gpu.kernel = timed->kernel;
  WAIT(event_query, timed->end);
  CHECK(event_elapsed, &ms, timed->start, timed->end);
  return ms * 1000.0;
}

void cul_gpu_time_kernels(void) { gpu.timing = true; }

void cul_gpu_say_times(void) {
  double *us = cul_xcalloc(gpu.n_timed + 1, sizeof *us), all = 0;
  for (size_t i = 0; i < gpu.n_timed; i++)
    all += us[i] = elapsed_us(&gpu.timed[i]);
  for (size_t i = 0; i < gpu.n_timed; i++) {
    const char *kernel = gpu.timed[i].kernel;
    double sum = 0;
    size_t n = 0;
    for (size_t k = i; kernel && k < gpu.n_timed; k++)
      if (gpu.timed[k].kernel && strcmp(gpu.timed[k].kernel, kernel) == 0) {
        sum += us[k];
        n++;
        gpu.timed[k].kernel = NULL;
      }
    if (n)
      fprintf(stderr, "kernel %s: %.3f us in %zu launch%s\n", kernel, sum, n,
              n == 1 ? "" : "es");
  }
  fprintf(stderr, "kernels: %.3f us\n", all);
  free(us);
}

/* ---- launches ---- */

/* MLIR's code generator passes the number of parameters. */
#define MGPU_LAUNCH_PARAMETERS                                                 \
  struct kernel *kernel, int64_t gx, int64_t gy, int64_t gz, int64_t bx,       \
      int64_t by, int64_t bz, int32_t shared, void *stream, void **params,     \
      void **extra, size_t n_params
static void launch_kernel(MGPU_LAUNCH_PARAMETERS) {
  (void)n_params;
  gpu.kernel = kernel->name;
  time_start(stream);
  CHECK(launch, kernel->function, (unsigned)gx, (unsigned)gy, (unsigned)gz,
        (unsigned)bx, (unsigned)by, (unsigned)bz, (unsigned)shared, stream,
        params, extra);
  time_end(stream);
}

/* Launch with blocks in clusters. */
#define MGPU_CLUSTER_PARAMETERS                                                \
  struct kernel *kernel, int64_t cx, int64_t cy, int64_t cz, int64_t gx,       \
      int64_t gy, int64_t gz, int64_t bx, int64_t by, int64_t bz,              \
      int32_t shared, void *stream, void **params, void **extra
static void launch_cluster(MGPU_CLUSTER_PARAMETERS) {
  struct cul_gpu_attribute cluster = {
      .id = CUL_GPU_CLUSTER,
      .value = {(unsigned)cx, (unsigned)cy, (unsigned)cz}};
  const struct cul_gpu_config config = {
      .grid = {(unsigned)gx, (unsigned)gy, (unsigned)gz},
      .block = {(unsigned)bx, (unsigned)by, (unsigned)bz},
      .shared = (unsigned)shared,
      .stream = stream,
      .attributes = &cluster,
      .n = 1};
  gpu.kernel = kernel->name;
  if (!gpu.d.launch_config)
    end(CUL_ENGINE_MISSING, "this stack cannot launch kernels in clusters");
  time_start(stream);
  CHECK(launch_config, &config, kernel->function, params, extra);
  time_end(stream);
}

static void *make_event(void) {
  void *event = NULL;
  CHECK(event_create, &event, NO_TIMING);
  return event;
}
static void drop_event(void *event) { CHECK(event_destroy, event); }
static void wait_event(void *event) { WAIT(event_query, event); }
static void record_event(void *event, void *stream) {
  CHECK(event_record, event, stream);
}
static void stream_wait(void *stream, void *event) {
  CHECK(stream_wait, stream, event, 0);
}

static void *allocate(uint64_t size, void *stream, bool shared) {
  void *memory = NULL;
  (void)stream, (void)shared;
  CHECK(mem_alloc, &memory, size ? size : 1);
  return memory;
}
static void release(void *memory, void *stream) {
  (void)stream;
  CHECK(mem_free, memory);
}
static void copy(void *to, void *from, size_t size, void *stream) {
  if (gpu.d.copy)
    CHECK(copy, to, from, size, stream);
  else
    CHECK(copy_kind, to, from, size, HIP_COPY_ANY, stream);
}
static void set32(void *to, unsigned value, size_t n, void *stream) {
  CHECK(set32, to, value, n, stream);
}
static void set16(void *to, unsigned short value, size_t n, void *stream) {
  CHECK(set16, to, value, n, stream);
}
/* Nothing to do: all host memory of compiled code is mapped already. */
static void host_register(int64_t rank, void *descriptor, int64_t size) {
  (void)rank, (void)descriptor, (void)size;
}

const struct cul_jit_symbol cul_gpu_symbols[] = {
    {"mgpuModuleLoad", (void *)load_module},
    {"mgpuModuleLoadJIT", (void *)load_jit},
    {"mgpuModuleUnload", (void *)unload},
    {"mgpuModuleGetFunction", (void *)get_function},
    {"mgpuLaunchKernel", (void *)launch_kernel},
    {"mgpuLaunchClusterKernel", (void *)launch_cluster},
    {"mgpuStreamCreate", (void *)make_stream},
    {"mgpuStreamDestroy", (void *)drop_stream},
    {"mgpuStreamSynchronize", (void *)wait_stream},
    {"mgpuStreamWaitEvent", (void *)stream_wait},
    {"mgpuEventCreate", (void *)make_event},
    {"mgpuEventDestroy", (void *)drop_event},
    {"mgpuEventSynchronize", (void *)wait_event},
    {"mgpuEventRecord", (void *)record_event},
    {"mgpuMemAlloc", (void *)allocate},
    {"mgpuMemFree", (void *)release},
    {"mgpuMemcpy", (void *)copy},
    {"mgpuMemset32", (void *)set32},
    {"mgpuMemset16", (void *)set16},
    {"mgpuSetDefaultDevice", (void *)use_device},
    {"mgpuMemHostRegisterMemRef", (void *)host_register},
    {"mgpuMemHostUnregisterMemRef", (void *)host_register},
    {NULL, NULL}};
