/* Mutations that drop positions (../../subject/edit/position.h), and finders of
 * positions. */
#include <string.h>

#include "../../subject/edit/cfg.h"
#include "../../subject/edit/position.h"
#include "../../subject/edit/region.h"
#include "../frame/each.h"
#include "../retype/rules/rules.h"

/* ---- the frame ---- */

static void sites(const void *how, struct cul_subject *subject,
                  struct cul_sites *out) {
  const struct cul_positions *positions = how;
  struct cul_ir *ir = cul_ir_of(subject);
  CUL_IR_EACH_INNER(walk, ir->root) {
    intptr_t n = positions->count(ir, walk.op);
    for (intptr_t k = 0; k < n; k++) {
      CUL_OWNED(cul_position) position = {0};
      if (positions->find(ir, walk.op, k, &position))
        (void)cul_each_add(out, walk.op, (uint64_t)k, 1);
    }
  }
}

static size_t apply(const void *how, struct cul_subject *subject,
                    const struct cul_sites *sites, const uint32_t *ids,
                    size_t n) {
  const struct cul_positions *positions = how;
  struct cul_ir *ir = cul_ir_of(subject);
  size_t applied = 0;
  for (size_t i = n; i-- > 0;) {
    MlirOperation op = cul_each_place(ir, sites, ids[i]);
    intptr_t k = (intptr_t)sites->detail[ids[i]];
    applied += cul_ir_alive(ir, op) && k < positions->count(ir, op) &&
               cul_position_drop_one(ir, op, k, positions->find);
  }
  cul_ir_commit(ir);
  return applied;
}

const struct cul_mutation_frame cul_position_frame = {.sites = sites,
                                                      .apply = apply};

static const MlirValue none = {NULL};

/* ---- inputs of linalg ---- */

/* The number of inputs, which precede the outputs. */
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

CUL_POSITION(drop_linalg_input, count_inputs, find_input);

/* ---- inputs of affine maps ---- */

/* The name of the attribute whose map or set has operand k as an input; *first:
 * the operand at which its inputs begin.  These are the bounds, followed by the
 * values that a loop carries, or they follow all other operands. */
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
  MlirAttribute attr = {NULL};
  if (map)
    attr = cul_ir_get(op, map);
  if (!map || cul_affine_with_0(ir, attr, k - first, false).ptr != attr.ptr)
    return false;
  cul_position_add_attr(out, CUL_PART_INPUT, op, map, k - first);
  return cul_position_operand(ir, op, k, out);
}

CUL_POSITION(drop_map_input, count_operands, find_map_input);

/* ---- counters of loops ---- */

static intptr_t count_counters(const struct cul_ir *ir, MlirOperation op) {
  MlirBlock body = {NULL};
  int64_t steps[CUL_NUMBERS_MAX];
  size_t n;
  (void)ir;
  if (mlirOperationGetNumRegions(op) == 1)
    body = cul_region_single(mlirOperationGetRegion(op, 0));
  if (!body.ptr)
    return 0;
  n = cul_ir_is(op, "scf.forall") ? cul_numbers_named(op, "staticStep", steps)
                                  : cul_region_counters(op, body);
  return n < 2 ? 0 : (intptr_t)n;
}

static void add_forall(MlirOperation op, intptr_t k, struct cul_position *out) {
  static const char *const lists[] = {"staticLowerBound", "staticUpperBound",
                                      "staticStep", "mapping"};
  for (size_t l = 0; l < CUL_ARRAY_SIZE(lists); l++) {
    size_t operand = cul_retype_dynamic_operand(op, lists[l], (size_t)k);
    if (operand != SIZE_MAX)
      cul_position_add(out, CUL_PART_OPERAND, op, (intptr_t)operand);
    cul_position_add_attr(out, CUL_PART_ENTRY, op, lists[l], k);
  }
}

/* Add group k of the map's results, and its entry in `groups`. */
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
  if (cul_ir_is(op, "scf.forall")) {
    add_forall(op, k, out);
  } else if (cul_ir_is(op, "affine.parallel")) {
    add_group(op, "lowerBoundsMap", "lowerBoundsGroups", k, out);
    add_group(op, "upperBoundsMap", "upperBoundsGroups", k, out);
    cul_position_add_attr(out, CUL_PART_ENTRY, op, "steps", k);
  } else { /* operands: lower bounds, upper bounds, steps, inits */
    bound = mlirOperationGetOperand(op, k);
    for (intptr_t i = 0; i < 3; i++)
      cul_position_add(out, CUL_PART_OPERAND, op, i * n + k);
  }
  cul_position_add_argument(out, body, k, bound, CUL_IR_FROM_ANY);
  return true;
}

CUL_POSITION(drop_iteration_dim, count_counters, find_counter);

/* ---- cases ---- */

/* A switch is a branch, with case_values and segments of operands for the
 * successors, or an operation with cases and a region for each. */
static bool is_branch(MlirOperation op) {
  return cul_ir_get(op, "case_operand_segments").ptr != NULL;
}

/* The number of cases, without the default, which comes first and stays. */
static intptr_t count_cases(const struct cul_ir *ir, MlirOperation op) {
  int64_t cases[CUL_NUMBERS_MAX];
  intptr_t n = mlirOperationGetNumRegions(op) - 1;
  (void)ir;
  if (is_branch(op))
    return cul_ir_get(op, "case_values").ptr
               ? mlirOperationGetNumSuccessors(op) - 1
               : 0;
  return n > 0 && cul_numbers_named(op, "cases", cases) == (size_t)n ? n : 0;
}

static bool find_case(struct cul_ir *ir, MlirOperation op, intptr_t k,
                      struct cul_position *out) {
  bool branch = is_branch(op);
  size_t first = 0, n = 0;
  if (k >= count_cases(ir, op))
    return false;
  /* fold-branches removes the last case of a branch */
  if (branch && (count_cases(ir, op) == 1 ||
                 !cul_ir_successor_operands(ir, op, (size_t)k + 1, &first, &n)))
    return false;
  for (size_t i = 0; i < n; i++)
    cul_position_add(out, CUL_PART_OPERAND, op, (intptr_t)(first + i));
  cul_position_add(out, branch ? CUL_PART_SUCCESSOR : CUL_PART_REGION, op,
                   k + 1);
  cul_position_add_attr(out, CUL_PART_ENTRY, op,
                        branch ? "case_values" : "cases", k);
  cul_position_add_attr(out, CUL_PART_ENTRY, op, "case_operand_segments", k);
  return true;
}

CUL_POSITION(drop_cases, count_cases, find_case);

/* ---- constraints of inline assembly ---- */

static intptr_t count_constraints(const struct cul_ir *ir, MlirOperation op) {
  (void)ir;
  return cul_ir_get(op, "constraints").ptr ? CUL_NUMBERS_MAX : 0; /* at most */
}

CUL_POSITION(drop_constraint, count_constraints, cul_position_constraint);

/* ---- arguments of blocks ---- */

/* Find the single value that all edges pass to the argument, if it may be used
 * in block, and the operands that pass it. */
static bool find_handed(struct cul_ir *ir, MlirBlock block, intptr_t k,
                        MlirValue *common, struct cul_position *out) {
  MlirValue argument = mlirBlockGetArgument(block, k);
  CUL_OWNED(cul_cfg_edges) edges = {0};
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
    /* a loop may pass the argument itself */
    differ |=
        value.ptr != argument.ptr && common->ptr && common->ptr != value.ptr;
    if (value.ptr != argument.ptr)
      *common = value;
  }
  if (differ ||
      (common->ptr &&
       !cul_ir_dominates(ir, *common, mlirBlockGetFirstOperation(block))))
    *common = none;
  return known;
}

/* The number of arguments of op's block, which is identified by its last
 * operation.  Those of an entry block belong to the enclosing operation. */
static intptr_t count_arguments(const struct cul_ir *ir, MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  (void)ir;
  return cul_ir_next_op(op).ptr || mlirBlockEqual(block, cul_cfg_entry(block))
             ? 0
             : mlirBlockGetNumArguments(block);
}

static bool find_argument(struct cul_ir *ir, MlirOperation op, intptr_t k,
                          struct cul_position *out) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirValue common = none;
  if (k >= count_arguments(ir, op) || !find_handed(ir, block, k, &common, out))
    return false;
  cul_position_add_argument(out, block, k, common, CUL_IR_FROM_ANY);
  return true;
}

CUL_POSITION(drop_block_arguments, count_arguments, find_argument);
