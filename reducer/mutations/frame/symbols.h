/* Sites that are symbols, with the symbol around each as its parent. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_SYMBOLS_H
#define CUL_REDUCER_MUTATIONS_FRAME_SYMBOLS_H

#include "../../subject/ir/ir.h"
#include "../../subject/ir/map.h"
#include "../mutation.h"

/* Which symbols become sites. */
typedef bool cul_symbols_filter(struct cul_ir *ir,
                                const struct cul_ir_symbol *symbol);
/* A site per symbol that filter (NULL: any) lets pass; place: the operation;
 * weight: operations in it. */
void cul_symbols_sites(struct cul_ir *ir, struct cul_sites *out,
                       cul_symbols_filter *filter);

/* References to symbol op mean name from now on: all in the module where no
 * other symbol has its name, else those around it.  Its own name stays. */
void cul_symbols_redirect(struct cul_ir *ir, MlirOperation op,
                          const char *name);

/* Does something outside of op, which is a symbol, name it or a symbol in it?
 */
bool cul_symbols_named_outside(struct cul_ir *ir, MlirOperation op);

#endif
