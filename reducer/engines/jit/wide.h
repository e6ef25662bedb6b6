/* What a run in f64 tells besides its results: the option --wide of the engine
 * jit. */
#ifndef CUL_REDUCER_ENGINES_JIT_WIDE_H
#define CUL_REDUCER_ENGINES_JIT_WIDE_H

#include "call.h"
#include "widen.h"

/* The function that is called, and its module in f64. */
struct cul_jit_wide {
  struct cul_ir *ir;
  struct cul_jit_call *call;
  const char *name;
  const struct cul_jit_inputs *inputs; /* with the first seed */
  uint64_t seeds;
  struct cul_widened widened;
  MlirOperation lowered; /* a copy of the module in the LLVM dialect */
};

/* Call the function with inputs moved by their roundoff, and print how far each
 * element of a result moves, as results named "noise N".  Then bound all
 * numbers (exact.h) and print one line to standard error: "wide: digits=24
 * exact=yes: ..." or "wide: digits=24 exact=no: WHY".  What the function itself
 * prints meanwhile is discarded.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_jit_wide_run(const struct cul_jit_wide *wide,
                                    MlirExecutionEngine jit,
                                    struct cul_err *err);

/* Print "raised: division by zero, overflow" to standard error, with the names
 * of those flags among division by zero, invalid operation, overflow and
 * denormal operand; nothing if raised has none of them. */
void cul_jit_say_raised(int raised);

#endif
