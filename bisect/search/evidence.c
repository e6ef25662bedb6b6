/* Evidence: see evidence.h. */
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"

/* Prior weight of "always" while nothing contradicts it, and of "never
 * without the culprit" where failures are told by their signature. */
static const double sure = 0.7, never = 0.9;

void cul_evidence_init(struct cul_evidence *e, const struct cul_dag *dag,
                       const double *prior, bool one_sided) {
  size_t n = dag->n, points = n + dag->n_outer;
  *e = (struct cul_evidence){.dag = dag, .one_sided = one_sided};
  e->runs = cul_xcalloc(points + 1, sizeof *e->runs);
  e->same = cul_xcalloc(points + 1, sizeof *e->same);
  e->held = cul_xcalloc(n + 1, sizeof *e->held);
  e->prior = cul_xcalloc(n + 1, sizeof *e->prior);
  e->posterior = cul_xcalloc(n + 1, sizeof *e->posterior);
  e->marks = cul_xcalloc(n + 1, sizeof *e->marks);
  for (uint32_t p = 0; p < points; p++)
    e->same[p] = p;
  for (size_t c = 0; c < n; c++)
    e->prior[c] = prior ? prior[c] : 1.0 / (double)n;
  memcpy(e->posterior, e->prior, n * sizeof *e->posterior);
}

void cul_evidence_release(struct cul_evidence *e) {
  free(e->runs);
  free(e->same);
  free(e->held);
  free(e->prior);
  free(e->posterior);
  free(e->marks);
  *e = (struct cul_evidence){0};
}

const struct cul_bisect_runs *cul_evidence_runs(const struct cul_evidence *e,
                                                uint32_t point) {
  return &e->runs[e->same[point]];
}

static void add_runs(struct cul_bisect_runs *to, struct cul_bisect_runs more) {
  to->fails += more.fails;
  to->passes += more.passes;
}

void cul_evidence_add(struct cul_evidence *e, uint32_t point,
                      struct cul_bisect_runs runs) {
  struct cul_bisect_runs *here = &e->runs[e->same[point]];
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

/* ---- points that are the same ---- */

/* marks[c]: c is an ancestor of one of them only.  How many. */
static uint32_t mark_between(struct cul_evidence *e, uint32_t point,
                             uint32_t other) {
  uint32_t n = 0;
  bool *more = cul_xcalloc((size_t)e->dag->n + 1, sizeof *more);
  memset(e->marks, 0, e->dag->n);
  if (point < e->dag->n)
    cul_dag_ancestors(e->dag, point, e->marks);
  if (other < e->dag->n)
    cul_dag_ancestors(e->dag, other, more);
  for (uint32_t c = 0; c < e->dag->n; c++)
    n += e->marks[c] = (e->marks[c] != more[c]) && e->prior[c] > 0;
  free(more);
  return n;
}

/* Along first parents, then along the children of that line. */
static uint32_t nearest_left(const struct cul_evidence *e, uint32_t from) {
  const struct cul_dag *dag = e->dag;
  uint32_t c = from;
  while (c < dag->n && (e->marks[c] || e->prior[c] <= 0))
    c = dag->first[c] < dag->first[c + 1] ? dag->parents[dag->first[c]]
                                          : dag->n;
  for (uint32_t at = from, k = from + 1; c >= dag->n && k < dag->n; k++)
    if (dag->first[k] < dag->first[k + 1] &&
        dag->parents[dag->first[k]] == at) {
      at = k;
      c = !e->marks[k] && e->prior[k] > 0 ? k : c;
    }
  return c < dag->n ? c : CUL_DAG_NONE;
}

static void pool_runs(struct cul_evidence *e, uint32_t point, uint32_t other) {
  uint32_t from = e->same[point], to = e->same[other];
  struct cul_bisect_runs *all = &e->runs[to];
  if (from == to)
    return;
  add_runs(all, e->runs[from]);
  e->runs[from] = (struct cul_bisect_runs){0, 0};
  e->flaky |= all->fails && all->passes;
  for (uint32_t p = 0; p < e->dag->n + e->dag->n_outer; p++)
    if (e->same[p] == from)
      e->same[p] = to;
}

bool cul_evidence_same(struct cul_evidence *e, uint32_t point, uint32_t other) {
  uint32_t n = mark_between(e, point, other), heir = CUL_DAG_NONE;
  double left = 0;
  for (uint32_t c = 0; c < e->dag->n; c++)
    left += e->marks[c] ? 0 : e->prior[c];
  if (left <= 0 || e->same[point] == e->same[other])
    return false;
  for (uint32_t c = 0; c < e->dag->n && n == 1; c++)
    if (e->marks[c] && (heir = nearest_left(e, c)) != CUL_DAG_NONE) {
      e->prior[heir] += e->prior[c];
      left += e->prior[c];
    }
  for (uint32_t c = 0; c < e->dag->n; c++)
    e->prior[c] = e->marks[c] ? 0 : e->prior[c] / left;
  pool_runs(e, point, other);
  return true;
}

/* ---- judging ---- */

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
