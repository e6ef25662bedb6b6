/* Places of the CUDA and HIP libraries and toolkits. */
#ifndef CUL_REDUCER_ENGINES_GPU_NAMES_H
#define CUL_REDUCER_ENGINES_GPU_NAMES_H

#include <stddef.h>

/* Libraries of a driver, in the order to try, NULL terminated; and the variable
 * that names another library. */
#define CUL_CUDA_LIBRARIES "libcuda.so.1", NULL
#define CUL_CUDA_VARIABLE "CULPRIT_LIBCUDA"
#define CUL_HIP_LIBRARIES                                                      \
  "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",                  \
      "libamdhip64.so", NULL
#define CUL_HIP_VARIABLE "CULPRIT_LIBHIP"

/* The CUDA toolkit: MLIR uses the first of these variables that is set, NULL
 * terminated.  If none is, the toolkit is in the directory of culprit's own
 * build (cul_own_dir), or at the system's place. */
#define CUL_CUDA_VARIABLES "CUDA_ROOT", "CUDA_HOME", "CUDA_PATH", NULL
#define CUL_CUDA_OWN "cuda"
#define CUL_CUDA_PLACE "/usr/local/cuda"

#endif
