/* See position.h: which parts correspond, beside those of regions. */
#include <string.h>

#include "../frame/cfg.h"
#include "../frame/region.h"
#include "affine_input.h"
#include "linalg.h"

static const MlirValue none = {NULL};

bool cul_position_operand(struct cul_ir *ir, MlirOperation op, intptr_t k,
                          struct cul_position *out) {
  (void)ir;
  if (k >= mlirOperationGetNumOperands(op))
    return false;
  cul_position_add(out, CUL_PART_OPERAND, op, k);
  out->sweep = true;
  return true;
}

/* ---- inputs of linalg ---- */

/* Inputs come first; what is behind them is written to. */
static intptr_t count_inputs(const struct cul_ir *ir, MlirOperation op) {
  size_t first, n;
  (void)ir;
  if (cul_ir_is(op, "linalg.map"))
    return mlirOperationGetNumOperands(op) - 1;
  return cul_ir_is(op, "linalg.generic") &&
                 cul_ir_segment_range(op, 0, &first, &n)
             ? (intptr_t)n
             : 0;
}

static bool find_input(struct cul_ir *ir, MlirOperation op, intptr_t k,
                       struct cul_position *out) {
  MlirBlock body = cul_region_single(mlirOperationGetRegion(op, 0));
  if (!body.ptr || k >= mlirBlockGetNumArguments(body))
    return false;
  cul_position_add_argument(out, body, k, none,
                            CUL_IR_FROM_PEER | CUL_IR_FROM_ANY);
  cul_position_add_attr(out, CUL_PART_ENTRY, op, "indexing_maps", k);
  return cul_position_operand(ir, op, k, out);
}

const struct cul_positions cul_position_inputs = {count_inputs, find_input};

/* ---- inputs of affine maps ---- */

/* The attribute whose map or set operand k is an input of, and where its inputs
 * begin: bounds, then what a loop carries; or behind all other operands. */
static const char *map_of(MlirOperation op, intptr_t k, intptr_t *first) {
  static const char *const names[] = {"lowerBoundMap",  "upperBoundMap",
                                      "lowerBoundsMap", "upperBoundsMap",
                                      "condition",      "map"};
  *first = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++) {
    intptr_t n = cul_affine_count_inputs(cul_ir_get(op, names[i]));
    if (strcmp(names[i], "map") == 0)
      *first = mlirOperationGetNumOperands(op) - n;
    if (k >= *first && k < *first + n)
      return names[i];
    *first += n;
  }
  return NULL;
}

static intptr_t count_operands(const struct cul_ir *ir, MlirOperation op) {
  (void)ir;
  return mlirOperationGetNumOperands(op);
}

static bool find_map_input(struct cul_ir *ir, MlirOperation op, intptr_t k,
                           struct cul_position *out) {
  intptr_t first;
  const char *map = cul_ir_is_of(op, "affine.") ? map_of(op, k, &first) : NULL;
  if (!map || cul_affine_uses_input(ir, cul_ir_get(op, map), k - first))
    return false;
  cul_position_add_attr(out, CUL_PART_INPUT, op, map, k - first);
  return cul_position_operand(ir, op, k, out);
}

const struct cul_positions cul_position_map_inputs = {count_operands,
                                                      find_map_input};

/* ---- counters of loops ---- */

/* The lists that say where the counters of a scf.forall begin, end, step. */
static const char *const forall_lists[] = {"staticLowerBound",
                                           "staticUpperBound", "staticStep"};

static intptr_t count_counters(const struct cul_ir *ir, MlirOperation op) {
  MlirBlock body = {NULL};
  intptr_t n = 0;
  size_t first, count;
  (void)ir;
  if (cul_ir_is(op, "linalg.generic"))
    return cul_position_count_iterators(op);
  if (mlirOperationGetNumRegions(op) == 1)
    body = cul_region_single(mlirOperationGetRegion(op, 0));
  if (!body.ptr)
    return 0;
  if (cul_ir_is(op, "scf.parallel") &&
      cul_ir_segment_range(op, 0, &first, &count))
    n = (intptr_t)count;
  else if (cul_ir_is(op, "scf.forall"))
    n = mlirDenseArrayGetNumElements(cul_ir_get(op, "staticStep"));
  else if (cul_ir_is(op, "affine.parallel") || cul_ir_is(op, "omp.loop_nest"))
    n = mlirBlockGetNumArguments(body);
  return n < 2 ? 0 : n;
}

/* Numbers that are no constants stand among the operands, in order. */
static void add_forall(MlirOperation op, intptr_t k, struct cul_position *out) {
  intptr_t operand = 0;
  for (size_t l = 0; l < CUL_ARRAY_SIZE(forall_lists); l++) {
    MlirAttribute list = cul_ir_get(op, forall_lists[l]);
    for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(list); i++) {
      if (mlirDenseI64ArrayGetElement(list, i) !=
          mlirShapedTypeGetDynamicSize())
        continue;
      if (i == k)
        cul_position_add(out, CUL_PART_OPERAND, op, operand);
      operand++;
    }
    cul_position_add_attr(out, CUL_PART_ENTRY, op, forall_lists[l], k);
  }
  cul_position_add_attr(out, CUL_PART_ENTRY, op, "mapping", k);
}

/* The results of the map that belong to group k, and the group. */
static void add_group(MlirOperation op, const char *map, const char *groups,
                      intptr_t k, struct cul_position *out) {
  MlirAttribute sizes = cul_ir_get(op, groups);
  intptr_t first = 0;
  for (intptr_t g = 0; g < k; g++)
    first += mlirDenseElementsAttrGetInt32Value(sizes, g);
  for (int32_t i = 0; i < mlirDenseElementsAttrGetInt32Value(sizes, k); i++)
    cul_position_add_attr(out, CUL_PART_ENTRY, op, map, first + i);
  cul_position_add_attr(out, CUL_PART_ENTRY, op, groups, k);
}

static bool find_counter(struct cul_ir *ir, MlirOperation op, intptr_t k,
                         struct cul_position *out) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  intptr_t n = count_counters(ir, op);
  MlirValue bound = none;
  if (k >= n)
    return false;
  if (cul_ir_is(op, "linalg.generic"))
    return cul_position_iterator(ir, op, k, out);
  if (cul_ir_is(op, "scf.forall")) {
    add_forall(op, k, out);
  } else if (cul_ir_is(op, "affine.parallel")) {
    add_group(op, "lowerBoundsMap", "lowerBoundsGroups", k, out);
    add_group(op, "upperBoundsMap", "upperBoundsGroups", k, out);
    cul_position_add_attr(out, CUL_PART_ENTRY, op, "steps", k);
  } else { /* all lower bounds, all upper bounds, all steps, the inits */
    bound = mlirOperationGetOperand(op, k);
    for (intptr_t i = 0; i < 3; i++)
      cul_position_add(out, CUL_PART_OPERAND, op, i * n + k);
  }
  cul_position_add_argument(out, body, k, bound, CUL_IR_FROM_ANY);
  return true;
}

const struct cul_positions cul_position_counters = {count_counters,
                                                    find_counter};

/* ---- cases ---- */

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

/* The default, which comes first, stays. */
static intptr_t count_cases(const struct cul_ir *ir, MlirOperation op) {
  const struct kind *kind = kind_of(op);
  (void)ir;
  if (!kind)
    return 0;
  return (kind->segments ? mlirOperationGetNumSuccessors(op)
                         : mlirOperationGetNumRegions(op)) -
         1;
}

static bool find_case(struct cul_ir *ir, MlirOperation op, intptr_t k,
                      struct cul_position *out) {
  const struct kind *kind = kind_of(op);
  size_t first = 0, n = 0;
  if (!kind || k >= count_cases(ir, op))
    return false;
  /* The last one of a branch is fold-branches'. */
  if (kind->segments &&
      (count_cases(ir, op) == 1 ||
       !cul_ir_successor_operands(ir, op, (size_t)k + 1, &first, &n)))
    return false;
  for (size_t i = 0; i < n; i++)
    cul_position_add(out, CUL_PART_OPERAND, op, (intptr_t)(first + i));
  cul_position_add(out, kind->segments ? CUL_PART_SUCCESSOR : CUL_PART_REGION,
                   op, k + 1);
  cul_position_add_attr(out, CUL_PART_ENTRY, op, kind->values, k);
  if (kind->segments)
    cul_position_add_attr(out, CUL_PART_ENTRY, op, kind->segments, k);
  return true;
}

const struct cul_positions cul_position_cases = {count_cases, find_case};

/* ---- arguments of blocks ---- */

/* The one value that every edge hands over, when it may be used in block; with
 * it, the operands that do. */
static bool find_handed(struct cul_ir *ir, MlirBlock block, intptr_t k,
                        MlirValue *common, struct cul_position *out) {
  MlirValue argument = mlirBlockGetArgument(block, k);
  struct cul_cfg_edges edges = {0};
  bool known = true, differ = false;
  cul_cfg_edges_into(block, &edges);
  for (size_t i = 0; i < edges.n && known; i++) {
    MlirOperation from = edges.items[i].from;
    size_t first, n;
    MlirValue value;
    known =
        cul_ir_successor_operands(ir, from, edges.items[i].index, &first, &n) &&
        (size_t)k < n;
    if (!known)
      break;
    value = mlirOperationGetOperand(from, (intptr_t)first + k);
    cul_position_add(out, CUL_PART_OPERAND, from, (intptr_t)first + k);
    /* A loop hands it to itself. */
    differ |=
        value.ptr != argument.ptr && common->ptr && common->ptr != value.ptr;
    if (value.ptr != argument.ptr)
      *common = value;
  }
  cul_cfg_edges_release(&edges);
  if (differ ||
      (common->ptr &&
       !cul_ir_dominates(ir, *common, mlirBlockGetFirstOperation(block))))
    *common = none;
  return known;
}

bool cul_position_block_argument(struct cul_ir *ir, MlirBlock block, intptr_t k,
                                 struct cul_position *out) {
  MlirValue common = none;
  if (k >= mlirBlockGetNumArguments(block) ||
      cul_cfg_same(block, cul_cfg_entry(block)) ||
      !find_handed(ir, block, k, &common, out))
    return false;
  cul_position_add_argument(out, block, k, common, CUL_IR_FROM_ANY);
  return true;
}
