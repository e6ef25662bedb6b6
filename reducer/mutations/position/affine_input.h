/* Inputs of affine maps and integer sets: dimensions first, then symbols. */
#ifndef CUL_REDUCER_MUTATIONS_POSITION_AFFINE_INPUT_H
#define CUL_REDUCER_MUTATIONS_POSITION_AFFINE_INPUT_H

#include "../../subject/ir/ir.h"

/* How many the attribute has; 0 where it is neither map nor set, or null. */
intptr_t cul_affine_count_inputs(MlirAttribute attr);
/* Does the map or set use input `at`? */
bool cul_affine_uses_input(struct cul_ir *ir, MlirAttribute attr, intptr_t at);
/* Without input `at`, which is 0 where it is used; those behind it are counted
 * anew.  Of a list of maps: each, without the results that are that input. */
MlirAttribute cul_affine_without_input(struct cul_ir *ir, MlirAttribute attr,
                                       intptr_t at);

#endif
