/* Shared by the outline mutations: a run of sibling operations becomes all
 * there is. */
#ifndef CUL_REDUCER_MUTATIONS_OUTLINE_H
#define CUL_REDUCER_MUTATIONS_OUTLINE_H

#include "each.h"

enum cul_outline_flags {
  CUL_OUTLINE_TO_FUNC = 1 << 0,   /* into a new func.func of the module */
  CUL_OUTLINE_CONSTANTS = 1 << 1, /* constants go with their users instead of
                                     becoming arguments */
  CUL_OUTLINE_SPLATS = 1 << 2,    /* tensors and vectors from outside become
                                     splats of scalar arguments */
};

/* The operations to which fn gives a weight; terminators go with no run. */
int cul_outline_sites(struct cul_subject *subject, struct cul_sites *out,
                      cul_each_weight_fn *fn);
/* Keep the siblings from the first to the last id only. */
int cul_outline_apply(struct cul_subject *subject,
                      const struct cul_sites *sites, const uint32_t *ids,
                      size_t n, uint32_t flags, size_t *applied);

/* Does op make a tensor or vector of one scalar, as tt.splat does? */
bool cul_outline_is_splat(MlirOperation op);

#endif
