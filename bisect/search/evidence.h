/* What runs at points say about where the culprit is.
 *
 * The culprit is one candidate; a point holds it when the culprit is an
 * ancestor of the point, or the point itself.  Points that hold it fail at one
 * rate, all others at another; both rates are unknown, and each hypothesis
 * about the culprit is judged by the likelihood of all counts with the rates
 * integrated out: Beta-Bernoulli with Jeffreys' prior, mixed with a spike at
 * "always fails" and "never fails" while nothing contradicts it.
 * Source: posterior matching (Horstein; Burnashev and Zigangirov), as in
 * Bayesian git bisections; the spike is dropped at the first contradiction,
 * because it makes lies look like certainty. */
#ifndef CUL_BISECT_SEARCH_EVIDENCE_H
#define CUL_BISECT_SEARCH_EVIDENCE_H

#include "dag.h"

/* Runs at one point. */
struct cul_bisect_runs {
  uint32_t fails, passes;
};

struct cul_evidence {
  const struct cul_dag *dag;
  double *prior;                /* per candidate; sums to 1 */
  bool one_sided;               /* a failure is recognised by its signature: a
                                   point without the culprit hardly shows it */
  bool flaky;                   /* a contradiction was seen */
  struct cul_bisect_runs *runs; /* per point, outer ones included; of points
                                   that are the same, at one of them */
  uint32_t *same;               /* per point: the one that has its runs */
  /* Per hypothesis: runs at points that would hold the culprit. */
  struct cul_bisect_runs *held;
  struct cul_bisect_runs all; /* runs at all points */
  double *posterior;          /* per candidate, sums to 1 */
  bool *marks;                /* scratch */
};

/* dag is borrowed for the evidence's life; prior is copied, NULL: all alike. */
void cul_evidence_init(struct cul_evidence *evidence, const struct cul_dag *dag,
                       const double *prior, bool one_sided);
void cul_evidence_release(struct cul_evidence *evidence);

/* Count n runs at a point (candidate or outer).  O(n of the dag). */
void cul_evidence_add(struct cul_evidence *evidence, uint32_t point,
                      struct cul_bisect_runs runs);
/* Both points are the same thing to run: their runs are runs of either, and a
 * candidate that is an ancestor of only one of them changes nothing and is no
 * culprit.  Where that is a single one, its probability goes to the nearest
 * candidate left, else it is shared by all.  False, with nothing changed:
 * that was known, or no candidate would be left.  O(n). */
bool cul_evidence_same(struct cul_evidence *evidence, uint32_t point,
                       uint32_t other);
/* Runs at a point and at all that are the same. */
const struct cul_bisect_runs *
cul_evidence_runs(const struct cul_evidence *evidence, uint32_t point);
/* Bring posterior up to date with all that was added. */
void cul_evidence_update(struct cul_evidence *evidence);

/* Rates that points with and without the culprit fail at, as far as known. */
struct cul_bisect_rates {
  double with, without;
};
struct cul_bisect_rates cul_evidence_rates(const struct cul_evidence *evidence);

/* The likeliest candidate; the first of equals. */
uint32_t cul_evidence_best(const struct cul_evidence *evidence);

#endif
