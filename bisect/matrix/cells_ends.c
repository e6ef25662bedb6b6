/* The failing and the passing end of a job over cells: see cells.h. */
#include <stdlib.h>

#include "cells.h"

static int judge(struct cul_cells *cells, const uint32_t *at, uint32_t runs,
                 const struct cul_cell **out, struct cul_err *err) {
  struct cul_cell_point *points = cul_xcalloc(runs + 1, sizeof *points);
  uint32_t cell;
  int rc = cul_cells_at(cells, at, &cell, err);
  for (uint32_t i = 0; i < runs && rc == 0; i++)
    points[i] = (struct cul_cell_point){cell, i};
  if (rc == 0)
    rc = cul_cells_judge(cells, points, runs, err);
  if (rc == 0)
    *out = cells->cells[cell];
  free(points);
  return rc;
}

int cul_cells_state_at(struct cul_cells *cells, const uint32_t *at,
                       uint32_t runs, enum cul_answer *out,
                       struct cul_err *err) {
  const struct cul_cell *cell;
  int rc = judge(cells, at, runs, &cell, err);
  if (rc == 0)
    *out = cul_cell_state(cell);
  return rc;
}

/* Learn the failure from the failing end.  Errors: ENOFAIL, EENV with its
 * name. */
static int learn_from(struct cul_cells *cells, const uint32_t *bad,
                      uint32_t runs, struct cul_err *err) {
  struct cul_cell_point *points = cul_xcalloc(runs + 1, sizeof *points);
  struct cul_buf name = {0};
  uint32_t cell;
  int rc = cul_cells_at(cells, bad, &cell, err);
  for (uint32_t i = 0; i < runs && rc == 0; i++)
    points[i] = (struct cul_cell_point){cell, i};
  cul_axes_name(cells->axes, bad, &name);
  if (rc == 0) {
    rc = cul_cells_learn(cells, points, runs, err);
    if (rc < 0 && cells->cells[cell]->barred)
      rc = cul_fail(err, CUL_EENV, "give another one that fails", "%s: %s",
                    cul_buf_str(&name), cells->cells[cell]->barred);
    else if (rc == CUL_ENOFAIL || rc == CUL_EENV)
      rc = cul_fail_in(err, "%s", cul_buf_str(&name));
  }
  cul_buf_release(&name);
  free(points);
  return rc;
}

static int fail_good(const struct cul_cells *cells, const struct cul_cell *cell,
                     struct cul_err *err) {
  static const char advice[] = "give another one that passes";
  enum cul_answer state = cul_cell_state(cell);
  struct cul_buf name = {0};
  cul_axes_name(cells->axes, cell->at, &name);
  if (state == CUL_SAME)
    cul_fail(err, CUL_EUSAGE, advice, "%s fails, too", cul_buf_str(&name));
  else if (state == CUL_OTHER)
    cul_fail(err, CUL_EENV, advice, "%s fails in another way: %s",
             cul_buf_str(&name), cell->verdict.sig.title);
  else
    cul_fail(err, CUL_EENV, advice, "%s cannot be judged: %s",
             cul_buf_str(&name), cell->verdict.why);
  cul_buf_release(&name);
  return err->code;
}

int cul_cells_check_ends(struct cul_cells *cells, const uint32_t *bad,
                         const uint32_t *good, uint32_t runs,
                         struct cul_err *err) {
  const struct cul_cell *cell;
  int rc = learn_from(cells, bad, runs, err);
  if (rc == 0)
    rc = judge(cells, bad, runs, &cell, err);
  if (rc == 0)
    rc = judge(cells, good, runs, &cell, err);
  if (rc == 0 && cul_cell_state(cell) != CUL_PASSES)
    rc = fail_good(cells, cell, err);
  return rc;
}

/* Append the installer's script (struct cul_installer), if there is one. */
static void add_script(const struct cul_cells *cells,
                       const struct cul_cell *cell, struct cul_buf *make,
                       struct cul_buf *enter) {
  const struct cul_installer *installer = cells->conf->installer;
  if (installer)
    installer->script(installer->self, cell->at, make, enter);
}

int cul_cells_leave_bundle(const struct cul_cells *cells, const char *dir,
                           const struct cul_cell *bad,
                           const struct cul_cell *good,
                           const struct cul_leave_report *report,
                           struct cul_err *err) {
  struct cul_leave bundle = {.dir = dir,
                             .target = &cells->target,
                             .conf = &cells->target.oracle_conf,
                             .sig = &cells->sought,
                             .report = *report,
                             .fails = bad ? bad->command.argv : NULL,
                             .passes = good ? good->command.argv : NULL};
  struct cul_buf first = {0}, before_bad = {0}, before_good = {0};
  int rc;
  if (bad)
    add_script(cells, bad, &first, &before_bad);
  if (good)
    add_script(cells, good, &first, &before_good);
  bundle.first = cul_buf_str(&first);
  bundle.before_fails = cul_buf_str(&before_bad);
  bundle.before_passes = cul_buf_str(&before_good);
  rc = cul_leave_bundle(&bundle, err);
  cul_buf_release(&first);
  cul_buf_release(&before_bad);
  cul_buf_release(&before_good);
  return rc;
}
