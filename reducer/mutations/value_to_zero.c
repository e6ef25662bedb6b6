/* value-to-zero: results become zero constants, their operation goes. */
#include "to_constant.h"

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  return cul_to_constant_sites(subject, out, CUL_IR_ZERO);
}

static bool replace(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  (void)detail;
  return cul_to_constant(ir, op, CUL_IR_ZERO);
}

static int apply(struct cul_subject *subject, const struct cul_sites *listed,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_erase(subject, listed, ids, n, applied, replace);
}

const struct cul_mutation cul_mutation_value_to_zero = {
    .name = "value-to-zero",
    .summary = "replace operations by zero: 0, 0.0, null, empty tensors",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
