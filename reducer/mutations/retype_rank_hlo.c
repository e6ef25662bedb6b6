/* Dimensions that go, of StableHLO as it comes in the opaque form: see
 * retype_rank.h. */
#include "retype_rank.h"

#include <stdlib.h>
#include <string.h>

typedef const struct cul_retype_rank_rule rank_rule;

static MlirValue operand(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}

static MlirValue outcome(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

/* ---- entries of lists, and scalars as subscripts ---- */

/* All values that have a shape have one rank. */
static void join_part(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  (void)rule;
  for (size_t i = 1; i < cul_retype_n_values(op); i++)
    cul_retype_join_values(g, operand(op, 0), cul_retype_value(op, i));
}

static void thin_lists(struct cul_retype *g, MlirOperation op,
                       rank_rule *rule) {
  static const char *const names[] = {
      "start_indices",    "limit_indices",    "strides",    "edge_padding_high",
      "edge_padding_low", "interior_padding", "slice_sizes"};
  (void)rule;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    cul_retype_thin_entries(g, op, names[i], outcome(op));
}

/* One scalar per dimension, the last operands. */
static void thin_starts(struct cul_retype *g, MlirOperation op,
                        rank_rule *rule) {
  intptr_t n = mlirOperationGetNumOperands(op);
  intptr_t first = n - (intptr_t)cul_retype_rank(g, outcome(op));
  bool *keep = cul_xcalloc((size_t)n + 1, sizeof *keep);
  for (intptr_t i = 0; i < n; i++)
    keep[i] = i < first || !cul_retype_is_gone(g, outcome(op), i - first);
  thin_lists(g, op, rule);
  cul_retype_keep_operands(g, op, keep);
  free(keep);
}

/* ---- broadcast ---- */

static void join_broadcast(struct cul_retype *g, MlirOperation op,
                           rank_rule *rule) {
  int64_t dims[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, rule->attr, dims);
  for (size_t i = 0; i < n; i++)
    cul_retype_join_nodes(g, cul_retype_size(g, operand(op, 0), (int64_t)i),
                          cul_retype_size(g, outcome(op), dims[i]));
}

static void thin_broadcast(struct cul_retype *g, MlirOperation op,
                           rank_rule *rule) {
  cul_retype_thin_dims(g, op, rule->attr, outcome(op), operand(op, 0));
}

/* ---- dot_general: its numbers stand in an attribute of its own ---- */

static void join_dot(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  struct cul_retype_dot dot;
  (void)rule;
  if (!cul_retype_dot(g, op, &dot)) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (size_t i = 0; i < dot.n; i++)
    cul_retype_join_nodes(g, dot.pairs[i][0], dot.pairs[i][1]);
}

static void thin_dot(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  const struct cul_retype_word words[] = {
      {"lhs_batching_dimensions", operand(op, 0)},
      {"lhs_contracting_dimensions", operand(op, 0)},
      {"rhs_batching_dimensions", operand(op, 1)},
      {"rhs_contracting_dimensions", operand(op, 1)}};
  cul_retype_thin_words(g, op, rule->attr, words, CUL_ARRAY_SIZE(words));
}

/* ---- batches, features ---- */

/* The last two dimensions stay: matrices. */
static void join_matrices(struct cul_retype *g, MlirOperation op,
                          rank_rule *rule) {
  join_part(g, op, rule);
  for (size_t i = 0; i < cul_retype_n_values(op); i++) {
    MlirValue value = cul_retype_value(op, i);
    int64_t rank = (int64_t)cul_retype_rank(g, value);
    cul_retype_pin(g, cul_retype_size(g, value, rank - 1));
    cul_retype_pin(g, cul_retype_size(g, value, rank - 2));
  }
}

/* The dimension of the features stays; values of one dimension have an entry
 * for each. */
static void join_features(struct cul_retype *g, MlirOperation op,
                          rank_rule *rule) {
  int64_t feature[CUL_RETYPE_MAX];
  if (cul_numbers_named(op, rule->attr, feature) != 1) {
    cul_retype_pin_all(g, op);
    return;
  }
  cul_retype_pin(g, cul_retype_size(g, operand(op, 0), feature[0]));
  for (size_t i = 0; i < cul_retype_n_values(op); i++)
    if (cul_retype_rank(g, cul_retype_value(op, i)) == 1)
      cul_retype_pin_sizes(g, cul_retype_value(op, i));
    else
      cul_retype_join_values(g, operand(op, 0), cul_retype_value(op, i));
}

static void thin_features(struct cul_retype *g, MlirOperation op,
                          rank_rule *rule) {
  cul_retype_thin_dims(g, op, rule->attr, operand(op, 0), (MlirValue){NULL});
}

/* ---- custom_call: what it does nobody knows ---- */

/* An entry per value: in which order its dimensions lie. */
static void thin_orders(struct cul_retype *g, MlirOperation op,
                        const char *name, size_t first) {
  MlirAttribute list = cul_ir_get(op, name), made[CUL_RETYPE_MAX];
  intptr_t n = list.ptr && mlirAttributeIsAArray(list)
                   ? mlirArrayAttrGetNumElements(list)
                   : 0;
  if (n == 0 || n > CUL_RETYPE_MAX)
    return;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue of = cul_retype_value(op, first + (size_t)i);
    int64_t order[CUL_RETYPE_MAX];
    size_t kept = 0, m;
    made[i] = mlirArrayAttrGetElement(list, i);
    m = cul_numbers(made[i], order);
    for (size_t k = 0; k < m; k++)
      if (!cul_retype_is_gone(g, of, order[k]))
        order[kept++] = cul_retype_renumber(g, of, order[k]);
    if (kept < m)
      made[i] = cul_numbers_replaced(g->ir, made[i], order, kept);
    if (!made[i].ptr)
      return;
  }
  (void)cul_ir_set(g->ir, op, name, mlirArrayAttrGet(g->ir->context, n, made));
}

static void thin_call(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  (void)rule;
  thin_orders(g, op, "operand_layouts", 0);
  thin_orders(g, op, "result_layouts", (size_t)mlirOperationGetNumOperands(op));
}

/* ---- the table ---- */

rank_rule *cul_retype_rank_hlo(MlirOperation op) {
  static rank_rule rules[] = {
      {"stablehlo.broadcast_in_dim", join_broadcast, thin_broadcast,
       "broadcast_dimensions"},
      {"stablehlo.reshape", NULL, NULL, NULL},
      {"stablehlo.while", NULL, NULL, NULL},
      {"stablehlo.if", NULL, NULL, NULL},
      {"stablehlo.optimization_barrier", NULL, NULL, NULL},
      {"stablehlo.all_reduce", NULL, NULL, NULL},
      {"stablehlo.custom_call", NULL, thin_call, NULL},
      {"stablehlo.cholesky", join_matrices, NULL, NULL},
      {"stablehlo.triangular_solve", join_matrices, NULL, NULL},
      {"stablehlo.batch_norm_inference", join_features, thin_features,
       "feature_index"},
      {"stablehlo.batch_norm_training", join_features, thin_features,
       "feature_index"},
      {"stablehlo.batch_norm_grad", join_features, thin_features,
       "feature_index"},
      {"stablehlo.case", NULL, NULL, NULL},
      {"stablehlo.slice", join_part, thin_lists, NULL},
      {"stablehlo.pad", join_part, thin_lists, NULL},
      {"stablehlo.dynamic_slice", join_part, thin_starts, NULL},
      {"stablehlo.dynamic_update_slice", join_part, thin_starts, NULL},
      {"stablehlo.dot_general", join_dot, thin_dot, "dot_dimension_numbers"},
  };
  return cul_retype_rank_find(rules, CUL_ARRAY_SIZE(rules), op);
}
