/* The search of a bisection: see bisector.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "bisector_private.h"
#include "gain.h"

/* Runs at each end: to begin with, where they differ among each other, and
 * before an end is said to be the wrong one. */
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
  const struct cul_bisect_runs *runs = cul_evidence_runs(&b->evidence, point);
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

/* One that worked and tells nothing any more would be asked for ever. */
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
  if (!cul_evidence_same(&b->evidence, point, other))
    return false;
  b->builds += b->state[point] == CUL_UNTRIED;
  b->broken +=
      b->state[point] == CUL_UNTRIED && b->state[other] == CUL_BROKEN_POINT;
  b->state[point] = b->state[other];
  b->stale = true;
  end_step(b, point);
  return true;
}

/* ---- what is known ---- */

static bool agrees(const struct cul_bisector *b, uint32_t c) {
  const struct cul_bisect_runs *held = &b->evidence.held[c];
  return b->evidence.prior[c] > 0 && held->passes == 0 &&
         held->fails == b->evidence.all.fails;
}

/* While nothing contradicts it, the search takes every verdict as certain:
 * that is plain bisection.  What it may claim is another matter. */
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

void cul_bisector_refresh(struct cul_bisector *b) {
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

/* The steps under way cut the hypotheses into cells, by which of them would
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

/* Runs that the ends are behind, before a point may have so many. */
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

/* The best batch of runs at one point. */
static void consider(const struct cul_bisector *b, const struct cul_gain *gain,
                     uint32_t c, double mass, struct choice *best) {
  double build = b->state[c] == CUL_WORKS ? 0 : b->conf.build_cost;
  size_t batches = b->evidence.flaky ? CUL_GAIN_BATCHES : 1;
  for (size_t i = 0; i < batches; i++) {
    uint32_t runs = cul_gain_batches[i];
    double bits = cul_gain_bits(gain, i, mass);
    double cost = build + runs + end_debt(b, runs_at(b, c) + runs);
    double score = b->works[c] * bits / cost;
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
    rates = cul_evidence_rates(&b->evidence);
  cul_gain_fill(rates, gain);
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

/* ---- the order of things ---- */

/* A step that brings a point to so many runs; false: it has them, or they are
 * under way. */
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

/* How many runs the ends need before the search: more where they are not
 * clear. */
static uint32_t end_runs(const struct cul_bisector *b) {
  const struct cul_bisect_runs *bad =
      cul_evidence_runs(&b->evidence, bad_end(b));
  const struct cul_bisect_runs *good =
      cul_evidence_runs(&b->evidence, good_end(b));
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

enum cul_bisect_end cul_bisector_wrong_ends(const struct cul_bisector *b) {
  const struct cul_bisect_runs *bad =
      cul_evidence_runs(&b->evidence, bad_end(b));
  const struct cul_bisect_runs *good =
      cul_evidence_runs(&b->evidence, good_end(b));
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

bool cul_bisector_over_budget(const struct cul_bisector *b) {
  return (b->conf.max_runs && b->runs >= b->conf.max_runs) ||
         (b->conf.max_builds && b->builds >= b->conf.max_builds);
}

/* Where every verdict is taken as certain, what they refute is out, however
 * likely it was. */
static uint32_t likeliest(const struct cul_bisector *b) {
  uint32_t best = 0;
  if (b->evidence.flaky)
    return cul_evidence_best(&b->evidence);
  for (uint32_t c = 1; c < b->dag->n; c++)
    if (b->weight[c] > b->weight[best])
      best = c;
  return best;
}

/* One candidate stands out: as the only one that agrees with everything, or,
 * where that is not to be had, by its probability. */
static bool stands_out(const struct cul_bisector *b, uint32_t best) {
  if (b->evidence.flaky)
    return b->evidence.posterior[best] >= 1 - 0.5 * (1 - b->conf.confidence);
  return b->weight[best] > 1 - 1e-9;
}

/* Runs that are missing at the culprit and its parents.  An unbuilt parent of
 * a failure that was certain so far has a descendant that passed: that is
 * enough, and no build is spent on it. */
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
  if (from == to) /* a root: the good end stands for its parents */
    return lacks(b, good_end(b), b->conf.confirm, CUL_BISECT_CONFIRM, out);
  return false;
}

static bool confirming(const struct cul_bisector *b) {
  for (size_t i = 0; i < b->n_steps; i++)
    if (b->steps[i].step.aim != CUL_BISECT_SEARCH)
      return true;
  return false;
}

/* A lie costs builds: where these are dear, a verdict that may be one is run
 * again at once.  Failures that are told by their signature are none. */
static bool doubt_verdict(struct cul_bisector *b, struct cul_bisect_step *out) {
  uint32_t point = b->last, runs = b->conf.build_cost >= 10  ? 3
                                   : b->conf.build_cost >= 4 ? 2
                                                             : 1;
  if (b->evidence.flaky || point >= b->dag->n ||
      (b->conf.one_sided && cul_evidence_runs(&b->evidence, point)->fails))
    return false;
  return lacks(b, point, runs, CUL_BISECT_SEARCH, out);
}

bool cul_bisector_next(struct cul_bisector *b, struct cul_bisect_step *out) {
  struct choice choice;
  uint32_t best;
  if (!have_runs(b, first_end_runs))
    return ask_ends(b, first_end_runs, out);
  if (!have_runs(b, end_runs(b)))
    return ask_ends(b, end_runs(b), out);
  cul_bisector_refresh(b);
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
  /* The batch told what the point is worth; once it is built, looking at it
   * again after a part of it costs nothing. */
  out->runs = (out->runs + 3) / 4;
  return true;
}

bool cul_bisector_ask(struct cul_bisector *b, struct cul_bisect_step *out) {
  if (b->n_steps == MOST_UNDER_WAY || cul_bisector_over_budget(b) ||
      cul_bisector_wrong_ends(b) != CUL_BISECT_UNDER_WAY ||
      !cul_bisector_next(b, out))
    return false;
  b->steps[b->n_steps++] = (struct under_way){*out, out->runs};
  return true;
}

size_t cul_bisector_stale(struct cul_bisector *b, uint32_t *points,
                          size_t max) {
  size_t n = 0;
  if (!ends_known(b))
    return 0;
  cul_bisector_refresh(b);
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
