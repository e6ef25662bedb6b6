/* The cells themselves, and what they run in: see cells.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../runners/plan.h"
#include "cells_private.h"

/* Append the name of a cell. */
static void name_cell(const struct cul_cells *cells, uint32_t cell,
                      struct cul_buf *out) {
  cul_axes_name(cells->axes, cells->cells[cell]->at, out);
}

/* ---- the cells themselves ---- */

static char *program_missing(const struct cul_cell *cell) {
  char *program = cul_plan_program(&cell->command, cell->argv[0]);
  bool there = program && access(program, X_OK) == 0;
  free(program);
  return there ? NULL
               : cul_xasprintf("cannot find the program %s", cell->argv[0]);
}

/* The tool's identity, where an earlier job has found it. */
static int recall_tool(struct cul_cells *cells, struct cul_cell *cell,
                       struct cul_err *err) {
  struct cul_identity identity = {0};
  bool found = false;
  int rc = 0;
  if (cells->target.cache)
    rc = cul_identity_recall(cells->target.cache, &cell->command, &identity,
                             &found, err);
  if (rc == 0 && found)
    cell->tool = cul_identity_key(&identity);
  cul_identity_release(&identity);
  return rc;
}

/* Is its program there?  Where it is not, *why says so; heap.  The tool's
 * identity is known after this, where an earlier job has found it. */
static int check(struct cul_cells *cells, struct cul_cell *cell, char **why,
                 struct cul_err *err) {
  *why = program_missing(cell);
  return *why ? 0 : recall_tool(cells, cell, err);
}

/* One that needs nothing made has its program. */
static int check_cell(struct cul_cells *cells, uint32_t number,
                      struct cul_err *err) {
  struct cul_buf name = {0};
  char *why;
  int rc = check(cells, cells->cells[number], &why, err);
  if (why) {
    name_cell(cells, number, &name);
    rc = cul_fail(err, CUL_EENV,
                  "install that program, or give the axis without this value",
                  "%s (%s)", why, cul_buf_str(&name));
  }
  cul_buf_release(&name);
  free(why);
  return rc;
}

int cul_cells_at(struct cul_cells *cells, const uint32_t *at, uint32_t *out,
                 struct cul_err *err) {
  size_t bytes = cells->axes->n * sizeof *at;
  struct cul_cell *cell;
  for (size_t i = 0; i < cells->n; i++)
    if (memcmp(cells->cells[i]->at, at, bytes) == 0) {
      *out = (uint32_t)i;
      return 0;
    }
  cell = cul_xcalloc(1, sizeof *cell);
  memcpy(cell->at, at, bytes);
  cell->command = cells->target.tool.command;
  cell->argv = cul_axes_argv(cells->axes, at, cells->target.tool.command.argv);
  cell->command.argv = (const char *const *)cell->argv;
  cells->cells =
      cul_xreallocarray(cells->cells, cells->n + 1, sizeof *cells->cells);
  cells->cells[cells->n] = cell;
  *out = (uint32_t)cells->n++;
  return cells->conf->installer ? 0 : check_cell(cells, *out, err);
}

struct cul_cell_tally cul_cell_tally(const struct cul_cell *cell) {
  struct cul_cell_tally tally = {0};
  for (uint32_t i = 0; i < cell->n_runs; i++) {
    enum cul_answer answer = cell->runs[i].answer;
    if (!cell->runs[i].known)
      continue;
    tally.fails += answer == CUL_SAME;
    tally.passes += answer == CUL_PASSES;
    tally.others += answer == CUL_OTHER;
    tally.unknown +=
        answer != CUL_SAME && answer != CUL_PASSES && answer != CUL_OTHER;
  }
  return tally;
}

enum cul_answer cul_cell_state(const struct cul_cell *cell) {
  struct cul_cell_tally tally = cul_cell_tally(cell);
  if (tally.fails)
    return CUL_SAME;
  if (tally.passes)
    return CUL_PASSES;
  return tally.others ? CUL_OTHER : CUL_UNRESOLVED;
}

const struct cul_cell *cul_cells_first(const struct cul_cells *cells,
                                       enum cul_answer state) {
  for (size_t i = 0; i < cells->n; i++)
    if (cul_cell_state(cells->cells[i]) == state)
      return cells->cells[i];
  return NULL;
}

enum cul_answer cul_cells_answer(const struct cul_cells *cells,
                                 struct cul_cell_point point) {
  const struct cul_cell *cell = cells->cells[point.cell];
  if (point.attempt >= cell->n_runs || !cell->runs[point.attempt].known)
    return CUL_UNRESOLVED;
  return cell->runs[point.attempt].answer;
}

/* ---- installations ---- */

/* For the first time. */
static int settle(struct cul_cells *cells, struct cul_cell *cell,
                  struct cul_err *err) {
  cell->command.env = cell->env;
  return check(cells, cell, &cell->barred, err);
}

static int enter(struct cul_cells *cells, struct cul_cell *cell, bool *inside,
                 struct cul_err *err) {
  const struct cul_installer *installer = cells->conf->installer;
  struct cul_installation made = {0};
  int rc = installer->enter(installer->self, cell->at, &made, err);
  if (rc < 0)
    return rc;
  if (made.why) {
    cell->barred = made.why;
    return 0;
  }
  *inside = true;
  if (cell->env) { /* as it was */
    free((void *)made.env);
    return 0;
  }
  cell->env = (const char **)made.env;
  return settle(cells, cell, err);
}

int cul_cells_enter(struct cul_cells *cells,
                    const struct cul_cell_point *points, size_t n,
                    const bool *skip, bool *inside, struct cul_err *err) {
  int rc = 0;
  if (!cells->conf->installer)
    return 0;
  for (size_t i = 0; i < n && rc == 0; i++) {
    struct cul_cell *cell = cells->cells[points[i].cell];
    if (!skip[i] && !inside[points[i].cell] && !cell->barred)
      rc = enter(cells, cell, &inside[points[i].cell], err);
  }
  return rc;
}

void cul_cells_leave(struct cul_cells *cells, const bool *inside) {
  const struct cul_installer *installer = cells->conf->installer;
  for (size_t i = 0; i < cells->n; i++)
    if (inside[i])
      installer->leave(installer->self, cells->cells[i]->at);
}
