/* shrink-dimension: a size becomes 1, 2 or half wherever it stands for the
 * same thing: in all values of a class (retype.h) at once. */
#include "retype_rules.h"
#include "retype_sites.h"

/* Most first. */
static size_t targets(const struct cul_retype *g, int64_t size, int64_t *out) {
  int64_t one = cul_retype_is_scalable(size) ? -1 : 1;
  size_t n = 0;
  (void)g;
  size *= one;
  if (size > 1)
    out[n++] = one;
  if (size > 2)
    out[n++] = 2 * one;
  if (size / 2 > 2)
    out[n++] = size / 2 * one;
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
    .flags = CUL_MUT_NUMBERS | CUL_MUT_ASKS,
    .wanted = cul_retype_is_unruled,
    .sites = sites,
    .apply = apply,
};
