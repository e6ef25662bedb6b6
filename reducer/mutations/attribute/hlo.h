/* What the verifier of StableHLO knows that none here does. */
#ifndef CUL_REDUCER_MUTATIONS_ATTRIBUTE_HLO_H
#define CUL_REDUCER_MUTATIONS_ATTRIBUTE_HLO_H

#include "../../subject/ir/ir.h"

/* Does the type of a result of op follow from this attribute?  False for other
 * dialects. */
bool cul_hlo_shapes(MlirOperation op, MlirStringRef name);
/* Does an attribute of a window, which may be absent, say something else than
 * what holds then? */
bool cul_hlo_needs(MlirOperation op, MlirStringRef name, MlirAttribute attr);

#endif
