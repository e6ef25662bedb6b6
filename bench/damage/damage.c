/* Raw damage: the mutation table of a worker that only bench/opaque-check
 * uses.  Mutations guard themselves; these break on purpose what the check of
 * opaque candidates is for, and leave everything else as it was. */
#include <stdlib.h>
#include <string.h>

#include "../../reducer/mutations/mutation.h"
#include "../../reducer/subject/edit/cfg.h"

/* May the damage be done at op?  Then do it, `choice` of several ways. */
typedef bool may_fn(struct cul_ir *ir, MlirOperation op);
typedef bool do_fn(struct cul_ir *ir, MlirOperation op, uint64_t choice);

/* A kind of damage: where it may be done, and how. */
struct damage {
  may_fn *may;
  do_fn *what;
};

static void list(const void *how, struct cul_subject *subject,
                 struct cul_sites *out) {
  const struct damage *damage = how;
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list ops = {0};
  cul_ir_list(ir->root, &ops);
  for (size_t i = 1; i < ops.n; i++)
    if (damage->may(ir, ops.items[i].op))
      cul_sites_add(out, ops.items[i].op.ptr, i, 1);
  cul_ir_list_release(&ops);
}

static size_t apply(const void *how, struct cul_subject *subject,
                    const struct cul_sites *sites, const uint32_t *ids,
                    size_t n) {
  const struct damage *damage = how;
  struct cul_ir *ir = cul_ir_of(subject);
  size_t applied = 0;
  for (size_t i = 0; i < n; i++) {
    MlirOperation op = {sites->place[ids[i]]};
    if (cul_ir_alive(ir, op))
      applied += damage->what(ir, op, sites->detail[ids[i]]);
  }
  cul_ir_tell(ir, CUL_IR_BLOCKS);
  return applied;
}

static const struct cul_mutation_frame frame = {list, apply};

/* ---- helpers ---- */

static bool is_last(struct cul_ir *ir, MlirOperation op) {
  return cul_ir_is_terminator(ir, op);
}

static MlirOperation before(MlirOperation op) {
  MlirOperation previous = {NULL};
  CUL_IR_EACH_OP(other, mlirOperationGetBlock(op)) {
    if (other.ptr == op.ptr)
      return previous;
    previous = other;
  }
  return previous;
}

/* Another type than that of value, of any value of the module. */
static MlirType other_type(struct cul_ir *ir, MlirValue value,
                           uint64_t choice) {
  struct cul_ir_list ops = {0};
  MlirType type = mlirValueGetType(value), found = {NULL};
  cul_ir_list(ir->root, &ops);
  for (size_t k = 0; k < ops.n && !found.ptr; k++) {
    MlirOperation op = ops.items[(k + choice) % ops.n].op;
    if (mlirOperationGetNumResults(op) > 0 &&
        !mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(op, 0)), type))
      found = mlirValueGetType(mlirOperationGetResult(op, 0));
  }
  cul_ir_list_release(&ops);
  return found;
}

static bool cut_operand(MlirOperation op, intptr_t at) {
  MlirValue left[64];
  intptr_t n = mlirOperationGetNumOperands(op), kept = 0;
  if (n > 64 || at >= n)
    return false;
  for (intptr_t i = 0; i < n; i++)
    if (i != at)
      left[kept++] = mlirOperationGetOperand(op, i);
  mlirOperationSetOperands(op, kept, left);
  return true;
}

/* ---- terminators ---- */

static bool may_swap(struct cul_ir *ir, MlirOperation op) {
  return is_last(ir, op) && before(op).ptr;
}

static bool swap(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  (void)ir, (void)choice;
  mlirOperationMoveBefore(op, before(op));
  return true;
}

static bool drop_end(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  (void)ir, (void)choice;
  mlirOperationRemoveFromParent(op);
  return true;
}

static bool double_end(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  (void)ir, (void)choice;
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op,
                                      mlirOperationClone(op));
  return true;
}

/* The terminator of somewhere else. */
static bool other_end(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  struct cul_ir_list ops = {0};
  MlirOperation found = {NULL};
  struct cul_ir_change change = {.name = NULL};
  char *name;
  bool done;
  cul_ir_list(ir->root, &ops);
  for (size_t k = 0; k < ops.n && !found.ptr; k++) {
    MlirOperation other = ops.items[(k + choice) % ops.n].op;
    if (is_last(ir, other) &&
        !mlirStringRefEqual(cul_ir_name(other), cul_ir_name(op)) &&
        mlirOperationGetNumSuccessors(other) == 0)
      found = other;
  }
  cul_ir_list_release(&ops);
  if (!found.ptr || mlirOperationGetNumSuccessors(op) > 0)
    return false;
  name = cul_xstrndup(cul_ir_name(found).data, cul_ir_name(found).length);
  change.name = name;
  done = cul_ir_rebuild(ir, op, &change).ptr;
  free(name);
  return done;
}

/* ---- dominance ---- */

/* A user in the same block, the last one. */
static MlirOperation user_beside(struct cul_ir *ir, MlirOperation op) {
  MlirOperation found = {NULL};
  if (mlirOperationGetNumResults(op) == 0)
    return found;
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (mlirOperationGetBlock(user).ptr == mlirOperationGetBlock(op).ptr &&
        !is_last(ir, user))
      found = user;
  }
  return found;
}

static bool may_sink(struct cul_ir *ir, MlirOperation op) {
  return user_beside(ir, op).ptr;
}

static bool sink(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  (void)choice;
  mlirOperationMoveAfter(op, user_beside(ir, op));
  return true;
}

/* An operation with a region, before it in its block: its results are used
 * from outside then. */
static MlirBlock region_before(struct cul_ir *ir, MlirOperation op) {
  MlirBlock found = {NULL};
  CUL_IR_EACH_OP(other, mlirOperationGetBlock(op)) {
    if (other.ptr == op.ptr)
      break;
    if (mlirOperationGetNumRegions(other) > 0 && cul_ir_entry(other).ptr)
      found = cul_ir_entry(other);
  }
  (void)ir;
  return found;
}

static bool may_hide(struct cul_ir *ir, MlirOperation op) {
  return cul_ir_has_result_uses(op) && region_before(ir, op).ptr;
}

static bool hide(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  MlirBlock block = region_before(ir, op);
  MlirOperation first = mlirBlockGetFirstOperation(block);
  (void)choice;
  if (!first.ptr)
    return false;
  mlirOperationMoveBefore(op, first);
  return true;
}

/* ---- types of uses, numbers of values ---- */

static bool has_used_result(struct cul_ir *ir, MlirOperation op) {
  (void)ir;
  return mlirOperationGetNumResults(op) > 0 && cul_ir_has_result_uses(op);
}

static bool retype_result(struct cul_ir *ir, MlirOperation op,
                          uint64_t choice) {
  MlirValue value = mlirOperationGetResult(op, 0);
  MlirType type = other_type(ir, value, choice);
  if (type.ptr)
    mlirValueSetType(value, type);
  return type.ptr;
}

static bool gives(struct cul_ir *ir, MlirOperation op) {
  return is_last(ir, op) && mlirOperationGetNumOperands(op) > 0;
}

static bool give_less(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  (void)ir;
  return cut_operand(
      op, (intptr_t)(choice % (uint64_t)mlirOperationGetNumOperands(op)));
}

static bool give_more(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  MlirValue values[65];
  intptr_t n = mlirOperationGetNumOperands(op);
  (void)ir, (void)choice;
  if (n > 64)
    return false;
  for (intptr_t i = 0; i < n; i++)
    values[i] = mlirOperationGetOperand(op, i);
  values[n] = values[n - 1];
  mlirOperationSetOperands(op, n + 1, values);
  return true;
}

/* A value of another type in its place. */
static bool give_other(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  MlirOperation source = before(op);
  intptr_t n = mlirOperationGetNumOperands(op);
  intptr_t at = (intptr_t)(choice % (uint64_t)n);
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  (void)ir;
  for (; source.ptr; source = before(source))
    if (mlirOperationGetNumResults(source) > 0 &&
        !mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(source, 0)),
                       type)) {
      mlirOperationSetOperand(op, at, mlirOperationGetResult(source, 0));
      return true;
    }
  return false;
}

static MlirBlock inner_block(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 ? cul_ir_entry(op)
                                            : (MlirBlock){NULL};
}

static bool takes(struct cul_ir *ir, MlirOperation op) {
  MlirBlock block = inner_block(op);
  (void)ir;
  return block.ptr && mlirBlockGetNumArguments(block) > 0;
}

static bool retype_argument(struct cul_ir *ir, MlirOperation op,
                            uint64_t choice) {
  MlirBlock block = inner_block(op);
  intptr_t n = mlirBlockGetNumArguments(block);
  MlirValue value =
      mlirBlockGetArgument(block, (intptr_t)(choice % (uint64_t)n));
  MlirType type = other_type(ir, value, choice);
  if (type.ptr)
    mlirValueSetType(value, type);
  return type.ptr;
}

static bool take_more(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  MlirBlock block = inner_block(op);
  (void)choice;
  mlirBlockAddArgument(block, mlirValueGetType(mlirBlockGetArgument(block, 0)),
                       ir->unknown);
  return true;
}

static bool branches(struct cul_ir *ir, MlirOperation op) {
  (void)ir;
  return mlirOperationGetNumSuccessors(op) > 0;
}

/* Block arguments without operands for them. */
static bool expect_more(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  MlirBlock block = mlirOperationGetSuccessor(op, 0);
  (void)choice;
  mlirBlockAddArgument(block, mlirIntegerTypeGet(ir->context, 32), ir->unknown);
  return true;
}

/* ---- signatures ---- */

static bool is_function(struct cul_ir *ir, MlirOperation op) {
  (void)ir;
  return cul_ir_is_function(op);
}

/* function_type alone: an input or a result more, less or another. */
static bool change_type(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  struct cul_ir_signature sig;
  MlirType extra = mlirIntegerTypeGet(ir->context, 17), *first;
  bool results = choice & 1;
  if (!cul_ir_signature_get(ir, op, &sig))
    return false;
  first = results ? sig.results : sig.inputs;
  if ((results ? sig.n_results : sig.n_inputs) == 0)
    first = NULL;
  if (first && choice & 2)
    first[0] = extra;
  else if (first)
    *(results ? &sig.n_results : &sig.n_inputs) -= 1;
  if (first)
    (void)cul_ir_signature_set(ir, op, &sig);
  cul_ir_signature_release(&sig);
  return first;
}

static bool calls(struct cul_ir *ir, MlirOperation op) {
  MlirAttribute callee = cul_ir_get(op, "callee");
  (void)ir;
  return callee.ptr && mlirAttributeIsASymbolRef(callee);
}

static bool call_with_less(struct cul_ir *ir, MlirOperation op,
                           uint64_t choice) {
  (void)ir, (void)choice;
  return cut_operand(op, 0);
}

static bool call_nothing(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  (void)choice;
  return cul_ir_set(
      ir, op, "callee",
      mlirFlatSymbolRefAttrGet(ir->context, cul_ir_str("not_there")));
}

/* ---- regions and blocks ---- */

static bool has_region(struct cul_ir *ir, MlirOperation op) {
  (void)ir;
  return mlirOperationGetNumRegions(op) > 0 && !cul_ir_is_function(op) &&
         inner_block(op).ptr;
}

static bool drop_region(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  bool keep[16];
  intptr_t n = mlirOperationGetNumRegions(op);
  struct cul_ir_change change = {.keep_regions = keep};
  if (n > 16)
    return false;
  memset(keep, true, sizeof keep);
  keep[choice % (uint64_t)n] = false;
  return cul_ir_rebuild(ir, op, &change).ptr;
}

/* What was in it is gone, too. */
static bool drop_blocks(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  intptr_t n = mlirOperationGetNumRegions(op);
  MlirRegion region =
      mlirOperationGetRegion(op, (intptr_t)(choice % (uint64_t)n));
  MlirRegion none = mlirRegionCreate();
  (void)ir;
  if (!mlirRegionGetFirstBlock(region).ptr)
    return false;
  mlirRegionTakeBody(none, region);
  return true;
}

static bool add_block(struct cul_ir *ir, MlirOperation op, uint64_t choice) {
  MlirRegion region = mlirOperationGetRegion(op, 0);
  MlirOperation end = cul_cfg_terminator(ir, mlirRegionGetFirstBlock(region));
  MlirBlock block;
  (void)choice;
  if (!end.ptr || mlirOperationGetNumOperands(end) > 0)
    return false;
  block = mlirBlockCreate(0, NULL, NULL);
  mlirBlockAppendOwnedOperation(block, mlirOperationClone(end));
  mlirRegionAppendOwnedBlock(region, block);
  return true;
}

/* ---- the table ---- */

#define DAMAGES(D)                                                             \
  D(swap_terminator, may_swap, swap)                                           \
  D(drop_terminator, is_last, drop_end)                                        \
  D(double_terminator, is_last, double_end)                                    \
  D(other_terminator, is_last, other_end)                                      \
  D(use_before_def, may_sink, sink)                                            \
  D(use_out_of_region, may_hide, hide)                                         \
  D(retype_result, has_used_result, retype_result)                             \
  D(yield_less, gives, give_less)                                              \
  D(yield_more, gives, give_more)                                              \
  D(yield_other, gives, give_other)                                            \
  D(retype_argument, takes, retype_argument)                                   \
  D(more_arguments, takes, take_more)                                          \
  D(more_block_arguments, branches, expect_more)                               \
  D(function_type, is_function, change_type)                                   \
  D(call_with_less, calls, call_with_less)                                     \
  D(call_nothing, calls, call_nothing)                                         \
  D(drop_region, has_region, drop_region)                                      \
  D(no_blocks, has_region, drop_blocks)                                        \
  D(another_block, has_region, add_block)

#define FUNCTIONS(id, may, what)                                               \
  static const struct damage how_##id = {may, what};                           \
  static const struct cul_mutation damage_##id = {.name = #id,                 \
                                                  .summary = "raw damage",     \
                                                  .kinds = CUL_SUBJECT_OPAQUE, \
                                                  .phase = CUL_PHASE_FINE,     \
                                                  .frame = &frame,             \
                                                  .how = &how_##id};
DAMAGES(FUNCTIONS)

#define ENTRY(id, may, what) &damage_##id,
const struct cul_mutation *const cul_mutations[] = {DAMAGES(ENTRY) NULL};

const struct cul_mutation *cul_mutation_find(const char *name) {
  for (size_t i = 0; cul_mutations[i]; i++)
    if (strcmp(cul_mutations[i]->name, name) == 0)
      return cul_mutations[i];
  return NULL;
}
