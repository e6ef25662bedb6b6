/* The retype engine, for mutations: build the graph of a module, set classes of
 * it (graph/graph.h), and write the resulting types. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RETYPE_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RETYPE_H

#include "graph/graph.h"

/* Build the graph.  ranks: for removing dimensions; those that some operation
 * needs are pinned, and those that must be removed together are related
 * (rules/rules.h). */
void cul_retype_build(struct cul_ir *ir, bool ranks, struct cul_retype *out);
/* Write the new types into the module.  Returns the number of types changed. */
size_t cul_retype_apply(struct cul_retype *g);

#endif
