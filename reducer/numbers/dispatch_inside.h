/* The operation inside a dispatch that is wrong, and the scalar operation
 * inside that one. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_INSIDE_H
#define CUL_REDUCER_NUMBERS_DISPATCH_INSIDE_H

#include "dispatch_part.h"

/* An operation that computes a tensor. */
struct cul_dispatch_op {
  char *value, *type, *name, *location, *text; /* heap */
  bool behind; /* some before it are not compared */
};
struct cul_dispatch_level {
  struct cul_dispatch_op *ops; /* heap */
  size_t n, cap;
  struct cul_buf module; /* a function that returns the values of all */
  /* the first whose value differs, in ops; NULL: none is known */
  const struct cul_dispatch_op *wrong;
  char what[200]; /* how it differs */
};
struct cul_dispatch_inside {
  struct cul_dispatch_level body;    /* of the dispatch */
  struct cul_dispatch_level scalars; /* in the body of body.wrong */
  char *stop;                        /* why none is named, heap */
};

/* Find the first operation inside whose value differs, where the function
 * returns the values of all; out->stop, if none can be told.  Errors: those of
 * runs. */
CUL_MUST_CHECK int
cul_dispatch_inside_find(struct cul_dispatch_sides *sides,
                         const struct cul_dispatch_part *part,
                         struct cul_dispatch_inside *out, struct cul_err *err);
void cul_dispatch_inside_release(struct cul_dispatch_inside *inside);

#endif
