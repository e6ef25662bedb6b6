/* The matrix: see matrix.h. */
#include "matrix.h"

#include <stdlib.h>

#include "../../probe/target/findings.h"
#include "../report/leave.h"

/* Nobody reads more cells. */
static const size_t most_cells = 10000;

struct job {
  const struct cul_matrix_conf *conf;
  struct cul_cells cells;
  size_t n; /* cells of the grid: the first n of cells, in its order */
};

static int make_cells(struct job *job, struct cul_err *err) {
  int rc = 0;
  job->n = cul_grid_size(job->cells.axes);
  if (job->n > most_cells)
    return cul_fail(err, CUL_EUSAGE, "leave out values or axes",
                    "a matrix of more than %zu cells", most_cells);
  for (size_t i = 0; i < job->n && rc == 0; i++) {
    uint32_t at[CUL_MAX_AXES] = {0}, cell;
    cul_grid_at(job->cells.axes, i, at);
    rc = cul_cells_at(&job->cells, at, &cell, err);
  }
  return rc;
}

/* Judge the first runs of all cells; then, if one run was requested and is not
 * enough, the failing cells once more. */
static int judge(struct job *job, struct cul_err *err) {
  uint32_t runs = job->conf->runs ? job->conf->runs : 1;
  struct cul_cell_point *points = cul_xcalloc(job->n * runs, sizeof *points);
  size_t n = 0;
  int rc;
  for (uint32_t k = 0; k < runs; k++)
    for (size_t i = 0; i < job->n; i++)
      points[n++] = (struct cul_cell_point){(uint32_t)i, k};
  rc = cul_cells_learn(&job->cells, points, n, err);
  if (rc == 0)
    rc = cul_cells_judge(&job->cells, points, n, err);
  n = 0;
  for (size_t i = 0; i < job->n && runs == 1 && rc == 0; i++)
    if (cul_cell_state(job->cells.cells[i]) == CUL_SAME)
      points[n++] = (struct cul_cell_point){(uint32_t)i, 1};
  if (rc == 0 && n > 0)
    rc = cul_cells_judge(&job->cells, points, n, err);
  free(points);
  return rc;
}

static json_t *term_of(const struct cul_axes *axes,
                       const struct cul_blame_term *term) {
  const struct cul_axis *axis = &axes->axes[term->axis];
  json_t *values = json_array();
  for (uint32_t v = 0; v < axis->n && term->values; v++)
    if (term->values[v])
      json_array_append_new(values, cul_report_string(axis->values[v]));
  return json_pack("{s:s, s:o}", "axis", axis->name, "values", values);
}

static json_t *blame_of(const struct job *job) {
  const struct cul_axes *axes = job->cells.axes;
  enum cul_blame_cell *states = cul_xcalloc(job->n, sizeof *states);
  json_t *terms = json_array(), *out;
  struct cul_blame blame;
  struct cul_buf sentence = {0};
  for (size_t i = 0; i < job->n; i++) {
    enum cul_answer state = cul_cell_state(job->cells.cells[i]);
    states[i] = state == CUL_SAME     ? CUL_CELL_FAILS
                : state == CUL_PASSES ? CUL_CELL_PASSES
                                      : CUL_CELL_UNKNOWN;
  }
  cul_blame_find(axes, states, &blame);
  cul_blame_say(axes, &blame, &sentence);
  for (size_t i = 0; i < blame.n_terms; i++)
    json_array_append_new(terms, term_of(axes, &blame.terms[i]));
  out = json_pack(
      "{s:s, s:o, s:o, s:I, s:I}", "kind", cul_blame_kind_name(blame.kind),
      "terms", terms, "sentence", cul_report_string(cul_buf_str(&sentence)),
      "fails", (json_int_t)blame.fails, "unknown", (json_int_t)blame.unknown);
  cul_buf_release(&sentence);
  cul_blame_release(&blame);
  free(states);
  return out;
}

/* Write the bundle of a failing and a passing cell. */
static int leave(const struct job *job, const json_t *report,
                 struct cul_err *err) {
  const struct cul_cell *bad = cul_cells_first(&job->cells, CUL_SAME);
  const struct cul_cell *good = cul_cells_first(&job->cells, CUL_PASSES);
  struct cul_leave bundle = {.dir = job->conf->bundle,
                             .target = &job->cells.target,
                             .conf = &job->cells.target.oracle_conf,
                             .sig = &job->cells.sought,
                             .fails = bad ? bad->command.argv : NULL,
                             .passes = good ? good->command.argv : NULL,
                             .report = {report, cul_matrix_say}};
  return cul_leave_bundle(&bundle, err);
}

int cul_matrix_run(const struct cul_matrix_conf *conf, json_t **report,
                   struct cul_err *err) {
  struct job *job = cul_xcalloc(1, sizeof *job);
  struct cul_err later = {0};
  int rc;
  *report = NULL;
  job->conf = conf;
  rc = cul_cells_open(&job->cells, &conf->cells, err);
  if (rc == 0)
    rc = make_cells(job, err);
  if (rc == 0)
    rc = judge(job, err);
  if (rc == 0 || (cul_is_cut(rc) && job->cells.learnt)) {
    *report = cul_cells_report(&job->cells, "matrix");
    cul_leave_result(*report, rc);
    json_object_set_new(*report, "blame", blame_of(job));
    rc = cul_leave_code(rc, leave(job, *report, &later), &later, err);
  }
  cul_cells_release(&job->cells);
  free(job);
  return rc;
}
