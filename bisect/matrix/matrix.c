/* The matrix: see matrix.h. */
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

#include "../../probe/target/findings.h"
#include "../report/leave.h"

/* ---- who is to blame ---- */

static const char *blame_kind_name(enum cul_blame_kind kind) {
  static const char *const names[] = {"none",   "all",  "all-of",
                                      "any-of", "pair", "mostly"};
  return names[kind];
}

/* ---- the grid ---- */

size_t cul_grid_size(const struct cul_axes *axes) {
  size_t n = 1;
  for (size_t i = 0; i < axes->n; i++)
    if (__builtin_mul_overflow(n, (size_t)axes->axes[i].n, &n))
      return SIZE_MAX;
  return n;
}

/* The values of cell i: at[axes->n]. */
static void grid_at(const struct cul_axes *axes, size_t i, uint32_t *at) {
  for (size_t k = axes->n; k-- > 0;) {
    at[k] = (uint32_t)(i % axes->axes[k].n);
    i /= axes->axes[k].n;
  }
}

struct grid {
  const struct cul_axes *axes;
  const enum cul_blame_cell *cells;
  size_t n;
};

static bool tells(enum cul_blame_cell cell) {
  return cell == CUL_CELL_PASSES || cell == CUL_CELL_FAILS;
}

/* ---- rules ---- */

/* For each axis, mark the values that occur among cells of this kind. */
static bool **values_of(const struct grid *grid, enum cul_blame_cell kind) {
  const struct cul_axes *axes = grid->axes;
  bool **seen = cul_xcalloc(axes->n, sizeof *seen);
  uint32_t at[CUL_MAX_AXES];
  for (size_t k = 0; k < axes->n; k++)
    seen[k] = cul_xcalloc(axes->axes[k].n, sizeof **seen);
  for (size_t i = 0; i < grid->n; i++) {
    grid_at(axes, i, at);
    for (size_t k = 0; k < axes->n && grid->cells[i] == kind; k++)
      seen[k][at[k]] = true;
  }
  return seen;
}

static void free_values(const struct grid *grid, bool **seen) {
  for (size_t k = 0; k < grid->axes->n; k++)
    free(seen[k]);
  free(seen);
}

static bool holds_all(const struct grid *grid, bool *const *seen, size_t i) {
  uint32_t at[CUL_MAX_AXES];
  grid_at(grid->axes, i, at);
  for (size_t k = 0; k < grid->axes->n; k++)
    if (!seen[k][at[k]])
      return false;
  return true;
}

/* Are the cells of this kind exactly those whose values are all in seen? */
static bool is_product(const struct grid *grid, bool *const *seen,
                       enum cul_blame_cell kind) {
  for (size_t i = 0; i < grid->n; i++)
    if (tells(grid->cells[i]) && grid->cells[i] != kind &&
        holds_all(grid, seen, i))
      return false;
  return true;
}

/* Make terms of the axes for which seen does not have all values; inverted: of
 * the values that it lacks. */
static void take_terms(const struct grid *grid, bool **seen, bool inverted,
                       struct cul_blame *out) {
  for (size_t k = 0; k < grid->axes->n; k++) {
    uint32_t n = grid->axes->axes[k].n, in = 0;
    for (uint32_t v = 0; v < n; v++)
      in += seen[k][v];
    if (in == n)
      continue;
    for (uint32_t v = 0; v < n; v++)
      seen[k][v] ^= inverted;
    out->terms[out->n_terms++] =
        (struct cul_blame_term){.axis = (uint32_t)k, .values = seen[k]};
    seen[k] = NULL;
  }
}

/* Explain the failure by a product: it fails exactly with all of these values,
 * or, from passing cells, with any of the others. */
static bool by_product(const struct grid *grid, enum cul_blame_cell kind,
                       struct cul_blame *out) {
  bool **seen = values_of(grid, kind);
  bool is = is_product(grid, seen, kind);
  if (is)
    take_terms(grid, seen, kind == CUL_CELL_PASSES, out);
  is = is && out->n_terms > 0;
  if (is)
    out->kind = kind == CUL_CELL_PASSES ? CUL_BLAME_ANY_OF : CUL_BLAME_ALL_OF;
  free_values(grid, seen);
  return is;
}

/* Do these two axes alone determine the answer? */
static bool decide(const struct grid *grid, size_t a, size_t b) {
  uint32_t n_b = grid->axes->axes[b].n, at[CUL_MAX_AXES];
  enum cul_blame_cell *table =
      cul_xcalloc((size_t)grid->axes->axes[a].n * n_b, sizeof *table);
  bool same = true;
  for (size_t i = 0; i < grid->n && same; i++) {
    enum cul_blame_cell *entry;
    grid_at(grid->axes, i, at);
    entry = &table[(size_t)at[a] * n_b + at[b]];
    if (!tells(*entry))
      *entry = grid->cells[i];
    same = !tells(grid->cells[i]) || grid->cells[i] == *entry;
  }
  free(table);
  return same;
}

static bool by_pair(const struct grid *grid, struct cul_blame *out) {
  for (size_t a = 0; a < grid->axes->n; a++)
    for (size_t b = a + 1; b < grid->axes->n; b++)
      if (decide(grid, a, b)) {
        out->kind = CUL_BLAME_PAIR;
        out->n_terms = 2;
        out->terms[0] = (struct cul_blame_term){.axis = (uint32_t)a};
        out->terms[1] = (struct cul_blame_term){.axis = (uint32_t)b};
        return true;
      }
  return false;
}

/* The number of failing cells with this value, minus that of passing ones. */
static long worth_of(const struct grid *grid, size_t axis, uint32_t value,
                     size_t *fails) {
  uint32_t at[CUL_MAX_AXES];
  long worth = 0;
  *fails = 0;
  for (size_t i = 0; i < grid->n; i++) {
    grid_at(grid->axes, i, at);
    if (at[axis] != value)
      continue;
    worth += (grid->cells[i] == CUL_CELL_FAILS) -
             (grid->cells[i] == CUL_CELL_PASSES);
    *fails += grid->cells[i] == CUL_CELL_FAILS;
  }
  return worth;
}

static void by_most(const struct grid *grid, struct cul_blame *out) {
  long best = 0;
  bool found = false;
  struct cul_blame_term *term = &out->terms[0];
  uint32_t value = 0;
  for (size_t k = 0; k < grid->axes->n; k++)
    for (uint32_t v = 0; v < grid->axes->axes[k].n; v++) {
      size_t fails;
      long worth = worth_of(grid, k, v, &fails);
      if (grid->axes->axes[k].n < 2 || (found && worth <= best))
        continue;
      best = worth, found = true, value = v;
      term->axis = (uint32_t)k;
      out->explained = fails;
    }
  out->kind = CUL_BLAME_MOSTLY;
  out->n_terms = 1;
  term->values = cul_xcalloc(grid->axes->axes[term->axis].n, sizeof(bool));
  term->values[value] = true;
}

void cul_blame_find(const struct cul_axes *axes,
                    const enum cul_blame_cell *cells, struct cul_blame *out) {
  struct grid grid = {axes, cells, cul_grid_size(axes)};
  size_t passes = 0;
  *out = (struct cul_blame){.kind = CUL_BLAME_NONE};
  for (size_t i = 0; i < grid.n; i++) {
    out->fails += cells[i] == CUL_CELL_FAILS;
    passes += cells[i] == CUL_CELL_PASSES;
    out->others += cells[i] == CUL_CELL_OTHER;
    out->unknown += cells[i] == CUL_CELL_UNKNOWN;
  }
  if (out->fails == 0)
    return;
  if (passes == 0)
    out->kind = CUL_BLAME_ALL;
  else if (!by_product(&grid, CUL_CELL_FAILS, out) &&
           !by_product(&grid, CUL_CELL_PASSES, out) && !by_pair(&grid, out))
    by_most(&grid, out);
}

void cul_blame_release(struct cul_blame *blame) {
  for (size_t i = 0; i < blame->n_terms; i++)
    free(blame->terms[i].values);
  *blame = (struct cul_blame){0};
}

/* ---- in words ---- */

static void say_term(const struct cul_axes *axes,
                     const struct cul_blame_term *term, struct cul_buf *out) {
  const struct cul_axis *axis = &axes->axes[term->axis];
  const char *between = "=";
  cul_buf_adds(out, axis->name);
  for (uint32_t v = 0; v < axis->n; v++)
    if (term->values[v]) {
      cul_buf_addf(out, "%s%s", between, axis->values[v]);
      between = " or ";
    }
}

static void say_terms(const struct cul_axes *axes,
                      const struct cul_blame *blame, const char *between,
                      struct cul_buf *out) {
  for (size_t i = 0; i < blame->n_terms; i++) {
    if (i > 0)
      cul_buf_adds(out, between);
    say_term(axes, &blame->terms[i], out);
  }
}

static void say_rule(const struct cul_axes *axes, const struct cul_blame *blame,
                     struct cul_buf *out) {
  switch (blame->kind) {
  case CUL_BLAME_NONE:
    cul_buf_adds(out, "no cell fails");
    break;
  case CUL_BLAME_ALL:
    if (blame->others + blame->unknown == 0)
      cul_buf_adds(out, "every cell fails: none of the axes matters");
    else
      cul_buf_addf(out, "%zu of %zu cells %s, and none passes", blame->fails,
                   blame->fails + blame->others + blame->unknown,
                   blame->fails == 1 ? "fails" : "fail");
    break;
  case CUL_BLAME_ALL_OF:
    cul_buf_adds(out, "fails with ");
    say_terms(axes, blame, " together with ", out);
    cul_buf_adds(out, " only");
    break;
  case CUL_BLAME_ANY_OF:
    say_terms(axes, blame, ", and also ", out);
    cul_buf_adds(out, " is to blame: each is enough");
    break;
  case CUL_BLAME_PAIR:
    cul_buf_addf(out, "%s and %s decide it together, neither alone",
                 axes->axes[blame->terms[0].axis].name,
                 axes->axes[blame->terms[1].axis].name);
    break;
  case CUL_BLAME_MOSTLY:
    cul_buf_addf(out,
                 "no axis and no pair of them explains all; %zu of %zu "
                 "failures are at ",
                 blame->explained, blame->fails);
    say_terms(axes, blame, "", out);
    break;
  }
}

void cul_blame_say(const struct cul_axes *axes, const struct cul_blame *blame,
                   struct cul_buf *out) {
  say_rule(axes, blame, out);
  if (blame->others > 0)
    cul_buf_addf(out, " (%zu %s otherwise%s", blame->others,
                 blame->others == 1 ? "cell fails" : "cells fail",
                 blame->unknown ? "" : ")");
  if (blame->unknown > 0)
    cul_buf_addf(out, "%s%zu %s nothing)", blame->others ? "; " : " (",
                 blame->unknown,
                 blame->unknown == 1 ? "cell says" : "cells say");
}

/* ---- the job ---- */

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
    grid_at(job->cells.axes, i, at);
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
                : state == CUL_OTHER  ? CUL_CELL_OTHER
                                      : CUL_CELL_UNKNOWN;
  }
  cul_blame_find(axes, states, &blame);
  cul_blame_say(axes, &blame, &sentence);
  for (size_t i = 0; i < blame.n_terms; i++)
    json_array_append_new(terms, term_of(axes, &blame.terms[i]));
  out = json_pack("{s:s, s:o, s:o, s:I, s:I, s:I}", "kind",
                  blame_kind_name(blame.kind), "terms", terms, "sentence",
                  cul_report_string(cul_buf_str(&sentence)), "fails",
                  (json_int_t)blame.fails, "others", (json_int_t)blame.others,
                  "unknown", (json_int_t)blame.unknown);
  cul_buf_release(&sentence);
  cul_blame_release(&blame);
  free(states);
  return out;
}

/* Write the bundle of a failing and a passing cell. */
static int leave(struct job *job, const json_t *report, struct cul_err *err) {
  const struct cul_leave_report told = {report, cul_matrix_say};
  return cul_cells_leave_bundle(
      &job->cells, job->conf->bundle, cul_cells_first(&job->cells, CUL_SAME),
      cul_cells_first(&job->cells, CUL_PASSES), &told, err);
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
  if (rc == 0 || (cul_is_cut(rc) && (job->cells.learnt || job->cells.seen))) {
    *report = cul_cells_report(&job->cells, "matrix");
    cul_leave_result(*report, rc);
    json_object_set_new(*report, "blame", blame_of(job));
    rc = cul_leave_code(rc, leave(job, *report, &later), &later, err);
  }
  cul_cells_release(&job->cells);
  free(job);
  return rc;
}
