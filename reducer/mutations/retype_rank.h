/* Dimensions that go, part of the retype engine: which operations can lose
 * one, which go together, and what goes with them.
 *
 * An operation that no rule knows pins all its dimensions. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RANK_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RANK_H

#include "retype_mend.h"

struct cul_retype_rank_rule {
  const char *name; /* of the operation; ending in '.': all of the dialect */
  /* While the graph is built: relate dimensions that go together, pin those
   * that stay.  NULL: each may go alone. */
  void (*join)(struct cul_retype *g, MlirOperation op,
               const struct cul_retype_rank_rule *rule);
  /* After the types changed: attributes, operands, regions.  NULL: nothing. */
  void (*thin)(struct cul_retype *g, MlirOperation op,
               const struct cul_retype_rank_rule *rule);
  const char *attr; /* numbers of dimensions: a list, an axis */
};

/* Relate or pin what op's rule says. */
void cul_retype_join(struct cul_retype *g, MlirOperation op);
/* A layout or an encoding is made for one rank, unless it is derived. */
void cul_retype_pin_layouts(struct cul_retype *g);
/* A layout of Triton's tensors: what is left of one that has two dimensions
 * when one goes is a slice of it.  Those that share one lose the same. */
bool cul_retype_is_sliced(const struct cul_retype *g,
                          const struct cul_retype_slot *slot);
void cul_retype_join_slices(struct cul_retype *g);

/* ---- for rules ---- */

/* These two go together. */
void cul_retype_join_nodes(struct cul_retype *g, uint32_t a, uint32_t b);
/* Dimension i of one with dimension i of the other, where the ranks agree. */
void cul_retype_join_values(struct cul_retype *g, MlirValue a, MlirValue b);
void cul_retype_pin_sizes(struct cul_retype *g, MlirValue value);
/* Of all that op takes and gives. */
void cul_retype_pin_all(struct cul_retype *g, MlirOperation op);
/* The same where one of them has a size of 1: of a reshape's sizes that one is
 * in none of the engine's groups, and would be left alone. */
void cul_retype_pin_if_one(struct cul_retype *g, MlirOperation op);

/* Has dimension i of a value gone? */
bool cul_retype_is_gone(const struct cul_retype *g, MlirValue value, int64_t i);
/* A number of a dimension, counted without those that have gone before it. */
int64_t cul_retype_renumber(const struct cul_retype *g, MlirValue value,
                            int64_t i);

/* A list of numbers of dimensions of `of`: without those that have gone, the
 * others counted anew.  by: entry i goes with dimension i of that one too;
 * null: with none. */
void cul_retype_thin_dims(struct cul_retype *g, MlirOperation op,
                          const char *name, MlirValue of, MlirValue by);
/* A list with an entry per dimension of `of`. */
void cul_retype_thin_entries(struct cul_retype *g, MlirOperation op,
                             const char *name, MlirValue of);
/* Keep these operands; what made only the others goes. */
void cul_retype_keep_operands(struct cul_retype *g, MlirOperation op,
                              const bool *keep);
/* A word in the text of a dialect's attribute, in front of a list of numbers
 * of dimensions, or of one; and whose dimensions they are. */
struct cul_retype_word {
  const char *word;
  MlirValue of;
};
/* The attribute without what has gone: lists that are left empty go, too. */
void cul_retype_thin_words(struct cul_retype *g, MlirOperation op,
                           const char *name,
                           const struct cul_retype_word *words, size_t n);
/* Where the operands of a list's dynamic entries begin; SIZE_MAX: it has
 * none. */
size_t cul_retype_first_dynamic(MlirOperation op, const char *name);
/* cul_ir_rebuild; the graph knows the new results. */
MlirOperation cul_retype_rebuild(struct cul_retype *g, MlirOperation op,
                                 const struct cul_ir_change *change);

/* retype_rank_linalg.c: all that has indexing maps. */
void cul_retype_join_maps(struct cul_retype *g, MlirOperation op,
                          const struct cul_retype_rank_rule *rule);
void cul_retype_thin_maps(struct cul_retype *g, MlirOperation op,
                          const struct cul_retype_rank_rule *rule);

/* retype_rank_shape.c: the rule of an operation that cuts, joins, pads or
 * permutes; NULL: it is none. */
const struct cul_retype_rank_rule *cul_retype_rank_shape(MlirOperation op);
/* Dimension i of what comes out is dimension attr[i] of what goes in. */
void cul_retype_join_permuted(struct cul_retype *g, MlirOperation op,
                              const struct cul_retype_rank_rule *rule);
/* retype_rank_vector.c */
const struct cul_retype_rank_rule *cul_retype_rank_vector(MlirOperation op);
/* retype_rank_hlo.c: StableHLO. */
const struct cul_retype_rank_rule *cul_retype_rank_hlo(MlirOperation op);
/* retype_rank_triton.c */
const struct cul_retype_rank_rule *cul_retype_rank_triton(MlirOperation op);
/* retype_rank_torch.c */
const struct cul_retype_rank_rule *cul_retype_rank_torch(MlirOperation op);
/* retype_rank_window.c: StableHLO's convolutions, windows, gathers. */
const struct cul_retype_rank_rule *cul_retype_rank_window(MlirOperation op);
/* retype_rank_flow.c: IREE's flow tensors. */
const struct cul_retype_rank_rule *cul_retype_rank_flow(MlirOperation op);
/* Of a table. */
const struct cul_retype_rank_rule *
cul_retype_rank_find(const struct cul_retype_rank_rule *rules, size_t n,
                     MlirOperation op);

#endif
