/* Simpler attributes, for simplify-attributes and shrink-constants. */
#ifndef CUL_REDUCER_MUTATIONS_ATTRIBUTE_SIMPLIFY_H
#define CUL_REDUCER_MUTATIONS_ATTRIBUTE_SIMPLIFY_H

#include "../../subject/ir/ir.h"

/* The value of an integer, signed or not, of this type: 64 bits at most. */
int64_t cul_integer_of(MlirAttribute attr, MlirType type);

enum cul_smaller { CUL_SMALLER_ZERO, CUL_SMALLER_ONE, CUL_SMALLER_HALF };
#define CUL_N_SMALLER 3
/* A number, string or literal made smaller; null: no such variant, or it is
 * that already. */
MlirAttribute cul_smaller(struct cul_ir *ir, MlirAttribute attr,
                          enum cul_smaller which);
/* The same in place, for an attribute of op; key: the identifier of its name.
 * Returns whether it did something. */
bool cul_set_smaller(struct cul_ir *ir, MlirOperation op, uintptr_t key,
                     enum cul_smaller which);

/* Of StableHLO: does the type of a result of op follow from this attribute?
 * False for other dialects. */
bool cul_hlo_shapes(MlirOperation op, MlirStringRef name);

#endif
