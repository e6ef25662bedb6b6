/* The compiler's own inliner, which also takes callees of several blocks;
 * without the canonicalizer it would run beside. */
#include "run_pass.h"

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)sites;
  (void)ids;
  (void)n;
  (void)err;
  return cul_run_pass(subject, "builtin.module(inline{default-pipeline=})",
                      applied);
}

const struct cul_mutation cul_mutation_pass_inline = {
    .name = "pass-inline",
    .summary = "run the inliner",
    .kinds = CUL_SUBJECT_NATIVE,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_ONCE,
    .sites = cul_run_pass_sites,
    .apply = apply,
};
