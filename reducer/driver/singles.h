/* Points asked in a row, several at a time, until one is a "yes" and all
 * before it are not.  Runs behind it go on to their end: mostly each comes to
 * nothing, and then it is the next one's turn. */
#ifndef CUL_REDUCER_DRIVER_SINGLES_H
#define CUL_REDUCER_DRIVER_SINGLES_H

#include "driver.h"

enum { CUL_MAX_SINGLES = 6 };

struct cul_singles {
  struct cul_point points[CUL_MAX_SINGLES]; /* ids borrowed */
  size_t n, from;                           /* the first to ask for */
};

/* Ask for points[from..n) of the first listing.  *first: the one that was
 * accepted, not yet adopted; n where none was.  Errors: of edits.run. */
CUL_MUST_CHECK int cul_singles_run(struct cul_driver *driver,
                                   const struct cul_singles *singles,
                                   size_t *first, struct cul_err *err);

#endif
