/* Broken points: see broken.h. */
#include "broken.h"

#include <math.h>
#include <stdlib.h>

#include "../../base/buf.h"

/* Shares of broken points, and mean lengths of runs of them. */
static const double shares[] = {0.02, 0.05, 0.1, 0.2, 0.3, 0.5};
static const double lengths[] = {1, 2, 4, 8, 16, 32, 64};
enum { SHARES = 6, LENGTHS = 7, MODELS = SHARES * LENGTHS, STEPS = 256 };

/* The nearest tried point on one side. */
struct near {
  uint32_t steps; /* UINT32_MAX: none */
  uint8_t state;
};

struct model {
  double share;
  double keeps[STEPS]; /* correlation over so many steps; 0 beyond */
  double weight;
};

struct field {
  const struct cul_dag *dag;
  const uint8_t *state;
  struct near *before, *after; /* along first parents, main children */
  struct model models[MODELS];
};

static struct near further(struct near near) {
  if (near.steps != UINT32_MAX)
    near.steps++;
  return near;
}

static struct near here(const struct field *f, uint32_t point,
                        struct near beyond) {
  if (f->state[point] != CUL_UNTRIED)
    return (struct near){1, f->state[point]};
  return further(beyond);
}

/* Find before[c] and after[c]: the nearest tried points, c itself left out. */
static void look_around(struct field *f) {
  const struct cul_dag *dag = f->dag;
  const struct near none = {UINT32_MAX, CUL_UNTRIED};
  for (uint32_t c = 0; c < dag->n; c++) {
    uint32_t p = dag->first[c] < dag->first[c + 1] ? dag->parents[dag->first[c]]
                                                   : CUL_DAG_NONE;
    f->after[c] = none;
    if (p == CUL_DAG_NONE)
      f->before[c] = none;
    else
      f->before[c] = here(f, p, p < dag->n ? f->before[p] : none);
  }
  for (uint32_t c = dag->n; c-- > 0;) { /* the oldest child comes last */
    uint32_t p = dag->first[c] < dag->first[c + 1] ? dag->parents[dag->first[c]]
                                                   : CUL_DAG_NONE;
    if (p < dag->n)
      f->after[p] = here(f, c, f->after[c]);
  }
}

/* P(broken | the nearest tried point is `steps` away in this state). */
static double seen_from(const struct model *m, struct near near) {
  double was = near.state == CUL_BROKEN_POINT;
  if (near.steps >= STEPS)
    return m->share;
  return m->share + (was - m->share) * m->keeps[near.steps];
}

/* P(broken | both sides).  The chain is reversible, so the far side is weighed
 * given this state. */
static double between(const struct model *m, struct near before,
                      struct near after) {
  double broken = seen_from(m, before), works = 1 - broken;
  double from_broken = seen_from(m, after) / m->share;
  double from_works = (1 - seen_from(m, after)) / (1 - m->share);
  double sum = broken * from_broken + works * from_works;
  return sum > 0 ? broken * from_broken / sum : m->share;
}

static void lay_out(struct field *f) {
  for (int s = 0; s < SHARES; s++)
    for (int l = 0; l < LENGTHS; l++) {
      struct model *m = &f->models[s * LENGTHS + l];
      double leaves = 1 / lengths[l];
      double enters = leaves * shares[s] / (1 - shares[s]);
      *m = (struct model){.share = shares[s], .weight = 1.0 / MODELS};
      m->keeps[0] = 1;
      for (int k = 1; k < STEPS; k++)
        m->keeps[k] = m->keeps[k - 1] * fmax(0, 1 - leaves - enters);
    }
}

/* Weigh the models by each tried point, given the one tried before it. */
static void weigh(struct field *f) {
  double sum = 0;
  for (uint32_t c = 0; c < f->dag->n; c++)
    for (int k = 0; k < MODELS && f->state[c] != CUL_UNTRIED; k++) {
      double broken = seen_from(&f->models[k], f->before[c]);
      f->models[k].weight *=
          f->state[c] == CUL_BROKEN_POINT ? broken : 1 - broken;
    }
  for (int k = 0; k < MODELS; k++)
    sum += f->models[k].weight;
  for (int k = 0; k < MODELS; k++)
    f->models[k].weight = sum > 0 ? f->models[k].weight / sum : 1.0 / MODELS;
}

static double chance(const struct field *f, uint32_t c) {
  double broken = 0;
  if (f->state[c] != CUL_UNTRIED)
    return f->state[c] == CUL_WORKS;
  for (int k = 0; k < MODELS; k++)
    broken +=
        f->models[k].weight * between(&f->models[k], f->before[c], f->after[c]);
  return 1 - broken;
}

void cul_broken_chances(const struct cul_dag *dag, const uint8_t *state,
                        double *works) {
  struct field *f = cul_xcalloc(1, sizeof *f);
  f->dag = dag;
  f->state = state;
  f->before = cul_xcalloc((size_t)dag->n + 1, sizeof *f->before);
  f->after = cul_xcalloc((size_t)dag->n + 1, sizeof *f->after);
  look_around(f);
  lay_out(f);
  weigh(f);
  for (uint32_t c = 0; c < dag->n; c++)
    works[c] = chance(f, c);
  free(f->before);
  free(f->after);
  free(f);
}
