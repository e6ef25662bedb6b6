/* Functions that return another value. */
#ifndef CUL_REDUCER_MUTATIONS_FUNCTION_RETURN_VALUE_H
#define CUL_REDUCER_MUTATIONS_FUNCTION_RETURN_VALUE_H

#include "../../subject/ir/ir.h"

/* May cul_return_operand be asked for a value of this type? */
bool cul_return_may(struct cul_ir *ir, MlirOperation function, MlirType type);
/* The function returns this value and nothing else, at all its ends; at those
 * where the value is not there, a stand-in.  Nothing is cut. */
bool cul_return_operand(struct cul_ir *ir, MlirOperation function,
                        MlirValue value);

#endif
