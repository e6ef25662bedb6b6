/* IREE's dispatches: flow.dispatch.workgroups takes a block argument per
 * operand and per result that is not tied to one, of other types; the region
 * that counts its workgroups, as that of flow.dispatch.region, takes the
 * workload. */
#ifndef CUL_REDUCER_MUTATIONS_DISPATCH_H
#define CUL_REDUCER_MUTATIONS_DISPATCH_H

#include "cfg.h"

bool cul_dispatch_is(MlirOperation op);
/* May operand number at go, with the block argument it enters as? */
bool cul_dispatch_may_drop(MlirOperation op, intptr_t at);
bool cul_dispatch_drop(struct cul_ir *ir, MlirOperation op, intptr_t at);

#endif
