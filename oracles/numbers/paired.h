/* Numbers that vary from run to run: where does their middle lie, and does a
 * candidate's lie above a bound?
 *
 * Of the input, n values (one per pair of runs) give an interval: the Walsh
 * averages (x_i + x_j) / 2 in order, from the k-th smallest to the k-th
 * largest, k by the exact null distribution of Wilcoxon's signed ranks
 * (F. Wilcoxon, 1945); the middle is their median (J. L. Hodges, E. L.
 * Lehmann, 1963).  Nothing is assumed but that the values are independent and
 * symmetric about their middle, as differences of runs of two commands that
 * vary alike are.  The input is looked at twice at most, each time at 97.5 %:
 * 95 % together.
 *
 * Candidate: each pair says "above the bound" or not.  Wald's sequential test
 * of P(above) >= 0.91 against P(above) <= 0.09 with both errors at most 1 %
 * ends as soon as one side is two pairs ahead.  In units of sigma, the spread
 * of a pair's value, that is: a candidate 1.34 sigma below the bound is
 * accepted, and one as far above it refused, once in 100 times; one that lies
 * on the bound is accepted every other time.  Who is not two ahead after
 * CUL_PAIRS_MOST pairs lies on it: neither is said. */
#ifndef CUL_ORACLES_NUMBERS_PAIRED_H
#define CUL_ORACLES_NUMBERS_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

enum {
  CUL_PAIRS_FIRST = 7, /* of the input: looked at then ... */
  CUL_PAIRS_LAST = 20, /* ... and, where that does not decide, then */
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
