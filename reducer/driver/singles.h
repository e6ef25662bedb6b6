/* Asks for points in a row, several at a time, until one is a "yes" and all
 * before it are a "no".  Runs of later points are not stopped: usually a point
 * is a "no", and then the answer to the next one is needed. */
#ifndef CUL_REDUCER_DRIVER_SINGLES_H
#define CUL_REDUCER_DRIVER_SINGLES_H

#include "driver.h"

enum { CUL_MAX_SINGLES = 6 };

struct cul_singles {
  struct cul_point points[CUL_MAX_SINGLES]; /* ids borrowed */
  size_t n, from; /* index of the first point to ask for */
};

/* Ask for points[from..n) of the first listing.  *first: the index of the
 * accepted point, which is not yet adopted; n if no point was accepted.
 * Errors: those of edits.run. */
CUL_MUST_CHECK int cul_singles_run(struct cul_driver *driver,
                                   const struct cul_singles *singles,
                                   size_t *first, struct cul_err *err);

#endif
