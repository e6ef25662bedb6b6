/* Arguments and results of functions, with all their calls: see position.h. */
#include "position.h"

#include <stdlib.h>

#include "../frame/each.h"

static const MlirValue none = {NULL};

/* Add argument k of the body; another argument replaces its uses.  False if
 * none can: a constant would cost an operation, and value-to-zero tries
 * that. */
static bool add_entry(struct cul_ir *ir, MlirOperation function, size_t k,
                      size_t n_inputs, struct cul_position *out) {
  MlirBlock entry = cul_ir_entry(function);
  MlirValue argument;
  if (!entry.ptr)
    return true;
  if ((size_t)mlirBlockGetNumArguments(entry) < n_inputs)
    return false;
  argument = mlirBlockGetArgument(entry, (intptr_t)k);
  cul_position_add_argument(out, entry, (intptr_t)k, none, CUL_IR_FROM_PEER);
  return !cul_ir_has_uses(argument) ||
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
  struct cul_ir_ops returns = {0};
  bool agree = true;
  cul_ir_returns(ir, function, &returns);
  for (size_t i = 0; i < returns.n; i++) {
    size_t n = (size_t)mlirOperationGetNumOperands(returns.items[i]);
    agree &= n == n_results || n == 0;
    if (n)
      cul_position_add(out, CUL_PART_RETURNED, returns.items[i], k);
  }
  cul_ir_ops_release(&returns);
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
  struct cul_ir_call *calls = NULL;
  size_t n = 0;
  bool found =
      (result ? add_returned(ir, function, k, signature->n_results, out)
              : add_entry(ir, function, (size_t)k, signature->n_inputs, out)) &&
      cul_ir_function_calls(ir, function, &calls, &n);
  for (size_t i = 0; found && i < n; i++) {
    found = add_call(&calls[i], k, signature, result, out);
    cul_position_add_attr(out, CUL_PART_ENTRY, calls[i].op, attrs, k);
  }
  cul_position_add_attr(out, CUL_PART_ENTRY, function, attrs, k);
  cul_position_add(out, result ? CUL_PART_GIVEN : CUL_PART_TAKEN, function, k);
  free(calls);
  return found;
}

bool cul_position_function(struct cul_ir *ir, MlirOperation function,
                           intptr_t k, struct cul_position *out) {
  bool result = k >= CUL_POSITION_RESULT, found;
  intptr_t at = result ? k - CUL_POSITION_RESULT : k;
  struct cul_ir_signature signature;
  if (!cul_ir_signature_get(ir, function, &signature))
    return false;
  if (at < (intptr_t)(result ? signature.n_results : signature.n_inputs))
    found = find_in_calls(ir, function, at, &signature, result, out);
  else
    found =
        !result && find_memory(function, k, (intptr_t)signature.n_inputs, out);
  cul_ir_signature_release(&signature);
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

/* ---- change-signature ---- */

/* change-signature: drop arguments and results of functions in the body, the
 * type, the attributes, and at every call.  Unused memory of a gpu.func is
 * dropped like an argument; if nothing launches it, all of its memory can
 * become arguments. */

/* detail: the number of a position, or MEMORY to make all memory arguments */
#define MEMORY (UINT64_C(2) << 32)

/* The number of arguments of the body's first block, memory after the
 * inputs. */
static size_t count_arguments(MlirOperation function) {
  MlirBlock entry = cul_ir_entry(function);
  return entry.ptr ? (size_t)mlirBlockGetNumArguments(entry) : 0;
}

/* Does the function have memory that can become arguments? */
static bool may_take_in(struct cul_ir *ir, MlirOperation function,
                        size_t n_inputs) {
  struct cul_ir_call *calls = NULL;
  size_t n = 0;
  bool may = cul_ir_is(function, "gpu.func") &&
             count_arguments(function) > n_inputs &&
             cul_ir_function_calls(ir, function, &calls, &n);
  free(calls);
  return may && n == 0;
}

static void add_site(struct cul_ir *ir, MlirOperation function, intptr_t k,
                     struct cul_sites *out) {
  struct cul_position position = {0};
  if (cul_position_function(ir, function, k, &position))
    cul_each_add(out, function, (uint64_t)k, 1);
  cul_position_release(&position);
}

/* List results last, so that they are dropped first: returning an argument is a
 * use of it. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  struct cul_ir_signature signature;
  if (item->op.ptr == ir->root.ptr || !cul_ir_is_function(item->op) ||
      !cul_ir_signature_get(ir, item->op, &signature))
    return;
  if (may_take_in(ir, item->op, signature.n_inputs))
    cul_each_add(out, item->op, MEMORY, 1);
  for (size_t a = 0; a < signature.n_inputs || a < count_arguments(item->op);
       a++)
    add_site(ir, item->op, (intptr_t)a, out);
  for (size_t r = 0; r < signature.n_results; r++)
    add_site(ir, item->op, CUL_POSITION_RESULT + (intptr_t)r, out);
  cul_ir_signature_release(&signature);
}

static bool take_in(struct cul_ir *ir, MlirOperation function) {
  static const char *const said[] = {"workgroup_attrib_attrs",
                                     "private_attrib_attrs",
                                     "workgroup_attributions", NULL};
  size_t n = count_arguments(function);
  struct cul_ir_signature signature;
  bool done;
  if (!cul_ir_signature_get(ir, function, &signature))
    return false;
  signature.inputs =
      cul_xreallocarray(signature.inputs, n + 1, sizeof *signature.inputs);
  for (; signature.n_inputs < n; signature.n_inputs++)
    signature.inputs[signature.n_inputs] =
        mlirValueGetType(mlirBlockGetArgument(cul_ir_entry(function),
                                              (intptr_t)signature.n_inputs));
  done = cul_ir_signature_set(ir, function, &signature) &&
         cul_ir_rebuild(ir, cul_ir_current(ir, function),
                        &(struct cul_ir_change){.drop_attrs = said})
             .ptr;
  cul_ir_signature_release(&signature);
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  return done;
}

/* Drop the attributes of argument k, which is still used because it replaced
 * another one that was dropped. */
static bool forget(struct cul_ir *ir, MlirOperation function, intptr_t k) {
  static const char name[] = "arg_attrs";
  MlirAttribute said = cul_ir_get(function, name);
  MlirAttribute nothing = mlirDictionaryAttrGet(ir->context, 0, NULL);
  return said.ptr && mlirAttributeIsAArray(said) &&
         k < mlirArrayAttrGetNumElements(said) &&
         cul_ir_set(ir, function, name,
                    cul_ir_array_with(ir, said, k, nothing));
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  intptr_t k = (intptr_t)detail;
  if (detail == MEMORY)
    return take_in(ir, op);
  return cul_position_drop_of_function(ir, op, k) ||
         (k < CUL_POSITION_RESULT && forget(ir, cul_ir_current(ir, op), k));
}

const struct cul_each cul_mutation_change_signature = {
    .list = add_sites, .edit = drop, .order = CUL_EACH_BACKWARDS};
