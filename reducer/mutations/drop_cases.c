/* Drop one case of a switch: its value, and the successor or region it leads
 * to.  The default stays. */
#include <stdlib.h>

#include "cfg.h"
#include "each.h"

/* What a switch keeps its cases in. */
static const struct kind {
  const char *op, *values; /* the attribute of the case values */
  const char *segments;    /* of operands per case; NULL: regions */
} kinds[] = {
    {"cf.switch", "case_values", "case_operand_segments"},
    {"llvm.switch", "case_values", "case_operand_segments"},
    {"scf.index_switch", "cases", NULL},
};

static const struct kind *kind_of(MlirOperation op) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kinds); i++)
    if (cul_ir_is(op, kinds[i].op) && cul_ir_get(op, kinds[i].values).ptr)
      return &kinds[i];
  return NULL;
}

static intptr_t count_cases(MlirOperation op, const struct kind *kind) {
  return (kind->segments ? mlirOperationGetNumSuccessors(op)
                         : mlirOperationGetNumRegions(op)) -
         1;
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op;
  const struct kind *kind = kind_of(op);
  (void)ir;
  for (intptr_t c = 0; kind && c < count_cases(op, kind); c++)
    cul_each_add(out, op, (uint64_t)c, 1);
}

/* ---- case values without one ---- */

static MlirAttribute shorter_array(struct cul_ir *ir, MlirAttribute values,
                                   intptr_t at) {
  intptr_t n = mlirDenseArrayGetNumElements(values), kept = 0;
  int64_t *items = cul_xcalloc((size_t)n, sizeof *items);
  MlirAttribute made;
  for (intptr_t i = 0; i < n; i++)
    if (i != at)
      items[kept++] = mlirDenseI64ArrayGetElement(values, i);
  made = mlirDenseI64ArrayGet(ir->context, kept, items);
  free(items);
  return made;
}

/* Their width is that of the value switched on. */
static MlirAttribute shorter_elements(MlirAttribute values, intptr_t at) {
  MlirType type = mlirAttributeGetType(values);
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t n = mlirElementsAttrGetNumElements(values), left = n - 1;
  MlirType shorter =
      mlirTypeIsAVector(type)
          ? mlirVectorTypeGet(1, &left, element)
          : mlirRankedTensorTypeGet(1, &left, element, (MlirAttribute){NULL});
  MlirAttribute *items = cul_xcalloc((size_t)n, sizeof *items), made;
  intptr_t kept = 0;
  for (int64_t i = 0; i < n; i++) {
    uint64_t index = (uint64_t)i;
    if (i != at)
      items[kept++] = mlirElementsAttrGetValue(values, 1, &index);
  }
  made = mlirDenseElementsAttrGet(shorter, kept, items);
  free(items);
  return made;
}

static MlirAttribute shorter_segments(struct cul_ir *ir, MlirAttribute sizes,
                                      intptr_t at) {
  intptr_t n = mlirDenseArrayGetNumElements(sizes), kept = 0;
  int32_t *items = cul_xcalloc((size_t)n, sizeof *items);
  MlirAttribute made;
  for (intptr_t i = 0; i < n; i++)
    if (i != at)
      items[kept++] = mlirDenseI32ArrayGetElement(sizes, i);
  made = mlirDenseI32ArrayGet(ir->context, kept, items);
  free(items);
  return made;
}

static MlirAttribute shorter_values(struct cul_ir *ir, MlirAttribute values,
                                    intptr_t at) {
  if (mlirAttributeIsADenseI64Array(values))
    return shorter_array(ir, values, at);
  if (mlirAttributeIsADenseElements(values))
    return shorter_elements(values, at);
  return (MlirAttribute){NULL};
}

/* ---- the operation without one ---- */

static bool *all_true(intptr_t n) {
  bool *mask = cul_xcalloc((size_t)n + 1, sizeof *mask);
  for (intptr_t i = 0; i < n; i++)
    mask[i] = true;
  return mask;
}

/* The operation rebuilt without successor or region number `part`; its case
 * attributes still have the entry. */
static MlirOperation without(struct cul_ir *ir, MlirOperation op,
                             const struct kind *kind, size_t part) {
  bool *operands = all_true(mlirOperationGetNumOperands(op));
  bool *parts = all_true(count_cases(op, kind) + 1);
  struct cul_ir_change change = {.keep_operands = operands};
  MlirOperation made = {NULL};
  size_t first = 0, n = 0;
  bool known =
      !kind->segments || cul_ir_successor_operands(ir, op, part, &first, &n);
  parts[part] = false;
  for (size_t i = 0; i < n; i++)
    operands[first + i] = false;
  if (kind->segments)
    change.keep_successors = parts;
  else
    change.keep_regions = parts;
  if (known)
    made = cul_ir_rebuild(ir, op, &change);
  free(operands);
  free(parts);
  return made;
}

static bool drop_case(struct cul_ir *ir, MlirOperation op,
                      const struct kind *kind, intptr_t at) {
  MlirAttribute values, sizes = {NULL};
  values = shorter_values(ir, cul_ir_get(op, kind->values), at);
  if (kind->segments)
    sizes = shorter_segments(ir, cul_ir_get(op, kind->segments), at);
  if (!values.ptr)
    return false;
  op = without(ir, op, kind, (size_t)at + 1);
  if (!op.ptr)
    return false;
  cul_ir_set(ir, op, kind->values, values);
  if (kind->segments)
    cul_ir_set(ir, op, kind->segments, sizes);
  return true;
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  const struct kind *kind = kind_of(op);
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(op));
  struct cul_cfg_reach before;
  bool done;
  /* The last one of a branch is fold-branches'. */
  if (!kind || (intptr_t)detail >= count_cases(op, kind) ||
      (kind->segments && count_cases(op, kind) == 1))
    return false;
  cul_cfg_reach(region, &before);
  done = drop_case(ir, op, kind, (intptr_t)detail);
  if (done)
    cul_cfg_prune(ir, region, &before);
  cul_cfg_reach_release(&before);
  return done;
}

const struct cul_mutation cul_mutation_drop_cases = {
    .name = "drop-cases",
    .summary = "drop one case of a switch",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = add_sites,
                                    .edit = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
