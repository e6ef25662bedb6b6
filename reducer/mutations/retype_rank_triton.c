/* Dimensions that go, of Triton's operations as they come in the opaque form:
 * see retype_rank.h.  A tensor that loses the last one is a scalar. */
#include "retype_rank.h"

#include <string.h>

typedef const struct cul_retype_rank_rule rank_rule;

static MlirValue operand(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}

static MlirValue outcome(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

static size_t count_left(const struct cul_retype *g, MlirValue value) {
  size_t n = 0;
  for (size_t i = 0; i < cul_retype_rank(g, value); i++)
    n += !cul_retype_is_gone(g, value, (int64_t)i);
  return n;
}

/* All values that have a shape have one rank. */
static void join_part(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  (void)rule;
  for (size_t i = 1; i < cul_retype_n_values(op); i++)
    cul_retype_join_values(g, cul_retype_value(op, 0), cul_retype_value(op, i));
}

/* Of one shape, but slices that were made in another order. */
static void convert(struct cul_retype *g, MlirOperation op, intptr_t from) {
  static const char *const own[] = {"axis", "reverse", NULL};
  const char *text = cul_ir_type_text(g->ir, mlirValueGetType(outcome(op)));
  bool keep[CUL_RETYPE_MAX] = {false}, keep_regions[1] = {false};
  struct cul_ir_change change = {.name = strstr(text, "#ttg.")
                                             ? "ttg.convert_layout"
                                             : "triton_gpu.convert_layout",
                                 .keep_operands = keep,
                                 .keep_regions = keep_regions,
                                 .drop_attrs = own};
  keep[from] = true;
  (void)cul_retype_rebuild(g, op, &change);
}

/* Its results are its operands from that one on. */
static void become_operand(struct cul_retype *g, MlirOperation op,
                           intptr_t first) {
  struct cul_ir_ops one = {.items = &op, .n = 1, .cap = 1};
  if (mlirOperationGetNumResults(op) == 1 &&
      !mlirTypeEqual(mlirValueGetType(outcome(op)),
                     mlirValueGetType(operand(op, first)))) {
    convert(g, op, first);
    return;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    cul_ir_replace_uses(mlirOperationGetResult(op, i), operand(op, first + i));
  (void)cul_ir_discard_sweep(g->ir, &one);
}

/* ---- tt.make_range ---- */

/* The first number of the range. */
static void thin_range(struct cul_retype *g, MlirOperation op,
                       rank_rule *rule) {
  static const char *const own[] = {"start", "end", NULL};
  struct cul_ir_change change = {.name = "arith.constant", .drop_attrs = own};
  MlirAttribute start = cul_ir_get(op, "start");
  MlirOperation made = cul_retype_rebuild(g, op, &change);
  (void)rule;
  if (made.ptr)
    (void)cul_ir_set(g->ir, made, "value", start);
}

static void join_range(struct cul_retype *g, MlirOperation op,
                       rank_rule *rule) {
  (void)rule;
  if (!cul_ir_get(op, "start").ptr)
    cul_retype_pin_all(g, op);
}

/* ---- tt.expand_dims ---- */

static void join_expand(struct cul_retype *g, MlirOperation op,
                        rank_rule *rule) {
  int64_t axis[CUL_RETYPE_MAX];
  MlirValue from = operand(op, 0);
  if (cul_numbers_named(op, rule->attr, axis) != 1) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (int64_t i = 0; i < (int64_t)cul_retype_rank(g, from); i++)
    cul_retype_join_nodes(g, cul_retype_size(g, from, i),
                          cul_retype_size(g, outcome(op), i + (i >= axis[0])));
}

/* Without the axis it is no operation at all.  A scalar is spread over what is
 * left. */
static void thin_expand(struct cul_retype *g, MlirOperation op,
                        rank_rule *rule) {
  struct cul_ir_change splat = {.name = "tt.splat", .drop_attr = rule->attr};
  int64_t axis[CUL_RETYPE_MAX];
  if (cul_numbers_named(op, rule->attr, axis) == 1 &&
      cul_retype_is_gone(g, outcome(op), axis[0]))
    become_operand(g, op, 0);
  else if (count_left(g, operand(op, 0)) == 0)
    (void)cul_retype_rebuild(g, op, &splat);
  else
    cul_retype_thin_dims(g, op, rule->attr, outcome(op), (MlirValue){NULL});
}

/* ---- tt.reduce, tt.scan ---- */

static void join_reduce(struct cul_retype *g, MlirOperation op,
                        rank_rule *rule) {
  int64_t axis[CUL_RETYPE_MAX];
  intptr_t n = mlirOperationGetNumOperands(op);
  if (cul_numbers_named(op, rule->attr, axis) != 1 ||
      mlirOperationGetNumResults(op) != n) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (intptr_t i = 0; i < n; i++) {
    MlirValue to = mlirOperationGetResult(op, i);
    int64_t less = cul_retype_rank(g, to) < cul_retype_rank(g, operand(op, i));
    cul_retype_join_values(g, operand(op, 0), operand(op, i));
    for (int64_t k = 0; k < (int64_t)cul_retype_rank(g, to); k++)
      cul_retype_join_nodes(
          g, cul_retype_size(g, operand(op, i), k + (less && k >= axis[0])),
          cul_retype_size(g, to, k));
  }
}

/* Along what has gone there is nothing to combine. */
static void thin_along(struct cul_retype *g, MlirOperation op,
                       rank_rule *rule) {
  int64_t axis[CUL_RETYPE_MAX];
  if (cul_numbers_named(op, rule->attr, axis) == 1 &&
      cul_retype_is_gone(g, operand(op, 0), axis[0]))
    become_operand(g, op, 0);
  else
    cul_retype_thin_dims(g, op, rule->attr, operand(op, 0), (MlirValue){NULL});
}

/* ---- tt.dot ---- */

static bool has_layout(const struct cul_retype *g, MlirValue value) {
  uint32_t node = cul_retype_node(g, value, CUL_RETYPE_LAYOUT);
  return node != CUL_RETYPE_NONE && g->value[node] != 0;
}

/* Matrices stay matrices, and the layouts of an instruction of the machine are
 * for all they were: else nothing is added to the accumulator. */
static void thin_dot(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  (void)rule;
  for (intptr_t i = 0; i < 2; i++) {
    MlirValue value = operand(op, i);
    int64_t rank = (int64_t)cul_retype_rank(g, value);
    if (has_layout(g, value) || cul_retype_is_gone(g, value, rank - 1) ||
        cul_retype_is_gone(g, value, rank - 2)) {
      become_operand(g, op, 2);
      return;
    }
  }
}

/* ---- tt.join, tt.split ---- */

/* The last dimension, of two, is on one side only; there is one beside. */
static void join_pair(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  MlirValue first = cul_retype_value(op, 0);
  (void)rule;
  cul_retype_pin(g, cul_retype_size(g, first, 0));
  for (size_t i = 0; i < cul_retype_n_values(op); i++) {
    MlirValue value = cul_retype_value(op, i);
    int64_t n = (int64_t)cul_retype_rank(g, value);
    bool longer = n > (int64_t)cul_retype_rank(g, outcome(op)) ||
                  n > (int64_t)cul_retype_rank(g, first);
    if (has_layout(g, value))
      cul_retype_pin_sizes(g, value);
    if (longer)
      cul_retype_pin(g, cul_retype_size(g, value, n - 1));
    for (int64_t k = 0; k < n - longer; k++)
      cul_retype_join_nodes(g, cul_retype_size(g, first, k),
                            cul_retype_size(g, value, k));
  }
}

/* ---- tt.reshape, tt.trans ---- */

/* Its factors go as the engine's groups say. */
static void join_reshape(struct cul_retype *g, MlirOperation op,
                         rank_rule *rule) {
  (void)rule;
  cul_retype_pin_if_one(g, op);
}

static void thin_reshape(struct cul_retype *g, MlirOperation op,
                         rank_rule *rule) {
  (void)rule;
  if (count_left(g, operand(op, 0)) == 0)
    become_operand(g, op, 0);
}

static void thin_trans(struct cul_retype *g, MlirOperation op,
                       rank_rule *rule) {
  if (count_left(g, operand(op, 0)) < 2)
    become_operand(g, op, 0);
  else
    cul_retype_thin_dims(g, op, rule->attr, operand(op, 0), outcome(op));
}

/* ---- the table ---- */

rank_rule *cul_retype_rank_triton(MlirOperation op) {
  static rank_rule rules[] = {
      {"tt.call", NULL, NULL, NULL},
      {"tt.return", NULL, NULL, NULL},
      {"ttg.convert_layout", join_part, NULL, NULL},
      {"triton_gpu.convert_layout", join_part, NULL, NULL},
      {"tt.splat", NULL, NULL, NULL},
      {"tt.addptr", join_part, NULL, NULL},
      {"tt.bitcast", join_part, NULL, NULL},
      {"tt.int_to_ptr", join_part, NULL, NULL},
      {"tt.ptr_to_int", join_part, NULL, NULL},
      {"tt.load", join_part, NULL, NULL},
      {"tt.store", join_part, NULL, NULL},
      {"tt.atomic_rmw", join_part, NULL, NULL},
      {"tt.atomic_cas", join_part, NULL, NULL},
      {"tt.make_range", join_range, thin_range, NULL},
      {"tt.expand_dims", join_expand, thin_expand, "axis"},
      {"tt.reduce.return", NULL, NULL, NULL},
      {"tt.scan.return", NULL, NULL, NULL},
      {"tt.reduce", join_reduce, thin_along, "axis"},
      {"tt.scan", join_reduce, thin_along, "axis"},
      {"tt.dot", NULL, thin_dot, NULL},
      {"tt.join", join_pair, NULL, NULL},
      {"tt.split", join_pair, NULL, NULL},
      {"tt.reshape", join_reshape, thin_reshape, NULL},
      {"tt.trans", cul_retype_join_permuted, thin_trans, "order"},
  };
  return cul_retype_rank_find(rules, CUL_ARRAY_SIZE(rules), op);
}
