/* Shared by value-to-zero and value-to-splat. */
#ifndef CUL_REDUCER_MUTATIONS_TO_CONSTANT_H
#define CUL_REDUCER_MUTATIONS_TO_CONSTANT_H

#include "each.h"

/* Sites: operations with used results that all have a constant of zeros, of
 * ones, and are not it already. */
uint32_t cul_to_zero_weight(struct cul_ir *ir, const struct cul_ir_item *item);
uint32_t cul_to_one_weight(struct cul_ir *ir, const struct cul_ir_item *item);

#endif
