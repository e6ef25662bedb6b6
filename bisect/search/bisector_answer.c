/* What a bisector knows, for those who ask: see bisector.h. */
#include <stdlib.h>

#include "../../base/buf.h"
#include "bisector_private.h"

struct suspect {
  double posterior;
  uint32_t point;
};

static int by_posterior(const void *left, const void *right) {
  const struct suspect *a = left, *b = right;
  if (a->posterior != b->posterior)
    return a->posterior < b->posterior ? 1 : -1;
  return (a->point > b->point) - (a->point < b->point);
}

static int by_point(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* The likeliest until they have the mass, and all that are as likely as the
 * last: those cannot be told apart. */
static void list_suspects(const struct cul_bisector *b,
                          struct cul_bisect_answer *out) {
  uint32_t n = b->dag->n;
  struct suspect *all = cul_xcalloc((size_t)n + 1, sizeof *all);
  for (uint32_t c = 0; c < n; c++)
    all[c] = (struct suspect){b->evidence.posterior[c], c};
  qsort(all, n, sizeof *all, by_posterior);
  out->suspects = cul_xcalloc((size_t)n + 1, sizeof *out->suspects);
  for (uint32_t i = 0; i < n; i++) {
    if (out->mass >= b->conf.confidence && i > 0 &&
        all[i].posterior < all[i - 1].posterior * (1 - 1e-6))
      break;
    out->mass += all[i].posterior;
    out->suspects[out->n_suspects++] = all[i].point;
  }
  qsort(out->suspects, out->n_suspects, sizeof *out->suspects, by_point);
  free(all);
}

static enum cul_bisect_end how_ended(struct cul_bisector *b,
                                     const struct cul_bisect_answer *answer) {
  struct cul_bisect_step ignored;
  enum cul_bisect_end wrong = cul_bisector_wrong_ends(b);
  if (wrong != CUL_BISECT_UNDER_WAY)
    return wrong;
  if (b->n_steps > 0 ||
      (!cul_bisector_over_budget(b) && cul_bisector_next(b, &ignored)))
    return CUL_BISECT_UNDER_WAY;
  if (answer->n_suspects == 1 && answer->posterior >= b->conf.confidence)
    return CUL_BISECT_FOUND;
  return cul_bisector_over_budget(b) ? CUL_BISECT_BUDGET : CUL_BISECT_SUSPECTS;
}

void cul_bisector_answer(struct cul_bisector *b,
                         struct cul_bisect_answer *out) {
  *out = (struct cul_bisect_answer){0};
  cul_bisector_refresh(b);
  out->culprit = cul_evidence_best(&b->evidence);
  out->posterior = b->evidence.posterior[out->culprit];
  list_suspects(b, out);
  out->end = how_ended(b, out);
}

void cul_bisector_tally(const struct cul_bisector *b,
                        struct cul_bisect_tally *out) {
  *out = (struct cul_bisect_tally){.runs = b->runs,
                                   .builds = b->builds,
                                   .broken = b->broken,
                                   .flaky = b->evidence.flaky,
                                   .rates = cul_evidence_rates(&b->evidence)};
}

const struct cul_bisect_runs *cul_bisector_runs(const struct cul_bisector *b,
                                                uint32_t point) {
  return cul_evidence_runs(&b->evidence, point);
}

const double *cul_bisector_posterior(struct cul_bisector *b) {
  cul_bisector_refresh(b);
  return b->evidence.posterior;
}
