/* static-dimension: a dynamic size becomes 1, 2 or 4 in all types that it is
 * tied to, operands that gave it go; a scalable one that number. */
#include "retype_sites.h"

static size_t targets(const struct cul_retype *g, int64_t size, int64_t *out) {
  (void)g;
  if (cul_retype_is_scalable(size)) {
    out[0] = -size;
    return 1;
  }
  if (size != CUL_RETYPE_DYNAMIC)
    return 0;
  out[0] = 1;
  out[1] = 2;
  out[2] = 4;
  return 3;
}

static const struct cul_retype_edit edit = {.part = CUL_RETYPE_SIZE,
                                            .targets = targets};

CUL_RETYPE_FUNCTIONS(edit)

const struct cul_mutation cul_mutation_static_dimension = {
    .name = "static-dimension",
    .summary = "a dynamic size to 1, 2 or 4, a scalable one to a fixed one, in "
               "all types "
               "that it is tied to",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
