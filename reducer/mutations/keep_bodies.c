/* keep-bodies: a run of functions keeps its bodies, all others become
 * declarations.  Where functions call each other no run of symbols goes without
 * what it names, but what that does need not be known. */
#include <stdlib.h>

#include "drop_body.h"

/* ids: the first and the last function to keep. */
static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  uint32_t *others = cul_xreallocarray(NULL, sites->n + 1, sizeof *others);
  size_t n_others = 0, dropped = 0;
  int rc;
  (void)err;
  for (uint32_t i = 0; i < sites->n; i++)
    if (i < ids[0] || i > ids[n - 1])
      others[n_others++] = i;
  rc =
      cul_each_apply(subject, sites, others, n_others, &dropped, cul_body_drop);
  *applied += dropped ? n : 0;
  free(others);
  return rc;
}

const struct cul_mutation cul_mutation_keep_bodies = {
    .name = "keep-bodies",
    .summary = "keep the bodies of a run of functions, declare the others",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .sites = cul_body_sites,
    .apply = apply,
};
