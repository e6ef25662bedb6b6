/* A CUDA driver without a card, for tests: CULPRIT_LIBCUDA names it.  Where
 * cuda.h is installed its functions are declared by that.
 *
 * FAKE_CUDA says what it does: ok, nodev; badptx and chip when a module is
 * loaded; oom when host memory is asked for; when a kernel was launched
 * illegal, misaligned, failed, assert, hang, and fault, which ends the process
 * as AMD's runtime does.  Kernels do nothing.  FAKE_CUDA_IMAGES: the modules go
 * to files of this name and .0, .1 ... */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CUDA_H
#include <cuda.h>
#undef cuEventElapsedTime /* drivers have the one without a version, too */
#else
#include "cuda_api.h"
#endif

#define FAKE(name, ...)                                                        \
  CUresult CUDAAPI name(__VA_ARGS__);                                          \
  CUresult CUDAAPI name(__VA_ARGS__)
#define UNLESS(wrong) return (wrong) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS

static const struct {
  const char *mode;
  CUresult code;
} faults[] = {{"illegal", CUDA_ERROR_ILLEGAL_ADDRESS},
              {"misaligned", CUDA_ERROR_MISALIGNED_ADDRESS},
              {"failed", CUDA_ERROR_LAUNCH_FAILED},
              {"assert", CUDA_ERROR_ASSERT},
              {"hang", CUDA_ERROR_NOT_READY}};
static const struct {
  CUresult code;
  const char *name;
} names[] = {{CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
             {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
             {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
             {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
             {CUDA_ERROR_ASSERT, "CUDA_ERROR_ASSERT"},
             {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
             {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"}};

static bool launched;

static bool mode(const char *name) {
  const char *given = getenv("FAKE_CUDA");
  return given && strcmp(given, name) == 0;
}

/* Handles that are no addresses of anything. */
static void *handle(int number) { return (void *)(intptr_t)(number * 16); }

FAKE(cuInit, unsigned flags) { UNLESS(flags != 0); }
FAKE(cuDeviceGetCount, int *n) {
  *n = !mode("nodev");
  return CUDA_SUCCESS;
}
FAKE(cuDeviceGet, CUdevice *device, int i) {
  *device = i;
  UNLESS(i != 0);
}
FAKE(cuDevicePrimaryCtxRetain, CUcontext *context, CUdevice device) {
  *context = handle(1);
  UNLESS(device != 0);
}
FAKE(cuCtxSetCurrent, CUcontext context) { UNLESS(context != handle(1)); }

FAKE(cuGetErrorName, CUresult code, const char **name) {
  *name = "CUDA_ERROR_UNKNOWN";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].code == code)
      *name = names[i].name;
  return CUDA_SUCCESS;
}

/* An object file ends with its table of sections, as lld writes them. */
static size_t size_of(const void *image) {
  Elf64_Ehdr head;
  if (memcmp(image, ELFMAG, SELFMAG) != 0)
    return strlen(image);
  memcpy(&head, image, sizeof head);
  return head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
}

FAKE(cuModuleLoadData, CUmodule *module, const void *image) {
  static int n;
  const char *given = getenv("FAKE_CUDA_IMAGES");
  char path[4096];
  FILE *file;
  snprintf(path, sizeof path, "%s.%d", given ? given : "", n++);
  file = given ? fopen(path, "w") : NULL;
  if (file) {
    fwrite(image, 1, size_of(image), file);
    fclose(file);
  }
  *module = handle(2);
  return mode("badptx") ? CUDA_ERROR_INVALID_PTX
         : mode("chip") ? CUDA_ERROR_NO_BINARY_FOR_GPU
                        : CUDA_SUCCESS;
}
FAKE(cuModuleUnload, CUmodule module) { UNLESS(module != handle(2)); }
FAKE(cuModuleGetFunction, CUfunction *function, CUmodule module,
     const char *name) {
  *function = handle(3);
  UNLESS(module != handle(2) || !name);
}

FAKE(cuLaunchKernel, CUfunction function, unsigned gx, unsigned gy, unsigned gz,
     unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream stream,
     void **params, void **extra) {
  launched = true;
  UNLESS(function != handle(3) || !gx || !gy || !gz || !bx || !by || !bz ||
         shared || stream != handle(4) || !params || extra);
}

FAKE(cuLaunchKernelEx, const CUlaunchConfig *config, CUfunction function,
     void **params, void **extra) {
  const CUlaunchAttribute *cluster = config->attrs;
  launched = true;
  UNLESS(function != handle(3) || !config->gridDimX || !config->blockDimZ ||
         config->sharedMemBytes || config->hStream != handle(4) || !params ||
         extra || config->numAttrs != 1 ||
         cluster->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION ||
         cluster->value.clusterDim.x != 2 || cluster->value.clusterDim.z != 1);
}

/* How the kernel that was launched goes. */
static CUresult outcome(void) {
  if (!launched)
    return CUDA_SUCCESS;
  if (mode("fault")) {
    fputs("Memory access fault by GPU node-1 (Agent handle: 0x5581a0) on "
          "address 0x7f1200000. Reason: Page not present or supervisor "
          "privilege.\n",
          stderr);
    abort();
  }
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (mode(faults[i].mode))
      return faults[i].code;
  return CUDA_SUCCESS;
}

FAKE(cuStreamCreate, CUstream *stream, unsigned flags) {
  *stream = handle(4);
  UNLESS(flags != CU_STREAM_NON_BLOCKING);
}
FAKE(cuStreamDestroy, CUstream stream) { UNLESS(stream != handle(4)); }
FAKE(cuStreamQuery, CUstream stream) {
  return stream == handle(4) ? outcome() : CUDA_ERROR_INVALID_VALUE;
}
FAKE(cuStreamWaitEvent, CUstream stream, CUevent event, unsigned flags) {
  UNLESS(stream != handle(4) || event != handle(5) || flags);
}
FAKE(cuEventCreate, CUevent *event, unsigned flags) {
  *event = handle(5);
  UNLESS(flags != CU_EVENT_DISABLE_TIMING && flags != CU_EVENT_DEFAULT);
}
FAKE(cuEventDestroy, CUevent event) { UNLESS(event != handle(5)); }
FAKE(cuEventQuery, CUevent event) {
  return event == handle(5) ? outcome() : CUDA_ERROR_INVALID_VALUE;
}
FAKE(cuEventRecord, CUevent event, CUstream stream) {
  UNLESS(event != handle(5) || stream != handle(4));
}

/* Two milliseconds, or what FAKE_CUDA_MS says. */
FAKE(cuEventElapsedTime, float *ms, CUevent start, CUevent end) {
  const char *given = getenv("FAKE_CUDA_MS");
  *ms = given ? strtof(given, NULL) : 2;
  UNLESS(start != handle(5) || end != handle(5) || !launched);
}

FAKE(cuMemHostAlloc, void **memory, size_t size, unsigned flags) {
  const unsigned wanted = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  *memory = malloc(size);
  return mode("oom") || !*memory ? CUDA_ERROR_OUT_OF_MEMORY
         : flags != wanted       ? CUDA_ERROR_INVALID_VALUE
                                 : CUDA_SUCCESS;
}
FAKE(cuMemAlloc, CUdeviceptr *memory, size_t size) {
  *memory = (CUdeviceptr)(uintptr_t)malloc(size);
  return CUDA_SUCCESS;
}
FAKE(cuMemFree, CUdeviceptr memory) {
  free((void *)(uintptr_t)memory);
  return CUDA_SUCCESS;
}
FAKE(cuMemcpyAsync, CUdeviceptr to, CUdeviceptr from, size_t n,
     CUstream stream) {
  memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
  UNLESS(stream != handle(4));
}
FAKE(cuMemsetD32Async, CUdeviceptr to, unsigned value, size_t n,
     CUstream stream) {
  for (size_t i = 0; i < n; i++)
    ((unsigned *)(uintptr_t)to)[i] = value;
  UNLESS(stream != handle(4));
}
FAKE(cuMemsetD16Async, CUdeviceptr to, unsigned short value, size_t n,
     CUstream stream) {
  for (size_t i = 0; i < n; i++)
    ((unsigned short *)(uintptr_t)to)[i] = value;
  UNLESS(stream != handle(4));
}
