/* What the retype engine knows of operations: which parts of the types of
 * their operands and results are tied.  Parts of retype_rules.c. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_RULES_H
#define CUL_REDUCER_MUTATIONS_RETYPE_RULES_H

#include <mlir-c/AffineExpr.h>

#include "retype.h"

/* Tie what op's rule says; without one, what has equal sizes. */
void cul_retype_rule(struct cul_retype *g, MlirOperation op);
/* Has op no rule, so that what is tied in it must be learnt?  op: its handle.
 */
bool cul_retype_is_unruled(const void *op);
/* Tie what was learnt of op: retype_learnt.c.  False: nothing was. */
bool cul_retype_rule_learnt(struct cul_retype *g, MlirOperation op);
/* Constant bounds of loops around what op subscripts: retype_bounds.c. */
void cul_retype_rule_bounds(struct cul_retype *g, MlirOperation op);
/* Globals: retype_global.c. */
void cul_retype_rule_global(struct cul_retype *g, MlirOperation op);
/* Regions, branches, calls, returns: what flows keeps its type. */
void cul_retype_rule_flow(struct cul_retype *g, MlirOperation op);

/* What Triton's layouts ask of the sizes and elements that they are for:
 * retype_rules_layouts.c. */
void cul_retype_rule_layouts(struct cul_retype *g);

typedef void cul_retype_rule_fn(struct cul_retype *g, MlirOperation op);

/* retype_rules_linalg.c: all that has indexing maps. */
cul_retype_rule_fn cul_retype_rule_linalg, cul_retype_rule_contract,
    cul_retype_rule_transfer;
/* retype_rules_shape.c */
cul_retype_rule_fn cul_retype_rule_collapse, cul_retype_rule_slice,
    cul_retype_rule_insert_slice, cul_retype_rule_pad, cul_retype_rule_concat,
    cul_retype_rule_transpose, cul_retype_rule_reduce, cul_retype_rule_trailing,
    cul_retype_rule_strided_slice, cul_retype_rule_count,
    cul_retype_rule_dynamic_reshape;
/* retype_rules_tosa.c */
cul_retype_rule_fn cul_retype_rule_tosa_conv, cul_retype_rule_tosa_pool,
    cul_retype_rule_reshape, cul_retype_rule_tosa_mul, cul_retype_rule_tosa_pad,
    cul_retype_rule_tosa_slice, cul_retype_rule_tosa_tile;
/* retype_rules_triton.c */
cul_retype_rule_fn cul_retype_rule_range, cul_retype_rule_expand,
    cul_retype_rule_address, cul_retype_rule_bare, cul_retype_rule_layout,
    cul_retype_rule_bits, cul_retype_rule_dot, cul_retype_rule_warp_dot,
    cul_retype_rule_machine, cul_retype_rule_memory, cul_retype_rule_cat,
    cul_retype_rule_pairs, cul_retype_rule_reductions, cul_retype_rule_view;
/* retype_rules_stablehlo.c */
cul_retype_rule_fn cul_retype_rule_hlo_broadcast, cul_retype_rule_hlo_slice,
    cul_retype_rule_hlo_reduce, cul_retype_rule_hlo_dot,
    cul_retype_rule_hlo_pad, cul_retype_rule_hlo_dynamic_slice,
    cul_retype_rule_hlo_update, cul_retype_rule_hlo_top_k,
    cul_retype_rule_hlo_parts, cul_retype_rule_hlo_fft,
    cul_retype_rule_hlo_length, cul_retype_rule_hlo_numbers,
    cul_retype_rule_hlo_each, cul_retype_rule_hlo_bits,
    cul_retype_rule_hlo_bounds;
/* retype_rules_torch.c: all of the dialect. */
cul_retype_rule_fn cul_retype_rule_torch;
/* Besides an operation's own rule: which operands say where. */
cul_retype_rule_fn cul_retype_rule_hlo_indices;
/* retype_rules_gather.c, retype_rules_window.c */
cul_retype_rule_fn cul_retype_rule_hlo_gather, cul_retype_rule_hlo_scatter,
    cul_retype_rule_hlo_convolution, cul_retype_rule_hlo_window;
/* retype_global.c: what loads or stores one. */
cul_retype_rule_fn cul_retype_rule_access;
/* retype_rules.c: size by size; whatever is equal. */
cul_retype_rule_fn cul_retype_rule_same, cul_retype_rule_by_size;

/* Operand 0 and result 0 hold the same elements in
 * the same order: split at equal products, with no list of sizes to mend. */
void cul_retype_same_elements(struct cul_retype *g, MlirOperation op);
/* Which size of small each entry of a slice's static_sizes is; small may lack
 * some that are 1: CUL_RETYPE_NONE.  Returns how many entries. */
size_t cul_retype_slice_sizes(const struct cul_retype *g, MlirOperation op,
                              MlirValue small, uint32_t *out);
/* A named linalg operation that works element by element. */
bool cul_retype_is_linalg_elementwise(MlirOperation op);
/* Which sizes of stablehlo.dot_general are one loop, two by two. */
struct cul_retype_dot {
  uint32_t pairs[4 * CUL_RETYPE_MAX][2];
  size_t n;
};
/* False: its attribute is not there. */
bool cul_retype_dot(struct cul_retype *g, MlirOperation op,
                    struct cul_retype_dot *out);
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
/* Does op work element by element: is its rule cul_retype_rule_same? */
bool cul_retype_is_elementwise(MlirOperation op);
/* The indexing maps of a linalg operation, one per operand; null: not known. */
MlirAttribute cul_retype_maps(MlirOperation op);
/* How an operation subscripts: operands [first, ...) are subscripts of operand
 * `memory`, map (affine operations) an attribute between them. */
struct cul_retype_access {
  const char *name, *map;
  intptr_t memory, first;
};
/* NULL: it does not. */
const struct cul_retype_access *cul_retype_access_of(MlirOperation op);

/* The numbers of the list that a dialect's attribute, as text, has as name;
 * returns how many. */
size_t cul_retype_list_in(const char *text, const char *name, int64_t *out);
bool cul_retype_is_among(const int64_t *numbers, size_t n, size_t i);

/* An affine expression as a sum. */
struct cul_retype_linear {
  int64_t coef[CUL_RETYPE_MAX]; /* of the dimensions */
  int64_t constant;
};
/* False: it is none. */
bool cul_retype_linear_of(MlirAffineExpr expr, struct cul_retype_linear *out);

#endif
