/* Functions that return another value. */
#ifndef CUL_REDUCER_MUTATIONS_FUNCTION_RETURN_VALUE_H
#define CUL_REDUCER_MUTATIONS_FUNCTION_RETURN_VALUE_H

#include "../../subject/ir/ir.h"

/* The users of value take this one as it is; a function that returned value
 * returns this one and nothing else, at all its ends; at those where it is not
 * there, a stand-in.  Nothing is cut.  False: the function cannot. */
bool cul_return_instead(struct cul_ir *ir, MlirValue value, MlirValue with);

#endif
