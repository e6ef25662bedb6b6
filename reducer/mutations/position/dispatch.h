/* IREE's dispatches: flow.dispatch.workgroups takes a block argument per
 * operand and per result that is not tied to one, of other types; the region
 * that counts its workgroups, as that of flow.dispatch.region, takes the
 * workload. */
#ifndef CUL_REDUCER_MUTATIONS_POSITION_DISPATCH_H
#define CUL_REDUCER_MUTATIONS_POSITION_DISPATCH_H

#include "position.h"

bool cul_dispatch_is(MlirOperation op);
/* The position of operand number at: see cul_position_fn. */
bool cul_dispatch_position(MlirOperation op, intptr_t at,
                           struct cul_position *out);

#endif
