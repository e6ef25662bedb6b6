/* The compiler's own removal of symbols that nothing needs. */
#include "run_pass.h"

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)sites;
  (void)ids;
  (void)n;
  (void)err;
  return cul_run_pass(subject, "builtin.module(symbol-dce)", applied);
}

const struct cul_mutation cul_mutation_pass_symbol_dce = {
    .name = "pass-symbol-dce",
    .summary = "remove private symbols without uses",
    .kinds = CUL_SUBJECT_NATIVE,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_ONCE,
    .sites = cul_run_pass_sites,
    .apply = apply,
};
