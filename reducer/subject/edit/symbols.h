/* References to symbols: where others refer to one, and making them refer to
 * another. */
#ifndef CUL_REDUCER_SUBJECT_EDIT_SYMBOLS_H
#define CUL_REDUCER_SUBJECT_EDIT_SYMBOLS_H

#include "../ir/ir.h"

/* Make references to the symbol op refer to name instead: all references in the
 * module if no other symbol has op's name, else those in the surrounding scope.
 * op's own name stays. */
void cul_symbols_redirect(struct cul_ir *ir, MlirOperation op,
                          const char *name);

/* Does anything outside the symbol op refer to it or to a symbol in it? */
bool cul_symbols_named_outside(struct cul_ir *ir, MlirOperation op);

#endif
