/* Dimensions that go, where shapes are cut, joined, padded and permuted: see
 * retype_rank.h. */
#include "retype_rank.h"

#include <string.h>

typedef const struct cul_retype_rank_rule rank_rule;

static MlirValue operand(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}

/* The shape that comes out: the result, or the buffer that is written. */
static MlirValue outcome(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  return mlirOperationGetNumResults(op) > 0 ? mlirOperationGetResult(op, 0)
                                            : operand(op, n - 1);
}

/* ---- reassociation ---- */

static bool expands(const struct cul_retype *g, MlirOperation op) {
  return cul_retype_rank(g, outcome(op)) > cul_retype_rank(g, operand(op, 0));
}

static MlirAttribute thin_group(struct cul_retype *g, MlirAttribute group,
                                MlirValue many, intptr_t *n) {
  MlirAttribute items[CUL_RETYPE_MAX];
  *n = 0;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(group); i++) {
    MlirAttribute item = mlirArrayAttrGetElement(group, i);
    int64_t at = mlirIntegerAttrGetValueInt(item);
    if (!cul_retype_is_gone(g, many, at) && *n < CUL_RETYPE_MAX)
      items[(*n)++] = mlirIntegerAttrGet(mlirAttributeGetType(item),
                                         cul_retype_renumber(g, many, at));
  }
  return mlirArrayAttrGet(g->ir->context, *n, items);
}

/* Groups that are all gone go. */
static void thin_reassociation(struct cul_retype *g, MlirOperation op,
                               rank_rule *rule) {
  MlirAttribute groups = cul_ir_get(op, "reassociation");
  MlirAttribute left[CUL_RETYPE_MAX];
  MlirValue from = operand(op, 0), to = outcome(op);
  intptr_t n = 0, size;
  (void)rule;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(groups); i++) {
    MlirAttribute group = thin_group(g, mlirArrayAttrGetElement(groups, i),
                                     expands(g, op) ? to : from, &size);
    if (size > 0 && n < CUL_RETYPE_MAX)
      left[n++] = group;
  }
  (void)cul_ir_set(g->ir, op, "reassociation",
                   mlirArrayAttrGet(g->ir->context, n, left));
  cul_retype_thin_entries(g, op, "static_output_shape", to);
}

/* ---- slices ---- */

/* The whole, of which the other is a part. */
static MlirValue whole_of(MlirOperation op) {
  bool inserts = cul_ir_is(op, "tensor.insert_slice") ||
                 mlirOperationGetNumResults(op) == 0;
  return operand(op, inserts);
}

static MlirValue part_of(MlirOperation op) {
  return whole_of(op).ptr == operand(op, 0).ptr &&
                 mlirOperationGetNumResults(op) > 0 &&
                 !cul_ir_is(op, "tensor.insert_slice")
             ? mlirOperationGetResult(op, 0)
             : operand(op, 0);
}

static void join_slice(struct cul_retype *g, MlirOperation op,
                       rank_rule *rule) {
  uint32_t part[CUL_RETYPE_MAX];
  size_t n = cul_retype_slice_sizes(g, op, part_of(op), part);
  (void)rule;
  for (size_t i = 0; i < n; i++)
    cul_retype_join_nodes(g, cul_retype_size(g, whole_of(op), (int64_t)i),
                          part[i]);
  if (cul_ir_is(op, "tensor.insert_slice"))
    cul_retype_join_values(g, operand(op, 1), outcome(op));
}

static void thin_slice(struct cul_retype *g, MlirOperation op,
                       rank_rule *rule) {
  MlirValue whole = whole_of(op);
  (void)rule;
  cul_retype_thin_entries(g, op, "static_offsets", whole);
  cul_retype_thin_entries(g, op, "static_sizes", whole);
  cul_retype_thin_entries(g, op, "static_strides", whole);
}

/* ---- pad ---- */

static MlirBlock padding(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

static void join_pad(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  MlirBlock block = padding(op);
  (void)rule;
  cul_retype_join_values(g, operand(op, 0), outcome(op));
  for (intptr_t i = 0; block.ptr && i < mlirBlockGetNumArguments(block); i++)
    if (cul_ir_has_uses(mlirBlockGetArgument(block, i)))
      cul_retype_pin(g, cul_retype_size(g, outcome(op), i));
}

static void thin_pad(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  MlirBlock block = padding(op);
  MlirValue to = outcome(op);
  (void)rule;
  cul_retype_thin_entries(g, op, "static_low", to);
  cul_retype_thin_entries(g, op, "static_high", to);
  for (intptr_t i = (intptr_t)cul_retype_rank(g, to); block.ptr && i-- > 0;)
    if (cul_retype_is_gone(g, to, i))
      mlirBlockEraseArgument(block, (unsigned)i);
}

/* ---- permute, reduce, broadcast ---- */

void cul_retype_join_permuted(struct cul_retype *g, MlirOperation op,
                              rank_rule *rule) {
  int64_t order[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(op, rule->attr, order);
  for (size_t i = 0; i < n; i++)
    cul_retype_join_nodes(g, cul_retype_size(g, operand(op, 0), order[i]),
                          cul_retype_size(g, outcome(op), (int64_t)i));
}

static void thin_permuted(struct cul_retype *g, MlirOperation op,
                          rank_rule *rule) {
  cul_retype_thin_dims(g, op, rule->attr, operand(op, 0), outcome(op));
}

/* MLIR's own verifier falls over a transpose of nothing: that is a copy. */
static void thin_transpose(struct cul_retype *g, MlirOperation op,
                           rank_rule *rule) {
  static const char *const own[] = {"permutation",
                                    "linalg.memoized_indexing_maps", NULL};
  struct cul_ir_change copy = {.name = "linalg.copy", .drop_attrs = own};
  static const int32_t segments[] = {1, 1};
  int64_t order[CUL_RETYPE_MAX];
  MlirOperation made;
  thin_permuted(g, op, rule);
  if (cul_numbers_named(op, rule->attr, order) > 0)
    return;
  made = cul_retype_rebuild(g, op, &copy);
  if (made.ptr)
    (void)cul_ir_set(g->ir, made, "operandSegmentSizes",
                     mlirDenseI32ArrayGet(g->ir->context, 2, segments));
}

/* Dimensions of big that attr does not name are those of small. */
static void join_rest(struct cul_retype *g, MlirOperation op, rank_rule *rule,
                      MlirValue big, MlirValue small) {
  int64_t named[CUL_RETYPE_MAX], k = 0;
  size_t n = cul_numbers_named(op, rule->attr, named);
  for (size_t i = 0; i < cul_retype_rank(g, big); i++)
    if (!cul_retype_is_among(named, n, i))
      cul_retype_join_nodes(g, cul_retype_size(g, big, (int64_t)i),
                            cul_retype_size(g, small, k++));
}

static void join_added(struct cul_retype *g, MlirOperation op,
                       rank_rule *rule) {
  join_rest(g, op, rule, outcome(op), operand(op, 0));
}

static void thin_added(struct cul_retype *g, MlirOperation op,
                       rank_rule *rule) {
  cul_retype_thin_dims(g, op, rule->attr, outcome(op), (MlirValue){NULL});
}

/* Several inputs of one shape, then as many outputs, or scalars. */
static void join_reduced(struct cul_retype *g, MlirOperation op,
                         rank_rule *rule) {
  intptr_t n = mlirOperationGetNumOperands(op) / 2;
  for (intptr_t i = 0; i < n; i++)
    cul_retype_join_values(g, operand(op, 0), operand(op, i));
  for (intptr_t i = 0; i < n; i++)
    join_rest(g, op, rule, operand(op, 0),
              i < mlirOperationGetNumResults(op) ? mlirOperationGetResult(op, i)
                                                 : operand(op, n + i));
}

static void thin_reduced(struct cul_retype *g, MlirOperation op,
                         rank_rule *rule) {
  cul_retype_thin_dims(g, op, rule->attr, operand(op, 0), (MlirValue){NULL});
}

/* ---- along an axis, which stays ---- */

static void join_axis(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  int64_t axis[CUL_RETYPE_MAX];
  bool known = cul_numbers_named(op, rule->attr, axis) == 1;
  for (size_t i = 0; i < cul_retype_n_values(op); i++) {
    MlirValue value = cul_retype_value(op, i);
    cul_retype_join_values(g, outcome(op), value);
    if (known)
      cul_retype_pin(g, cul_retype_size(g, value, axis[0]));
    else
      cul_retype_pin_sizes(g, value);
  }
}

static void thin_axis(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  cul_retype_thin_dims(g, op, rule->attr, outcome(op), (MlirValue){NULL});
}

/* Inputs and outputs, then what is carried along the axis: without that. */
static void join_scan(struct cul_retype *g, MlirOperation op, rank_rule *rule) {
  int64_t axis[CUL_RETYPE_MAX];
  if (cul_numbers_named(op, rule->attr, axis) == 1)
    cul_retype_pin(g, cul_retype_size(g, operand(op, 0), axis[0]));
  for (size_t i = 0; i < cul_retype_n_values(op); i++) {
    MlirValue value = cul_retype_value(op, i);
    if (cul_retype_rank(g, value) < cul_retype_rank(g, operand(op, 0)))
      join_rest(g, op, rule, operand(op, 0), value);
    else
      cul_retype_join_values(g, operand(op, 0), value);
  }
}

/* ---- the table ---- */

rank_rule *cul_retype_rank_shape(MlirOperation op) {
  static rank_rule rules[] = {
      {"tensor.collapse_shape", NULL, thin_reassociation, NULL},
      {"tensor.expand_shape", NULL, thin_reassociation, NULL},
      {"memref.collapse_shape", NULL, thin_reassociation, NULL},
      {"memref.expand_shape", NULL, thin_reassociation, NULL},
      {"tensor.extract_slice", join_slice, thin_slice, NULL},
      {"tensor.insert_slice", join_slice, thin_slice, NULL},
      {"tensor.parallel_insert_slice", join_slice, thin_slice, NULL},
      {"memref.subview", join_slice, thin_slice, NULL},
      {"flow.dispatch.tensor.load", join_slice, thin_slice, NULL},
      {"flow.dispatch.tensor.store", join_slice, thin_slice, NULL},
      {"iree_tensor_ext.dispatch.tensor.load", join_slice, thin_slice, NULL},
      {"iree_tensor_ext.dispatch.tensor.store", join_slice, thin_slice, NULL},
      {"tensor.pad", join_pad, thin_pad, NULL},
      {"tensor.concat", join_axis, thin_axis, "dim"},
      {"iree_linalg_ext.scan", join_scan, thin_axis, "dimension"},
      {"iree_linalg_ext.sort", join_axis, thin_axis, "dimension"},
      {"iree_linalg_ext.topk", join_axis, thin_axis, "dimension"},
      {"iree_linalg_ext.yield", NULL, NULL, NULL},
      {"linalg.softmax", join_axis, thin_axis, "dimension"},
      {"linalg.transpose", cul_retype_join_permuted, thin_transpose,
       "permutation"},
      {"linalg.broadcast", join_added, thin_added, "dimensions"},
      {"linalg.reduce", join_reduced, thin_reduced, "dimensions"},
      {"vector.transpose", cul_retype_join_permuted, thin_permuted,
       "permutation"},
      {"tosa.transpose", cul_retype_join_permuted, thin_permuted, "perms"},
      {"tosa.concat", join_axis, thin_axis, "axis"},
      {"tosa.reverse", join_axis, thin_axis, "axis"},
      {"tosa.reduce_sum", join_axis, thin_axis, "axis"},
      {"tosa.reduce_max", join_axis, thin_axis, "axis"},
      {"tosa.reduce_min", join_axis, thin_axis, "axis"},
      {"tosa.reduce_prod", join_axis, thin_axis, "axis"},
      {"tosa.reduce_product", join_axis, thin_axis, "axis"},
      {"stablehlo.transpose", cul_retype_join_permuted, thin_permuted,
       "permutation"},
      {"stablehlo.reduce", join_reduced, thin_reduced, "dimensions"},
      {"stablehlo.sort", join_axis, thin_axis, "dimension"},
      {"stablehlo.concatenate", join_axis, thin_axis, "dimension"},
      {"stablehlo.iota", join_axis, thin_axis, "iota_dimension"},
  };
  return cul_retype_rank_find(rules, CUL_ARRAY_SIZE(rules), op);
}
