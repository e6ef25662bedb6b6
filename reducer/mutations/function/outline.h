/* Shared by the outline mutations: a run of sibling operations becomes all
 * there is. */
#ifndef CUL_REDUCER_MUTATIONS_FUNCTION_OUTLINE_H
#define CUL_REDUCER_MUTATIONS_FUNCTION_OUTLINE_H

#include "../frame/each.h"

enum cul_outline_flags {
  CUL_OUTLINE_TO_FUNC = 1 << 0,   /* into a new func.func of the module */
  CUL_OUTLINE_CONSTANTS = 1 << 1, /* constants go with their users instead of
                                     becoming arguments */
  CUL_OUTLINE_SPLATS = 1 << 2,    /* tensors and vectors from outside become
                                     splats of scalar arguments */
};

/* Sites are ranges of the operations to which weight gives one; terminators go
 * with no run. */
struct cul_outline {
  cul_each_weight_fn *weight;
  bool (*may)(struct cul_ir *ir); /* are there sites at all?  NULL: yes */
  uint32_t flags;                 /* enum cul_outline_flags */
};
/* Keeps the siblings from the first to the last id only. */
extern const struct cul_mutation_frame cul_outline_frame;

/* Does op make a tensor or vector of one scalar, as tt.splat does? */
bool cul_outline_is_splat(MlirOperation op);

#endif
