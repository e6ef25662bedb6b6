/* Dimensions that go, where shapes are cut, joined, padded and permuted: see
 * retype_rank.h. */
#include "retype_rank.h"

#include <string.h>

/* ---- reassociation ---- */

static bool expands(const struct cul_retype *g, MlirOperation op) {
  return cul_retype_rank(g, cul_retype_outcome(op)) >
         cul_retype_rank(g, mlirOperationGetOperand(op, 0));
}

/* Groups that are all gone go. */
void cul_retype_thin_groups(struct cul_retype *g, MlirOperation op) {
  MlirAttribute groups = cul_ir_get(op, "reassociation");
  MlirAttribute left[CUL_RETYPE_MAX];
  MlirValue from = mlirOperationGetOperand(op, 0), to = cul_retype_outcome(op);
  bool gone[CUL_RETYPE_MAX];
  intptr_t n = 0;
  cul_retype_find_gone(g, expands(g, op) ? to : from, gone);
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(groups); i++) {
    MlirAttribute group =
        cul_numbers_without(g->ir, mlirArrayAttrGetElement(groups, i), gone);
    if (mlirArrayAttrGetNumElements(group) > 0 && n < CUL_RETYPE_MAX)
      left[n++] = group;
  }
  (void)cul_ir_set(g->ir, op, "reassociation",
                   mlirArrayAttrGet(g->ir->context, n, left));
  cul_retype_thin_entries(g, op, "static_output_shape", to);
}

/* ---- slices ---- */

void cul_retype_thin_slice(struct cul_retype *g, MlirOperation op) {
  MlirValue whole = mlirOperationGetOperand(op, cul_retype_arg_number(g, 0));
  cul_retype_thin_entries(g, op, "static_offsets", whole);
  cul_retype_thin_entries(g, op, "static_sizes", whole);
  cul_retype_thin_entries(g, op, "static_strides", whole);
}

/* ---- pad ---- */

static MlirBlock padding(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

void cul_retype_thin_pad(struct cul_retype *g, MlirOperation op) {
  MlirBlock block = padding(op);
  for (intptr_t i = (intptr_t)cul_retype_rank(g, cul_retype_outcome(op));
       block.ptr && i-- > 0;)
    if (cul_retype_is_gone(g, cul_retype_outcome(op), i))
      mlirBlockEraseArgument(block, (unsigned)i);
}

/* ---- lists that number dimensions ---- */

/* MLIR's own verifier falls over a transpose of nothing: that is a copy. */
void cul_retype_thin_transposed(struct cul_retype *g, MlirOperation op) {
  static const char *const own[] = {"permutation",
                                    "linalg.memoized_indexing_maps", NULL};
  struct cul_ir_change copy = {.name = cul_retype_arg(g, 1), .drop_attrs = own};
  static const int32_t segments[] = {1, 1};
  int64_t order[CUL_RETYPE_MAX];
  MlirOperation made;
  if (cul_numbers_named(op, cul_retype_arg(g, 0), order) > 0)
    return;
  made = cul_retype_rebuild(g, op, &copy);
  if (made.ptr)
    (void)cul_ir_set(g->ir, made, "operandSegmentSizes",
                     mlirDenseI32ArrayGet(g->ir->context, 2, segments));
}

/* Of the first value with dimensions. */
void cul_retype_thin_numbered(struct cul_retype *g, MlirOperation op) {
  size_t i = 0;
  while (i + 1 < cul_ir_n_values(op) &&
         cul_retype_rank(g, cul_ir_value(op, i)) == 0)
    i++;
  cul_retype_thin_dims(g, op, cul_retype_arg(g, 0), cul_ir_value(op, i));
}

/* ---- along an axis, which stays ---- */

static void pin_axis(struct cul_retype *g, MlirOperation op, MlirValue value) {
  int64_t axis[CUL_RETYPE_MAX];
  size_t n;
  if (cul_retype_dims(op, cul_retype_arg(g, 0), cul_retype_rank(g, value), axis,
                      &n) &&
      n == 1)
    cul_retype_pin(g, cul_retype_size(g, value, axis[0]));
  else
    cul_retype_pin_sizes(g, value);
}

void cul_retype_rule_axis(struct cul_retype *g, MlirOperation op) {
  MlirOperation of = cul_retype_joined(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(of); i++)
    pin_axis(g, op, mlirOperationGetOperand(of, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    pin_axis(g, op, mlirOperationGetResult(op, i));
}
