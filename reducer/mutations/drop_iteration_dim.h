/* Iterators of linalg.generic, for drop-iteration-dim. */
#ifndef CUL_REDUCER_MUTATIONS_DROP_ITERATION_DIM_H
#define CUL_REDUCER_MUTATIONS_DROP_ITERATION_DIM_H

#include "each.h"

/* Iterators of a linalg.generic; 0 for other operations. */
intptr_t cul_linalg_count_dims(MlirOperation op);
/* Drop iterator number dim: operands that have a dimension for it become new
 * arguments of the function without that dimension, and so do the types of
 * results; uses of the old results get a stand-in.  Inside other subscripts it
 * is 0.  Where whole values can lose the dimension everywhere, drop-dimension
 * keeps the flow instead. */
bool cul_linalg_drop_dim(struct cul_ir *ir, MlirOperation op, intptr_t dim);

#endif
