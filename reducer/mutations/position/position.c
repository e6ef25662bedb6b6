/* See position.h: taking positions away. */
#include "position.h"

#include <stdlib.h>

#include "../frame/cfg.h"
#include "../frame/each.h"
#include "affine_input.h"

void cul_position_release(struct cul_position *position) {
  free(position->parts);
  *position = (struct cul_position){0};
}

static void add(struct cul_position *position, struct cul_part part) {
  position->parts = cul_xgrow(position->parts, position->n, &position->cap,
                              sizeof *position->parts);
  position->parts[position->n++] = part;
}

void cul_position_add(struct cul_position *position, enum cul_part_kind kind,
                      MlirOperation op, intptr_t at) {
  add(position, (struct cul_part){.kind = kind, .op = op, .at = at});
}

void cul_position_add_attr(struct cul_position *position,
                           enum cul_part_kind kind, MlirOperation op,
                           const char *attr, intptr_t at) {
  if (cul_ir_get(op, attr).ptr)
    add(position,
        (struct cul_part){.kind = kind, .op = op, .at = at, .attr = attr});
}

void cul_position_add_result(struct cul_position *position, MlirOperation op,
                             intptr_t at, MlirValue prefer) {
  add(position, (struct cul_part){.kind = CUL_PART_RESULT,
                                  .op = op,
                                  .at = at,
                                  .prefer = prefer,
                                  .from = CUL_IR_FROM_ANY});
}

void cul_position_add_argument(struct cul_position *position, MlirBlock block,
                               intptr_t at, MlirValue prefer, uint32_t from) {
  add(position, (struct cul_part){.kind = CUL_PART_ARGUMENT,
                                  .op = mlirBlockGetFirstOperation(block),
                                  .block = block,
                                  .at = at,
                                  .prefer = prefer,
                                  .from = from});
}

void cul_position_add_type(struct cul_position *position,
                           enum cul_part_kind kind, MlirOperation op,
                           intptr_t at, MlirType type) {
  add(position, (struct cul_part){.kind = kind,
                                  .op = op,
                                  .at = at,
                                  .from = CUL_IR_FROM_VALUES,
                                  .type = type});
}

/* ---- operations without their parts ---- */

static bool *all_true(intptr_t n) {
  bool *mask = cul_xcalloc((size_t)n + 1, sizeof *mask);
  for (intptr_t i = 0; i < n; i++)
    mask[i] = true;
  return mask;
}

/* What an operation keeps, by kind; NULL: everything. */
struct kept {
  bool *masks[CUL_PART_SUCCESSOR + 1];
  const char **lists; /* NULL ends; or NULL: none */
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
    const struct cul_part *part = &position->parts[i];
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

/* Is part i the first of its operation that shrink does? */
static bool is_first(const struct cul_position *position, size_t i) {
  const struct cul_part *part = &position->parts[i];
  if (part->kind > CUL_PART_SUCCESSOR && part->kind != CUL_PART_LIST)
    return false;
  for (size_t j = 0; j < i; j++) {
    const struct cul_part *other = &position->parts[j];
    if (other->op.ptr == part->op.ptr &&
        (other->kind <= CUL_PART_SUCCESSOR || other->kind == CUL_PART_LIST))
      return false;
  }
  return true;
}

/* ---- attributes ---- */

/* A number of what went: later ones move down. */
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

static bool edit_attribute(struct cul_ir *ir, const struct cul_part *part) {
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
        cul_affine_without_input(ir, cul_ir_get(op, part->attr), part->at));
  return true;
}

/* ---- types ---- */

static bool change_operand(struct cul_ir *ir, const struct cul_part *part) {
  MlirOperation function = cul_ir_function_of(ir, part->op);
  MlirValue with = {NULL};
  if (function.ptr && cul_ir_function_takes(function, part->type))
    with = cul_ir_add_argument(ir, function, part->type);
  if (with.ptr)
    cul_edit_set_operand(part->op, part->at, with);
  return with.ptr;
}

static bool edit_type(struct cul_ir *ir, const struct cul_part *part) {
  if (part->kind == CUL_PART_OPERAND_TYPE)
    return change_operand(ir, part);
  if (part->kind == CUL_PART_RESULT_TYPE)
    cul_edit_set_type(mlirOperationGetResult(part->op, part->at), part->type);
  return true;
}

/* ---- functions ---- */

static bool drop_returned(struct cul_ir *ir, const struct cul_part *part) {
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

static bool change_type(struct cul_ir *ir, const struct cul_part *part) {
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

static bool edit_function(struct cul_ir *ir, const struct cul_part *part) {
  if (part->kind == CUL_PART_RETURNED)
    return drop_returned(ir, part);
  if (part->kind == CUL_PART_TAKEN || part->kind == CUL_PART_GIVEN)
    return change_type(ir, part);
  return true;
}

/* ---- dropping ---- */

static MlirValue value_of(const struct cul_part *part) {
  return part->kind == CUL_PART_ARGUMENT
             ? mlirBlockGetArgument(part->block, part->at)
             : mlirOperationGetResult(part->op, part->at);
}

static bool free_of_uses(struct cul_ir *ir,
                         const struct cul_position *position) {
  for (size_t i = 0; i < position->n; i++) {
    const struct cul_part *part = &position->parts[i];
    if (part->kind == CUL_PART_USER)
      (void)cul_ir_erase(ir, part->op);
  }
  for (size_t i = 0; i < position->n; i++) {
    const struct cul_part *part = &position->parts[i];
    if ((part->kind == CUL_PART_ARGUMENT || part->kind == CUL_PART_RESULT ||
         part->kind == CUL_PART_RESULT_TYPE) &&
        !cul_ir_replace(ir, value_of(part), part->op, part->prefer, part->from))
      return false;
  }
  return true;
}

/* Later numbers first: what is dropped moves those behind it. */
static int compare(const void *left, const void *right) {
  const struct cul_part *a = left, *b = right;
  return (a->at < b->at) - (a->at > b->at);
}

static void find_definers(const struct cul_position *position,
                          struct cul_ir_ops *out) {
  for (size_t i = 0; i < position->n && position->sweep; i++) {
    const struct cul_part *part = &position->parts[i];
    MlirOperation def = {NULL};
    if (part->kind == CUL_PART_OPERAND || part->kind == CUL_PART_OPERAND_TYPE)
      def = cul_ir_defining_op(mlirOperationGetOperand(part->op, part->at));
    if (def.ptr)
      cul_ir_ops_add(out, def);
  }
}

/* The region in which an edge goes; null: none does. */
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
  for (size_t i = position->n; i-- > 0 && done;)
    done = edit_type(ir, &position->parts[i]);
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
    MlirOperation op =
        cul_ir_current(ir, (MlirOperation){sites->place[ids[i]]});
    intptr_t k = (intptr_t)sites->detail[ids[i]];
    applied += cul_ir_alive(ir, op) && k < positions->count(ir, op) &&
               cul_position_drop_one(ir, op, k, positions->find);
  }
  cul_ir_commit(ir);
  return applied;
}

const struct cul_mutation_frame cul_position_frame = {.sites = sites,
                                                      .apply = apply};
