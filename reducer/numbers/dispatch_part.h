/* A dispatch that is cut out, with the reference's values: the first that is
 * wrong by itself. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_PART_H
#define CUL_REDUCER_NUMBERS_DISPATCH_PART_H

#include "dispatch_sides.h"

struct cul_dispatch_part {
  size_t step;           /* of the suspect's trace */
  struct cul_buf module; /* it alone */
  struct cul_tensors inputs, want, got;
  struct cul_tensors mended; /* by the reference's tools, from its text */
  bool alone, exact; /* it is wrong by itself; values are not those printed */
  /* the reference's tools compute the suspect's values from its text */
  bool agreed;
  /* it is run on its own inputs, and want is what the reference's tools compute
   * from its text */
  bool own;
  char what[200];  /* how got differs from want, if it is wrong by itself */
  char *fault;     /* why it is not cut out, heap; NULL: it is */
  char *arguments; /* heap: the inputs, as words */
};

/* Cut out the first divergent dispatch that is wrong by itself and by the
 * suspect's tools alone; if there is none, the first that is wrong by itself
 * or, if there is none, the first one.  The state of steps in sides->pairs
 * changes where a step hid another one.  Errors: those of runs. */
CUL_MUST_CHECK int cul_dispatch_part_find(struct cul_dispatch_sides *sides,
                                          struct cul_dispatch_part *out,
                                          struct cul_err *err);
/* Write what is cut out.  *shows: repro.sh, run afterwards, shows it.  Errors:
 * those of files and runs. */
CUL_MUST_CHECK int cul_dispatch_part_write(struct cul_dispatch_sides *sides,
                                           const struct cul_dispatch_part *part,
                                           bool *shows, struct cul_err *err);
void cul_dispatch_part_release(struct cul_dispatch_part *part);

#endif
