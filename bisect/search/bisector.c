/* The search of a bisection: see bisector.h. */
#include "bisector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "bisector_private.h"
#include "broken.h"
#include "dag.h"

#define CUL_GAIN_GRID 256
struct cul_gain {
  /* Mutual information in bits between "the point holds the culprit" and the
   * number of failures among the runs, by the probability of the former. */
  double bits[CUL_GAIN_BATCHES][CUL_GAIN_GRID + 1];
};

/* ---- evidence ---- */

/* Evidence: what runs at points tell about the culprit.
 *
 * The culprit is one of the candidates; a point contains it if the culprit is
 * the point itself or one of its ancestors.  Points that contain it fail at one
 * rate, all others at another; both rates are unknown.  Each hypothesis about
 * the culprit is judged by the likelihood of all counts with the rates
 * integrated out: Beta-Bernoulli with Jeffreys' prior, mixed with a spike at
 * "always fails" and "never fails" while nothing contradicts it.  Source:
 * posterior matching (Horstein; Burnashev and Zigangirov), as in Bayesian git
 * bisections; the spike is dropped at the first contradiction, because it makes
 * wrong answers look certain. */

/* Prior weight of "always" while nothing contradicts it, and of "never without
 * the culprit" if failures are identified by their signature. */
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

/* The runs at a point and at all points that are the same. */
static const struct cul_bisect_runs *evidence_runs(const struct cul_evidence *e,
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

/* Set marks[c] for the ancestors of only one of the two points; their
 * number. */
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

/* The nearest candidate left: along first parents, then along the children of
 * that line. */
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

/* Both points are the same artefact: runs of one are runs of both, and a
 * candidate that is an ancestor of only one of them changes nothing and is no
 * culprit.  If there is a single such candidate, its probability goes to the
 * nearest candidate left; else all share it.  False, with nothing changed: this
 * was known, or no candidate would be left.  O(n). */
static bool evidence_same(struct cul_evidence *e, uint32_t point,
                          uint32_t other) {
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

/* Log of the probability of these runs in this order, with an unknown rate: B(f
 * + 1/2, p + 1/2) / B(1/2, 1/2). */
static double jeffreys(struct cul_bisect_runs r) {
  return lgamma(r.fails + 0.5) + lgamma(r.passes + 0.5) -
         lgamma((double)r.fails + r.passes + 1) - log(M_PI);
}

/* The same with a spike of this weight at a rate with which the runs agree or
 * not. */
static double spiked(struct cul_bisect_runs r, double weight, bool agrees) {
  double rest = log1p(-weight) + jeffreys(r);
  return agrees ? log(weight + exp(rest)) : rest;
}

/* Log likelihood of one hypothesis. */
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

/* Hypotheses with equal counts are equally likely, and few counts differ:
 * remember the last one. */
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

static struct cul_bisect_rates evidence_rates(const struct cul_evidence *e) {
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

/* The most probable candidate; the first of equals. */
static uint32_t evidence_best(const struct cul_evidence *e) {
  uint32_t best = 0;
  for (uint32_t c = 1; c < e->dag->n; c++)
    if (e->posterior[c] > e->posterior[best])
      best = c;
  return best;
}

/* ---- gain ---- */

/* The gain: how much runs at a point tell. */

const uint32_t cul_gain_batches[CUL_GAIN_BATCHES] = {1, 3, 8, 20, 50};

static double plogp(double p) { return p > 0 ? -p * log2(p) : 0; }

/* Probability of k failures among m runs. */
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

/* Fill the table for these rates of failure.  Source: the capacity of the
 * binomial channel. */
static void gain_fill(struct cul_bisect_rates rates, struct cul_gain *out) {
  for (int b = 0; b < CUL_GAIN_BATCHES; b++)
    fill_batch(rates, cul_gain_batches[b], out->bits[b]);
}

/* mass: the probability that the point holds the culprit, 0..1. */
static double gain_bits(const struct cul_gain *gain, size_t batch,
                        double mass) {
  double at = fmin(fmax(mass, 0), 1) * CUL_GAIN_GRID;
  int low = at >= CUL_GAIN_GRID ? CUL_GAIN_GRID - 1 : (int)at;
  const double *bits = gain->bits[batch];
  return bits[low] + (at - low) * (bits[low + 1] - bits[low]);
}

/* ---- bisector ---- */

/* Runs at each end: at first; if they differ from each other; and before an end
 * is reported as wrong. */
static const uint32_t first_end_runs = 3, more_end_runs = 10,
                      most_end_runs = 30;
static const double least_chance = 0.15; /* below: taken for broken */
static const double least_bits = 0.01;   /* below: a run tells nothing */

struct cul_bisector *cul_bisector_new(const struct cul_dag *dag,
                                      const double *prior,
                                      const struct cul_bisect_conf *conf) {
  struct cul_bisector *b = cul_xcalloc(1, sizeof *b);
  size_t n = (size_t)dag->n + 1;
  b->conf = *conf;
  b->dag = dag;
  cul_dag_chains_find(dag, &b->chains);
  cul_evidence_init(&b->evidence, dag, prior, conf->one_sided);
  b->state = cul_xcalloc(n + dag->n_outer, 1);
  b->mute = cul_xcalloc(n + dag->n_outer, 1);
  b->weight = cul_xcalloc(n, sizeof *b->weight);
  b->mass = cul_xcalloc(n, sizeof *b->mass);
  b->works = cul_xcalloc(n, sizeof *b->works);
  b->cell = cul_xcalloc(n, sizeof *b->cell);
  b->outcome = cul_xcalloc(n, sizeof *b->outcome);
  b->marks = cul_xcalloc(n, sizeof *b->marks);
  b->stale = true;
  b->last = CUL_DAG_NONE;
  return b;
}

void cul_bisector_free(struct cul_bisector *b) {
  if (!b)
    return;
  cul_dag_chains_release(&b->chains);
  cul_evidence_release(&b->evidence);
  free(b->state);
  free(b->mute);
  free(b->weight);
  free(b->mass);
  free(b->works);
  free(b->cell);
  free(b->outcome);
  free(b->marks);
  free(b);
}

static uint32_t bad_end(const struct cul_bisector *b) { return b->dag->n - 1; }
static uint32_t good_end(const struct cul_bisector *b) { return b->dag->n; }

static uint32_t runs_at(const struct cul_bisector *b, uint32_t point) {
  const struct cul_bisect_runs *runs = evidence_runs(&b->evidence, point);
  return runs->fails + runs->passes;
}

/* ---- telling ---- */

static struct under_way *find_step(struct cul_bisector *b, uint32_t point) {
  for (size_t i = 0; i < b->n_steps; i++)
    if (b->steps[i].step.point == point)
      return &b->steps[i];
  return NULL;
}

static void end_step(struct cul_bisector *b, uint32_t point) {
  struct under_way *step = find_step(b, point);
  if (step)
    *step = b->steps[--b->n_steps];
}

void cul_bisector_cancelled(struct cul_bisector *b, uint32_t point) {
  end_step(b, point);
}

/* After so many runs in a row without an answer, a point that worked counts as
 * broken; else it would be asked for ever. */
enum { MOST_MUTE = 8 };

void cul_bisector_tell(struct cul_bisector *b, uint32_t point,
                       enum cul_bisect_outcome outcome) {
  struct under_way *step = find_step(b, point);
  struct cul_bisect_runs runs = {outcome == CUL_BISECT_FAILS,
                                 outcome == CUL_BISECT_PASSES};
  bool first = b->state[point] == CUL_UNTRIED;
  b->stale = true;
  b->builds += first;
  if (outcome == CUL_BISECT_UNTESTABLE) {
    b->broken += first;
    if (first || ++b->mute[point] == MOST_MUTE)
      b->state[point] = CUL_BROKEN_POINT;
    end_step(b, point);
    return;
  }
  b->state[point] = CUL_WORKS;
  b->mute[point] = 0;
  b->runs++;
  b->last = point;
  cul_evidence_add(&b->evidence, point, runs);
  if (step && --step->left == 0)
    end_step(b, point);
}

bool cul_bisector_are_same(const struct cul_bisector *b, uint32_t point,
                           uint32_t other) {
  return b->evidence.same[point] == b->evidence.same[other];
}

bool cul_bisector_same(struct cul_bisector *b, uint32_t point, uint32_t other) {
  bool broken = b->state[other] == CUL_BROKEN_POINT, first;
  if (!broken && !evidence_same(&b->evidence, point, other))
    return false;
  first = b->state[point] == CUL_UNTRIED;
  b->builds += first;
  b->broken += first && broken;
  b->state[point] = b->state[other];
  b->stale = true;
  end_step(b, point);
  return true;
}

/* ---- state ---- */

static bool agrees(const struct cul_bisector *b, uint32_t c) {
  const struct cul_bisect_runs *held = &b->evidence.held[c];
  return b->evidence.prior[c] > 0 && held->passes == 0 &&
         held->fails == b->evidence.all.fails;
}

/* While nothing contradicts it, the search takes every verdict as certain,
 * which is plain bisection.  The claims of the answer are computed
 * separately. */
static void weigh(struct cul_bisector *b) {
  double sum = 0;
  for (uint32_t c = 0; c < b->dag->n; c++) {
    if (b->evidence.flaky)
      b->weight[c] = b->evidence.posterior[c];
    else
      b->weight[c] = agrees(b, c) ? b->evidence.prior[c] : 0;
    sum += b->weight[c];
  }
  for (uint32_t c = 0; c < b->dag->n; c++)
    b->weight[c] /= sum;
}

/* Bring posterior, weights and masses up to date. */
static void bisector_refresh(struct cul_bisector *b) {
  if (!b->stale)
    return;
  cul_evidence_update(&b->evidence);
  weigh(b);
  cul_dag_masses(b->dag, &b->chains, b->weight, b->mass);
  if (b->broken)
    cul_broken_chances(b->dag, b->state, b->works);
  else
    for (uint32_t c = 0; c < b->dag->n; c++)
      b->works[c] = 1;
  b->stale = false;
}

/* ---- choosing ---- */

/* The open steps divide the hypotheses into cells, by which of the steps would
 * fail.  The next point divides the heaviest cell. */
static double heaviest_cell(struct cul_bisector *b) {
  uint64_t seen[MOST_UNDER_WAY + 1];
  double mass[MOST_UNDER_WAY + 1] = {0};
  size_t n = 0, best = 0, k;
  memset(b->outcome, 0, b->dag->n * sizeof *b->outcome);
  for (size_t i = 0; i < b->n_steps; i++) {
    if (b->steps[i].step.point >= b->dag->n)
      continue;
    cul_dag_ancestors(b->dag, b->steps[i].step.point, b->marks);
    for (uint32_t c = 0; c < b->dag->n; c++)
      b->outcome[c] |= (uint64_t)b->marks[c] << i;
  }
  for (uint32_t c = 0; c < b->dag->n; c++) {
    if (b->weight[c] <= 0)
      continue;
    for (k = 0; k < n && seen[k] != b->outcome[c]; k++)
      ;
    if (k == n && n <= MOST_UNDER_WAY)
      seen[n++] = b->outcome[c];
    if (k < n)
      mass[k] += b->weight[c];
  }
  for (k = 1; k < n; k++)
    if (mass[k] > mass[best])
      best = k;
  for (uint32_t c = 0; c < b->dag->n; c++)
    b->cell[c] =
        n && b->outcome[c] == seen[best] ? b->weight[c] / mass[best] : 0;
  return n ? mass[best] : 0;
}

/* The runs that the ends lack, before a point may have so many. */
static uint32_t end_debt(const struct cul_bisector *b, uint32_t runs) {
  uint32_t bad = runs_at(b, bad_end(b)), good = runs_at(b, good_end(b));
  return (runs > bad ? runs - bad : 0) + (runs > good ? runs - good : 0);
}

struct choice {
  struct cul_bisect_step step;
  double score, bits;
};

static bool is_candidate_step(const struct cul_bisector *b, uint32_t c) {
  return b->state[c] != CUL_BROKEN_POINT &&
         (b->conf.exhaust || b->works[c] >= least_chance);
}

/* The chance that a point can be tested; if all are to be tried, it is never 0,
 * which would leave a point out. */
static double chance_of(const struct cul_bisector *b, uint32_t c) {
  static const double least = 1e-9;
  return b->conf.exhaust && b->works[c] < least ? least : b->works[c];
}

/* The best batch of runs at one point. */
static void consider(const struct cul_bisector *b, const struct cul_gain *gain,
                     uint32_t c, double mass, struct choice *best) {
  double build = b->state[c] == CUL_WORKS ? 0 : b->conf.build_cost;
  size_t batches = b->evidence.flaky ? CUL_GAIN_BATCHES : 1;
  for (size_t i = 0; i < batches; i++) {
    uint32_t runs = cul_gain_batches[i];
    double bits = gain_bits(gain, i, mass);
    double cost = build + runs + end_debt(b, runs_at(b, c) + runs);
    double score = chance_of(b, c) * bits / cost;
    if (bits >= least_bits && score > best->score * (1 + 1e-9))
      *best = (struct choice){{c, runs, CUL_BISECT_SEARCH}, score, bits};
  }
}

static bool choose(struct cul_bisector *b, struct choice *best) {
  struct cul_gain *gain = cul_xcalloc(1, sizeof *gain);
  const double *mass = b->mass;
  double *parts = NULL;
  struct cul_bisect_rates rates = {1, 0};
  if (b->evidence.flaky)
    rates = evidence_rates(&b->evidence);
  gain_fill(rates, gain);
  *best = (struct choice){.score = 0};
  if (b->n_steps > 0) {
    heaviest_cell(b);
    mass = parts = cul_xcalloc((size_t)b->dag->n + 1, sizeof *parts);
    cul_dag_masses(b->dag, &b->chains, b->cell, parts);
  }
  for (uint32_t c = 0; c < b->dag->n; c++)
    if (is_candidate_step(b, c) && !find_step(b, c))
      consider(b, gain, c, mass[c], best);
  free(parts);
  free(gain);
  return best->score > 0;
}

/* ---- the order of steps ---- */

/* Make a step that brings a point to so many runs; false: it has them, or they
 * are open. */
static bool lacks(struct cul_bisector *b, uint32_t point, uint32_t runs,
                  enum cul_bisect_aim aim, struct cul_bisect_step *out) {
  uint32_t had = runs_at(b, point);
  if (had >= runs || find_step(b, point) || b->state[point] == CUL_BROKEN_POINT)
    return false;
  *out = (struct cul_bisect_step){point, runs - had, aim};
  return true;
}

static bool ask_ends(struct cul_bisector *b, uint32_t runs,
                     struct cul_bisect_step *out) {
  return lacks(b, bad_end(b), runs, CUL_BISECT_ENDS, out) ||
         lacks(b, good_end(b), runs, CUL_BISECT_ENDS, out);
}

/* The runs that the ends need before the search: more if they are not clear. */
static uint32_t end_runs(const struct cul_bisector *b) {
  const struct cul_bisect_runs *bad = evidence_runs(&b->evidence, bad_end(b));
  const struct cul_bisect_runs *good = evidence_runs(&b->evidence, good_end(b));
  double apart = (bad->fails + 0.5) / (runs_at(b, bad_end(b)) + 1) -
                 (good->fails + 0.5) / (runs_at(b, good_end(b)) + 1);
  if (bad->fails == 0 || apart < 0.15)
    return most_end_runs;
  return bad->passes || good->fails ? more_end_runs : first_end_runs;
}

static bool have_runs(const struct cul_bisector *b, uint32_t runs) {
  return runs_at(b, bad_end(b)) >= runs && runs_at(b, good_end(b)) >= runs;
}

static bool ends_known(const struct cul_bisector *b) {
  return have_runs(b, first_end_runs) && have_runs(b, end_runs(b));
}

/* The error of the ends; UNDER_WAY: none known. */
static enum cul_bisect_end bisector_wrong_ends(const struct cul_bisector *b) {
  const struct cul_bisect_runs *bad = evidence_runs(&b->evidence, bad_end(b));
  const struct cul_bisect_runs *good = evidence_runs(&b->evidence, good_end(b));
  if (b->state[bad_end(b)] == CUL_BROKEN_POINT ||
      b->state[good_end(b)] == CUL_BROKEN_POINT)
    return CUL_BISECT_END_BROKEN;
  if (!ends_known(b))
    return CUL_BISECT_UNDER_WAY;
  if (bad->fails == 0)
    return CUL_BISECT_BAD_PASSES;
  if ((uint64_t)good->fails * (bad->fails + bad->passes) >=
      (uint64_t)bad->fails * (good->fails + good->passes))
    return CUL_BISECT_GOOD_FAILS;
  return CUL_BISECT_UNDER_WAY;
}

static bool bisector_over_budget(const struct cul_bisector *b) {
  return (b->conf.max_runs && b->runs >= b->conf.max_runs) ||
         (b->conf.max_builds && b->builds >= b->conf.max_builds);
}

/* The most probable candidate; where every verdict counts as certain, without
 * those that a verdict refutes. */
static uint32_t likeliest(const struct cul_bisector *b) {
  uint32_t best = 0;
  if (b->evidence.flaky)
    return evidence_best(&b->evidence);
  for (uint32_t c = 1; c < b->dag->n; c++)
    if (b->weight[c] > b->weight[best])
      best = c;
  return best;
}

/* Does the candidate stand out, as the only one that agrees with all verdicts,
 * or, in a flaky search, by its probability? */
static bool stands_out(const struct cul_bisector *b, uint32_t best) {
  if (b->evidence.flaky)
    return b->evidence.posterior[best] >= 1 - 0.5 * (1 - b->conf.confidence);
  return b->weight[best] > 1 - 1e-9;
}

/* Ask for runs that are missing at the culprit and its parents.  An unbuilt
 * parent of a failure that was certain so far has a descendant that passed:
 * that is enough, and saves a build. */
static bool ask_confirmation(struct cul_bisector *b, uint32_t culprit,
                             struct cul_bisect_step *out) {
  uint32_t from = b->dag->first[culprit], to = b->dag->first[culprit + 1];
  if (lacks(b, culprit, b->conf.confirm, CUL_BISECT_CONFIRM, out))
    return true;
  for (uint32_t i = from; i < to; i++) {
    uint32_t p = b->dag->parents[i];
    if ((b->evidence.flaky || b->state[p] == CUL_WORKS) &&
        lacks(b, p, b->conf.confirm, CUL_BISECT_CONFIRM, out))
      return true;
  }
  if (from == to) /* a root: the good end counts as its parent */
    return lacks(b, good_end(b), b->conf.confirm, CUL_BISECT_CONFIRM, out);
  return false;
}

static bool confirming(const struct cul_bisector *b) {
  for (size_t i = 0; i < b->n_steps; i++)
    if (b->steps[i].step.aim != CUL_BISECT_SEARCH)
      return true;
  return false;
}

/* A wrong verdict costs builds.  If builds are expensive, run a verdict that
 * may be wrong again at once.  Failures identified by their signature are not
 * doubted. */
static bool doubt_verdict(struct cul_bisector *b, struct cul_bisect_step *out) {
  uint32_t point = b->last, runs = b->conf.build_cost >= 10  ? 3
                                   : b->conf.build_cost >= 4 ? 2
                                                             : 1;
  if (b->evidence.flaky || point >= b->dag->n ||
      (b->conf.one_sided && evidence_runs(&b->evidence, point)->fails))
    return false;
  return lacks(b, point, runs, CUL_BISECT_SEARCH, out);
}

/* Choose the next step, without regard to budget and ends; false: none now. */
static bool bisector_next(struct cul_bisector *b, struct cul_bisect_step *out) {
  struct choice choice;
  uint32_t best;
  if (!have_runs(b, first_end_runs))
    return ask_ends(b, first_end_runs, out);
  if (!have_runs(b, end_runs(b)))
    return ask_ends(b, end_runs(b), out);
  bisector_refresh(b);
  best = likeliest(b);
  if (stands_out(b, best)) {
    if (ask_confirmation(b, best, out))
      return true;
    if (b->evidence.posterior[best] >= b->conf.confidence || confirming(b))
      return false;
    /* certain so far, but with too few runs to claim it */
    if (lacks(b, best, runs_at(b, best) + first_end_runs, CUL_BISECT_CONFIRM,
              out))
      return true;
  }
  if (doubt_verdict(b, out))
    return true;
  if (!choose(b, &choice))
    return false;
  if (end_debt(b, runs_at(b, choice.step.point) + choice.step.runs) &&
      ask_ends(b, runs_at(b, choice.step.point) + choice.step.runs, out))
    return true;
  *out = choice.step;
  /* The batch determined the value of the point; once it is built, it costs
   * nothing to decide again after a part of the batch. */
  out->runs = (out->runs + 3) / 4;
  return true;
}

bool cul_bisector_ask(struct cul_bisector *b, struct cul_bisect_step *out) {
  if (b->n_steps == MOST_UNDER_WAY || bisector_over_budget(b) ||
      bisector_wrong_ends(b) != CUL_BISECT_UNDER_WAY || !bisector_next(b, out))
    return false;
  b->steps[b->n_steps++] = (struct under_way){*out, out->runs};
  return true;
}

size_t cul_bisector_stale(struct cul_bisector *b, uint32_t *points,
                          size_t max) {
  size_t n = 0;
  if (!ends_known(b))
    return 0;
  bisector_refresh(b);
  for (size_t i = 0; i < b->n_steps && n < max; i++) {
    const struct cul_bisect_step *step = &b->steps[i].step;
    double mass;
    if (step->aim != CUL_BISECT_SEARCH || step->point >= b->dag->n)
      continue;
    mass = b->mass[step->point];
    if (mass < 0.005 || mass > 0.995)
      points[n++] = step->point;
  }
  return n;
}

/* ---- answer ---- */

/* The answer of a bisector. */

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

/* List the most probable candidates until they have the mass, and all that are
 * as probable as the last one: they cannot be distinguished. */
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
  enum cul_bisect_end wrong = bisector_wrong_ends(b);
  if (wrong != CUL_BISECT_UNDER_WAY)
    return wrong;
  if (b->n_steps > 0 ||
      (!bisector_over_budget(b) && bisector_next(b, &ignored)))
    return CUL_BISECT_UNDER_WAY;
  if (answer->n_suspects == 1 && answer->posterior >= b->conf.confidence)
    return CUL_BISECT_FOUND;
  return bisector_over_budget(b) ? CUL_BISECT_BUDGET : CUL_BISECT_SUSPECTS;
}

void cul_bisector_answer(struct cul_bisector *b,
                         struct cul_bisect_answer *out) {
  *out = (struct cul_bisect_answer){0};
  bisector_refresh(b);
  out->culprit = evidence_best(&b->evidence);
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
                                   .rates = evidence_rates(&b->evidence)};
}

const struct cul_bisect_runs *cul_bisector_runs(const struct cul_bisector *b,
                                                uint32_t point) {
  return evidence_runs(&b->evidence, point);
}

const double *cul_bisector_posterior(struct cul_bisector *b) {
  bisector_refresh(b);
  return b->evidence.posterior;
}
