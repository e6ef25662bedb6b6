/* Changes of the value that a function returns. */
#ifndef CUL_REDUCER_MUTATIONS_FUNCTION_RETURN_VALUE_H
#define CUL_REDUCER_MUTATIONS_FUNCTION_RETURN_VALUE_H

#include "../../subject/ir/ir.h"

/* Replace value by `with` in its users.  A function that returned value now
 * returns only `with`, at all its returns; if `with` does not dominate a
 * return, that one returns another value of its type.  Nothing is erased.
 * False: the function does not allow this. */
bool cul_return_instead(struct cul_ir *ir, MlirValue value, MlirValue with);

#endif
