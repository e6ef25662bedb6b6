/* Mutations that replace results by values without operands, and remove their
 * operation. */
#include <string.h>

#include "../../subject/ir/replacement.h"
#include "../frame/each.h"
#include "../retype/rules/rules.h"

/* ---- constants ---- */

/* Replace results by zeros, or by ones for failures that need nonzero
 * numbers.  Sites: operations whose used results can all be such constants,
 * and are not. */

/* Does the type have a literal, or the null of a type of LLVM?  An empty tensor
 * is no literal. */
static bool has_literal(struct cul_ir *ir, MlirType type,
                        enum cul_ir_constant which) {
  return cul_ir_constant_attr(ir, type, which).ptr ||
         (which == CUL_IR_ZERO &&
          strncmp(cul_ir_type_text(ir, type), "!llvm.", 6) == 0);
}

/* Can cul_ir_constant make a constant of the type?  It makes none. */
static bool has_constant(struct cul_ir *ir, MlirType type,
                         enum cul_ir_constant which) {
  return has_literal(ir, type, which) || mlirTypeIsAComplex(type) ||
         (which == CUL_IR_ZERO && mlirTypeIsARankedTensor(type));
}

/* Is the operation such a constant, or so close to one that replacing it gains
 * nothing? */
static bool is_already(struct cul_ir *ir, MlirOperation op,
                       enum cul_ir_constant which) {
  MlirType type;
  if (mlirOperationGetNumResults(op) != 1 ||
      mlirOperationGetNumOperands(op) > 0)
    return false;
  type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (cul_ir_is(op, "tensor.empty") || cul_ir_is(op, "llvm.mlir.zero"))
    return which == CUL_IR_ZERO;
  return cul_ir_is_constant(op) &&
         cul_ir_get(op, "value").ptr ==
             cul_ir_constant_attr(ir, type, which).ptr;
}

static bool is_site(struct cul_ir *ir, MlirOperation op,
                    enum cul_ir_constant which) {
  if (!cul_ir_has_result_uses(op) || cul_ir_is_terminator(ir, op) ||
      is_already(ir, op, which))
    return false;
  CUL_IR_EACH_RESULT(result, op) {
    if (cul_ir_has_uses(result) &&
        (cul_retype_is_shape(ir, result) ||
         !has_constant(ir, mlirValueGetType(result), which)))
      return false;
  }
  return true;
}

static uint32_t zero_weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  return is_site(ir, item->op, CUL_IR_ZERO) ? item->size : 0;
}

CUL_EACH(value_to_zero, .weight = zero_weight, .from = CUL_IR_FROM_ZERO,
         .order = CUL_EACH_ERASE);

static uint32_t one_weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  return is_site(ir, item->op, CUL_IR_ONE) ? item->size : 0;
}

CUL_EACH(value_to_splat, .weight = one_weight, .from = CUL_IR_FROM_ONE,
         .order = CUL_EACH_ERASE);

/* ---- operands ---- */

/* operand-to-zero: make one operand zero, and leave other uses of the value.
 * Only in LLVM IR, which writes constants into their users. */
static void list_operands(struct cul_ir *ir, const struct cul_ir_item *item,
                          struct cul_sites *out) {
  intptr_t n = ir->llvm && cul_each_editable(ir, item->op)
                   ? mlirOperationGetNumOperands(item->op)
                   : 0;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(item->op, i);
    MlirOperation def = cul_ir_defining_op(value);
    if (!(def.ptr && mlirOperationGetNumOperands(def) == 0) &&
        has_literal(ir, mlirValueGetType(value), CUL_IR_ZERO))
      cul_each_add_sibling(out, item, (uint64_t)i, 1);
  }
}

static bool zero_operand(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirValue value = cul_ir_operand(op, (intptr_t)detail), zero = {NULL};
  MlirOperation def;
  if (value.ptr)
    zero = cul_ir_constant(ir, mlirValueGetType(value), CUL_IR_ZERO, op);
  if (!zero.ptr)
    return false;
  cul_edit_set_operand(op, (intptr_t)detail, zero);
  def = cul_ir_defining_op(value);
  if (def.ptr)
    cul_ir_sweep(ir, def);
  return true;
}

CUL_EACH(operand_to_zero, .list = list_operands, .edit = zero_operand);

/* ---- undefined ---- */

/* value-to-poison: replace results by ub.poison (or that of their dialect), or
 * by a cast from nothing: values of any type that need no operands and are no
 * constants, for places that no new argument can reach. */

static const enum cul_ir_source variants[] = {CUL_IR_FROM_POISON,
                                              CUL_IR_FROM_CAST};

/* May the results be undefined?  For an operation without operands and regions
 * that gains nothing. */
static bool may_be_undefined(struct cul_ir *ir, MlirOperation op) {
  return cul_each_editable(ir, op) && cul_ir_has_result_uses(op) &&
         !cul_ir_is_terminator(ir, op) &&
         (mlirOperationGetNumOperands(op) > 0 ||
          mlirOperationGetNumRegions(op) > 0);
}

/* May the operation become a cast?  A spirv.func contains only operations of
 * spirv. */
static bool may_cast(struct cul_ir *ir, MlirOperation op) {
  MlirOperation function = cul_ir_function_of(ir, op);
  return !function.ptr || !cul_ir_is(function, "spirv.func");
}

static void list_undefined(struct cul_ir *ir, const struct cul_ir_item *item,
                           struct cul_sites *out) {
  for (size_t v = 0; v < CUL_ARRAY_SIZE(variants); v++)
    if (may_be_undefined(ir, item->op) &&
        (variants[v] != CUL_IR_FROM_CAST || may_cast(ir, item->op)))
      cul_each_add(out, item->op, v, item->size);
}

static bool undefine(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  struct cul_ir_ops self = {.items = &op, .n = 1, .cap = 1};
  return cul_ir_replace_results(ir, op, variants[detail]) &&
         cul_ir_discard_sweep(ir, &self);
}

CUL_EACH(value_to_poison, .list = list_undefined, .edit = undefine);

/* ---- arguments of the function ---- */

/* value-to-argument: make results arguments of the function; callers pass any
 * value that they have. */
static uint32_t argument_weight(struct cul_ir *ir,
                                const struct cul_ir_item *item) {
  if (!cul_ir_has_result_uses(item->op) || cul_ir_is_terminator(ir, item->op) ||
      cul_ir_is_free_constant(ir, item->op) ||
      !cul_ir_function_of(ir, item->op).ptr)
    return 0;
  return item->size;
}

CUL_EACH(value_to_argument, .weight = argument_weight,
         .from = CUL_IR_FROM_ARGUMENT, .order = CUL_EACH_ERASE);

/* argument-to-constant: once a value is known, operations that depend on it can
 * often be removed. */
static const enum cul_ir_constant arguments_to[] = {CUL_IR_ZERO, CUL_IR_ONE};

static bool may_be_constant(struct cul_ir *ir, MlirValue argument,
                            enum cul_ir_constant which) {
  return cul_ir_has_uses(argument) && !cul_retype_is_shape(ir, argument) &&
         has_literal(ir, mlirValueGetType(argument), which);
}

static void list_arguments(struct cul_ir *ir, const struct cul_ir_item *item,
                           struct cul_sites *out) {
  if (!cul_ir_is_function(item->op))
    return;
  CUL_IR_EACH_ARGUMENT(argument, cul_ir_entry(item->op)) {
    uint64_t number = (uint64_t)mlirBlockArgumentGetArgNumber(argument);
    for (size_t v = 0; v < CUL_ARRAY_SIZE(arguments_to); v++)
      if (may_be_constant(ir, argument, arguments_to[v]))
        cul_each_add(out, item->op, number << 1 | v, 1);
  }
}

static bool replace_argument(struct cul_ir *ir, MlirOperation op,
                             uint64_t detail) {
  MlirBlock entry = cul_ir_entry(op);
  MlirValue argument = cul_ir_argument(entry, (intptr_t)(detail >> 1));
  MlirValue with = {NULL};
  if (argument.ptr)
    with = cul_ir_constant(ir, mlirValueGetType(argument),
                           arguments_to[detail & 1],
                           mlirBlockGetFirstOperation(entry));
  if (!with.ptr)
    return false;
  cul_ir_replace_uses(argument, with);
  return true;
}

CUL_EACH(argument_to_constant, .list = list_arguments,
         .edit = replace_argument);
