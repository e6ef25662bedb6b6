/* All functions of a driver that are called: CUL_GPU_CALLS(X) is X(type, name,
 * name in CUDA, name in HIP, parameters) for each.  "": this stack has no
 * function of that shape.  Only what the drivers' ABI fixes is declared here,
 * so no vendor header is needed; tests/fake is compiled against those
 * headers. */
#ifndef CUL_REDUCER_ENGINES_GPU_CALLS_H
#define CUL_REDUCER_ENGINES_GPU_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* CUlaunchConfig of CUDA, and its attributes. */
enum { CUL_GPU_CLUSTER = 4 }; /* CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION */
struct cul_gpu_attribute {
  int id;
  char pad[4];
  unsigned value[16];
};
struct cul_gpu_config {
  unsigned grid[3], block[3], shared;
  void *stream;
  struct cul_gpu_attribute *attributes;
  unsigned n;
};

#define CUL_GPU_LAUNCH                                                         \
  void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,          \
      unsigned, void *, void **, void **
#define CUL_GPU_CALLS(X)                                                       \
  X(int, init, "cuInit", "hipInit", (unsigned))                                \
  X(int, device_count, "cuDeviceGetCount", "hipGetDeviceCount", (int *))       \
  X(int, device_get, "cuDeviceGet", "", (int *, int))                          \
  X(int, context_retain, "cuDevicePrimaryCtxRetain", "", (void **, int))       \
  X(int, context_set, "cuCtxSetCurrent", "", (void *))                         \
  X(int, device_set, "", "hipSetDevice", (int))                                \
  X(int, name_into, "cuGetErrorName", "", (int, const char **))                \
  X(const char *, name_of, "", "hipGetErrorName", (int))                       \
  X(int, module_load, "cuModuleLoadData", "hipModuleLoadData",                 \
    (void **, const void *))                                                   \
  X(int, module_unload, "cuModuleUnload", "hipModuleUnload", (void *))         \
  X(int, function_get, "cuModuleGetFunction", "hipModuleGetFunction",          \
    (void **, void *, const char *))                                           \
  X(int, launch, "cuLaunchKernel", "hipModuleLaunchKernel", (CUL_GPU_LAUNCH))  \
  X(int, launch_config, "cuLaunchKernelEx", "",                                \
    (const struct cul_gpu_config *, void *, void **, void **))                 \
  X(int, stream_create, "cuStreamCreate", "hipStreamCreateWithFlags",          \
    (void **, unsigned))                                                       \
  X(int, stream_destroy, "cuStreamDestroy_v2", "hipStreamDestroy", (void *))   \
  X(int, stream_query, "cuStreamQuery", "hipStreamQuery", (void *))            \
  X(int, stream_wait, "cuStreamWaitEvent", "hipStreamWaitEvent",               \
    (void *, void *, unsigned))                                                \
  X(int, event_create, "cuEventCreate", "hipEventCreateWithFlags",             \
    (void **, unsigned))                                                       \
  X(int, event_destroy, "cuEventDestroy_v2", "hipEventDestroy", (void *))      \
  X(int, event_query, "cuEventQuery", "hipEventQuery", (void *))               \
  X(int, event_record, "cuEventRecord", "hipEventRecord", (void *, void *))    \
  X(int, event_elapsed, "cuEventElapsedTime", "hipEventElapsedTime",           \
    (float *, void *, void *))                                                 \
  X(int, host_alloc, "cuMemHostAlloc", "hipHostMalloc",                        \
    (void **, size_t, unsigned))                                               \
  X(int, mem_alloc, "cuMemAlloc_v2", "hipMalloc", (void **, size_t))           \
  X(int, mem_free, "cuMemFree_v2", "hipFree", (void *))                        \
  X(int, copy, "cuMemcpyAsync", "", (void *, void *, size_t, void *))          \
  X(int, copy_kind, "", "hipMemcpyAsync",                                      \
    (void *, void *, size_t, int, void *))                                     \
  X(int, set32, "cuMemsetD32Async", "hipMemsetD32Async",                       \
    (void *, unsigned, size_t, void *))                                        \
  X(int, set16, "cuMemsetD16Async", "hipMemsetD16Async",                       \
    (void *, unsigned short, size_t, void *))

struct cul_gpu_calls {
#define CUL_GPU_FIELD(type, name, cuda, hip, parameters) type(*name) parameters;
  CUL_GPU_CALLS(CUL_GPU_FIELD)
#undef CUL_GPU_FIELD
};

struct cul_gpu_names {
#define CUL_GPU_FIELD(type, name, cuda, hip, parameters) const char *name;
  CUL_GPU_CALLS(CUL_GPU_FIELD)
#undef CUL_GPU_FIELD
};

#endif
