/* shrink-dimension: a size becomes 1, 2 or half wherever it stands for the
 * same thing: in all values of a class (retype.h) at once. */
#include "retype_sites.h"

/* Most first. */
static size_t targets(const struct cul_retype *g, int64_t size, int64_t *out) {
  size_t n = 0;
  (void)g;
  if (size > 1)
    out[n++] = 1;
  if (size > 2)
    out[n++] = 2;
  if (size / 2 > 2)
    out[n++] = size / 2;
  return n;
}

static const struct cul_retype_edit edit = {.part = CUL_RETYPE_SIZE,
                                            .targets = targets};

CUL_RETYPE_FUNCTIONS(edit)

const struct cul_mutation cul_mutation_shrink_dimension = {
    .name = "shrink-dimension",
    .summary = "a size to 1, 2 or half, in all types that it is tied to",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_NUMBERS,
    .sites = sites,
    .apply = apply,
};
