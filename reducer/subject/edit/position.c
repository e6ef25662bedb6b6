/* Removes positions, and finds those of operands and functions: see
 * position.h. */
#include "position.h"

#include <stdlib.h>

#include "../ir/numbers.h"
#include "../ir/walk.h"
#include "cfg.h"

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
        cul_affine_with_0(ir, cul_ir_get(op, part->attr), part->at, true));
  return true;
}

/* ---- functions ---- */

static bool drop_returned(struct cul_ir *ir,
                          const struct cul_position_part *part) {
  CUL_OWNED(cul_ir_values) kept = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(part->op); i++)
    if (i != part->at)
      cul_ir_values_add(&kept, mlirOperationGetOperand(part->op, i));
  return cul_ir_return_values(ir, part->op, &kept).ptr;
}

static size_t without(MlirType *types, size_t n, size_t at) {
  for (size_t i = at; i + 1 < n; i++)
    types[i] = types[i + 1];
  return n - 1;
}

static bool change_type(struct cul_ir *ir,
                        const struct cul_position_part *part) {
  CUL_OWNED(cul_ir_signature) signature = {0};
  size_t at = (size_t)part->at;
  if (!cul_ir_signature_get(ir, part->op, &signature))
    return false;
  if (part->kind == CUL_PART_TAKEN)
    signature.n_inputs = without(signature.inputs, signature.n_inputs, at);
  else
    signature.n_results = without(signature.results, signature.n_results, at);
  return cul_ir_signature_set(ir, part->op, &signature);
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
    if (((part->kind == CUL_PART_ARGUMENT && !position->late) ||
         part->kind == CUL_PART_RESULT) &&
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

static void erase_arguments(const struct cul_position *position) {
  for (size_t i = 0; i < position->n; i++)
    if (position->parts[i].kind == CUL_PART_ARGUMENT)
      cul_edit_erase_argument(position->parts[i].block,
                              (unsigned)position->parts[i].at);
}

bool cul_position_drop(struct cul_ir *ir, struct cul_position *position) {
  CUL_OWNED(cul_ir_ops) definers = {0};
  MlirRegion region = cut_region(position);
  CUL_OWNED(cul_cfg_reach) before = {0};
  bool done;
  if (region.ptr)
    cul_cfg_reach(region, &before);
  done = free_of_uses(ir, position);
  find_definers(position, &definers);
  if (position->n)
    qsort(position->parts, position->n, sizeof *position->parts, compare);
  if (done && !position->late)
    erase_arguments(position);
  for (size_t i = 0; i < position->n && done; i++)
    if (is_first(position, i))
      done = shrink(ir, position, position->parts[i].op);
  if (done && position->late)
    erase_arguments(position);
  for (size_t i = 0; i < position->n && done; i++)
    done = edit_attribute(ir, &position->parts[i]);
  for (size_t i = 0; i < position->n && done; i++)
    done = edit_function(ir, &position->parts[i]);
  for (size_t i = 0; i < definers.n && done; i++)
    (void)cul_ir_sweep(ir, definers.items[i]);
  if (region.ptr && done)
    cul_cfg_prune(ir, region, &before);
  return done;
}

bool cul_position_drop_one(struct cul_ir *ir, MlirOperation op, intptr_t k,
                           cul_position_fn *find) {
  CUL_OWNED(cul_position) position = {0};
  return find(ir, op, k, &position) && cul_position_drop(ir, &position);
}

/* ---- operands ---- */

bool cul_position_operand(struct cul_ir *ir, MlirOperation op, intptr_t k,
                          struct cul_position *out) {
  (void)ir;
  if (k >= mlirOperationGetNumOperands(op))
    return false;
  cul_position_add(out, CUL_PART_OPERAND, op, k);
  out->sweep = true;
  return true;
}

/* ---- constraints of inline assembly ---- */

static const MlirValue none = {NULL};

/* Operations of several outputs may have one result for each, or a struct of
 * all, which only goes with all outputs. */
bool cul_position_constraint(struct cul_ir *ir, MlirOperation op, intptr_t k,
                             struct cul_position *out) {
  static const char name[] = "constraints";
  MlirAttribute list = cul_ir_get(op, name);
  intptr_t outputs = 0, results = mlirOperationGetNumResults(op);
  MlirStringRef word;
  (void)ir;
  if (!list.ptr || !mlirAttributeIsAString(list))
    return false;
  while (cul_ir_word(list, (size_t)outputs, &word) && *word.data == '=')
    outputs++;
  if (!cul_ir_word(list, (size_t)k, &word) ||
      (k < outputs && outputs != results && (k > 0 || results != 1)))
    return false;
  cul_position_add_attr(out, CUL_PART_ENTRY, op, name, k);
  for (intptr_t i = 1; k == 0 && results == 1 && i < outputs; i++)
    cul_position_add_attr(out, CUL_PART_ENTRY, op, name, i);
  if (k < outputs)
    cul_position_add_result(out, op, k, none);
  else if (*word.data != '~')
    return cul_position_operand(ir, op, k - outputs, out);
  return true;
}

/* ---- arguments and results of functions, with all their calls ---- */

/* The calls of a function. */
struct calls {
  struct cul_ir_call *items;
  size_t n;
};

/* Is each use of the function's argument k an argument k of a call? */
static bool is_passed_on(struct cul_ir *ir, MlirValue argument, intptr_t k,
                         const struct calls *calls) {
  CUL_IR_EACH_USER(user, ir, argument) {
    intptr_t at = -1;
    for (size_t i = 0; i < calls->n; i++)
      if (calls->items[i].op.ptr == user.op.ptr)
        at = (intptr_t)calls->items[i].first + k;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(user.op); i++)
      if (i != at &&
          mlirValueEqual(mlirOperationGetOperand(user.op, i), argument))
        at = -1;
    if (at < 0)
      return false;
  }
  return true;
}

/* Add argument k of the body; another argument replaces its uses, unless the
 * function only passes it on to itself.  False if none can: a constant would
 * cost an operation, and value-to-zero tries that. */
static bool add_entry(struct cul_ir *ir, MlirOperation function, size_t k,
                      size_t n_inputs, const struct calls *calls,
                      struct cul_position *out) {
  MlirBlock entry = cul_ir_entry(function);
  MlirValue argument;
  if (!entry.ptr)
    return true;
  if ((size_t)mlirBlockGetNumArguments(entry) < n_inputs)
    return false;
  argument = mlirBlockGetArgument(entry, (intptr_t)k);
  cul_position_add_argument(out, entry, (intptr_t)k, none, CUL_IR_FROM_PEER);
  out->late = is_passed_on(ir, argument, (intptr_t)k, calls);
  return out->late ||
         cul_ir_replacement(ir, argument, mlirBlockGetFirstOperation(entry),
                            CUL_IR_FROM_PEER)
             .ptr;
}

/* Find argument k of a gpu.func if it is unused memory, which comes after the
 * inputs and is not passed by calls. */
static bool find_memory(MlirOperation function, intptr_t k, intptr_t n_inputs,
                        struct cul_position *out) {
  MlirBlock entry = cul_ir_entry(function);
  MlirAttribute workgroup = cul_ir_get(function, "workgroup_attributions");
  intptr_t at = k - n_inputs, n = 0;
  if (!cul_ir_is(function, "gpu.func") || !entry.ptr || at < 0 ||
      k >= mlirBlockGetNumArguments(entry) ||
      cul_ir_has_uses(mlirBlockGetArgument(entry, k)))
    return false;
  if (workgroup.ptr && mlirAttributeIsAInteger(workgroup))
    n = (intptr_t)mlirIntegerAttrGetValueInt(workgroup);
  cul_position_add_argument(out, entry, k, none, CUL_IR_FROM_PEER);
  cul_position_add_attr(out, CUL_PART_NUMBER, function,
                        "workgroup_attributions", at);
  if (at < n)
    cul_position_add_attr(out, CUL_PART_ENTRY, function,
                          "workgroup_attrib_attrs", at);
  else
    cul_position_add_attr(out, CUL_PART_ENTRY, function, "private_attrib_attrs",
                          at - n);
  return true;
}

/* Add operand k of the function's returns; those without operands stay.  False
 * if their numbers differ. */
static bool add_returned(struct cul_ir *ir, MlirOperation function, intptr_t k,
                         size_t n_results, struct cul_position *out) {
  bool agree = true;
  CUL_IR_EACH_RETURN(end, ir, function) {
    size_t n = (size_t)mlirOperationGetNumOperands(end.op);
    agree &= n == n_results || n == 0;
    if (n)
      cul_position_add(out, CUL_PART_RETURNED, end.op, k);
  }
  return agree;
}

/* Add operand or result k of a call.  False if the call has another number of
 * results. */
static bool add_call(const struct cul_ir_call *call, intptr_t k,
                     const struct cul_ir_signature *signature, bool result,
                     struct cul_position *out) {
  if (!result)
    cul_position_add(out, CUL_PART_OPERAND, call->op,
                     (intptr_t)call->first + k);
  else if ((size_t)mlirOperationGetNumResults(call->op) != signature->n_results)
    return false;
  else
    cul_position_add_result(out, call->op, k, none);
  return true;
}

static bool find_in_calls(struct cul_ir *ir, MlirOperation function, intptr_t k,
                          const struct cul_ir_signature *signature, bool result,
                          struct cul_position *out) {
  const char *attrs = result ? "res_attrs" : "arg_attrs";
  struct calls calls = {0};
  bool found =
      cul_ir_function_calls(ir, function, &calls.items, &calls.n) &&
      (result ? add_returned(ir, function, k, signature->n_results, out)
              : add_entry(ir, function, (size_t)k, signature->n_inputs, &calls,
                          out));
  for (size_t i = 0; found && i < calls.n; i++) {
    found = add_call(&calls.items[i], k, signature, result, out);
    cul_position_add_attr(out, CUL_PART_ENTRY, calls.items[i].op, attrs, k);
  }
  cul_position_add_attr(out, CUL_PART_ENTRY, function, attrs, k);
  cul_position_add(out, result ? CUL_PART_GIVEN : CUL_PART_TAKEN, function, k);
  free(calls.items);
  return found;
}

bool cul_position_function(struct cul_ir *ir, MlirOperation function,
                           intptr_t k, struct cul_position *out) {
  bool result = k >= CUL_POSITION_RESULT, found;
  intptr_t at = result ? k - CUL_POSITION_RESULT : k;
  CUL_OWNED(cul_ir_signature) signature = {0};
  if (!cul_ir_signature_get(ir, function, &signature))
    return false;
  if (at < (intptr_t)(result ? signature.n_results : signature.n_inputs))
    found = find_in_calls(ir, function, at, &signature, result, out);
  else
    found =
        !result && find_memory(function, k, (intptr_t)signature.n_inputs, out);
  return found;
}

bool cul_position_drop_of_function(struct cul_ir *ir, MlirOperation function,
                                   intptr_t k) {
  bool done;
  cul_ir_commit(ir);
  done = cul_position_drop_one(ir, function, k, cul_position_function);
  cul_ir_commit(ir);
  return done;
}
