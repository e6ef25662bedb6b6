/* Look up a driver's functions by name.  Private to gpu/. */
#ifndef CUL_REDUCER_ENGINES_GPU_OPEN_H
#define CUL_REDUCER_ENGINES_GPU_OPEN_H

#include "calls.h"
#include "gpu.h"

/* Open the stack's library and look up all its functions.  Errors: EENV. */
CUL_MUST_CHECK int cul_gpu_find(const struct cul_gpu_stack *stack,
                                struct cul_gpu_calls *out, struct cul_err *err);

#endif
