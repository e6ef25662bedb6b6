/* Statistics of values that vary from run to run: an interval for their middle,
 * and a test whether a candidate's middle is above a bound.
 *
 * Input: n values (one per pair of runs) give an interval: the Walsh averages
 * (x_i + x_j) / 2 in order, from the k-th smallest to the k-th largest, k by
 * the exact null distribution of Wilcoxon's signed ranks (F. Wilcoxon, 1945);
 * the middle is their median (J. L. Hodges, E. L. Lehmann, 1963).  The only
 * assumption is that the values are independent and symmetric about their
 * middle, as differences of runs of two commands with the same distribution
 * are.  The input is tested twice at most, each time at 97.5 %: 95 % together.
 *
 * Candidate: each pair is above the bound or not.  Wald's sequential test of
 * P(above) >= 0.91 against P(above) <= 0.09 with both errors at most 1 % ends
 * as soon as one side is two pairs ahead.  With sigma, the spread of a pair's
 * value, this means: a candidate 1.34 sigma below the bound is accepted with a
 * probability of 1 %, one as far above it is rejected with the same
 * probability, and one on the bound is accepted with 50 %.  If neither side is
 * two ahead after CUL_PAIRS_MOST pairs, the candidate lies on the bound and
 * there is no decision. */
#ifndef CUL_ORACLES_NUMBERS_PAIRED_H
#define CUL_ORACLES_NUMBERS_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

enum {
  CUL_PAIRS_FIRST = 7, /* of the input: first test after these ... */
  CUL_PAIRS_LAST = 20, /* ... and, if it does not decide, after these */
  CUL_PAIRS_LEAD = 2,
  CUL_PAIRS_MOST = 12, /* of a candidate */
};

struct cul_interval {
  double low, middle, high;
};

/* n: 6 to CUL_PAIRS_LAST. */
struct cul_interval cul_paired_interval(const double *values, size_t n);
/* Median of |x[i+1] - x[i]|, times 1.4826: sigma of the difference of two
 * runs, if they are normal.  0 for n < 2. */
double cul_paired_noise(const double *values, size_t n);

enum cul_paired_answer {
  CUL_PAIRED_MORE,
  CUL_PAIRED_ABOVE,
  CUL_PAIRED_BELOW,
  CUL_PAIRED_NEAR
};
/* *least: pairs that any decision needs at least; set with MORE. */
enum cul_paired_answer cul_paired_decide(const double *values, size_t n,
                                         double bound, size_t *least);

#endif
