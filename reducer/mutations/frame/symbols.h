/* Sites that are symbols; the parent of each is the enclosing symbol. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_SYMBOLS_H
#define CUL_REDUCER_MUTATIONS_FRAME_SYMBOLS_H

#include "../../subject/ir/ir.h"
#include "../../subject/ir/map.h"
#include "../mutation.h"

/* Which symbols become sites. */
typedef bool cul_symbols_filter(struct cul_ir *ir,
                                const struct cul_ir_symbol *symbol);
/* Add a site for each symbol that filter accepts (NULL: every symbol).  place:
 * the operation; weight: the operations in it. */
void cul_symbols_sites(struct cul_ir *ir, struct cul_sites *out,
                       cul_symbols_filter *filter);

/* Make references to the symbol op refer to name instead: all references in the
 * module if no other symbol has op's name, else those in the surrounding scope.
 * op's own name stays. */
void cul_symbols_redirect(struct cul_ir *ir, MlirOperation op,
                          const char *name);

/* Does anything outside the symbol op refer to it or to a symbol in it? */
bool cul_symbols_named_outside(struct cul_ir *ir, MlirOperation op);

#endif
