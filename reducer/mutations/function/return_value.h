/* Functions that return another value. */
#ifndef CUL_REDUCER_MUTATIONS_FUNCTION_RETURN_VALUE_H
#define CUL_REDUCER_MUTATIONS_FUNCTION_RETURN_VALUE_H

#include "../../subject/ir/ir.h"

/* Replace value by `with`: its users take `with` unchanged, and a function that
 * returned value now returns only `with`, at all its returns; a return that
 * `with` does not dominate gets a stand-in.  Nothing is erased.  False: the
 * function does not allow this. */
bool cul_return_instead(struct cul_ir *ir, MlirValue value, MlirValue with);

#endif
