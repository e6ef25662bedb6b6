/* The function of a module that an engine calls. */
#ifndef CUL_REDUCER_ENGINES_PLAN_ENTRY_H
#define CUL_REDUCER_ENGINES_PLAN_ENTRY_H

#include "../../subject/ir/ir.h"

/* The func.func with a body that is called `asked`; where that is NULL: @main,
 * else the first public one, else the first.  *name: heap.  Null, and
 * EUSAGE: there is none. */
MlirOperation cul_entry_find(struct cul_ir *ir, const char *asked, char **name,
                             struct cul_err *err);

#endif
