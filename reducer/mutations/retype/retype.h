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
/* Both, with nothing set: layouts follow from offsets and strides. */
void cul_retype_derive(struct cul_ir *ir);

/* ---- sites: a class of the engine and what it is to become ---- */

enum { CUL_RETYPE_TARGETS = 8 };
/* What may become of value, at most CUL_RETYPE_TARGETS; the same each time:
 * a site keeps a number into this list. */
typedef size_t cul_retype_targets_fn(const struct cul_retype *g, int64_t value,
                                     int64_t *out);

struct cul_retype_edit {
  enum cul_retype_part part; /* CUL_RETYPE_SIZE: of any size */
  cul_retype_targets_fn *targets;
  bool ranks;      /* dimensions may go */
  bool everywhere; /* also one site for all classes of a value: nothing ties
                      what operations accept mixed */
};

/* how: a cul_retype_edit.  A site per class of its part and target that keeps
 * all relations; before them those of edit.everywhere.  Weight: types that
 * change.  Of the chosen ones those are applied that still can be, together. */
extern const struct cul_mutation_frame cul_retype_frame;

#endif
