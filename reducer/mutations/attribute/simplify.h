/* Numbers in attributes. */
#ifndef CUL_REDUCER_MUTATIONS_ATTRIBUTE_SIMPLIFY_H
#define CUL_REDUCER_MUTATIONS_ATTRIBUTE_SIMPLIFY_H

#include "../../subject/ir/ir.h"

/* The value of an integer, signed or not, of this type: 64 bits at most. */
int64_t cul_integer_of(MlirAttribute attr, MlirType type);

#endif
