/* Find the wrong operation inside a dispatch, and the wrong scalar operation
 * inside that one. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_INSIDE_H
#define CUL_REDUCER_NUMBERS_DISPATCH_INSIDE_H

#include "dispatch_part.h"

/* A tensor that an operation computes. */
struct cul_dispatch_op {
  char *value, *type, *name, *location, *text; /* heap */
  size_t result, n_results; /* which of its results the value is */
  bool behind;              /* some operations before it are not compared */
};
struct cul_dispatch_level {
  struct cul_dispatch_op *ops; /* heap */
  size_t n, cap;
  struct cul_buf module; /* a function that returns the values of ops */
  /* the first of ops whose value differs; NULL: none is known */
  const struct cul_dispatch_op *wrong;
  char what[200]; /* how it differs */
};
struct cul_dispatch_inside {
  struct cul_dispatch_level body;    /* of the dispatch */
  struct cul_dispatch_level scalars; /* in the body of body.wrong */
  char *stop;                        /* why body.wrong is NULL; heap */
};

/* Find the first operation of the dispatch whose value differs: both sides run
 * a function that returns the values of all its operations.  If none can be
 * found, set out->stop.  Errors: those of runs. */
CUL_MUST_CHECK int
cul_dispatch_inside_find(struct cul_dispatch_sides *sides,
                         const struct cul_dispatch_part *part,
                         struct cul_dispatch_inside *out, struct cul_err *err);
/* Free what it owns; {0} is fine. */
void cul_dispatch_inside_release(struct cul_dispatch_inside *inside);

#endif
