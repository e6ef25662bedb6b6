/* How long an operation may continue. */
#ifndef CUL_BASE_PATIENCE_H
#define CUL_BASE_PATIENCE_H

#include "err.h"

/* The operation calls left(self) every 100 ms, or between two parts of its
 * work, and continues while that returns 0.  Otherwise it returns that error
 * code, with err filled.  left NULL: no limit. */
struct cul_patience {
  int (*left)(const void *self, struct cul_err *err);
  const void *self; /* borrowed */
};

static inline int cul_patience_left(const struct cul_patience *patience,
                                    struct cul_err *err) {
  return patience->left ? patience->left(patience->self, err) : 0;
}

#endif
