/* static-dimension: a dynamic size becomes 1, 2 or 4 in all types that it is
 * tied to; operands that gave it go. */
#include "retype_sites.h"

static size_t targets(const struct cul_retype *g, int64_t size, int64_t *out) {
  (void)g;
  if (size != CUL_RETYPE_DYNAMIC)
    return 0;
  out[0] = 1;
  out[1] = 2;
  out[2] = 4;
  return 3;
}

static const struct cul_retype_edit edit = {.part = CUL_RETYPE_SIZE,
                                            .targets = targets};

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  cul_retype_sites(cul_ir_of(subject), &edit, out);
  return 0;
}

static int apply(struct cul_subject *subject, const struct cul_sites *listed,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  *applied = cul_retype_apply_sites(cul_ir_of(subject), listed, ids, n, &edit);
  return 0;
}

const struct cul_mutation cul_mutation_static_dimension = {
    .name = "static-dimension",
    .summary = "a dynamic size to 1, 2 or 4, in all types that it is tied to",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
