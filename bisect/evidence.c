/* Evidence: see evidence.h. */
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buf.h"

/* Prior weight of "always" while nothing contradicts it, and of "never
 * without the culprit" where failures are told by their signature. */
static const double sure = 0.7, never = 0.9;

void cul_evidence_init(struct cul_evidence *e, const struct cul_dag *dag,
                       const double *prior, bool one_sided) {
  size_t n = dag->n, points = n + dag->n_outer;
  double *uniform = NULL;
  *e = (struct cul_evidence){.dag = dag, .prior = prior};
  e->one_sided = one_sided;
  e->runs = cul_xcalloc(points + 1, sizeof *e->runs);
  e->held = cul_xcalloc(n + 1, sizeof *e->held);
  e->posterior = cul_xcalloc(n + 1, sizeof *e->posterior);
  e->marks = cul_xcalloc(n + 1, sizeof *e->marks);
  if (!prior) {
    uniform = cul_xcalloc(n + 1, sizeof *uniform);
    for (size_t c = 0; c < n; c++)
      uniform[c] = 1.0 / (double)n;
    e->prior = e->uniform = uniform;
  }
  memcpy(e->posterior, e->prior, n * sizeof *e->posterior);
}

void cul_evidence_release(struct cul_evidence *e) {
  free(e->runs);
  free(e->held);
  free(e->posterior);
  free(e->marks);
  free(e->uniform);
  *e = (struct cul_evidence){0};
}

static void add_runs(struct cul_bisect_runs *to, struct cul_bisect_runs more) {
  to->fails += more.fails;
  to->passes += more.passes;
}

void cul_evidence_add(struct cul_evidence *e, uint32_t point,
                      struct cul_bisect_runs runs) {
  struct cul_bisect_runs *here = &e->runs[point];
  add_runs(here, runs);
  add_runs(&e->all, runs);
  if (here->fails && here->passes)
    e->flaky = true;
  if (point >= e->dag->n)
    return; /* no hypothesis puts the culprit there */
  cul_dag_ancestors(e->dag, point, e->marks);
  for (uint32_t c = 0; c < e->dag->n; c++)
    if (e->marks[c])
      add_runs(&e->held[c], runs);
}

/* log of the chance of these runs in this order, the rate being unknown:
 * B(f + 1/2, p + 1/2) / B(1/2, 1/2). */
static double jeffreys(struct cul_bisect_runs r) {
  return lgamma(r.fails + 0.5) + lgamma(r.passes + 0.5) -
         lgamma((double)r.fails + r.passes + 1) - log(M_PI);
}

/* The same, with a spike of this weight at a rate which the runs agree with,
 * or do not. */
static double spiked(struct cul_bisect_runs r, double weight, bool agrees) {
  double rest = log1p(-weight) + jeffreys(r);
  return agrees ? log(weight + exp(rest)) : rest;
}

/* log likelihood of one hypothesis. */
static double judge(const struct cul_evidence *e, uint32_t c) {
  struct cul_bisect_runs with = e->held[c], without = e->all;
  double never_without = e->one_sided ? never : e->flaky ? 0 : sure;
  without.fails -= with.fails;
  without.passes -= with.passes;
  return spiked(with, e->flaky ? 0 : sure, with.passes == 0) +
         spiked(without, never_without, without.fails == 0);
}

static bool contradicted(const struct cul_evidence *e) {
  for (uint32_t c = 0; c < e->dag->n; c++)
    if (e->prior[c] > 0 && e->held[c].passes == 0 &&
        e->held[c].fails == e->all.fails)
      return false;
  return true;
}

/* Hypotheses with equal counts are equally likely, and there are few
 * different counts: remember the last. */
static void judge_all(struct cul_evidence *e) {
  struct cul_bisect_runs had = {UINT32_MAX, UINT32_MAX};
  double value = 0;
  for (uint32_t c = 0; c < e->dag->n; c++) {
    const struct cul_bisect_runs *held = &e->held[c];
    if (held->fails != had.fails || held->passes != had.passes)
      value = judge(e, c), had = *held;
    e->posterior[c] = e->prior[c] > 0 ? log(e->prior[c]) + value : -INFINITY;
  }
}

void cul_evidence_update(struct cul_evidence *e) {
  double most = -INFINITY, sum = 0;
  if (!e->flaky && contradicted(e))
    e->flaky = true;
  judge_all(e);
  for (uint32_t c = 0; c < e->dag->n; c++)
    most = fmax(most, e->posterior[c]);
  for (uint32_t c = 0; c < e->dag->n; c++)
    sum += e->posterior[c] = exp(e->posterior[c] - most);
  for (uint32_t c = 0; c < e->dag->n; c++)
    e->posterior[c] /= sum;
}

struct cul_bisect_rates cul_evidence_rates(const struct cul_evidence *e) {
  double with[2] = {0, 0}, all[2] = {e->all.fails, e->all.passes};
  double half = e->flaky ? 0.5 : 0.05;
  double none = e->one_sided ? 0.05 : half;
  for (uint32_t c = 0; c < e->dag->n; c++) {
    with[0] += e->posterior[c] * e->held[c].fails;
    with[1] += e->posterior[c] * e->held[c].passes;
  }
  return (struct cul_bisect_rates){
      (with[0] + 0.5) / (with[0] + with[1] + 0.5 + half),
      (all[0] - with[0] + none) /
          (all[0] + all[1] - with[0] - with[1] + 0.5 + none)};
}

uint32_t cul_evidence_best(const struct cul_evidence *e) {
  uint32_t best = 0;
  for (uint32_t c = 1; c < e->dag->n; c++)
    if (e->posterior[c] > e->posterior[best])
      best = c;
  return best;
}
