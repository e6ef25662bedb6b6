/* The untestable point to fix first: see first_fix.h. */
#include "first_fix.h"

#include <math.h>
#include <stdlib.h>

#include "../../base/buf.h"
#include "bisector_private.h"

/* A smaller gain is rounding. */
static const double least_bits = 1e-6;

static double entropy(double p) {
  if (p <= 0 || p >= 1)
    return 0;
  return -p * log2(p) - (1 - p) * log2(1 - p);
}

bool cul_bisector_first_fix(const struct cul_bisector *b,
                            const struct cul_bisect_answer *answer,
                            struct cul_first_fix *out) {
  size_t n = (size_t)b->dag->n + 1;
  double *weight = cul_xcalloc(n, sizeof *weight);
  double *one = cul_xcalloc(n, sizeof *one);
  double *mass = cul_xcalloc(n, sizeof *mass);
  double *count = cul_xcalloc(n, sizeof *count);
  *out = (struct cul_first_fix){.bits = least_bits};
  for (size_t i = 0; i < answer->n_suspects; i++) {
    uint32_t c = answer->suspects[i];
    weight[c] = b->evidence.posterior[c] / answer->mass;
    one[c] = 1;
    out->untried += b->state[c] == CUL_UNTRIED;
  }
  cul_dag_masses(b->dag, &b->chains, weight, mass);
  cul_dag_masses(b->dag, &b->chains, one, count);
  for (uint32_t c = 0; c < b->dag->n; c++) {
    double bits = entropy(mass[c]);
    uint32_t below = (uint32_t)count[c];
    uint32_t above = (uint32_t)answer->n_suspects - below;
    uint32_t left = below > above ? below : above;
    if (b->state[c] != CUL_BROKEN_POINT || bits < out->bits ||
        (bits < out->bits + least_bits && out->left && left >= out->left))
      continue;
    out->point = c;
    out->bits = bits;
    out->left = left;
  }
  free(weight);
  free(one);
  free(mass);
  free(count);
  return out->left > 0;
}
