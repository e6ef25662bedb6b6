/* Between the files of cells: see cells.h. */
#ifndef CUL_BISECT_MATRIX_CELLS_PRIVATE_H
#define CUL_BISECT_MATRIX_CELLS_PRIVATE_H

#include "cells.h"

/* Have the installations of the cells of these points, but of those to skip;
 * inside: per cell, which have one; false for cells that are barred.  Errors:
 * those of the installer; leave is to be called in any case. */
CUL_MUST_CHECK int cul_cells_enter(struct cul_cells *cells,
                                   const struct cul_cell_point *points,
                                   size_t n, const bool *skip, bool *inside,
                                   struct cul_err *err);
void cul_cells_leave(struct cul_cells *cells, const bool *inside);

#endif
