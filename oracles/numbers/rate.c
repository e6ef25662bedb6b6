/* Rates of flaky failures: see rate.h. */
#include "rate.h"

#include <math.h>

static const double alpha = 0.01, beta = 0.01;
static const double as_often = 0.75,
                    rarer = 0.30; /* times the original's rate */

/* A test that has not ended after this many times the runs of a silent
 * rejection rejects: the rate is in between, which is not accepted. */
static const uint32_t patience = 12;

double cul_rate_share(struct cul_rate rate) {
  return rate.runs ? (double)rate.fails / rate.runs : 0;
}

bool cul_rate_measured(struct cul_rate rate) {
  return rate.fails >= CUL_RATE_FAILS || rate.runs >= CUL_RATE_RUNS ||
         cul_rate_often(rate);
}

bool cul_rate_often(struct cul_rate rate) {
  return rate.fails >= CUL_RATE_OFTEN &&
         rate.fails >= 9 * (rate.runs - rate.fails);
}

/* If all of the few runs failed, assume that the next does not. */
uint32_t cul_rate_rest(struct cul_rate often) {
  uint32_t runs = often.runs + (often.fails == often.runs);
  double p = (double)often.fails / runs;
  return (uint32_t)ceil(log(beta) / log(1 - p));
}

bool cul_rate_kept(struct cul_rate rate, struct cul_rate original) {
  struct cul_sprt test;
  cul_sprt_init(&test, original);
  return rate.fails * test.fail + (rate.runs - rate.fails) * test.other >=
         test.accept;
}

void cul_rate_interval(struct cul_rate rate, double *low, double *high) {
  const double z = 1.96;
  double n = rate.runs, p = cul_rate_share(rate);
  double middle, half;
  if (rate.runs == 0) {
    *low = 0;
    *high = 1;
    return;
  }
  middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  *low = fmax(0, middle - half);
  *high = fmin(1, middle + half);
}

bool cul_rate_sank(struct cul_rate rate, struct cul_rate original) {
  double low, high;
  cul_rate_interval(rate, &low, &high);
  return high < cul_rate_share(original) / 2;
}

void cul_sprt_init(struct cul_sprt *test, struct cul_rate original) {
  double p = cul_rate_share(original);
  double q1 = as_often * p, q0 = rarer * p;
  test->fail = log(q1 / q0);
  test->other = log((1 - q1) / (1 - q0));
  test->accept = log((1 - beta) / alpha);
  test->reject = log(beta / (1 - alpha));
  test->silent = (uint32_t)ceil(log(beta) / log(1 - q1));
  test->most = patience * test->silent;
}

enum cul_sprt_answer cul_sprt_decide(const struct cul_sprt *test,
                                     struct cul_rate rate, uint32_t *least) {
  uint32_t others = rate.runs - rate.fails, to_accept, to_reject, left;
  double sum = rate.fails * test->fail + others * test->other;
  if (sum >= test->accept)
    return CUL_SPRT_ACCEPT;
  if (sum <= test->reject || rate.runs >= test->most ||
      (rate.fails == 0 && rate.runs >= test->silent))
    return CUL_SPRT_REJECT;
  to_accept = (uint32_t)ceil((test->accept - sum) / test->fail);
  to_reject = (uint32_t)ceil((test->reject - sum) / test->other);
  if (rate.fails == 0 && test->silent - rate.runs < to_reject)
    to_reject = test->silent - rate.runs;
  left = test->most - rate.runs;
  *least = to_accept < to_reject ? to_accept : to_reject;
  *least = *least < left ? *least : left;
  *least = *least ? *least : 1;
  return CUL_SPRT_MORE;
}
