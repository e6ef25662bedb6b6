/* drop-dimension: one dimension less, in all types that it is tied to; with it
 * go loops of linalg operations, subscripts, entries of slices and reshapes.
 * What is made for one rank (linalg.batch_matmul) becomes another. */
#include "retype_sites.h"

static size_t targets(const struct cul_retype *g, int64_t size, int64_t *out) {
  (void)g;
  (void)size;
  out[0] = CUL_RETYPE_GONE;
  return 1;
}

static const struct cul_retype_edit edit = {
    .part = CUL_RETYPE_SIZE, .targets = targets, .ranks = true};

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

const struct cul_mutation cul_mutation_drop_dimension = {
    .name = "drop-dimension",
    .summary = "a dimension less, in all types that it is tied to",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
