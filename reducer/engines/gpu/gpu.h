/* The mgpu functions on top of a driver that is opened at run time: CUDA's or
 * HIP's.  Each process runs one test.  The first error ends it with a line that
 * names the error, because later answers of a driver mean nothing. */
#ifndef CUL_REDUCER_ENGINES_GPU_GPU_H
#define CUL_REDUCER_ENGINES_GPU_GPU_H

#include <stdint.h>

#include "../../../base/err.h"
#include "memory.h"

/* Exit status of a process whose device reported an error, or whose kernel did
 * not end. */
enum { CUL_GPU_FAILED = 4 };

/* A driver: its library, and the names of its functions. */
struct cul_gpu_stack {
  const char *name;
  const char *no_library, *no_device; /* advice if it is missing */
  /* environment variable that names another library */
  const char *variable;
  const char *libraries[5]; /* tried in this order; NULL ends */
  const struct cul_gpu_names *names;
};
extern const struct cul_gpu_stack cul_gpu_cuda, cul_gpu_hip;

/* Open the stack's library and its first device.  From then on, memory of
 * compiled code is visible to host and device.  patience_ms: a kernel that
 * takes longer counts as hanging.  Errors: EENV. */
CUL_MUST_CHECK int cul_gpu_open(const struct cul_gpu_stack *stack,
                                uint64_t patience_ms, struct cul_err *err);

extern const struct cul_jit_symbol cul_gpu_symbols[]; /* name NULL ends */

/* From now on, record an event before and after each launch. */
void cul_gpu_time_kernels(void);
/* Wait for these events, and write a line per kernel and one for all to
 * standard error: "kernel NAME: 12.5 us in 3 launches", "kernels: 12.5 us". */
void cul_gpu_say_times(void);

#endif
