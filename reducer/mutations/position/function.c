/* See position.h: arguments and results of functions, with all their calls. */
#include "position.h"

#include <stdlib.h>

#include "../frame/each.h"

static const MlirValue none = {NULL};

/* Uses become another argument's; a constant would cost an operation: that is
 * value-to-constant's to try. */
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

/* Memory of a gpu.func stands behind its inputs; calls hand none over. */
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

bool cul_position_function_argument(struct cul_ir *ir, MlirOperation function,
                                    intptr_t k, struct cul_position *out) {
  struct cul_ir_signature signature;
  struct cul_ir_call *calls = NULL;
  size_t n_calls = 0;
  bool found;
  if (!cul_ir_signature_get(ir, function, &signature))
    return false;
  if (k >= (intptr_t)signature.n_inputs) {
    found = find_memory(function, k, (intptr_t)signature.n_inputs, out);
    cul_ir_signature_release(&signature);
    return found;
  }
  found = add_entry(ir, function, (size_t)k, signature.n_inputs, out) &&
          cul_ir_function_calls(ir, function, &calls, &n_calls);
  for (size_t i = 0; found && i < n_calls; i++) {
    MlirOperation call = calls[i].op;
    cul_position_add(out, CUL_PART_OPERAND, call, (intptr_t)calls[i].first + k);
    cul_position_add_attr(out, CUL_PART_ENTRY, call, "arg_attrs", k);
  }
  cul_position_add_attr(out, CUL_PART_ENTRY, function, "arg_attrs", k);
  cul_position_add(out, CUL_PART_TAKEN, function, k);
  free(calls);
  cul_ir_signature_release(&signature);
  return found;
}

/* What the function's ends give; those that give nothing stay. */
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

bool cul_position_function_result(struct cul_ir *ir, MlirOperation function,
                                  intptr_t k, struct cul_position *out) {
  struct cul_ir_signature signature;
  struct cul_ir_call *calls = NULL;
  size_t n_calls = 0;
  bool found;
  if (!cul_ir_signature_get(ir, function, &signature))
    return false;
  found = k < (intptr_t)signature.n_results &&
          add_returned(ir, function, k, signature.n_results, out) &&
          cul_ir_function_calls(ir, function, &calls, &n_calls);
  for (size_t i = 0; found && i < n_calls; i++) {
    MlirOperation call = calls[i].op;
    found = (size_t)mlirOperationGetNumResults(call) == signature.n_results;
    cul_position_add_result(out, call, k, none);
    cul_position_add_attr(out, CUL_PART_ENTRY, call, "res_attrs", k);
  }
  cul_position_add_attr(out, CUL_PART_ENTRY, function, "res_attrs", k);
  cul_position_add(out, CUL_PART_GIVEN, function, k);
  free(calls);
  cul_ir_signature_release(&signature);
  return found;
}

static bool drop_between_commits(struct cul_ir *ir, MlirOperation function,
                                 intptr_t k, cul_position_fn *find) {
  bool done;
  cul_ir_commit(ir);
  done = cul_position_drop_one(ir, function, k, find);
  cul_ir_commit(ir);
  return done;
}

bool cul_position_drop_function_result(struct cul_ir *ir,
                                       MlirOperation function, intptr_t k) {
  return drop_between_commits(ir, function, k, cul_position_function_result);
}

/* ---- change-signature ---- */

/* Drop arguments and results of functions: in the body, the type, the
 * attributes, and at every call.  Memory of a gpu.func that it does not use
 * goes like an argument; where nothing launches it, the rest becomes arguments.
 */

/* detail: of which list, or all memory to arguments; and a number in it. */
#define RESULT (UINT64_C(1) << 32)
#define MEMORY (UINT64_C(2) << 32)

/* Arguments of the body's first block; memory stands behind the inputs. */
static size_t count_arguments(MlirOperation function) {
  MlirBlock entry = cul_ir_entry(function);
  return entry.ptr ? (size_t)mlirBlockGetNumArguments(entry) : 0;
}

/* Has it memory that may become arguments? */
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

static void add_site(struct cul_ir *ir, MlirOperation function, uint64_t detail,
                     cul_position_fn *find, struct cul_sites *out) {
  struct cul_position position = {0};
  if (find(ir, function, (intptr_t)(detail & ~RESULT), &position))
    cul_each_add(out, function, detail, 1);
  cul_position_release(&position);
}

/* Results last, which go first: returning an argument is a use of it. */
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
    add_site(ir, item->op, a, cul_position_function_argument, out);
  for (size_t r = 0; r < signature.n_results; r++)
    add_site(ir, item->op, RESULT | r, cul_position_function_result, out);
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

/* The argument took over what used another one that went: it stands for that
 * one now, and what is said of it goes. */
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
  intptr_t k = (intptr_t)(detail & ~RESULT);
  if (detail & MEMORY)
    return take_in(ir, op);
  if (detail & RESULT)
    return cul_position_drop_function_result(ir, op, k);
  return drop_between_commits(ir, op, k, cul_position_function_argument) ||
         forget(ir, cul_ir_current(ir, op), k);
}

const struct cul_each cul_mutation_change_signature = {
    .list = add_sites, .edit = drop, .order = CUL_EACH_BACKWARDS};
