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

CUL_RETYPE_FUNCTIONS(edit)

const struct cul_mutation cul_mutation_drop_memory_space = {
    .name = "drop-memory-space",
    .summary = "memory spaces of memrefs away",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
