/* Prove that a module computes exactly, in whatever order it sums. */
#ifndef CUL_REDUCER_ENGINES_JIT_EXACT_H
#define CUL_REDUCER_ENGINES_JIT_EXACT_H

#include "../../subject/ir/ir.h"

/* Turn a module in f64, lowered to the LLVM dialect, into one that bounds it.
 * Run on max(1, |x|) of the same arguments, each of its results is at least as
 * large as every number that the original computes on the way to that result,
 * with sums and products in any order.  If all inputs and constants are
 * integers and the bounding results are at most 2^p, a type with p digits does
 * not round.
 *
 * Differences become sums, choices become the larger of everything that takes
 * part, constants become their magnitudes.  As no number is below 1, sums,
 * products and maxima are never smaller than their operands.
 *
 * False: this module cannot be bounded; the reason is appended to why. */
bool cul_exact_bound(struct cul_ir *ir, MlirOperation module,
                     struct cul_buf *why);

#endif
