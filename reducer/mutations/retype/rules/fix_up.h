/* The last part of the retype engine: what depends on types but is no type.
 * Parts of apply.c and fix.c. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RULES_FIX_UP_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RULES_FIX_UP_H

#include "rules.h"

/* op a view: the layout of its class follows from its source, new offsets and
 * strides.  Before the types change, after the numbers did. */
void cul_retype_derive_layout(struct cul_retype *g, MlirOperation op);
/* The same for layouts of which slices are left. */
void cul_retype_derive_slices(struct cul_retype *g);
/* Attributes of op that have the old type of one of its values get the new
 * one: literals, type attributes.  Before the types change. */
void cul_retype_fix_up_attributes(struct cul_retype *g, MlirOperation op);
/* h a global: its type and its first value.  False: it is none. */
bool cul_retype_write_global(struct cul_retype *g,
                             const struct cul_retype_holder *h);
/* After all types changed: what went with dimensions, lists of dynamic sizes,
 * shapes as values: words.c. */
void cul_retype_fix_up(struct cul_retype *g, MlirOperation op);
/* Last: a cast, a reshape that became one type to the same goes. */
void cul_retype_fix_up_cast(struct cul_retype *g, MlirOperation op);
/* The literal with another type; null: it has none there. */
MlirAttribute cul_retype_literal(struct cul_ir *ir, MlirAttribute old,
                                 MlirType type);

#endif
