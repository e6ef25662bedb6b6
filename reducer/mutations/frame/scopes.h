/* Nested sites, of symbols and of regions: the parent of a site is the nearest
 * one around it. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_SCOPES_H
#define CUL_REDUCER_MUTATIONS_FRAME_SCOPES_H

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

/* Add a site for each region to which weight gives a weight.  place: the
 * operation; detail: the number of the region; parent: the nearest enclosing
 * region that has a site. */
typedef uint32_t cul_region_weight_fn(struct cul_ir *ir, MlirOperation op,
                                      intptr_t region);
void cul_region_sites(struct cul_ir *ir, cul_region_weight_fn *weight,
                      struct cul_sites *out);

#endif
