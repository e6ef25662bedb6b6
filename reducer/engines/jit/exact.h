/* Prove that a module computes exactly, in whatever order it sums, or count the
 * roundings on the way to each of its results. */
#ifndef CUL_REDUCER_ENGINES_JIT_EXACT_H
#define CUL_REDUCER_ENGINES_JIT_EXACT_H

#include "../../subject/ir/ir.h"

/* What the changed module computes. */
enum cul_exact_what { CUL_EXACT_SIZES, CUL_EXACT_ROUNDINGS };

/* Turn a module in f64, lowered to the LLVM dialect, into one that bounds it.
 *
 * SIZES: call it with max(1, |x|) for each argument x.  Each of its results is
 * then at least as large as every number that the original computes on the way
 * to that result, with sums and products in any order.  If all inputs and
 * constants are integers and the bounding results are at most 2^p, a type with
 * p digits does not round.
 *
 * Differences become sums, choices become the maximum of everything that takes
 * part, constants become their magnitudes.  As no number is below 1, sums,
 * products and maxima are never smaller than their operands.
 *
 * ROUNDINGS: call it with 0 for each float among the arguments.  Each of its
 * results is then the number k of roundings on the way to that result: a sum
 * adds 1 to the larger k of its terms, a product 1 to the sum of both; a
 * function of libm counts as 2.  If the result comes from sums, products and
 * quotients without cancellation in a type with roundoff u, it differs from the
 * exact one by a factor of at most (1+u)^k (Higham, Accuracy and Stability of
 * Numerical Algorithms, chapter 3).
 *
 * False: this module cannot be bounded; the reason is appended to why. */
bool cul_exact_bound(struct cul_ir *ir, MlirOperation module,
                     enum cul_exact_what what, struct cul_buf *why);

#endif
