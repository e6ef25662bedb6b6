/* Iterators of linalg.generic, for cul_position_counters. */
#ifndef CUL_REDUCER_MUTATIONS_POSITION_LINALG_H
#define CUL_REDUCER_MUTATIONS_POSITION_LINALG_H

#include "position.h"

/* Iterators of a linalg.generic; 0 for other operations. */
intptr_t cul_position_count_iterators(MlirOperation op);
/* One of them, with the dimensions that its operands have for it.  Inside other
 * subscripts it is 0. */
cul_position_fn cul_position_iterator;

#endif
