/* The texts that a search has accepted, oldest first, so that it can go back to
 * one of them. */
#ifndef CUL_REDUCER_JOB_TRAIL_H
#define CUL_REDUCER_JOB_TRAIL_H

#include "../../base/buf.h"
#include "../../base/pieces.h"

/* Bytes of all texts of a trail.  A text that is larger alone is not kept. */
enum { CUL_TRAIL_MOST = 4 << 20 };

struct cul_trail {
  struct cul_buf *texts; /* heap */
  size_t n;
  size_t bytes; /* of all texts */
};

/* Add a text (copied).  If all texts together have more than CUL_TRAIL_MOST
 * bytes, every other one is dropped, but never the first or the last. */
void cul_trail_add(struct cul_trail *trail, const struct cul_pieces *text);
/* Keep the first n texts, and free the others; n 0: all. */
void cul_trail_cut(struct cul_trail *trail, size_t n);

#endif
