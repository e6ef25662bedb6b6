/* Functions become declarations. */
#ifndef CUL_REDUCER_MUTATIONS_DROP_BODY_H
#define CUL_REDUCER_MUTATIONS_DROP_BODY_H

#include "each.h"

/* The functions that may become declarations; weight: the operations of the
 * body. */
cul_each_list_fn cul_body_list;
/* Make op a declaration; false: it is no function with a body, or its dialect
 * has no declarations.  detail: ignored. */
cul_each_fn cul_body_drop;

#endif
