/* HIP's functions on CUDA's, for tests: CULPRIT_LIBHIP names it.  With it what
 * is made for HIP (as PTX: --device hip:sm_90) runs on an NVIDIA card, or on
 * the driver that CULPRIT_LIBCUDA names.  Where HIP's headers are installed
 * its functions are declared by those. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_HIP_H
/* NDEBUG or not, its inline functions are C++'s alone. */
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#else
#include "hip_api.h"
#endif

#define EXPORT(name, ...)                                                      \
  hipError_t name(__VA_ARGS__);                                                \
  hipError_t name(__VA_ARGS__)

/* CUDA's numbers are HIP's where HIP has them. */
static hipError_t translate(int code) {
  switch (code) {
  case hipSuccess:
  case hipErrorInvalidValue:
  case hipErrorOutOfMemory:
  case hipErrorNoDevice:
  case hipErrorNoBinaryForGpu:
  case hipErrorInvalidKernelFile:
  case hipErrorNotFound:
  case hipErrorNotReady:
  case hipErrorIllegalAddress:
  case hipErrorAssert:
  case hipErrorLaunchFailure:
    return (hipError_t)code;
  default:
    return hipErrorUnknown;
  }
}

/* The driver's function of that name. */
static void *find(const char *name) {
  static void *driver;
  const char *given = getenv("CULPRIT_LIBCUDA");
  void *found;
  if (!driver)
    driver = dlopen(given ? given : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  found = driver ? dlsym(driver, name) : NULL;
  if (found)
    return found;
  fprintf(stderr, "hip_on_cuda: no %s: %s\n", name, dlerror());
  exit(1);
}

/* CALL(cuName, (types), arguments...) */
#define CALL(name, types, ...)                                                 \
  translate(((int(*) types)find(name))(__VA_ARGS__))

EXPORT(hipInit, unsigned flags) { return CALL("cuInit", (unsigned), flags); }
EXPORT(hipGetDeviceCount, int *n) {
  return CALL("cuDeviceGetCount", (int *), n);
}
EXPORT(hipSetDevice, int number) {
  void *context;
  int device;
  hipError_t code = CALL("cuDeviceGet", (int *, int), &device, number);
  if (code == hipSuccess)
    code = CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, device);
  return code == hipSuccess ? CALL("cuCtxSetCurrent", (void *), context) : code;
}

const char *hipGetErrorName(hipError_t code);
const char *hipGetErrorName(hipError_t code) {
#define NAME(code)                                                             \
  case code:                                                                   \
    return #code
  switch ((int)code) {
    NAME(hipErrorInvalidValue);
    NAME(hipErrorOutOfMemory);
    NAME(hipErrorNoDevice);
    NAME(hipErrorNoBinaryForGpu);
    NAME(hipErrorInvalidKernelFile);
    NAME(hipErrorNotFound);
    NAME(hipErrorNotReady);
    NAME(hipErrorIllegalAddress);
    NAME(hipErrorAssert);
    NAME(hipErrorLaunchFailure);
  }
  return "hipErrorUnknown";
}

EXPORT(hipModuleLoadData, hipModule_t *module, const void *image) {
  return CALL("cuModuleLoadData", (void *, const void *), module, image);
}
EXPORT(hipModuleUnload, hipModule_t module) {
  return CALL("cuModuleUnload", (void *), module);
}
EXPORT(hipModuleGetFunction, hipFunction_t *function, hipModule_t module,
       const char *name) {
  return CALL("cuModuleGetFunction", (void *, void *, const char *), function,
              module, name);
}
EXPORT(hipModuleLaunchKernel, hipFunction_t function, unsigned gx, unsigned gy,
       unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
       hipStream_t stream, void **params, void **extra) {
  return CALL("cuLaunchKernel",
              (void *, unsigned, unsigned, unsigned, unsigned, unsigned,
               unsigned, unsigned, void *, void **, void **),
              function, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}

EXPORT(hipStreamCreateWithFlags, hipStream_t *stream, unsigned flags) {
  return CALL("cuStreamCreate", (void *, unsigned), stream, flags);
}
EXPORT(hipStreamDestroy, hipStream_t stream) {
  return CALL("cuStreamDestroy_v2", (void *), stream);
}
EXPORT(hipStreamQuery, hipStream_t stream) {
  return CALL("cuStreamQuery", (void *), stream);
}
EXPORT(hipStreamWaitEvent, hipStream_t stream, hipEvent_t event,
       unsigned flags) {
  return CALL("cuStreamWaitEvent", (void *, void *, unsigned), stream, event,
              flags);
}
EXPORT(hipEventCreateWithFlags, hipEvent_t *event, unsigned flags) {
  return CALL("cuEventCreate", (void *, unsigned), event, flags);
}
EXPORT(hipEventDestroy, hipEvent_t event) {
  return CALL("cuEventDestroy_v2", (void *), event);
}
EXPORT(hipEventQuery, hipEvent_t event) {
  return CALL("cuEventQuery", (void *), event);
}
EXPORT(hipEventRecord, hipEvent_t event, hipStream_t stream) {
  return CALL("cuEventRecord", (void *, void *), event, stream);
}

EXPORT(hipEventElapsedTime, float *ms, hipEvent_t start, hipEvent_t stop) {
  return CALL("cuEventElapsedTime", (float *, void *, void *), ms, start, stop);
}

EXPORT(hipHostMalloc, void **memory, size_t size, unsigned flags) {
  return CALL("cuMemHostAlloc", (void **, size_t, unsigned), memory, size,
              flags);
}
EXPORT(hipMalloc, void **memory, size_t size) {
  return CALL("cuMemAlloc_v2", (void **, size_t), memory, size);
}
EXPORT(hipFree, void *memory) { return CALL("cuMemFree_v2", (void *), memory); }
EXPORT(hipMemcpyAsync, void *to, const void *from, size_t n, hipMemcpyKind kind,
       hipStream_t stream) {
  return kind == hipMemcpyDefault
             ? CALL("cuMemcpyAsync", (void *, const void *, size_t, void *), to,
                    from, n, stream)
             : hipErrorInvalidValue;
}
EXPORT(hipMemsetD32Async, hipDeviceptr_t to, int value, size_t n,
       hipStream_t stream) {
  return CALL("cuMemsetD32Async", (void *, unsigned, size_t, void *), to,
              (unsigned)value, n, stream);
}
EXPORT(hipMemsetD16Async, hipDeviceptr_t to, unsigned short value, size_t n,
       hipStream_t stream) {
  return CALL("cuMemsetD16Async", (void *, unsigned short, size_t, void *), to,
              value, n, stream);
}
