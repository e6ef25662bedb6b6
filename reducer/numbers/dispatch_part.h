/* Cut a divergent dispatch out of its module, and run it alone on recorded
 * inputs. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_PART_H
#define CUL_REDUCER_NUMBERS_DISPATCH_PART_H

#include "dispatch_sides.h"

struct cul_dispatch_part {
  size_t step;           /* of the suspect's trace */
  struct cul_buf module; /* the dispatch alone */
  struct cul_tensors inputs, want, got;
  struct cul_tensors mended; /* results of module with the reference's tools */
  /* alone: the dispatch is wrong by itself, got differs from want; exact:
   * inputs and want are exact values, not the decimal numbers of the trace */
  bool alone, exact;
  /* mended agrees with got: both sides' tools compute the same from module */
  bool agreed;
  /* inputs are those of the suspect's trace, and want has the results of module
   * with the reference's tools */
  bool own;
  /* own: these inputs differ from the reference's, but far less than its
   * results */
  bool late;
  char what[200];  /* how got differs from want, if it is wrong by itself */
  char *fault;     /* why it is not cut out, heap; NULL: it is */
  char *arguments; /* heap: the inputs, as words of iree-run-module */
};

/* Cut out the first divergent dispatch that is wrong by itself and that the
 * reference's tools compute differently (`alone` without `agreed`); if there is
 * none, the first that is wrong by itself; if there is none, one that is wrong
 * on its own inputs (`late`); if there is none, the first divergent one.  A
 * dispatch that is `agreed` may be replaced by one that reads its results: then
 * sides->pairs marks the former as the same, and the latter as wrong.  It marks
 * one that is `late` as wrong, too, and those that are right alone no longer.
 * Errors: those of runs. */
CUL_MUST_CHECK int cul_dispatch_part_find(struct cul_dispatch_sides *sides,
                                          struct cul_dispatch_part *out,
                                          struct cul_err *err);
/* Write the part to the output directory.  *shows: repro.sh, run afterwards,
 * shows the difference.  Errors: those of files and runs. */
CUL_MUST_CHECK int cul_dispatch_part_write(struct cul_dispatch_sides *sides,
                                           const struct cul_dispatch_part *part,
                                           bool *shows, struct cul_err *err);
/* Free what it owns; {0} is fine. */
void cul_dispatch_part_release(struct cul_dispatch_part *part);

#endif
