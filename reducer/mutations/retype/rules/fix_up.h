/* The last part of the retype engine: updates what depends on types but is no
 * type.  Shared by ../apply.c and fix_up.c. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RULES_FIX_UP_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RULES_FIX_UP_H

#include "rules.h"

/* If op is a view: derive the layout of its class from its source, new offsets
 * and new strides.  Call after the numbers changed and before the types change.
 */
void cul_retype_derive_layout(struct cul_retype *g, MlirOperation op);
/* The same for layouts that are slices of others. */
void cul_retype_derive_slices(struct cul_retype *g);
/* Attributes of op with the old type of one of its values get the new type:
 * literals and type attributes.  Call before the types change. */
void cul_retype_fix_up_attributes(struct cul_retype *g, MlirOperation op);
/* If h is a global, write its type and its initial value; false if it is none.
 */
bool cul_retype_write_global(struct cul_retype *g,
                             const struct cul_retype_holder *h);
/* After all types changed: update what depends on removed dimensions, lists of
 * dynamic sizes, and shapes as values (words.c). */
void cul_retype_fix_up(struct cul_retype *g, MlirOperation op);
/* Last: remove a cast or reshape whose two types have become the same. */
void cul_retype_fix_up_cast(struct cul_retype *g, MlirOperation op);
/* The literal with another type; null: it cannot have that type. */
MlirAttribute cul_retype_literal(struct cul_ir *ir, MlirAttribute old,
                                 MlirType type);

#endif
