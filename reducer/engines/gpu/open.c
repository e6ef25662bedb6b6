/* The two stacks; open the library of one: see gpu.h. */
#include "open.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "names.h"

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

int cul_gpu_find(const struct cul_gpu_stack *stack, struct cul_gpu_calls *out,
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
