/* Prove that a module computes exactly, in whatever order it sums, or count the
 * roundings on the way to each of its results. */
#ifndef CUL_REDUCER_ENGINES_JIT_EXACT_H
#define CUL_REDUCER_ENGINES_JIT_EXACT_H

#include "../../subject/ir/ir.h"

/* What the changed module computes. */
enum cul_exact_what { CUL_EXACT_SIZES, CUL_EXACT_ROUNDINGS };

/* Turn a module in f64, lowered to the LLVM dialect, into one that bounds it.
 *
 * SIZES: run on max(1, |x|) of the same arguments, each of its results is at
 * least as large as every number that the original computes on the way to that
 * result, with sums and products in any order.  If all inputs and constants are
 * integers and the bounding results are at most 2^p, a type with p digits does
 * not round.
 *
 * Differences become sums, choices become the larger of everything that takes
 * part, constants become their magnitudes.  As no number is below 1, sums,
 * products and maxima are never smaller than their operands.
 *
 * ROUNDINGS: run on 0 for each float among the arguments, each of its results
 * is the number k of roundings on the way to it, so that, of sums, products and
 * quotients without cancellation, the result of a type with roundoff u is
 * (1+u)^k from the exact one at most (Higham, Accuracy and Stability of
 * Numerical Algorithms, chapter 3): a sum adds 1 to the larger k of its terms,
 * a product 1 to the sum of both; a function of libm counts as 2.
 *
 * False: this module cannot be bounded; the reason is appended to why. */
bool cul_exact_bound(struct cul_ir *ir, MlirOperation module,
                     enum cul_exact_what what, struct cul_buf *why);

#endif
