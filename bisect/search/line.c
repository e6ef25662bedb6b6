/* Bisecting a line: see line.h. */
#include "line.h"

#include <stdlib.h>

#include "../../base/buf.h"

struct walk {
  const struct cul_line *line;
  struct cul_dag dag; /* candidate c is point c + 1; point 0 is outside */
  struct cul_bisector *bisector;
  uint32_t *attempts; /* by point: attempts so far */
};

static uint32_t point_of(const struct walk *walk, uint32_t node) {
  return node == walk->dag.n ? 0 : node + 1;
}

static uint32_t node_of(const struct walk *walk, uint32_t point) {
  return point == 0 ? walk->dag.n : point - 1;
}

static int take_step(struct walk *walk, const struct cul_bisect_step *step,
                     struct cul_err *err) {
  uint32_t point = point_of(walk, step->point);
  enum cul_bisect_outcome *outcomes =
      cul_xcalloc(step->runs + 1, sizeof *outcomes);
  int rc = walk->line->run(walk->line->self, point, walk->attempts[point],
                           step->runs, outcomes, err);
  walk->attempts[point] += step->runs;
  for (uint32_t i = 0; i < step->runs && rc == 0; i++) {
    cul_bisector_tell(walk->bisector, step->point, outcomes[i]);
    if (outcomes[i] == CUL_BISECT_UNTESTABLE)
      break;
  }
  free(outcomes);
  return rc;
}

static void fill(struct walk *walk, struct cul_line_answer *out) {
  struct cul_bisect_answer answer;
  struct cul_bisect_tally tally;
  cul_bisector_answer(walk->bisector, &answer);
  cul_bisector_tally(walk->bisector, &tally);
  out->end = answer.end;
  out->culprit = answer.culprit + 1;
  out->posterior =
      answer.end == CUL_BISECT_FOUND ? answer.posterior : answer.mass;
  out->suspects = answer.suspects;
  out->n_suspects = answer.n_suspects;
  for (size_t i = 0; i < answer.n_suspects; i++)
    out->suspects[i]++;
  out->flaky = tally.flaky;
  out->runs = cul_xcalloc((size_t)walk->line->n + 1, sizeof *out->runs);
  for (uint32_t p = 0; p <= walk->line->n; p++)
    out->runs[p] = *cul_bisector_runs(walk->bisector, node_of(walk, p));
}

int cul_line_bisect(const struct cul_line *line,
                    const struct cul_bisect_conf *conf,
                    struct cul_line_answer *answer, struct cul_err *err) {
  struct walk walk = {.line = line};
  struct cul_bisect_step step;
  int rc = 0;
  *answer = (struct cul_line_answer){0};
  cul_dag_line(line->n, &walk.dag);
  walk.bisector = cul_bisector_new(&walk.dag, NULL, conf);
  walk.attempts = cul_xcalloc((size_t)line->n + 1, sizeof *walk.attempts);
  while (rc == 0 && cul_bisector_ask(walk.bisector, &step))
    rc = take_step(&walk, &step, err);
  if (rc == 0 || cul_is_cut(rc))
    fill(&walk, answer);
  cul_bisector_free(walk.bisector);
  cul_dag_release(&walk.dag);
  free(walk.attempts);
  return rc;
}

void cul_line_answer_release(struct cul_line_answer *answer) {
  free(answer->suspects);
  free(answer->runs);
  *answer = (struct cul_line_answer){0};
}
