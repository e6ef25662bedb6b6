/* What a run in f64 says beside its results: see --wide of the engine jit. */
#ifndef CUL_REDUCER_ENGINES_JIT_WIDE_H
#define CUL_REDUCER_ENGINES_JIT_WIDE_H

#include "call.h"
#include "widen.h"

/* A function that is called, and what it was made of. */
struct cul_jit_wide {
  struct cul_ir *ir;
  struct cul_jit_call *call;
  const char *name;
  const struct cul_jit_inputs *inputs; /* of the first seed */
  uint64_t seeds;
  struct cul_widened widened;
  MlirOperation lowered; /* a copy of the module in the LLVM dialect */
};

/* Call it with inputs that stray, and print, as results of the name "noise N",
 * how far each element goes; then bound all that it computes (exact.h) and say
 * on standard error, in one line, "wide: digits=24 exact=yes" or
 * "exact=no: WHY".  What the function prints meanwhile is lost.  Errors:
 * EUSAGE. */
CUL_MUST_CHECK int cul_jit_wide_run(const struct cul_jit_wide *wide,
                                    MlirExecutionEngine jit,
                                    struct cul_err *err);

/* "raised: division by zero, overflow" on standard error; nothing where no
 * exception was raised that says that numbers are none. */
void cul_jit_say_raised(int raised);

#endif
