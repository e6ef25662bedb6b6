/* Functions become declarations. */
#ifndef CUL_REDUCER_MUTATIONS_DROP_BODY_H
#define CUL_REDUCER_MUTATIONS_DROP_BODY_H

#include "each.h"

/* The functions that may become declarations, in text order; weight: the
 * operations of the body.  As cul_mutation.sites. */
int cul_body_sites(struct cul_subject *subject, struct cul_sites *out,
                   struct cul_err *err);
/* Make op a declaration; false: it is no function with a body, or its dialect
 * has no declarations.  detail: ignored.  As for cul_each_apply. */
bool cul_body_drop(struct cul_ir *ir, MlirOperation op, uint64_t detail);

#endif
