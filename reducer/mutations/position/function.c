/* See position.h: arguments and results of functions, with all their calls. */
#include "position.h"

#include <stdlib.h>

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

bool cul_position_drop_of_function(struct cul_ir *ir, MlirOperation function,
                                   intptr_t k, cul_position_fn *find) {
  bool done;
  cul_ir_commit(ir);
  done = cul_position_drop_one(ir, function, k, find);
  cul_ir_commit(ir);
  return done;
}
