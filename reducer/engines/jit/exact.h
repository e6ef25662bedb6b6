/* A proof that a module computes exactly, whatever the order of its sums. */
#ifndef CUL_REDUCER_ENGINES_JIT_EXACT_H
#define CUL_REDUCER_ENGINES_JIT_EXACT_H

#include "../../subject/ir/ir.h"

/* Make of a module in f64, lowered to the LLVM dialect, another one: run on
 * max(1, |x|) of the same arguments, no result of it is smaller than any
 * number that the first may meet on the way to that result, its sums and
 * products taken in any order.  Where all are whole and those results stay
 * within 2^p, a type of p digits rounds nothing.
 *
 * Differences become sums, choices the larger of all that takes part,
 * constants their magnitude; no number being below 1, sums, products and
 * maxima are never smaller than what goes into them.
 *
 * False: it cannot be said so of this module; why is appended. */
bool cul_exact_bound(struct cul_ir *ir, MlirOperation module,
                     struct cul_buf *why);

#endif
