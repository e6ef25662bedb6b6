/* Finds which component is to blame: explains a grid of passing and failing
 * cells in one sentence.  Pure. */
#ifndef CUL_BISECT_MATRIX_BLAME_H
#define CUL_BISECT_MATRIX_BLAME_H

#include "axis.h"

enum cul_blame_cell { CUL_CELL_UNKNOWN, CUL_CELL_PASSES, CUL_CELL_FAILS };

enum cul_blame_kind {
  CUL_BLAME_NONE,   /* nothing fails */
  CUL_BLAME_ALL,    /* nothing passes */
  CUL_BLAME_ALL_OF, /* fails exactly where every term holds */
  CUL_BLAME_ANY_OF, /* fails exactly where some term holds */
  CUL_BLAME_PAIR,   /* two axes determine it, but neither rule above holds */
  CUL_BLAME_MOSTLY, /* no rule: the values that most failures share */
};
const char *cul_blame_kind_name(enum cul_blame_kind kind);

/* One axis of the explanation, and its values in it. */
struct cul_blame_term {
  uint32_t axis;
  bool *values; /* heap; axes[axis].n of them; NULL for PAIR */
};

struct cul_blame {
  enum cul_blame_kind kind;
  struct cul_blame_term terms[CUL_MAX_AXES];
  size_t n_terms;
  size_t explained, fails, unknown; /* MOSTLY: failures with these values */
};

/* cells: of the whole grid, the last axis varies fastest.  A rule holds if no
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
/* The values of cell i: at[axes->n]. */
void cul_grid_at(const struct cul_axes *axes, size_t i, uint32_t *at);

#endif
