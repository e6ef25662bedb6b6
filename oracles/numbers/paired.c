/* Statistics of values that vary from run to run: see paired.h. */
#include "paired.h"

#include <math.h>
#include <stdlib.h>

#include "../../base/buf.h"

enum { MOST_RANKS = CUL_PAIRS_LAST * (CUL_PAIRS_LAST + 1) / 2 };

static const double tail = 0.0125; /* on each side of 97.5 % */

static int compare_reals(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, size_t n) {
  qsort(values, n, sizeof *values, compare_reals);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* How many of the smallest averages are outside the interval: the largest k
 * with P(signed rank sum < k) <= tail. ways[s]: subsets of 1..n with sum s. */
static size_t outside(size_t n) {
  double ways[MOST_RANKS + 1] = {1}, below = 0;
  size_t k = 0;
  for (size_t rank = 1; rank <= n; rank++)
    for (size_t s = n * (n + 1) / 2; s >= rank; s--)
      ways[s] += ways[s - rank];
  while ((below + ways[k]) / pow(2, (double)n) <= tail)
    below += ways[k++];
  return k;
}

struct cul_interval cul_paired_interval(const double *values, size_t n) {
  double walsh[MOST_RANKS] = {0};
  size_t count = 0, k = outside(n);
  struct cul_interval out;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i; j < n; j++)
      walsh[count++] = (values[i] + values[j]) / 2;
  out.middle = median(walsh, count);
  k = k ? k - 1 : 0;
  out.low = walsh[k];
  out.high = walsh[count - 1 - k];
  return out;
}

double cul_paired_noise(const double *values, size_t n) {
  double *steps, out;
  if (n < 2)
    return 0;
  steps = cul_xcalloc(n - 1, sizeof *steps);
  for (size_t i = 0; i + 1 < n; i++)
    steps[i] = fabs(values[i + 1] - values[i]);
  out = 1.4826 * median(steps, n - 1);
  free(steps);
  return out;
}

enum cul_paired_answer cul_paired_decide(const double *values, size_t n,
                                         double bound, size_t *least) {
  size_t above = 0, below = 0;
  for (size_t i = 0; i < n; i++)
    *(values[i] > bound ? &above : &below) += 1;
  if (above >= below + CUL_PAIRS_LEAD)
    return CUL_PAIRED_ABOVE;
  if (below >= above + CUL_PAIRS_LEAD)
    return CUL_PAIRED_BELOW;
  if (n >= CUL_PAIRS_MOST)
    return CUL_PAIRED_NEAR;
  *least = CUL_PAIRS_LEAD - (above > below ? above - below : below - above);
  return CUL_PAIRED_MORE;
}
