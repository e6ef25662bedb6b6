/* drop-memory-space: the memory space of memrefs goes from all types that are
 * tied by it. */
#include "retype_sites.h"

static size_t targets(const struct cul_retype *g, int64_t value, int64_t *out) {
  (void)g;
  out[0] = 0;
  return value != 0;
}

static const struct cul_retype_edit edit = {
    .part = CUL_RETYPE_SPACE, .targets = targets, .everywhere = true};

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

const struct cul_mutation cul_mutation_drop_memory_space = {
    .name = "drop-memory-space",
    .summary = "memory spaces of memrefs away",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
