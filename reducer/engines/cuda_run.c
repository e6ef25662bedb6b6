/* The mgpu functions on CUDA: see cuda.h.
 *
 * Only what the driver's ABI fixes is declared here, so nothing but libcuda.so
 * itself is needed.  Host memory is pinned and mapped: a pointer means the
 * same on both sides.  Compiled code passes no context: the state is a global
 * (tests/lint/exempt). */
#include "cuda.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../base/file.h"

/* From cuda.h. */
enum { NOT_READY = 600, MAPPED = 1 | 2, NON_BLOCKING = 1 };

#define LAUNCH_PARAMETERS                                                      \
  void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,          \
      unsigned, void *, void **, void **
#define DRIVER(X)                                                              \
  X(init, "cuInit", (unsigned))                                                \
  X(device_count, "cuDeviceGetCount", (int *))                                 \
  X(device_get, "cuDeviceGet", (int *, int))                                   \
  X(context_retain, "cuDevicePrimaryCtxRetain", (void **, int))                \
  X(context_set, "cuCtxSetCurrent", (void *))                                  \
  X(error_name, "cuGetErrorName", (int, const char **))                        \
  X(module_load, "cuModuleLoadData", (void **, const void *))                  \
  X(module_unload, "cuModuleUnload", (void *))                                 \
  X(function_get, "cuModuleGetFunction", (void **, void *, const char *))      \
  X(launch, "cuLaunchKernel", (LAUNCH_PARAMETERS))                             \
  X(stream_create, "cuStreamCreate", (void **, unsigned))                      \
  X(stream_destroy, "cuStreamDestroy_v2", (void *))                            \
  X(stream_query, "cuStreamQuery", (void *))                                   \
  X(stream_wait, "cuStreamWaitEvent", (void *, void *, unsigned))              \
  X(event_create, "cuEventCreate", (void **, unsigned))                        \
  X(event_destroy, "cuEventDestroy_v2", (void *))                              \
  X(event_sync, "cuEventSynchronize", (void *))                                \
  X(event_record, "cuEventRecord", (void *, void *))                           \
  X(host_alloc, "cuMemHostAlloc", (void **, size_t, unsigned))                 \
  X(mem_alloc, "cuMemAlloc_v2", (uint64_t *, size_t))                          \
  X(mem_free, "cuMemFree_v2", (uint64_t))                                      \
  X(mem_copy, "cuMemcpyAsync", (uint64_t, uint64_t, size_t, void *))           \
  X(set32, "cuMemsetD32Async", (uint64_t, unsigned, size_t, void *))           \
  X(set16, "cuMemsetD16Async", (uint64_t, unsigned short, size_t, void *))

#define FIELD(name, symbol, parameters) int(*name) parameters;
struct driver {
  DRIVER(FIELD)
};

struct kernel {
  void *function;
  const char *name;
};

static struct {
  struct driver d;
  const char *kernel; /* launched last */
  uint64_t patience_us;
} cuda;

/* ---- errors ---- */

static _Noreturn void end(const char *what) {
  fflush(stdout);
  fprintf(stderr, "error: cuda: %s%s%s\n", what,
          cuda.kernel ? " in or after kernel " : "",
          cuda.kernel ? cuda.kernel : "");
  /* No atexit: destructors would ask the driver again. */
  _exit(CUL_CUDA_FAILED);
}

static void check(int code, const char *api) {
  const char *name = "unknown error";
  char what[200];
  if (code == 0)
    return;
  cuda.d.error_name(code, &name);
  snprintf(what, sizeof what, "%s: %s (%d)", api, name, code);
  end(what);
}
#define CHECK(name, ...) check(cuda.d.name(__VA_ARGS__), #name)

/* ---- opening ---- */

static int open_library(void **out, struct cul_err *err) {
  const char *given = getenv("CULPRIT_LIBCUDA");
  *out = dlopen(given ? given : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return *out ? 0
              : cul_fail(err, CUL_EENV,
                         "run it on a machine with an NVIDIA driver, or use "
                         "--device emul",
                         "no CUDA driver: %s", dlerror());
}

static int find_functions(void *library, struct cul_err *err) {
  const char *missing = NULL;
#define FIND(name, symbol, parameters)                                         \
  *(void **)&cuda.d.name = dlsym(library, symbol);                             \
  if (!cuda.d.name)                                                            \
    missing = symbol;
  DRIVER(FIND)
  return missing ? cul_fail(err, CUL_EENV, "install a newer NVIDIA driver",
                            "the CUDA driver has no %s", missing)
                 : 0;
}

static int no_device(int code, struct cul_err *err) {
  const char *name = "no device";
  if (code)
    cuda.d.error_name(code, &name);
  return cul_fail(err, CUL_EENV,
                  "is a card there, and does nvidia-smi see it? --device emul "
                  "needs none",
                  "no CUDA device: %s", name);
}

static void *host_memory(size_t size) {
  void *memory = NULL;
  CHECK(host_alloc, &memory, size ? size : 1, MAPPED);
  return memory;
}

int cul_cuda_open(uint64_t patience_ms, struct cul_err *err) {
  void *library, *context;
  int count = 0, device, code, rc = open_library(&library, err);
  if (rc == 0)
    rc = find_functions(library, err);
  if (rc < 0)
    return rc;
  code = cuda.d.init(0);
  if (code == 0)
    code = cuda.d.device_count(&count);
  if (code || count == 0)
    return no_device(code, err);
  CHECK(device_get, &device, 0);
  CHECK(context_retain, &context, device);
  CHECK(context_set, context);
  cuda.patience_us = patience_ms * 1000;
  cul_jit_memory(host_memory);
  return 0;
}

/* ---- what the host calls ---- */

static void *load_module(void *blob, size_t size) {
  void *module = NULL;
  (void)size;
  CHECK(module_load, &module, blob);
  return module;
}
static void *load_jit(void *blob, int level) {
  (void)level;
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

/* Asked again and again: so a kernel that hangs can be named. */
static void wait_stream(void *stream) {
  const struct timespec nap = {0, 50 * 1000};
  uint64_t start = cul_now_us();
  int code;
  while ((code = cuda.d.stream_query(stream)) == NOT_READY) {
    if (cul_now_us() - start > cuda.patience_us)
      end("it does not end");
    nanosleep(&nap, NULL);
  }
  check(code, "stream_query");
}

/* MLIR's code generator says how many there are. */
#define MGPU_LAUNCH_PARAMETERS                                                 \
  struct kernel *kernel, int64_t gx, int64_t gy, int64_t gz, int64_t bx,       \
      int64_t by, int64_t bz, int32_t shared, void *stream, void **params,     \
      void **extra, size_t n_params
static void launch_kernel(MGPU_LAUNCH_PARAMETERS) {
  (void)n_params;
  cuda.kernel = kernel->name;
  CHECK(launch, kernel->function, (unsigned)gx, (unsigned)gy, (unsigned)gz,
        (unsigned)bx, (unsigned)by, (unsigned)bz, (unsigned)shared, stream,
        params, extra);
}

static void *make_event(void) {
  void *event = NULL;
  CHECK(event_create, &event, 2 /* no timing */);
  return event;
}
static void drop_event(void *event) { CHECK(event_destroy, event); }
static void wait_event(void *event) { CHECK(event_sync, event); }
static void record_event(void *event, void *stream) {
  CHECK(event_record, event, stream);
}
static void stream_wait(void *stream, void *event) {
  CHECK(stream_wait, stream, event, 0);
}

static void *allocate(uint64_t size, void *stream, bool shared) {
  uint64_t memory = 0;
  (void)stream, (void)shared;
  CHECK(mem_alloc, &memory, size ? size : 1);
  return (void *)(uintptr_t)memory;
}
static void release(void *memory, void *stream) {
  (void)stream;
  CHECK(mem_free, (uint64_t)(uintptr_t)memory);
}
static void copy(void *to, void *from, size_t size, void *stream) {
  CHECK(mem_copy, (uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size,
        stream);
}
static void set32(void *to, unsigned value, size_t n, void *stream) {
  CHECK(set32, (uint64_t)(uintptr_t)to, value, n, stream);
}
static void set16(void *to, unsigned short value, size_t n, void *stream) {
  CHECK(set16, (uint64_t)(uintptr_t)to, value, n, stream);
}
/* All host memory of compiled code is the device's already. */
static void host_register(int64_t rank, void *descriptor, int64_t size) {
  (void)rank, (void)descriptor, (void)size;
}

const struct cul_jit_symbol cul_cuda_symbols[] = {
    {"mgpuModuleLoad", (void *)load_module},
    {"mgpuModuleLoadJIT", (void *)load_jit},
    {"mgpuModuleUnload", (void *)unload},
    {"mgpuModuleGetFunction", (void *)get_function},
    {"mgpuLaunchKernel", (void *)launch_kernel},
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
    {"mgpuMemHostRegisterMemRef", (void *)host_register},
    {"mgpuMemHostUnregisterMemRef", (void *)host_register},
    {NULL, NULL}};
