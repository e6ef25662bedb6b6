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
