/* clang-format off */
/* Rates of flaky failures, and the sequential test that decides whether a
 * candidate fails about as often as the original.
 *
 * A run that shows the sought signature is a *fail*; every other run is not.
 * Signatures remove false positives, so a candidate without the defect fails in
 * no run at all.  The original's rate p is measured until it has 20 fails or
 * 200 runs (inverse binomial sampling: relative error about 20 %).
 *
 * Candidate with rate q: Wald's sequential probability ratio test (A. Wald,
 * Sequential Analysis, 1947) of
 *   H1: q = 0.75 p  (as often, allowing for the error of p)
 *   H0: q = 0.30 p  (rarer than half)
 * with alpha = beta = 0.01, and one more rule: a series of runs without a fail
 * that has probability beta or less under H1 is a rejection.  Bounds for a
 * known p: P(accept | q <= 0.3 p) <= 0.01; P(reject | q >= 0.75 p) <=
 * 0.02 and what the limit of runs adds (0.025 in all).  With p measured as
 * above (computed exactly over 60 estimates; the test of this file simulates
 * it), the probability that a candidate is accepted, and the runs that this
 * takes on average:
 *
 *   p     q = 0    q = 0.25 p   q = 0.5 p   q = p
 *         runs     accepted     accepted    accepted   runs
 *   0.7      7     0.003        0.38        0.999        10
 *   0.3     19     0.004        0.44        0.996        31
 *   0.1     62     0.009        0.47        0.990       105
 *
 * Every test is against the original's rate, so the rate cannot decrease step
 * by step; the result's own rate is measured at the end.
 *
 * For a failure that shows in at least nine of ten runs (cul_rate_often) fewer
 * runs are enough: one fail proves that the candidate has the defect, and a
 * candidate that fails as often passes cul_rate_rest runs in a row with a
 * probability of at most 0.01.  This test does not protect the rate: the rate
 * of a result that was found in this way is measured like that of the original,
 * and the result is kept if the test above accepts all its runs
 * (cul_rate_kept).  Fewer fails are enough to measure such a rate: the relative
 * error of k fails is sqrt((1 - p) / k), so ten fails at p = 0.9 are more
 * precise than twenty at p = 0.7. */
/* clang-format on */
#ifndef CUL_ORACLES_NUMBERS_RATE_H
#define CUL_ORACLES_NUMBERS_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct cul_rate {
  uint32_t fails, runs;
};

enum {
  CUL_RATE_FAILS = 20,  /* measured well enough after this many fails ... */
  CUL_RATE_RUNS = 200,  /* ... or runs */
  CUL_RATE_OFTEN = 10,  /* ... or, if it fails often, this many fails */
  CUL_RATE_LEAST = 6,   /* with fewer fails it is too rare to decide */
  CUL_RATE_SILENT = 60, /* after this many runs without a fail there is no
                           failure.  Misses a failure of 10 % once in 550 ... */
  CUL_RATE_FEW = 26,    /* ... or after this many slow runs: misses one of 20 %
                           once in 330, of 10 % once in 15 */
  CUL_RATE_NUMBERS = 8, /* ... or after this many runs with the numbers of the
                           reference: wrong code computes wrong numbers each
                           time */
};

double cul_rate_share(struct cul_rate rate); /* 0 without runs */
bool cul_rate_measured(struct cul_rate rate);
/* At least CUL_RATE_OFTEN fails, and nine fails or more for each other run. */
bool cul_rate_often(struct cul_rate rate);
/* The number of runs without a fail after which a candidate surely fails less
 * often. */
uint32_t cul_rate_rest(struct cul_rate often);
/* Is `rate`, measured, as high as the original's by the sequential test? */
bool cul_rate_kept(struct cul_rate rate, struct cul_rate original);
/* The 95 % interval (E. B. Wilson, 1927). */
void cul_rate_interval(struct cul_rate rate, double *low, double *high);
/* Is the rate below half of the original's, with 97.5 % confidence? */
bool cul_rate_sank(struct cul_rate rate, struct cul_rate original);

struct cul_sprt {
  double fail, other; /* contribution of one run to the log likelihood ratio */
  double accept, reject; /* bounds of that ratio */
  /* rejection after this many runs without a fail, or in all */
  uint32_t silent, most;
};

enum cul_sprt_answer { CUL_SPRT_MORE, CUL_SPRT_ACCEPT, CUL_SPRT_REJECT };

/* original: measured, with at least one fail. */
void cul_sprt_init(struct cul_sprt *test, struct cul_rate original);
/* *least: the minimum number of runs before any decision; set with MORE. Making
 * that many at once is as good as one by one. */
enum cul_sprt_answer cul_sprt_decide(const struct cul_sprt *test,
                                     struct cul_rate rate, uint32_t *least);

#endif
