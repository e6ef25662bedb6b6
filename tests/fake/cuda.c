/* A CUDA driver without a card, for tests: CULPRIT_LIBCUDA names it.
 *
 * FAKE_CUDA says what it does: ok, nodev, and, when a kernel was launched,
 * illegal, assert, hang; badptx when a module is loaded, oom when host memory
 * is asked for.  Kernels do nothing.  FAKE_CUDA_PTX: the
 * modules' text goes to files of this name and .0, .1 ... */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAKE(name, ...)                                                        \
  int name(__VA_ARGS__);                                                       \
  int name(__VA_ARGS__)

static bool launched;

static bool mode(const char *name) {
  const char *given = getenv("FAKE_CUDA");
  return given && strcmp(given, name) == 0;
}

FAKE(cuInit, unsigned flags) { return (int)flags; }
FAKE(cuDeviceGetCount, int *n) { return *n = !mode("nodev"), 0; }
FAKE(cuDeviceGet, int *device, int i) { return *device = i, 0; }
FAKE(cuDevicePrimaryCtxRetain, void **context, int device) {
  return *context = context, device;
}
FAKE(cuCtxSetCurrent, void *context) { return context == NULL; }

FAKE(cuGetErrorName, int code, const char **name) {
  *name = code == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == 218 ? "CUDA_ERROR_INVALID_PTX"
          : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == 710 ? "CUDA_ERROR_ASSERT"
                        : "CUDA_ERROR_UNKNOWN";
  return 0;
}

FAKE(cuModuleLoadData, void **module, const char *text) {
  static int n;
  const char *given = getenv("FAKE_CUDA_PTX");
  char path[4096];
  FILE *file;
  snprintf(path, sizeof path, "%s.%d", given ? given : "", n++);
  file = given ? fopen(path, "w") : NULL;
  if (file) {
    fputs(text, file);
    fclose(file);
  }
  *module = module;
  return mode("badptx") ? 218 : 0;
}
FAKE(cuModuleUnload, void *module) { return module == NULL; }
FAKE(cuModuleGetFunction, void **function, void *module, const char *name) {
  *function = module;
  return name == NULL;
}

FAKE(cuLaunchKernel, void *function) {
  launched = true;
  return function == NULL;
}

FAKE(cuStreamCreate, void **stream, unsigned flags) {
  *stream = stream;
  return flags > 1;
}
FAKE(cuStreamDestroy_v2, void *stream) { return stream == NULL; }
FAKE(cuStreamQuery, void *stream) {
  if (!launched || !stream)
    return 0;
  return mode("illegal") ? 700 : mode("assert") ? 710 : mode("hang") ? 600 : 0;
}
FAKE(cuStreamWaitEvent, void *stream) { return stream == NULL; }
FAKE(cuEventCreate, void **event) { return *event = event, 0; }
FAKE(cuEventDestroy_v2, void *event) { return event == NULL; }
FAKE(cuEventSynchronize, void *event) { return event == NULL; }
FAKE(cuEventRecord, void *event) { return event == NULL; }

FAKE(cuMemHostAlloc, void **memory, size_t size, unsigned flags) {
  *memory = malloc(size);
  return mode("oom") || flags != 3 || !*memory ? 2 : 0;
}
FAKE(cuMemAlloc_v2, uint64_t *memory, size_t size) {
  *memory = (uint64_t)(uintptr_t)malloc(size);
  return 0;
}
FAKE(cuMemFree_v2, uint64_t memory) {
  free((void *)(uintptr_t)memory);
  return 0;
}
FAKE(cuMemcpyAsync, uint64_t to, uint64_t from, size_t n) {
  memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
  return 0;
}
FAKE(cuMemsetD32Async, uint64_t to) { return to == 0; }
FAKE(cuMemsetD16Async, uint64_t to) { return to == 0; }
