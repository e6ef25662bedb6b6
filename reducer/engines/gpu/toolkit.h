/* What MLIR needs of a vendor's toolkit to make kernels, found where it would
 * not look. */
#ifndef CUL_REDUCER_ENGINES_GPU_TOOLKIT_H
#define CUL_REDUCER_ENGINES_GPU_TOOLKIT_H

#include "../../../base/err.h"

/* Point MLIR to libdevice, unless the environment does already; where there
 * is none, kernels that call no mathematical function can still be made.
 * Errors: EENV, where the environment names a place that has none. */
CUL_MUST_CHECK int cul_toolkit_cuda(struct cul_err *err);

/* Point MLIR to AMD's device libraries and a linker, unless the environment
 * does already.  Errors: EENV, where one is missing. */
CUL_MUST_CHECK int cul_toolkit_rocm(struct cul_err *err);

#endif
