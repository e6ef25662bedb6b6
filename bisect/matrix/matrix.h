/* The matrix: judges every cell of a small grid, and finds which component is
 * to blame. */
#ifndef CUL_BISECT_MATRIX_MATRIX_H
#define CUL_BISECT_MATRIX_MATRIX_H

#include "cells.h"

/* ---- which component is to blame: pure ---- */

enum cul_blame_cell {
  CUL_CELL_UNKNOWN,
  CUL_CELL_OTHER, /* fails otherwise, which explains nothing either */
  CUL_CELL_PASSES,
  CUL_CELL_FAILS
};

enum cul_blame_kind {
  CUL_BLAME_NONE,   /* nothing fails */
  CUL_BLAME_ALL,    /* nothing passes */
  CUL_BLAME_ALL_OF, /* fails exactly where every term holds */
  CUL_BLAME_ANY_OF, /* fails exactly where some term holds */
  CUL_BLAME_PAIR,   /* two axes determine it, but neither rule above holds */
  CUL_BLAME_MOSTLY, /* no rule: the values that most failures share */
};

/* One axis of the explanation, and its values in it. */
struct cul_blame_term {
  uint32_t axis;
  bool *values; /* heap; axes[axis].n of them; NULL for PAIR */
};

struct cul_blame {
  enum cul_blame_kind kind;
  struct cul_blame_term terms[CUL_MAX_AXES];
  size_t n_terms;
  size_t explained; /* MOSTLY: failures with these values */
  size_t fails, others, unknown;
};

/* Explain a grid of passing and failing cells.
 * cells: of the whole grid, the last axis varies fastest.  A rule holds if no
 * known cell contradicts it.  The simplest rule that holds is chosen: ALL_OF
 * (first with a single term), ANY_OF, PAIR, MOSTLY. */
void cul_blame_find(const struct cul_axes *axes,
                    const enum cul_blame_cell *cells, struct cul_blame *out);
/* Append the sentence, without a final dot. */
void cul_blame_say(const struct cul_axes *axes, const struct cul_blame *blame,
                   struct cul_buf *out);
void cul_blame_release(struct cul_blame *blame);

/* The number of cells of the grid; SIZE_MAX on overflow. */
size_t cul_grid_size(const struct cul_axes *axes);

/* ---- the job ---- */

struct cul_matrix_conf {
  struct cul_cells_conf cells;
  uint32_t runs;      /* of each cell; 0: one, and one more if it fails */
  const char *bundle; /* directory; or NULL */
};

/* Run the job.  *report: filled where rc is 0; decref it.  Errors: EUSAGE,
 * ENOFAIL (no cell fails), EENV, EINTR. */
CUL_MUST_CHECK int cul_matrix_run(const struct cul_matrix_conf *conf,
                                  json_t **report, struct cul_err *err);
/* The report for people, appended. */
void cul_matrix_say(const json_t *report, struct cul_buf *out);
/* The same as Markdown. */
void cul_matrix_page(const json_t *report, struct cul_buf *out);

#endif
