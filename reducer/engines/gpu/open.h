/* The functions of a driver, found by name: inside of gpu.h. */
#ifndef CUL_REDUCER_ENGINES_GPU_OPEN_H
#define CUL_REDUCER_ENGINES_GPU_OPEN_H

#include "calls.h"
#include "gpu.h"

/* Open the stack's library and find all that it has of the table.  Errors:
 * EENV. */
CUL_MUST_CHECK int cul_gpu_find(const struct cul_gpu_stack *stack,
                                struct cul_gpu_calls *out, struct cul_err *err);

#endif
