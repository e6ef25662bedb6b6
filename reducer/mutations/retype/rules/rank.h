/* Removing dimensions, part of the retype engine: which operations can lose
 * one, which dimensions must be removed together, and what is removed with
 * them.
 *
 * An operation without a rule pins all its dimensions. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RULES_RANK_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RULES_RANK_H

#include "fix_up.h"

/* Pin the dimensions of values with a layout or an encoding, which is made for
 * one rank, unless the layout is derived. */
void cul_retype_pin_layouts(struct cul_retype *g);
/* Join the dimensions of values that share a Triton layout.  Removing one of
 * two dimensions leaves a slice of the layout, so all values must lose the same
 * one. */
void cul_retype_join_slices(struct cul_retype *g);

/* The value with the resulting shape: the result, or the buffer that is
 * written. */
MlirValue cul_retype_outcome(MlirOperation op);
/* Pin the sizes of a value. */
void cul_retype_pin_sizes(struct cul_retype *g, MlirValue value);
/* Pin the sizes of all operands and results of op. */
void cul_retype_pin_all(struct cul_retype *g, MlirOperation op);

/* Is any dimension of a value removed?  Is dimension i? */
bool cul_retype_any_gone(const struct cul_retype *g, MlirValue value);
bool cul_retype_is_gone(const struct cul_retype *g, MlirValue value, int64_t i);
/* Which dimensions are removed, as out[CUL_RETYPE_MAX]. */
void cul_retype_find_gone(const struct cul_retype *g, MlirValue value,
                          bool *out);
/* The number of a dimension after removed ones before it are no longer counted.
 */
int64_t cul_retype_renumber(const struct cul_retype *g, MlirValue value,
                            int64_t i);

/* From a list of dimension numbers of `of`, drop the removed dimensions and
 * renumber the others.  name: an attribute, or "@1". */
void cul_retype_thin_dims(struct cul_retype *g, MlirOperation op,
                          const char *name, MlirValue of);
/* Thin a list that has the same number of entries for each dimension of `of`.
 */
void cul_retype_thin_entries(struct cul_retype *g, MlirOperation op,
                             const char *name, MlirValue of);
/* Thin the operands from `first` on, one for each dimension of `of`. */
void cul_retype_thin_operands(struct cul_retype *g, MlirOperation op,
                              intptr_t first, MlirValue of);
/* Keep these operands; remove what was needed only by the others. */
void cul_retype_keep_operands(struct cul_retype *g, MlirOperation op,
                              const bool *keep);
/* The first operand for a list's dynamic entries; SIZE_MAX if there is none. */
size_t cul_retype_first_dynamic(MlirOperation op, const char *name);
/* cul_ir_rebuild, and record the new results in the graph. */
MlirOperation cul_retype_rebuild(struct cul_retype *g, MlirOperation op,
                                 const struct cul_ir_change *change);

#endif
