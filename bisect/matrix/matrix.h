/* The matrix: judges every cell of a small grid, and finds which component is
 * to blame. */
#ifndef CUL_BISECT_MATRIX_MATRIX_H
#define CUL_BISECT_MATRIX_MATRIX_H

#include "blame.h"
#include "cells.h"

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
