/* Dimensions that go, part of the retype engine: which operations can lose
 * one, which go together, and what goes with them.
 *
 * An operation that no rule knows pins all its dimensions. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RULES_RANK_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RULES_RANK_H

#include "fix_up.h"

/* A layout or an encoding is made for one rank, unless it is derived. */
void cul_retype_pin_layouts(struct cul_retype *g);
/* A layout of Triton's tensors: what is left of one that has two dimensions
 * when one goes is a slice of it.  Those that share one lose the same. */
void cul_retype_join_slices(struct cul_retype *g);

/* The shape that comes out: the result, or the buffer that is written. */
MlirValue cul_retype_outcome(MlirOperation op);
/* Dimension i of one with dimension i of the other, where the ranks agree. */
void cul_retype_pin_sizes(struct cul_retype *g, MlirValue value);
/* Of all that op takes and gives. */
void cul_retype_pin_all(struct cul_retype *g, MlirOperation op);

/* Has any dimension of a value gone?  Has dimension i? */
bool cul_retype_any_gone(const struct cul_retype *g, MlirValue value);
bool cul_retype_is_gone(const struct cul_retype *g, MlirValue value, int64_t i);
/* Which have, as out[CUL_RETYPE_MAX]. */
void cul_retype_find_gone(const struct cul_retype *g, MlirValue value,
                          bool *out);
/* A number of a dimension, counted without those that have gone before it. */
int64_t cul_retype_renumber(const struct cul_retype *g, MlirValue value,
                            int64_t i);

/* A list of numbers of dimensions of `of`: without those that have gone, the
 * others counted anew.  name: of an attribute, or "@1". */
void cul_retype_thin_dims(struct cul_retype *g, MlirOperation op,
                          const char *name, MlirValue of);
/* A list with as many entries for each dimension of `of`. */
void cul_retype_thin_entries(struct cul_retype *g, MlirOperation op,
                             const char *name, MlirValue of);
/* Operands from first on, one for each dimension of `of`. */
void cul_retype_thin_operands(struct cul_retype *g, MlirOperation op,
                              intptr_t first, MlirValue of);
/* Keep these operands; what made only the others goes. */
void cul_retype_keep_operands(struct cul_retype *g, MlirOperation op,
                              const bool *keep);
/* Where the operands of a list's dynamic entries begin; SIZE_MAX: it has
 * none. */
size_t cul_retype_first_dynamic(MlirOperation op, const char *name);
/* cul_ir_rebuild; the graph knows the new results. */
MlirOperation cul_retype_rebuild(struct cul_retype *g, MlirOperation op,
                                 const struct cul_ir_change *change);

#endif
