/* What the retype engine knows of operations: which parts of the types of
 * their operands and results are tied.  Parts of words.c. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RULES_RULES_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RULES_RULES_H

#include <mlir-c/AffineExpr.h>

#include "../graph/graph.h"

/* ---- words of rules: words.c ---- */

/* All rules there are; read at the first call. */
const struct cul_op_rules *cul_retype_rules(void);
/* This word of a rule, or of op's; NULL: it has none. */
const struct cul_op_word *cul_retype_word_in(const struct cul_op_rule *rule,
                                             const char *text);
const struct cul_op_word *cul_retype_word(MlirOperation op, const char *text);
/* Argument i of the word that is being followed; NULL: it has none. */
const char *cul_retype_arg(const struct cul_retype *g, size_t i);
/* The same as a number; -1: it is none. */
intptr_t cul_retype_arg_number(const struct cul_retype *g, size_t i);

/* Tie what op's rule says; without one, what has equal sizes. */
void cul_retype_rule(struct cul_retype *g, MlirOperation op);
/* Does no rule say which sizes of op are equal, or which dimensions go, so that
 * it must be learnt?  op: its handle. */
bool cul_retype_is_unruled(const void *op);
/* Does nothing verify op?  What is not understood of it must stay. */
bool cul_retype_is_unverified(MlirOperation op);
/* Does op work element by element, on shapes of any rank? */
bool cul_retype_is_elementwise(MlirOperation op);
/* Tie what was learnt of op: learnt.c.  False: nothing was. */
bool cul_retype_rule_learnt(struct cul_retype *g, MlirOperation op);
/* Globals: global.c.  Who names a symbol is added to out. */
void cul_retype_users(struct cul_retype *g, MlirOperation symbol,
                      struct cul_ir_ops *out);
void cul_retype_rule_global(struct cul_retype *g, MlirOperation op);
/* Regions, branches, calls, returns: what flows keeps its type. */
void cul_retype_rule_flow(struct cul_retype *g, MlirOperation op);

/* What Triton's layouts ask of the sizes and elements that they are for:
 * triton_layout.c. */
void cul_retype_rule_layouts(struct cul_retype *g);

/* The same of dimensions that go together; and what goes with them.  False:
 * nothing was learnt. */
bool cul_retype_rule_learnt_dims(struct cul_retype *g, MlirOperation op);
void cul_retype_thin_learnt(struct cul_retype *g, MlirOperation op);

/* What a word means: while the graph is built, what it ties, relates and pins
 * (rule); after the types changed, what goes with dimensions (thin) or follows
 * sizes (fix).  For the word itself see g->word. */
typedef void cul_retype_rule_fn(struct cul_retype *g, MlirOperation op);

/* letters.c, equation.c */
cul_retype_rule_fn cul_retype_rule_letters, cul_retype_thin_letters,
    cul_retype_rule_equation;
/* Do letters of this word stand for several dimensions each, or for those that
 * a list numbers? */
bool cul_retype_has_runs(const char *word);
bool cul_retype_is_equation(const char *word);
/* rules.c */
cul_retype_rule_fn cul_retype_rule_same, cul_retype_rule_by_size,
    cul_retype_rule_shared, cul_retype_rule_pinned, cul_retype_rule_pin,
    cul_retype_rule_sized, cul_retype_rule_inside, cul_retype_rule_like,
    cul_retype_rule_each, cul_retype_rule_widths, cul_retype_rule_element,
    cul_retype_rule_integers, cul_retype_rule_layouts_stay,
    cul_retype_rule_counts, cul_retype_rule_lengths;
/* Element types, encodings, spaces: equal ones stay equal. */
void cul_retype_tie_types(struct cul_retype *g, MlirOperation op);
/* rank.c, rank_list.c */
cul_retype_rule_fn cul_retype_rule_alike, cul_retype_rule_dim,
    cul_retype_thin_dim, cul_retype_thin_access, cul_retype_thin_listed,
    cul_retype_thin_orders, cul_retype_rule_flow_tensor,
    cul_retype_thin_flow_tensor;
/* maps.c, transfer.c */
cul_retype_rule_fn cul_retype_rule_linalg, cul_retype_rule_maps,
    cul_retype_thin_maps, cul_retype_rule_transfer, cul_retype_thin_transfer;
/* shape.c */
cul_retype_rule_fn cul_retype_rule_groups, cul_retype_rule_elements,
    cul_retype_rule_open_elements, cul_retype_rule_slice, cul_retype_rule_pad,
    cul_retype_rule_concat, cul_retype_rule_trailing, cul_retype_rule_spread,
    cul_retype_rule_memory, cul_retype_rule_axis, cul_retype_thin_groups,
    cul_retype_thin_slice, cul_retype_thin_pad, cul_retype_thin_transposed,
    cul_retype_thin_numbered;
/* triton.c */
cul_retype_rule_fn cul_retype_rule_address, cul_retype_rule_bare,
    cul_retype_rule_layout, cul_retype_rule_bits, cul_retype_rule_reshape,
    cul_retype_rule_range, cul_retype_rule_combined, cul_retype_rule_laid_out,
    cul_retype_thin_range, cul_retype_thin_expand, cul_retype_thin_combined,
    cul_retype_thin_dot, cul_retype_thin_least;
/* convolution.c: StableHLO's */
cul_retype_rule_fn cul_retype_rule_convolution, cul_retype_thin_convolution;
/* operands.c */
cul_retype_rule_fn cul_retype_rule_given, cul_retype_rule_shape,
    cul_retype_rule_typed, cul_retype_rule_repeats, cul_retype_fix_up_shape;
/* fix.c */
cul_retype_rule_fn cul_retype_fix_up_sizes, cul_retype_fix_up_segment_sizes,
    cul_retype_fix_up_static;
/* global.c; bounds.c: constant bounds of loops around what op
 * subscripts. */
cul_retype_rule_fn cul_retype_rule_global_access, cul_retype_rule_access;

/* ---- lists and numbers that are operands: operands.c ---- */

/* The numbers that an operand is, a constant or a list; an entry that is no
 * constant is CUL_RETYPE_DYNAMIC.  False: it is no such thing. */
bool cul_retype_operand(MlirOperation op, intptr_t at, int64_t *out, size_t *n);
/* Numbers of dimensions, out of rank: of the attribute `name`, or of operand
 * "@1", where they may count from the end.  False: there are none. */
bool cul_retype_dims(MlirOperation op, const char *name, size_t rank,
                     int64_t *out, size_t *n);
/* Whose operands op joins: the list's that its first operand is, or its own. */
MlirOperation cul_retype_joined(MlirOperation op);

/* Operand 0 and result 0 hold the same elements in the same order: split at
 * equal products, with no list of sizes to fix. */
void cul_retype_same_elements(struct cul_retype *g, MlirOperation op);
/* [b, 0, 1, f] of a convolution: one letter or number of a side per
 * dimension. */
struct cul_retype_places {
  int64_t first, second; /* the dimensions b and f; i and o */
  int64_t side[CUL_RETYPE_MAX];
  size_t n;
};
/* Of input, kernel and output of stablehlo.convolution.  False: its attribute
 * is not understood. */
bool cul_retype_convolution(struct cul_retype *g, MlirOperation op,
                            struct cul_retype_places places[3]);
/* The indexing maps of a linalg operation, one per operand; null: not known. */
MlirAttribute cul_retype_maps(MlirOperation op);

/* An affine expression as a sum. */
struct cul_retype_linear {
  int64_t coef[CUL_RETYPE_MAX]; /* of the dimensions */
  int64_t constant;
};
/* False: it is none. */
bool cul_retype_linear_of(MlirAffineExpr expr, struct cul_retype_linear *out);
/* A size holds what the sum reaches while each of its dimensions counts up to a
 * node's value: CUL_RETYPE_AT_LEAST or _WISH.  nodes[CUL_RETYPE_MAX]. */
void cul_retype_relate_reach(struct cul_retype *g, enum cul_retype_kind kind,
                             uint32_t size, const struct cul_retype_linear *sum,
                             const uint32_t *nodes);

#endif
