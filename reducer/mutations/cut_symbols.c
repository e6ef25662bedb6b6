/* Of many functions that name each other few stay: the others go with the
 * operations that refer to them.  No run of them stands alone, and where the
 * kind of function has no declarations keep-bodies has nothing to offer; but a
 * set of them always goes.  Before anything that takes function by function. */
#include "symbols.h"

/* Fewer are left to the mutations that come later. */
enum { FEWEST = 8 };

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  cul_symbols_sites(cul_ir_of(subject), out, NULL);
  if (out->n < FEWEST)
    cul_sites_clear(out);
  return 0;
}

const struct cul_mutation cul_mutation_cut_symbols = {
    .name = "cut-symbols",
    .summary = "keep few of many functions, and what does not name the others",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .sites = sites,
    .apply = cul_symbols_drop_used,
};
