/* Shared by the outline mutations: a run of sibling operations becomes all
 * there is. */
#ifndef CUL_REDUCER_MUTATIONS_FUNCTION_OUTLINE_H
#define CUL_REDUCER_MUTATIONS_FUNCTION_OUTLINE_H

#include "../frame/each.h"

/* Keeps the siblings from the first to the last id only. */
extern const struct cul_mutation_frame cul_outline_frame;

#endif
