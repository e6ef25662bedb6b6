/* drop-dimension: one dimension less, in all types that it is tied to; with it
 * go loops of linalg operations, subscripts, entries of slices and reshapes.
 * What is made for one rank (linalg.batch_matmul) becomes another. */
#include "retype_rules.h"
#include "retype_sites.h"

static size_t targets(const struct cul_retype *g, int64_t size, int64_t *out) {
  (void)g;
  (void)size;
  out[0] = CUL_RETYPE_GONE;
  return 1;
}

static const struct cul_retype_edit edit = {
    .part = CUL_RETYPE_SIZE, .targets = targets, .ranks = true};

CUL_RETYPE_FUNCTIONS(edit)

const struct cul_mutation cul_mutation_drop_dimension = {
    .name = "drop-dimension",
    .summary = "a dimension less, in all types that it is tied to",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_LIKELY | CUL_MUT_ASKS,
    .wanted = cul_retype_is_unruled,
    .sites = sites,
    .apply = apply,
};
