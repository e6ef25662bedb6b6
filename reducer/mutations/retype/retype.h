/* The retype engine, for mutations: build the graph of a module, set classes of
 * it (graph/graph.h), write the types that come out. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RETYPE_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RETYPE_H

#include "graph/graph.h"

/* ranks: for dimensions that go: those that some operation needs are pinned,
 * those that go together are related (rank.h). */
void cul_retype_build(struct cul_ir *ir, bool ranks, struct cul_retype *out);
/* Write it all into the module.  Returns the number of types changed. */
size_t cul_retype_apply(struct cul_retype *g);

#endif
