/* Laws of passing: the operands of branches, calls and returns have the types
 * of the arguments or results that they become. */
#include "facts.h"

/* ---- branches ---- */

/* Do operands [first, first + n) have the types of the successor's arguments?
 */
static bool edge_agrees(MlirOperation op, size_t successor, size_t first,
                        size_t n) {
  MlirBlock to = mlirOperationGetSuccessor(op, (intptr_t)successor);
  if ((size_t)mlirBlockGetNumArguments(to) != n)
    return false;
  for (size_t i = 0; i < n; i++)
    if (!mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(to, (intptr_t)i)),
                       mlirValueGetType(
                           mlirOperationGetOperand(op, (intptr_t)(first + i)))))
      return false;
  return true;
}

static void branch_learn(struct cul_ir_fact *fact, MlirOperation op) {
  size_t successors = (size_t)mlirOperationGetNumSuccessors(op);
  bool segmented = cul_ir_n_segments(op) > 0;
  for (size_t i = 0; i < successors; i++) {
    size_t first, n;
    if (!cul_ir_likely_operands(op, i, &first, &n) ||
        !edge_agrees(op, i, first, n)) {
      fact->forwards_differ = true;
      continue;
    }
    /* Passing no operands to no arguments shows little without segments. */
    fact->forwards |= segmented || n > 0;
  }
}

const char *cul_ir_edges_fault(const struct cul_ir *ir, MlirOperation op) {
  intptr_t n = mlirOperationGetNumSuccessors(op);
  for (intptr_t i = 0; i < n; i++) {
    size_t first, count;
    if (cul_ir_successor_operands(ir, op, (size_t)i, &first, &count) &&
        !edge_agrees(op, (size_t)i, first, count))
      return "branch operands do not match the block's arguments";
  }
  return NULL;
}

/* ---- calls, returns, entry blocks ---- */

static bool types_equal(MlirOperation op, intptr_t first, const MlirType *types,
                        size_t n, bool results) {
  for (size_t i = 0; i < n; i++) {
    MlirValue value = results
                          ? mlirOperationGetResult(op, (intptr_t)i)
                          : mlirOperationGetOperand(op, first + (intptr_t)i);
    if (!value.ptr || !mlirTypeEqual(mlirValueGetType(value), types[i]))
      return false;
  }
  return true;
}

/* Do the operands of a return have the types of function's results? */
static bool gives_results(struct cul_ir *ir, MlirOperation op,
                          MlirOperation function) {
  CUL_OWNED(cul_ir_signature) sig = {0};
  if (!cul_ir_signature_get(ir, function, &sig))
    return true;
  return (size_t)mlirOperationGetNumOperands(op) == sig.n_results &&
         types_equal(op, 0, sig.results, sig.n_results, false);
}

static bool call_agrees(struct cul_ir *ir, MlirOperation op,
                        MlirOperation function) {
  CUL_OWNED(cul_ir_signature) sig = {0};
  bool ok;
  if (!cul_ir_signature_get(ir, function, &sig))
    return true;
  ok = sig.variadic ||
       ((size_t)mlirOperationGetNumOperands(op) == sig.n_inputs &&
        types_equal(op, 0, sig.inputs, sig.n_inputs, false));
  return ok && (size_t)mlirOperationGetNumResults(op) == sig.n_results &&
         types_equal(op, 0, sig.results, sig.n_results, true);
}

/* Does an array attribute have one entry per argument or result? */
static bool length_agrees(MlirOperation function, const char *name, size_t n) {
  MlirAttribute attr = cul_ir_get(function, name);
  return !attr.ptr || !mlirAttributeIsAArray(attr) ||
         (size_t)mlirArrayAttrGetNumElements(attr) == n;
}

/* Is this a function whose entry block has more arguments than its type has
 * inputs?  gpu.func has its memory attributions there. */
static bool entry_is_longer(struct cul_ir *ir, MlirOperation function) {
  MlirBlock entry =
      cul_ir_is_function(function) ? cul_ir_entry(function) : (MlirBlock){NULL};
  CUL_OWNED(cul_ir_signature) sig = {0};
  if (!entry.ptr || !cul_ir_signature_get(ir, function, &sig))
    return false;
  return (size_t)mlirBlockGetNumArguments(entry) > sig.n_inputs;
}

static bool entry_agrees(struct cul_ir *ir, MlirOperation function) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(ir->facts, function);
  MlirBlock entry = cul_ir_entry(function);
  CUL_OWNED(cul_ir_signature) sig = {0};
  bool ok;
  if (!(fact && fact->entry_longer) && entry_is_longer(ir, function))
    return false;
  if (!cul_ir_signature_get(ir, function, &sig))
    return true;
  ok = length_agrees(function, "arg_attrs", sig.n_inputs) &&
       length_agrees(function, "res_attrs", sig.n_results);
  ok = ok &&
       (!entry.ptr || (size_t)mlirBlockGetNumArguments(entry) >= sig.n_inputs);
  for (size_t i = 0; ok && entry.ptr && i < sig.n_inputs; i++)
    ok = mlirTypeEqual(
        mlirValueGetType(mlirBlockGetArgument(entry, (intptr_t)i)),
        sig.inputs[i]);
  return ok;
}

/* Does a SPIR-V return have the values of its name: Return none, ReturnValue
 * one?  True for other operations. */
static bool gives_as_named(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  return !(cul_ir_is(op, "spirv.Return") && n > 0) &&
         !(cul_ir_is(op, "spirv.ReturnValue") && n != 1);
}

/* The function from which op returns; null: op is no return. */
static MlirOperation left_by(struct cul_ir *ir, MlirOperation op) {
  MlirOperation function = cul_ir_parent(op);
  return function.ptr && cul_ir_is_function(function) &&
                 cul_ir_is_terminator(ir, op) &&
                 !mlirOperationGetNumSuccessors(op)
             ? function
             : (MlirOperation){NULL};
}

/* Do the operands of a return have the types of the function's results, even if
 * the input has no such return?  True for other operations. */
static bool return_agrees(struct cul_ir *ir, MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(ir->facts, op);
  MlirOperation function = left_by(ir, op);
  return !function.ptr || (fact && fact->returns_differ) ||
         (gives_as_named(op) && gives_results(ir, op, function));
}

/* Does op have the types of the function that it calls?  True for other
 * operations. */
static bool callee_agrees(struct cul_ir *ir, MlirOperation op) {
  MlirAttribute callee = cul_ir_get(op, "callee");
  MlirOperation function;
  if (!callee.ptr || !mlirAttributeIsASymbolRef(callee))
    return true;
  function = cul_ir_resolve(ir, op, callee);
  return !function.ptr || !cul_ir_is_function(function) ||
         call_agrees(ir, op, function);
}

static const char *segments_fault(struct cul_ir *ir, MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(ir->facts, op);
  MlirAttribute sizes;
  intptr_t sum = 0;
  if (!fact || !fact->segmented)
    return NULL;
  sizes = cul_ir_get(op, "operandSegmentSizes");
  if (!sizes.ptr || !mlirAttributeIsADenseI32Array(sizes))
    return "without operandSegmentSizes";
  for (intptr_t i = mlirDenseArrayGetNumElements(sizes); i-- > 0;)
    sum += mlirDenseI32ArrayGetElement(sizes, i);
  return sum == mlirOperationGetNumOperands(op)
             ? NULL
             : "operandSegmentSizes do not add up";
}

/* ---- all ---- */

void cul_ir_passing_laws_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
                               MlirOperation op) {
  MlirOperation function = left_by(ir, op);
  branch_learn(fact, op);
  fact->segmented |= cul_ir_get(op, "operandSegmentSizes").ptr != NULL;
  fact->entry_longer |= entry_is_longer(ir, op);
  fact->returns_differ |= function.ptr && !gives_results(ir, op, function);
  fact->calls_differ |= !callee_agrees(ir, op);
}

const char *cul_ir_passing_laws_fault(struct cul_ir *ir, MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(ir->facts, op);
  if (cul_ir_is_function(op) && !entry_agrees(ir, op))
    return "entry block does not match function_type";
  if (!return_agrees(ir, op))
    return "operands do not match the function's results";
  if (fact && !fact->calls_differ && !callee_agrees(ir, op))
    return "does not match the callee's type";
  return segments_fault(ir, op);
}
