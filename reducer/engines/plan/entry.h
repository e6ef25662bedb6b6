/* The function of a module that an engine calls: the entry. */
#ifndef CUL_REDUCER_ENGINES_PLAN_ENTRY_H
#define CUL_REDUCER_ENGINES_PLAN_ENTRY_H

#include "../../subject/ir/ir.h"

/* Find the func.func with a body that is named `asked`; if asked is NULL:
 * @main, else the first public one, else the first.  *name: its name, heap.
 * Returns null and reports EUSAGE if there is none. */
MlirOperation cul_entry_find(struct cul_ir *ir, const char *asked, char **name,
                             struct cul_err *err);

#endif
