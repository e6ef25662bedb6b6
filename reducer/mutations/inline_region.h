/* Inlining a region: shared by its two mutations. */
#ifndef CUL_REDUCER_MUTATIONS_INLINE_REGION_H
#define CUL_REDUCER_MUTATIONS_INLINE_REGION_H

#include "mutation.h"
#include "region.h"

/* One site per region of one block; detail: its index. */
void cul_inline_region_sites(struct cul_ir *ir, struct cul_sites *out);
/* Move the operations of region number index in front of op, discard op. */
bool cul_inline_region(struct cul_ir *ir, MlirOperation op, intptr_t index,
                       enum cul_region_bind bind);

#endif
