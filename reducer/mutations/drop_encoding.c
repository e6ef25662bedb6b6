/* drop-encoding: the encoding of tensors, the layout of memrefs goes from all
 * types that are tied by it. */
#include "retype_sites.h"

static size_t targets(const struct cul_retype *g, int64_t value, int64_t *out) {
  (void)g;
  out[0] = 0;
  return value && !cul_retype_is_default_layout(value);
}

static const struct cul_retype_edit edit = {
    .part = CUL_RETYPE_LAYOUT, .targets = targets, .everywhere = true};

CUL_RETYPE_FUNCTIONS(edit)

const struct cul_mutation cul_mutation_drop_encoding = {
    .name = "drop-encoding",
    .summary = "encodings of tensors, layouts of memrefs away",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
