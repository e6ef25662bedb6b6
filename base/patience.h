/* How long something that takes long may go on. */
#ifndef CUL_BASE_PATIENCE_H
#define CUL_BASE_PATIENCE_H

#include "err.h"

/* While left(self) returns 0, asked every 100 ms, or between two parts of the
 * work.  Else it returns the code of the error, with err filled.  left NULL:
 * without an end. */
struct cul_patience {
  int (*left)(const void *self, struct cul_err *err);
  const void *self; /* borrowed */
};

static inline int cul_patience_left(const struct cul_patience *patience,
                                    struct cul_err *err) {
  return patience->left ? patience->left(patience->self, err) : 0;
}

#endif
