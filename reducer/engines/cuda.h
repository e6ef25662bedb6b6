/* The mgpu functions over a CUDA driver that is opened at run time.  Every
 * process runs one test: the first error ends it, with a line that names it,
 * because what a driver says after it means nothing. */
#ifndef CUL_REDUCER_ENGINES_CUDA_H
#define CUL_REDUCER_ENGINES_CUDA_H

#include <stdint.h>

#include "../../base/err.h"
#include "jit_symbols.h"

/* Exit status of a process whose device reported an error, or whose kernel did
 * not end. */
enum { CUL_CUDA_FAILED = 4 };

/* Open libcuda.so.1, or the library that CULPRIT_LIBCUDA names, and its first
 * device; from then on memory of compiled code is seen by both sides.
 * patience_ms: a kernel that takes longer hangs.  Errors: EENV. */
CUL_MUST_CHECK int cul_cuda_open(uint64_t patience_ms, struct cul_err *err);

extern const struct cul_jit_symbol cul_cuda_symbols[]; /* name NULL ends */

#endif
