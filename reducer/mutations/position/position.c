/* Removes positions: see position.h. */
#include "position.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/IntegerSet.h>
#include <stdlib.h>
#include <string.h>

#include "../../subject/edit/cfg.h"
#include "../../subject/edit/region.h"
#include "../../subject/ir/compat.h"
#include "../frame/each.h"
#include "../retype/rules/rules.h"

/* ---- affine input ---- */

/* Inputs of affine maps and integer sets: dimensions first, then symbols. */

/* An affine map or an integer set, which are handled in the same way. */
struct formula {
  bool set;
  MlirAffineMap map;
  MlirIntegerSet constraints;
  intptr_t n_dims, n_inputs;
};

static bool read_formula(MlirAttribute attr, struct formula *out) {
  *out = (struct formula){0};
  out->set = cul_compat_set_of(attr, &out->constraints);
  if (out->set) {
    out->n_dims = mlirIntegerSetGetNumDims(out->constraints);
    out->n_inputs = mlirIntegerSetGetNumInputs(out->constraints);
    return true;
  }
  if (!attr.ptr || !mlirAttributeIsAAffineMap(attr))
    return false;
  out->map = mlirAffineMapAttrGetValue(attr);
  out->n_dims = mlirAffineMapGetNumDims(out->map);
  out->n_inputs = mlirAffineMapGetNumInputs(out->map);
  return true;
}

/* The number of inputs of the attribute; 0 if it is null, or neither a map nor
 * a set. */
static intptr_t affine_count_inputs(MlirAttribute attr) {
  struct formula f;
  return read_formula(attr, &f) ? f.n_inputs : 0;
}

/* Input i of a formula: dimensions first. */
static MlirAffineExpr input(struct cul_ir *ir, intptr_t n_dims, intptr_t i) {
  return i < n_dims ? mlirAffineDimExprGet(ir->context, i)
                    : mlirAffineSymbolExprGet(ir->context, i - n_dims);
}

/* Replace input `at` by 0.  goes: also remove the input, and renumber later
 * ones. */
static MlirAttribute affine_with_0(struct cul_ir *ir, MlirAttribute attr,
                                   intptr_t at, bool goes) {
  struct formula f;
  intptr_t n_dims, n_symbols;
  MlirAffineExpr *with;
  if (!read_formula(attr, &f))
    return attr;
  n_dims = f.n_dims - (goes && at < f.n_dims);
  n_symbols = f.n_inputs - goes - n_dims;
  with = cul_xcalloc((size_t)f.n_inputs, sizeof *with);
  for (intptr_t i = 0; i < f.n_inputs; i++)
    with[i] = i == at ? mlirAffineConstantExprGet(ir->context, 0)
                      : input(ir, n_dims, i - (goes && i > at));
  if (f.set)
    f.constraints = mlirIntegerSetReplaceGet(
        f.constraints, with, with + f.n_dims, n_dims, n_symbols);
  /* each later input moves to the place of the one before it */
  for (intptr_t i = at; !f.set && i < f.n_inputs; i++)
    f.map = mlirAffineMapReplace(f.map, input(ir, f.n_dims, i), with[i], n_dims,
                                 n_symbols);
  free(with);
  return f.set ? cul_compat_set_attr(f.constraints)
               : mlirAffineMapAttrGet(f.map);
}

/* ---- position ---- */

void cul_position_release(struct cul_position *position) {
  free(position->parts);
  *position = (struct cul_position){0};
}

static void add(struct cul_position *position, struct cul_position_part part) {
  CUL_XADD(position->parts, position->n, position->cap) = part;
}

void cul_position_add(struct cul_position *position, enum cul_part_kind kind,
                      MlirOperation op, intptr_t at) {
  add(position, (struct cul_position_part){.kind = kind, .op = op, .at = at});
}

void cul_position_add_attr(struct cul_position *position,
                           enum cul_part_kind kind, MlirOperation op,
                           const char *attr, intptr_t at) {
  if (cul_ir_get(op, attr).ptr)
    add(position, (struct cul_position_part){
                      .kind = kind, .op = op, .at = at, .attr = attr});
}

void cul_position_add_result(struct cul_position *position, MlirOperation op,
                             intptr_t at, MlirValue prefer) {
  add(position, (struct cul_position_part){.kind = CUL_PART_RESULT,
                                           .op = op,
                                           .at = at,
                                           .prefer = prefer,
                                           .from = CUL_IR_FROM_ANY});
}

void cul_position_add_argument(struct cul_position *position, MlirBlock block,
                               intptr_t at, MlirValue prefer, uint32_t from) {
  add(position,
      (struct cul_position_part){.kind = CUL_PART_ARGUMENT,
                                 .op = mlirBlockGetFirstOperation(block),
                                 .block = block,
                                 .at = at,
                                 .prefer = prefer,
                                 .from = from});
}

/* ---- operations without their parts ---- */

static bool *all_true(intptr_t n) {
  bool *mask = cul_xcalloc((size_t)n + 1, sizeof *mask);
  for (intptr_t i = 0; i < n; i++)
    mask[i] = true;
  return mask;
}

/* The parts that an operation keeps, by kind; NULL: all. */
struct kept {
  bool *masks[CUL_PART_SUCCESSOR + 1];
  const char **lists; /* NULL-terminated; or NULL: none */
  size_t n_lists;
};

static intptr_t count_parts(MlirOperation op, enum cul_part_kind kind) {
  return kind == CUL_PART_OPERAND  ? mlirOperationGetNumOperands(op)
         : kind == CUL_PART_RESULT ? mlirOperationGetNumResults(op)
         : kind == CUL_PART_REGION ? mlirOperationGetNumRegions(op)
                                   : mlirOperationGetNumSuccessors(op);
}

static void add_list(struct kept *kept, const char *name) {
  kept->lists =
      cul_xreallocarray(kept->lists, kept->n_lists + 2, sizeof *kept->lists);
  kept->lists[kept->n_lists++] = name;
  kept->lists[kept->n_lists] = NULL;
}

static void collect(const struct cul_position *position, MlirOperation op,
                    struct kept *out) {
  for (size_t i = 0; i < position->n; i++) {
    const struct cul_position_part *part = &position->parts[i];
    if (part->op.ptr != op.ptr)
      continue;
    if (part->kind == CUL_PART_LIST)
      add_list(out, part->attr);
    if (part->kind > CUL_PART_SUCCESSOR)
      continue;
    if (!out->masks[part->kind])
      out->masks[part->kind] = all_true(count_parts(op, part->kind));
    if (part->at < count_parts(op, part->kind))
      out->masks[part->kind][part->at] = false;
  }
}

static bool shrink(struct cul_ir *ir, const struct cul_position *position,
                   MlirOperation op) {
  struct kept kept = {0};
  struct cul_ir_change change;
  bool done = true;
  collect(position, op, &kept);
  change = (struct cul_ir_change){
      .keep_operands = kept.masks[CUL_PART_OPERAND],
      .keep_results = kept.masks[CUL_PART_RESULT],
      .keep_regions = kept.masks[CUL_PART_REGION],
      .keep_successors = kept.masks[CUL_PART_SUCCESSOR],
      .drop_attrs = kept.lists,
  };
  if (change.keep_results || change.keep_regions || change.keep_successors ||
      kept.n_lists)
    done = cul_ir_rebuild(ir, op, &change).ptr;
  else if (change.keep_operands)
    done = cul_ir_keep_operands(ir, op, change.keep_operands);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kept.masks); i++)
    free(kept.masks[i]);
  free(kept.lists);
  return done;
}

/* Is part i the first one of its operation?  shrink handles all parts of an
 * operation at once. */
static bool is_first(const struct cul_position *position, size_t i) {
  const struct cul_position_part *part = &position->parts[i];
  if (part->kind > CUL_PART_SUCCESSOR && part->kind != CUL_PART_LIST)
    return false;
  for (size_t j = 0; j < i; j++) {
    const struct cul_position_part *other = &position->parts[j];
    if (other->op.ptr == part->op.ptr &&
        (other->kind <= CUL_PART_SUCCESSOR || other->kind == CUL_PART_LIST))
      return false;
  }
  return true;
}

/* ---- attributes ---- */

/* Renumber a dimension after the removal of others. */
static MlirAttribute renumber(struct cul_ir *ir, MlirAttribute attr,
                              void *gone) {
  int64_t at;
  (void)ir;
  if (!mlirAttributeIsAInteger(attr))
    return attr;
  at = mlirIntegerAttrGetValueInt(attr);
  return mlirIntegerAttrGet(mlirAttributeGetType(attr),
                            at - (at > *(intptr_t *)gone));
}

static bool edit_attribute(struct cul_ir *ir,
                           const struct cul_position_part *part) {
  MlirOperation op = cul_ir_current(ir, part->op);
  intptr_t at = part->at;
  if (part->kind == CUL_PART_ENTRY)
    return cul_ir_drop_entry(ir, op, part->attr, (size_t)part->at);
  if (part->kind == CUL_PART_NUMBER)
    return cul_ir_set(
        ir, op, part->attr,
        cul_ir_attr_map(ir, cul_ir_get(op, part->attr), renumber, &at));
  if (part->kind == CUL_PART_INPUT)
    return cul_ir_set(
        ir, op, part->attr,
        affine_with_0(ir, cul_ir_get(op, part->attr), part->at, true));
  return true;
}

/* ---- functions ---- */

static bool drop_returned(struct cul_ir *ir,
                          const struct cul_position_part *part) {
  struct cul_ir_values kept = {0};
  bool done;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(part->op); i++)
    if (i != part->at)
      cul_ir_values_add(&kept, mlirOperationGetOperand(part->op, i));
  done = cul_ir_return_values(ir, part->op, &kept).ptr;
  cul_ir_values_release(&kept);
  return done;
}

static size_t without(MlirType *types, size_t n, size_t at) {
  for (size_t i = at; i + 1 < n; i++)
    types[i] = types[i + 1];
  return n - 1;
}

static bool change_type(struct cul_ir *ir,
                        const struct cul_position_part *part) {
  struct cul_ir_signature signature;
  size_t at = (size_t)part->at;
  bool done;
  if (!cul_ir_signature_get(ir, part->op, &signature))
    return false;
  if (part->kind == CUL_PART_TAKEN)
    signature.n_inputs = without(signature.inputs, signature.n_inputs, at);
  else
    signature.n_results = without(signature.results, signature.n_results, at);
  done = cul_ir_signature_set(ir, part->op, &signature);
  cul_ir_signature_release(&signature);
  return done;
}

static bool edit_function(struct cul_ir *ir,
                          const struct cul_position_part *part) {
  if (part->kind == CUL_PART_RETURNED)
    return drop_returned(ir, part);
  if (part->kind == CUL_PART_TAKEN || part->kind == CUL_PART_GIVEN)
    return change_type(ir, part);
  return true;
}

/* ---- dropping ---- */

static MlirValue value_of(const struct cul_position_part *part) {
  return part->kind == CUL_PART_ARGUMENT
             ? mlirBlockGetArgument(part->block, part->at)
             : mlirOperationGetResult(part->op, part->at);
}

static bool free_of_uses(struct cul_ir *ir,
                         const struct cul_position *position) {
  for (size_t i = 0; i < position->n; i++) {
    const struct cul_position_part *part = &position->parts[i];
    if (part->kind == CUL_PART_USER)
      (void)cul_ir_erase(ir, part->op);
  }
  for (size_t i = 0; i < position->n; i++) {
    const struct cul_position_part *part = &position->parts[i];
    if ((part->kind == CUL_PART_ARGUMENT || part->kind == CUL_PART_RESULT) &&
        !cul_ir_replace(ir, value_of(part), part->op, part->prefer, part->from))
      return false;
  }
  return true;
}

/* Order by number, descending, because each removal moves later parts. */
static int compare(const void *left, const void *right) {
  const struct cul_position_part *a = left, *b = right;
  return (a->at < b->at) - (a->at > b->at);
}

static void find_definers(const struct cul_position *position,
                          struct cul_ir_ops *out) {
  for (size_t i = 0; i < position->n && position->sweep; i++) {
    const struct cul_position_part *part = &position->parts[i];
    MlirOperation def = {NULL};
    if (part->kind == CUL_PART_OPERAND)
      def = cul_ir_defining_op(mlirOperationGetOperand(part->op, part->at));
    if (def.ptr)
      cul_ir_ops_add(out, def);
  }
}

/* The region in which an edge is removed; null: none. */
static MlirRegion cut_region(const struct cul_position *position) {
  for (size_t i = 0; i < position->n; i++)
    if (position->parts[i].kind == CUL_PART_SUCCESSOR)
      return mlirBlockGetParentRegion(
          mlirOperationGetBlock(position->parts[i].op));
  return (MlirRegion){NULL};
}

bool cul_position_drop(struct cul_ir *ir, struct cul_position *position) {
  struct cul_ir_ops definers = {0};
  MlirRegion region = cut_region(position);
  struct cul_cfg_reach before = {0};
  bool done;
  if (region.ptr)
    cul_cfg_reach(region, &before);
  done = free_of_uses(ir, position);
  find_definers(position, &definers);
  if (position->n)
    qsort(position->parts, position->n, sizeof *position->parts, compare);
  for (size_t i = 0; i < position->n && done; i++)
    if (position->parts[i].kind == CUL_PART_ARGUMENT)
      cul_edit_erase_argument(position->parts[i].block,
                              (unsigned)position->parts[i].at);
  for (size_t i = 0; i < position->n && done; i++)
    if (is_first(position, i))
      done = shrink(ir, position, position->parts[i].op);
  for (size_t i = 0; i < position->n && done; i++)
    done = edit_attribute(ir, &position->parts[i]);
  for (size_t i = 0; i < position->n && done; i++)
    done = edit_function(ir, &position->parts[i]);
  for (size_t i = 0; i < definers.n && done; i++)
    (void)cul_ir_sweep(ir, definers.items[i]);
  if (region.ptr && done)
    cul_cfg_prune(ir, region, &before);
  cul_cfg_reach_release(&before);
  cul_ir_ops_release(&definers);
  return done;
}

bool cul_position_drop_one(struct cul_ir *ir, MlirOperation op, intptr_t k,
                           cul_position_fn *find) {
  struct cul_position position = {0};
  bool done = find(ir, op, k, &position) && cul_position_drop(ir, &position);
  cul_position_release(&position);
  return done;
}

/* ---- the frame ---- */

static void sites(const void *how, struct cul_subject *subject,
                  struct cul_sites *out) {
  const struct cul_positions *positions = how;
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list list = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++) {
    intptr_t n = positions->count(ir, list.items[i].op);
    for (intptr_t k = 0; k < n; k++) {
      struct cul_position position = {0};
      if (positions->find(ir, list.items[i].op, k, &position))
        (void)cul_each_add(out, list.items[i].op, (uint64_t)k, 1);
      cul_position_release(&position);
    }
  }
  cul_ir_list_release(&list);
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

const struct cul_positions cul_mutation_drop_linalg_input = {count_inputs,
                                                             find_input};

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
    intptr_t n = affine_count_inputs(cul_ir_get(op, names[i]));
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
  if (!map || affine_with_0(ir, attr, k - first, false).ptr != attr.ptr)
    return false;
  cul_position_add_attr(out, CUL_PART_INPUT, op, map, k - first);
  return cul_position_operand(ir, op, k, out);
}

const struct cul_positions cul_mutation_drop_map_input = {count_operands,
                                                          find_map_input};

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

const struct cul_positions cul_mutation_drop_iteration_dim = {count_counters,
                                                              find_counter};

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

const struct cul_positions cul_mutation_drop_cases = {count_cases, find_case};

/* ---- arguments of blocks ---- */

/* Find the single value that all edges pass to the argument, if it may be used
 * in block, and the operands that pass it. */
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
    /* a loop may pass the argument itself */
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

const struct cul_positions cul_mutation_drop_block_arguments = {count_arguments,
                                                                find_argument};
