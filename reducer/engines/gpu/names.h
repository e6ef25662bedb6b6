/* Where CUDA and HIP are looked for. */
#ifndef CUL_REDUCER_ENGINES_GPU_NAMES_H
#define CUL_REDUCER_ENGINES_GPU_NAMES_H

#include <stddef.h>

/* Libraries, the first that opens, and NULL; the variable that names another
 * one. */
#define CUL_CUDA_LIBRARIES "libcuda.so.1", NULL
#define CUL_CUDA_VARIABLE "CULPRIT_LIBCUDA"
#define CUL_HIP_LIBRARIES                                                      \
  "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",                  \
      "libamdhip64.so", NULL
#define CUL_HIP_VARIABLE "CULPRIT_LIBHIP"

/* A CUDA toolkit: variables and NULL, of which MLIR takes the first that is
 * set; where one stands without: that which a build has (cul_own_dir), or the
 * system. */
#define CUL_CUDA_VARIABLES "CUDA_ROOT", "CUDA_HOME", "CUDA_PATH", NULL
#define CUL_CUDA_OWN "cuda"
#define CUL_CUDA_PLACE "/usr/local/cuda"

#endif
