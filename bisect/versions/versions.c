/* Bisecting versions: see versions.h. */
#include "versions.h"

#include <stdlib.h>
#include <string.h>

#include "../../probe/target/findings.h"
#include "../report/leave.h"
#include "versions_private.h"

/* ---- report ---- */

/* The result of a bisection of versions, as JSON. */

static json_t *name_of(const struct cul_versions *job, size_t axis,
                       uint32_t value) {
  struct cul_buf text = {0};
  json_t *out;
  cul_axis_name(cul_versions_axis(job, axis), value, &text);
  out = cul_report_string(cul_buf_str(&text));
  cul_buf_release(&text);
  return out;
}

static enum cul_answer known_state(struct cul_versions *job, size_t axis,
                                   uint32_t value) {
  uint32_t at[CUL_MAX_AXES];
  memcpy(at, job->bad, sizeof at);
  at[axis] = value;
  for (size_t i = 0; i < job->cells.n; i++)
    if (memcmp(job->cells.cells[i]->at, at, job->cells.axes->n * sizeof *at) ==
        0)
      return cul_cell_state(job->cells.cells[i]);
  return CUL_UNRESOLVED;
}

/* Add all pairs of versions, without known ones between them, of which one
 * fails and the other passes. */
static void add_transitions(struct cul_versions *job, size_t axis,
                            json_t *out) {
  uint32_t before = UINT32_MAX;
  for (uint32_t v = 0; v < cul_versions_axis(job, axis)->n; v++) {
    enum cul_answer state = known_state(job, axis, v);
    if (!cul_versions_decided(state))
      continue;
    if (before != UINT32_MAX && known_state(job, axis, before) != state)
      json_array_append_new(out, json_pack("{s:o, s:o, s:b, s:b}", "from",
                                           name_of(job, axis, before), "to",
                                           name_of(job, axis, v), "fails",
                                           state == CUL_SAME, "adjacent",
                                           v == before + 1));
    before = v;
  }
}

static json_t *runs_at(const struct cul_versions_walk *walk, uint32_t point) {
  const struct cul_bisect_runs *runs = &walk->answer.runs[point];
  return json_pack(
      "{s:o, s:I, s:I}", "version",
      name_of(walk->job, walk->axis, cul_versions_value(walk, point)), "fails",
      (json_int_t)runs->fails, "runs",
      (json_int_t)runs->fails + (json_int_t)runs->passes);
}

static json_t *held_of(const struct cul_versions_walk *walk) {
  json_t *out = json_array();
  for (size_t k = 0; k < walk->job->cells.axes->n; k++)
    if (k != walk->axis)
      json_array_append_new(out, name_of(walk->job, k, walk->job->bad[k]));
  return out;
}

/* The change: the newer version of the pair made it. */
static json_t *change_of(const struct cul_versions_walk *walk) {
  const struct cul_line_answer *answer = &walk->answer;
  bool found = answer->end == CUL_BISECT_FOUND;
  bool forward = walk->job->good[walk->axis] == 0;
  uint32_t bad = cul_versions_value(walk, answer->culprit);
  uint32_t good = cul_versions_value(walk, answer->culprit - 1);
  json_t *out = json_object(), *suspects = json_array();
  for (size_t i = 0; i < answer->n_suspects; i++) {
    uint32_t s = answer->suspects[i];
    json_array_append_new(
        suspects, name_of(walk->job, walk->axis,
                          cul_versions_value(walk, forward ? s : s - 1)));
  }
  json_object_set_new(out, "culprit",
                      found
                          ? name_of(walk->job, walk->axis, forward ? bad : good)
                          : json_null());
  json_object_set_new(out, "parents",
                      found ? json_pack("[o]", name_of(walk->job, walk->axis,
                                                       forward ? good : bad))
                            : json_array());
  json_object_set_new(out, "breaks", json_boolean(forward));
  json_object_set_new(out, "suspects", suspects);
  json_object_set_new(out, "posterior", json_real(answer->posterior));
  json_object_set_new(
      out, "boundary",
      found ? json_pack("{s:o, s:o}", "fails", runs_at(walk, answer->culprit),
                        "passes", runs_at(walk, answer->culprit - 1))
            : json_null());
  json_object_set_new(out, "held", held_of(walk));
  return out;
}

/* Add the fields that all bisections have, for the only axis that matters. */
static void add_answer(json_t *out, const json_t *changes) {
  static const char *const keys[] = {"culprit",   "parents",  "suspects",
                                     "posterior", "boundary", NULL};
  const json_t *only =
      json_array_size(changes) == 1 ? json_array_get(changes, 0) : NULL;
  for (const char *const *key = keys; *key; key++) {
    json_t *value = only ? json_object_get(only, *key) : NULL;
    json_object_set(out, *key, value ? value : json_null());
    if (!value)
      json_object_set_new(out, *key, json_null());
  }
}

/* The whole report. */
static json_t *versions_report(struct cul_versions *job) {
  json_t *out = cul_cells_report(&job->cells,
                                 job->conf->job ? job->conf->job : "versions");
  json_t *changes = json_array(), *transitions = json_array();
  for (size_t k = 0; k < job->cells.axes->n; k++) {
    if (job->walks[k].answer.runs)
      json_array_append_new(changes, change_of(&job->walks[k]));
    if (job->walks[k].answer.runs || !job->bisected)
      add_transitions(job, k, transitions);
  }
  add_answer(out, changes);
  json_object_set_new(out, "changes", changes);
  json_object_set_new(out, "transitions", transitions);
  return out;
}

/* ---- versions ---- */

/* Runs of each end before it has an answer. */
enum { END_RUNS = 3 };
/* So few versions are all run: that costs little, and shows whether the failure
 * came or went more than once. */
enum { FEW = 8 };

/* ---- runs ---- */

static int judge_runs(struct cul_versions *job, const uint32_t *at,
                      uint32_t attempt, uint32_t n, uint32_t *cell,
                      struct cul_err *err) {
  struct cul_cell_point *points = cul_xcalloc(n + 1, sizeof *points);
  int rc = cul_cells_at(&job->cells, at, cell, err);
  for (uint32_t i = 0; i < n; i++)
    points[i] = (struct cul_cell_point){*cell, attempt + i};
  if (rc == 0)
    rc = cul_cells_judge(&job->cells, points, n, err);
  free(points);
  return rc;
}

static int run_point(void *self, uint32_t point, uint32_t attempt, uint32_t n,
                     enum cul_bisect_outcome *out, struct cul_err *err) {
  struct cul_versions_walk *walk = self;
  struct cul_versions *job = walk->job;
  uint32_t at[CUL_MAX_AXES], cell;
  int rc;
  memcpy(at, job->bad, sizeof at);
  at[walk->axis] = cul_versions_value(walk, point);
  rc = judge_runs(job, at, attempt, n, &cell, err);
  for (uint32_t i = 0; i < n && rc == 0; i++) {
    enum cul_answer answer = cul_cells_answer(
        &job->cells, (struct cul_cell_point){cell, attempt + i});
    out[i] = answer == CUL_SAME     ? CUL_BISECT_FAILS
             : answer == CUL_PASSES ? CUL_BISECT_PASSES
                                    : CUL_BISECT_UNTESTABLE;
  }
  return rc;
}

/* ---- the ends ---- */

static int learn_from_ends(struct cul_versions *job, const uint32_t *old,
                           const uint32_t *new, struct cul_err *err) {
  struct cul_cell_point points[2 * END_RUNS];
  uint32_t first, last;
  int rc = cul_cells_at(&job->cells, old, &first, err);
  if (rc == 0)
    rc = cul_cells_at(&job->cells, new, &last, err);
  for (uint32_t i = 0; i < END_RUNS && rc == 0; i++) {
    points[i] = (struct cul_cell_point){last, i};
    points[END_RUNS + i] = (struct cul_cell_point){first, i};
  }
  return rc ? rc
            : cul_cells_learn(&job->cells, points, 2 * (size_t)END_RUNS, err);
}

/* If the ends do not fail, learn from versions between them. */
static int learn_from_all(struct cul_versions *job, struct cul_err *err) {
  const struct cul_axis *axis = cul_versions_axis(job, 0);
  struct cul_cell_point *points = cul_xcalloc(axis->n, sizeof *points);
  int rc = 0;
  for (uint32_t v = 0; v < axis->n && rc == 0; v++)
    rc = cul_cells_at(&job->cells, &v, &points[v].cell, err);
  if (rc == 0)
    rc = cul_cells_learn(&job->cells, points, axis->n, err);
  free(points);
  return rc;
}

static void set_ends(struct cul_versions *job, uint32_t *old, uint32_t *new) {
  memset(old, 0, sizeof job->bad);
  memset(new, 0, sizeof job->bad);
  for (size_t k = 0; k < job->cells.axes->n; k++)
    new[k] = cul_versions_axis(job, k)->n - 1;
}

/* ---- one axis after the other ---- */

enum need { NOT_NEEDED, NEEDED, UNTOLD };

/* Set the axis to the passing end's value, unless the failure is then lost. */
static int find_need(struct cul_versions *job, size_t k, enum need *need,
                     struct cul_err *err) {
  uint32_t was = job->bad[k];
  enum cul_answer state;
  int rc = 0;
  *need = job->bad[k] == job->good[k] ? NOT_NEEDED : NEEDED;
  if (*need == NOT_NEEDED || job->cells.axes->n == 1)
    return 0;
  job->bad[k] = job->good[k];
  rc = cul_cells_state_at(&job->cells, job->bad, END_RUNS, &state, err);
  if (rc == 0 && state == CUL_SAME) {
    *need = NOT_NEEDED;
    return 0;
  }
  *need = rc == 0 && state == CUL_PASSES ? NEEDED : UNTOLD;
  job->bad[k] = was;
  return rc;
}

/* Find the axes needed, one after the other.  After an axis was set back,
 * others that could not be judged are tried again. */
static int find_needs(struct cul_versions *job, enum need *needs,
                      struct cul_err *err) {
  size_t n = job->cells.axes->n;
  bool again = true;
  int rc = 0;
  for (size_t k = 0; k < n; k++)
    needs[k] = UNTOLD;
  while (again && rc == 0) {
    again = false;
    for (size_t k = 0; k < n && rc == 0; k++) {
      if (needs[k] != UNTOLD)
        continue;
      rc = find_need(job, k, &needs[k], err);
      again = again || needs[k] == NOT_NEEDED;
    }
  }
  return rc;
}

/* Fail because no axis is known to be needed, with the reason for the first. */
static int fail_untold(struct cul_versions *job, const enum need *needs,
                       struct cul_err *err) {
  uint32_t at[CUL_MAX_AXES], cell;
  struct cul_buf name = {0};
  size_t k = 0;
  int rc;
  while (k + 1 < job->cells.axes->n && needs[k] != UNTOLD)
    k++;
  memcpy(at, job->bad, sizeof at);
  at[k] = job->good[k];
  rc = cul_cells_at(&job->cells, at, &cell, err);
  if (rc < 0)
    return rc;
  cul_axes_name(job->cells.axes, at, &name);
  rc = cul_fail(
      err, CUL_EENV,
      job->conf->cells.installer ? "give only one of them, so that pip chooses "
                                   "the others; or use --no-deps"
                                 : "give only one of them",
      "the cause cannot be determined, because %s cannot be judged: %s",
      cul_buf_str(&name), job->cells.cells[cell]->verdict.why);
  cul_buf_release(&name);
  return rc;
}

static int walk_axis(struct cul_versions *job, size_t axis,
                     struct cul_err *err) {
  struct cul_bisect_conf conf = job->conf->search;
  struct cul_versions_walk *walk = &job->walks[axis];
  struct cul_line line = {
      .n = cul_versions_axis(job, axis)->n - 1, .self = walk, .run = run_point};
  *walk = (struct cul_versions_walk){.job = job, .axis = axis};
  conf.one_sided = !job->cells.target.oracle_conf.script.wanted &&
                   job->cells.sought.kind != CUL_KIND_EXIT;
  return cul_line_bisect(&line, &conf, &walk->answer, err);
}

/* Run every value of the axis, with the other axes as in the failing end. */
static int run_whole(struct cul_versions *job, size_t axis,
                     struct cul_err *err) {
  const struct cul_axis *a = cul_versions_axis(job, axis);
  struct cul_cell_point *points = cul_xcalloc(a->n, sizeof *points);
  uint32_t at[CUL_MAX_AXES];
  int rc = 0;
  memcpy(at, job->bad, sizeof at);
  for (uint32_t v = 0; v < a->n && rc == 0; v++) {
    at[axis] = v;
    rc = cul_cells_at(&job->cells, at, &points[v].cell, err);
  }
  if (rc == 0)
    rc = cul_cells_judge(&job->cells, points, a->n, err);
  free(points);
  return rc;
}

static int bisect_axes(struct cul_versions *job, struct cul_err *err) {
  enum need needs[CUL_MAX_AXES] = {NOT_NEEDED};
  bool any = false;
  int rc = find_needs(job, needs, err);
  job->bisected = true;
  for (size_t k = 0; k < job->cells.axes->n && rc == 0; k++) {
    if (needs[k] != NEEDED)
      continue;
    any = true;
    rc = walk_axis(job, k, err);
    if (rc == 0 && (job->conf->all || (!job->conf->costly &&
                                       cul_versions_axis(job, k)->n <= FEW)))
      rc = run_whole(job, k, err);
  }
  return rc == 0 && !any ? fail_untold(job, needs, err) : rc;
}

/* ---- the answer ---- */

/* Write the bundle of the two versions of the first axis that matters; without
 * a bisection, of any two of which one fails. */
static int leave(struct cul_versions *job, const json_t *report,
                 struct cul_err *err) {
  const struct cul_cell *bad = cul_cells_first(&job->cells, CUL_SAME);
  const struct cul_cell *good = cul_cells_first(&job->cells, CUL_PASSES);
  const struct cul_leave_report told = {
      report, job->conf->say ? job->conf->say : cul_versions_say};
  for (size_t k = job->cells.axes->n; k-- > 0;) {
    const struct cul_versions_walk *walk = &job->walks[k];
    uint32_t at[CUL_MAX_AXES], cell;
    if (!walk->answer.runs || walk->answer.end != CUL_BISECT_FOUND)
      continue;
    memcpy(at, job->bad, sizeof at);
    at[k] = cul_versions_value(walk, walk->answer.culprit);
    if (cul_cells_at(&job->cells, at, &cell, err) < 0)
      return err->code;
    bad = job->cells.cells[cell];
    at[k] = cul_versions_value(walk, walk->answer.culprit - 1);
    if (cul_cells_at(&job->cells, at, &cell, err) < 0)
      return err->code;
    good = job->cells.cells[cell];
  }
  return cul_cells_leave_bundle(&job->cells, job->conf->bundle, bad, good,
                                &told, err);
}

static int fail_ends(struct cul_versions *job, enum cul_answer old,
                     enum cul_answer new, const json_t *report,
                     struct cul_err *err) {
  bool judged = (old == CUL_SAME || old == CUL_OTHER || old == CUL_PASSES) &&
                (new == CUL_SAME || new == CUL_OTHER || new == CUL_PASSES);
  if (json_array_size(json_object_get(report, "transitions")) > 0)
    return 0;
  if (old == CUL_SAME && new == CUL_SAME)
    return cul_fail(err, CUL_EUSAGE, "give a version that passes, too",
                    job->cells.axes->n > 1
                        ? "both ends fail"
                        : "every version that could be judged fails");
  return cul_fail(err, judged ? CUL_EUSAGE : CUL_EENV,
                  "one end must show this failure, and the other must pass; "
                  "with --any-crash, or --match with the common text, other "
                  "failures count as the same",
                  "both ends fail: the oldest shows \"%s\", the newest \"%s\"",
                  cul_answer_name(old), cul_answer_name(new));
}

static int fail_walk(const struct cul_versions *job, struct cul_err *err) {
  for (size_t k = 0; k < job->cells.axes->n; k++) {
    const struct cul_line_answer *answer = &job->walks[k].answer;
    if (answer->runs && answer->end != CUL_BISECT_FOUND &&
        answer->end != CUL_BISECT_SUSPECTS)
      return cul_fail(err, CUL_EFLAKY,
                      "fix what varies, or use --match for the failure",
                      "the results for the ends of %s changed between runs",
                      cul_versions_axis(job, k)->name);
  }
  return 0;
}

/* What cannot be tested may leave several versions of one axis. */
static int fail_several(const struct cul_versions *job, struct cul_err *err) {
  for (size_t k = 0; k < job->cells.axes->n; k++) {
    const struct cul_line_answer *answer = &job->walks[k].answer;
    if (answer->runs && answer->end == CUL_BISECT_SUSPECTS &&
        answer->n_suspects > 1)
      return cul_leave_several("version", answer->n_suspects, err);
  }
  return 0;
}

/* Find the failing end.  *both: the answer is the same at both ends. */
static int find_ends(struct cul_versions *job, bool *both,
                     struct cul_err *err) {
  uint32_t old[CUL_MAX_AXES], new[CUL_MAX_AXES];
  int rc;
  set_ends(job, old, new);
  rc = learn_from_ends(job, old, new, err);
  if (rc == CUL_ENOFAIL && job->cells.axes->n == 1)
    rc = learn_from_all(job, err);
  if (rc == 0)
    rc = cul_cells_state_at(&job->cells, old, END_RUNS, &job->at_old, err);
  if (rc == 0)
    rc = cul_cells_state_at(&job->cells, new, END_RUNS, &job->at_new, err);
  if (rc < 0)
    return rc;
  memcpy(job->bad, job->at_old == CUL_SAME ? old : new, sizeof old);
  memcpy(job->good, job->at_old == CUL_SAME ? new : old, sizeof old);
  *both = job->at_old == job->at_new || !cul_versions_decided(job->at_old) ||
          !cul_versions_decided(job->at_new);
  return 0;
}

/* The ends are given: check that each behaves as it should. */
static int check_ends(struct cul_versions *job, struct cul_err *err) {
  for (size_t k = 0; k < job->cells.axes->n; k++) {
    job->good[k] = job->conf->good[k];
    job->bad[k] = cul_versions_axis(job, k)->n - 1 - job->good[k];
  }
  return cul_cells_check_ends(&job->cells, job->bad, job->good, END_RUNS, err);
}

static int search(struct cul_versions *job, struct cul_err *err) {
  bool both = false;
  int rc = job->conf->good ? check_ends(job, err) : find_ends(job, &both, err);
  if (rc < 0)
    return rc;
  if (!both)
    return bisect_axes(job, err);
  return job->cells.axes->n == 1 ? run_whole(job, 0, err) : 0;
}

/* Report what is known when the search has ended with rc. */
static int finish(struct cul_versions *job, int rc, json_t **report,
                  struct cul_err *err) {
  const struct cul_installer *installer = job->conf->cells.installer;
  struct cul_err later = {0};
  bool cut = cul_is_cut(rc);
  if (rc < 0 && (!cut || !job->cells.learnt))
    return rc;
  *report = versions_report(job);
  if (installer && installer->complete &&
      installer->complete(installer->self, *report, cut, &later) < 0) {
    *err = later;
    rc = later.code;
  }
  cul_leave_result(*report, rc);
  if (cul_is_cut(rc))
    return cul_leave_code(rc, leave(job, *report, &later), &later, err);
  if (rc == 0 && !job->bisected)
    rc = fail_ends(job, job->at_old, job->at_new, *report, err);
  if (rc == 0)
    rc = fail_walk(job, err);
  if (rc == 0)
    rc = leave(job, *report, err);
  return rc ? rc : fail_several(job, err);
}

int cul_versions_run(const struct cul_versions_conf *conf, json_t **report,
                     struct cul_err *err) {
  struct cul_versions *job = cul_xcalloc(1, sizeof *job);
  int rc;
  *report = NULL;
  job->conf = conf;
  rc = cul_cells_open(&job->cells, &conf->cells, err);
  if (rc == 0)
    rc = finish(job, search(job, err), report, err);
  for (size_t k = 0; k < CUL_MAX_AXES; k++)
    cul_line_answer_release(&job->walks[k].answer);
  cul_cells_release(&job->cells);
  free(job);
  return rc;
}
