/* Bisecting versions: see versions.h. */
#include "versions.h"

#include <stdlib.h>
#include <string.h>

#include "../probe/findings.h"
#include "leave.h"

/* Runs of each end before anything is said of it. */
enum { END_RUNS = 3 };
/* So few versions are all run: it costs little, and shows whether the failure
 * came or went more than once. */
enum { FEW = 8 };

/* An axis that matters, walked from the end that passes to that which fails. */
struct walk {
  struct job *job;
  size_t axis;
  struct cul_line_answer answer;
};

struct job {
  const struct cul_versions_conf *conf;
  struct cul_cells cells;
  uint32_t bad[CUL_MAX_AXES], good[CUL_MAX_AXES];
  struct walk walks[CUL_MAX_AXES]; /* by axis; answer.runs: NULL = no matter */
  bool bisected;
};

static const struct cul_axis *axis_of(const struct job *job, size_t axis) {
  return &job->cells.axes.axes[axis];
}

/* ---- runs ---- */

static int judge_runs(struct job *job, const uint32_t *at, uint32_t attempt,
                      uint32_t n, uint32_t *cell, struct cul_err *err) {
  struct cul_cell_point *points = cul_xcalloc(n + 1, sizeof *points);
  int rc = cul_cells_at(&job->cells, at, cell, err);
  for (uint32_t i = 0; i < n; i++)
    points[i] = (struct cul_cell_point){*cell, attempt + i};
  if (rc == 0)
    rc = cul_cells_judge(&job->cells, points, n, err);
  free(points);
  return rc;
}

static int state_at(struct job *job, const uint32_t *at, uint32_t runs,
                    enum cul_answer *out, struct cul_err *err) {
  uint32_t cell;
  int rc = judge_runs(job, at, 0, runs, &cell, err);
  if (rc == 0)
    *out = cul_cell_state(job->cells.cells[cell]);
  return rc;
}

/* The value of the axis at a point of its line. */
static uint32_t value_at(const struct walk *walk, uint32_t point) {
  const struct job *job = walk->job;
  bool forward = job->good[walk->axis] == 0;
  return forward ? point : axis_of(job, walk->axis)->n - 1 - point;
}

static int run_point(void *self, uint32_t point, uint32_t attempt, uint32_t n,
                     enum cul_bisect_outcome *out, struct cul_err *err) {
  struct walk *walk = self;
  struct job *job = walk->job;
  uint32_t at[CUL_MAX_AXES], cell;
  int rc;
  memcpy(at, job->bad, sizeof at);
  at[walk->axis] = value_at(walk, point);
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

static int learn_from_ends(struct job *job, const uint32_t *old,
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

/* Where the ends do not fail, versions between them may. */
static int learn_from_all(struct job *job, struct cul_err *err) {
  const struct cul_axis *axis = axis_of(job, 0);
  struct cul_cell_point *points = cul_xcalloc(axis->n, sizeof *points);
  int rc = 0;
  for (uint32_t v = 0; v < axis->n && rc == 0; v++)
    rc = cul_cells_at(&job->cells, &v, &points[v].cell, err);
  if (rc == 0)
    rc = cul_cells_learn(&job->cells, points, axis->n, err);
  free(points);
  return rc;
}

static void set_ends(struct job *job, uint32_t *old, uint32_t *new) {
  memset(old, 0, sizeof job->bad);
  memset(new, 0, sizeof job->bad);
  for (size_t k = 0; k < job->cells.axes.n; k++)
    new[k] = axis_of(job, k)->n - 1;
}

/* ---- one axis after the other ---- */

/* Set back to the end that passes what may be, without losing the failure. */
static int find_axes(struct job *job, bool *matters, struct cul_err *err) {
  int rc = 0;
  for (size_t k = 0; k < job->cells.axes.n && rc == 0; k++) {
    uint32_t was = job->bad[k];
    enum cul_answer state;
    matters[k] = true;
    if (job->bad[k] == job->good[k]) {
      matters[k] = false;
      continue;
    }
    if (job->cells.axes.n == 1)
      break;
    job->bad[k] = job->good[k];
    rc = state_at(job, job->bad, END_RUNS, &state, err);
    matters[k] = rc == 0 && state != CUL_SAME;
    if (matters[k])
      job->bad[k] = was;
  }
  return rc;
}

static int walk_axis(struct job *job, size_t axis, struct cul_err *err) {
  struct cul_bisect_conf conf = job->conf->search;
  struct walk *walk = &job->walks[axis];
  struct cul_line line = {
      .n = axis_of(job, axis)->n - 1, .self = walk, .run = run_point};
  *walk = (struct walk){.job = job, .axis = axis};
  conf.one_sided = !job->cells.target.oracle_conf.script &&
                   job->cells.sought.kind != CUL_KIND_EXIT;
  return cul_line_bisect(&line, &conf, &walk->answer, err);
}

/* Every value of the axis, the others as where it fails. */
static int run_whole(struct job *job, size_t axis, struct cul_err *err) {
  const struct cul_axis *a = axis_of(job, axis);
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

static int bisect_axes(struct job *job, struct cul_err *err) {
  bool matters[CUL_MAX_AXES] = {false};
  int rc = find_axes(job, matters, err);
  job->bisected = true;
  for (size_t k = 0; k < job->cells.axes.n && rc == 0; k++) {
    if (!matters[k])
      continue;
    rc = walk_axis(job, k, err);
    if (rc == 0 && (job->conf->all || axis_of(job, k)->n <= FEW))
      rc = run_whole(job, k, err);
  }
  return rc;
}

/* ---- the answer ---- */

static json_t *name_of(const struct job *job, size_t axis, uint32_t value) {
  struct cul_buf text = {0};
  json_t *out;
  cul_axis_name(axis_of(job, axis), value, &text);
  out = cul_report_string(cul_buf_str(&text));
  cul_buf_release(&text);
  return out;
}

static enum cul_answer known_state(struct job *job, size_t axis,
                                   uint32_t value) {
  uint32_t at[CUL_MAX_AXES];
  memcpy(at, job->bad, sizeof at);
  at[axis] = value;
  for (size_t i = 0; i < job->cells.n; i++)
    if (memcmp(job->cells.cells[i]->at, at, job->cells.axes.n * sizeof *at) ==
        0)
      return cul_cell_state(job->cells.cells[i]);
  return CUL_UNRESOLVED;
}

static bool is_decided(enum cul_answer state) {
  return state == CUL_SAME || state == CUL_PASSES;
}

/* Every two versions, with nothing known between them, of which one fails and
 * the other passes. */
static void add_transitions(struct job *job, size_t axis, json_t *out) {
  uint32_t before = UINT32_MAX;
  for (uint32_t v = 0; v < axis_of(job, axis)->n; v++) {
    enum cul_answer state = known_state(job, axis, v);
    if (!is_decided(state))
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

static json_t *runs_at(const struct walk *walk, uint32_t point) {
  const struct cul_bisect_runs *runs = &walk->answer.runs[point];
  return json_pack("{s:o, s:I, s:I}", "version",
                   name_of(walk->job, walk->axis, value_at(walk, point)),
                   "fails", (json_int_t)runs->fails, "runs",
                   (json_int_t)runs->fails + (json_int_t)runs->passes);
}

static json_t *held_of(const struct walk *walk) {
  json_t *out = json_array();
  for (size_t k = 0; k < walk->job->cells.axes.n; k++)
    if (k != walk->axis)
      json_array_append_new(out, name_of(walk->job, k, walk->job->bad[k]));
  return out;
}

/* The version that changed it is the newer one of the pair. */
static json_t *change_of(const struct walk *walk) {
  const struct cul_line_answer *answer = &walk->answer;
  bool found = answer->end == CUL_BISECT_FOUND;
  bool forward = walk->job->good[walk->axis] == 0;
  uint32_t bad = value_at(walk, answer->culprit);
  uint32_t good = value_at(walk, answer->culprit - 1);
  json_t *out = json_object(), *suspects = json_array();
  for (size_t i = 0; i < answer->n_suspects; i++) {
    uint32_t s = answer->suspects[i];
    json_array_append_new(
        suspects,
        name_of(walk->job, walk->axis, value_at(walk, forward ? s : s - 1)));
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

/* The fields that every bisection has: of the one axis that matters. */
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

static json_t *report_of(struct job *job) {
  json_t *out = cul_cells_report(&job->cells, "versions");
  json_t *changes = json_array(), *transitions = json_array();
  for (size_t k = 0; k < job->cells.axes.n; k++) {
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

/* The two versions of the first axis that matters; any two of which one fails,
 * where none was bisected. */
static int leave(struct job *job, const json_t *report, struct cul_err *err) {
  struct cul_leave bundle = {.dir = job->conf->bundle,
                             .target = &job->cells.target,
                             .conf = &job->cells.target.oracle_conf,
                             .sig = &job->cells.sought,
                             .report = report};
  const struct cul_cell *bad = cul_cells_first(&job->cells, CUL_SAME);
  const struct cul_cell *good = cul_cells_first(&job->cells, CUL_PASSES);
  for (size_t k = job->cells.axes.n; k-- > 0;) {
    const struct walk *walk = &job->walks[k];
    uint32_t at[CUL_MAX_AXES], cell;
    if (!walk->answer.runs || walk->answer.end != CUL_BISECT_FOUND)
      continue;
    memcpy(at, job->bad, sizeof at);
    at[k] = value_at(walk, walk->answer.culprit);
    if (cul_cells_at(&job->cells, at, &cell, err) < 0)
      return err->code;
    bad = job->cells.cells[cell];
    at[k] = value_at(walk, walk->answer.culprit - 1);
    if (cul_cells_at(&job->cells, at, &cell, err) < 0)
      return err->code;
    good = job->cells.cells[cell];
  }
  bundle.fails = bad ? bad->command.argv : NULL;
  bundle.passes = good ? good->command.argv : NULL;
  return cul_leave_bundle(&bundle, err);
}

static int fail_ends(struct job *job, enum cul_answer old, enum cul_answer new,
                     const json_t *report, struct cul_err *err) {
  if (json_array_size(json_object_get(report, "transitions")) > 0)
    return 0;
  if (old == CUL_SAME && new == CUL_SAME)
    return cul_fail(err, CUL_EUSAGE, "give a version that passes, too",
                    job->cells.axes.n > 1
                        ? "both ends fail"
                        : "every version that could be judged fails");
  return cul_fail(err, CUL_EENV,
                  "give ends that fail as sought, and that pass; see --json",
                  "the ends cannot be told apart: the oldest %s, the newest "
                  "%s",
                  cul_answer_name(old), cul_answer_name(new));
}

static int fail_walk(const struct job *job, struct cul_err *err) {
  for (size_t k = 0; k < job->cells.axes.n; k++) {
    const struct cul_line_answer *answer = &job->walks[k].answer;
    if (answer->runs && answer->end != CUL_BISECT_FOUND &&
        answer->end != CUL_BISECT_SUSPECTS)
      return cul_fail(err, CUL_EFLAKY,
                      "pin what varies, or give --match for what to look for",
                      "the ends of %s did not stay what they were",
                      axis_of(job, k)->name);
  }
  return 0;
}

/* The search has ended with rc: what is known by then. */
static int keep(struct job *job, int rc, json_t **report, struct cul_err *err) {
  struct cul_err later = {0};
  if (!cul_is_cut(rc) || !job->cells.learnt)
    return rc;
  *report = report_of(job);
  cul_leave_result(*report, rc);
  return cul_leave_code(rc, leave(job, *report, &later), &later, err);
}

static int search(struct job *job, json_t **report, struct cul_err *err) {
  uint32_t old[CUL_MAX_AXES], new[CUL_MAX_AXES];
  enum cul_answer at_old = CUL_PASSES, at_new = CUL_PASSES;
  int rc;
  set_ends(job, old, new);
  rc = learn_from_ends(job, old, new, err);
  if (rc == CUL_ENOFAIL && job->cells.axes.n == 1)
    rc = learn_from_all(job, err);
  if (rc == 0)
    rc = state_at(job, old, END_RUNS, &at_old, err);
  if (rc == 0)
    rc = state_at(job, new, END_RUNS, &at_new, err);
  if (rc < 0)
    return keep(job, rc, report, err);
  memcpy(job->bad, at_old == CUL_SAME ? old : new, sizeof old);
  memcpy(job->good, at_old == CUL_SAME ? new : old, sizeof old);
  if (at_old != at_new && is_decided(at_old) && is_decided(at_new))
    rc = bisect_axes(job, err);
  else if (job->cells.axes.n == 1)
    rc = run_whole(job, 0, err);
  if (rc < 0)
    return keep(job, rc, report, err);
  *report = report_of(job);
  cul_leave_result(*report, rc);
  if (!job->bisected)
    rc = fail_ends(job, at_old, at_new, *report, err);
  if (rc == 0)
    rc = fail_walk(job, err);
  return rc ? rc : leave(job, *report, err);
}

int cul_versions_run(const struct cul_versions_conf *conf, json_t **report,
                     struct cul_err *err) {
  struct job *job = cul_xcalloc(1, sizeof *job);
  int rc;
  *report = NULL;
  job->conf = conf;
  rc = cul_cells_open(&job->cells, &conf->cells, err);
  if (rc == 0)
    rc = search(job, report, err);
  for (size_t k = 0; k < CUL_MAX_AXES; k++)
    cul_line_answer_release(&job->walks[k].answer);
  cul_cells_release(&job->cells);
  free(job);
  return rc;
}
