/* Information of runs: see gain.h. */
#include "gain.h"

#include <math.h>

const uint32_t cul_gain_batches[CUL_GAIN_BATCHES] = {1, 3, 8, 20, 50};

static double plogp(double p) { return p > 0 ? -p * log2(p) : 0; }

/* Chance of k failures among m runs. */
static double binomial(uint32_t m, uint32_t k, double rate) {
  double ways = lgamma(m + 1.0) - lgamma(k + 1.0) - lgamma(m - k + 1.0);
  if (rate <= 0 || rate >= 1)
    return k == (rate >= 1 ? m : 0);
  return exp(ways + k * log(rate) + (m - k) * log1p(-rate));
}

/* H(K) - H(K | holds or not), at each mass of the grid. */
static void fill_batch(struct cul_bisect_rates rates, uint32_t m,
                       double *bits) {
  for (int i = 0; i <= CUL_GAIN_GRID; i++)
    bits[i] = 0;
  for (uint32_t k = 0; k <= m; k++) {
    double with = binomial(m, k, rates.with);
    double without = binomial(m, k, rates.without);
    for (int i = 0; i <= CUL_GAIN_GRID; i++) {
      double mass = (double)i / CUL_GAIN_GRID;
      bits[i] += plogp(mass * with + (1 - mass) * without) -
                 mass * plogp(with) - (1 - mass) * plogp(without);
    }
  }
}

void cul_gain_fill(struct cul_bisect_rates rates, struct cul_gain *out) {
  for (int b = 0; b < CUL_GAIN_BATCHES; b++)
    fill_batch(rates, cul_gain_batches[b], out->bits[b]);
}

double cul_gain_bits(const struct cul_gain *gain, size_t batch, double mass) {
  double at = fmin(fmax(mass, 0), 1) * CUL_GAIN_GRID;
  int low = at >= CUL_GAIN_GRID ? CUL_GAIN_GRID - 1 : (int)at;
  const double *bits = gain->bits[batch];
  return bits[low] + (at - low) * (bits[low + 1] - bits[low]);
}
