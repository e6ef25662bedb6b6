/* What the command prints when the dispatch is the reference's. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_PROOF_H
#define CUL_REDUCER_NUMBERS_DISPATCH_PROOF_H

#include "dispatch_part.h"

struct cul_dispatch_proof {
  bool tried; /* a run ended with numbers */
  bool right; /* they are the reference's */
  /* the reference's results are in the module, not its executable */
  bool values;
  bool all;         /* all that diverge are the reference's */
  size_t others;    /* other dispatches that diverge */
  uint32_t runs;    /* at most 3, and those that print phase "flow" */
  char *executable; /* why its executable cannot stand in, heap; NULL: it can */
  char *why;        /* why its values cannot, heap; NULL: they can */
  struct cul_buf text; /* the reference's executables */
};

/* Is the command's output right when the dispatch is the reference's?  Its
 * executable stands in where both sides compile to one format; where it cannot,
 * or changes nothing, its values do.  Errors: those of runs, without EBUDGET
 * and EENV. */
CUL_MUST_CHECK int cul_dispatch_confirm(struct cul_dispatch_sides *sides,
                                        const struct cul_dispatch_part *part,
                                        struct cul_dispatch_proof *out,
                                        struct cul_err *err);
/* Write the reference's executables that make the output right.  Errors: those
 * of files. */
CUL_MUST_CHECK int cul_dispatch_proof_write(
    struct cul_dispatch_sides *sides, const struct cul_dispatch_part *part,
    const struct cul_dispatch_proof *proof, struct cul_err *err);
void cul_dispatch_proof_release(struct cul_dispatch_proof *proof);

#endif
