/* The retype engine, for mutations: build the graph of a module, set classes of
 * it (graph/graph.h), and write the resulting types. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RETYPE_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RETYPE_H

#include "../mutation.h"
#include "graph/graph.h"

/* Build the graph.  ranks: for removing dimensions; those that some operation
 * needs are pinned, and those that must be removed together are related
 * (rules/rules.h). */
void cul_retype_build(struct cul_ir *ir, bool ranks, struct cul_retype *out);
/* Write the new types into the module.  Returns the number of types changed. */
size_t cul_retype_apply(struct cul_retype *g);
/* Build and apply with no changes set: layouts are derived from offsets and
 * strides. */
void cul_retype_derive(struct cul_ir *ir);

/* ---- sites: a class of the engine and its new value ---- */

enum { CUL_RETYPE_TARGETS = 8 };
/* The possible new values for value, at most CUL_RETYPE_TARGETS.  The list must
 * be the same at each call, because a site stores an index into it. */
typedef size_t cul_retype_targets_fn(const struct cul_retype *g, int64_t value,
                                     int64_t *out);

struct cul_retype_edit {
  enum cul_retype_part part; /* CUL_RETYPE_SIZE: of any size */
  cul_retype_targets_fn *targets;
  bool ranks;      /* dimensions may be removed */
  bool everywhere; /* also one site for all classes of a value, for operations
                      that accept mixed types without a tie */
};

#define CUL_RETYPE(id, ...) CUL_MUTATION(cul_retype_edit, id, __VA_ARGS__)
/* how: a cul_retype_edit.  There is a site for each class of its part and each
 * target that keeps all relations; the sites of edit.everywhere precede them.
 * Weight: number of types that change.  Chosen sites that are still valid are
 * applied together. */
extern const struct cul_mutation_frame cul_retype_frame;

#endif
