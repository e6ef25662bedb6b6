/* Find the parts of a vendor's toolkit that MLIR needs to compile kernels, at
 * places where MLIR would not look. */
#ifndef CUL_REDUCER_ENGINES_GPU_TOOLKIT_H
#define CUL_REDUCER_ENGINES_GPU_TOOLKIT_H

#include "../../../base/err.h"

/* Point MLIR to libdevice, unless the environment does.  Without libdevice,
 * only kernels that call no mathematical function can be compiled.  Errors:
 * EENV if the environment names a place without it. */
CUL_MUST_CHECK int cul_toolkit_cuda(struct cul_err *err);

/* Point MLIR to AMD's device libraries and a linker, unless the environment
 * does.  Errors: EENV if one of them is missing. */
CUL_MUST_CHECK int cul_toolkit_rocm(struct cul_err *err);

#endif
