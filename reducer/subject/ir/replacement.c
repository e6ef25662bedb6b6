/* Replacements for a value that is removed, or that an operation must no longer
 * use: see ir.h and replacement.h. */
#include "replacement.h"

#include "private.h"

void cul_ir_replace_uses(MlirValue old, MlirValue with) {
  cul_edit_replace_uses(old, with);
}

void cul_ir_replace_inside(MlirOperation op, MlirValue old, MlirValue with) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), old))
      cul_edit_set_operand(op, i, with);
  CUL_IR_EACH_CHILD(inner, op) cul_ir_replace_inside(inner, old, with);
}

static MlirValue peer_of(MlirValue value) {
  MlirValue none = {NULL};
  MlirType type = mlirValueGetType(value);
  MlirBlock block;
  if (!mlirValueIsABlockArgument(value))
    return none;
  block = mlirBlockArgumentGetOwner(value);
  CUL_IR_EACH_ARGUMENT(other, block) {
    if (other.ptr != value.ptr && mlirTypeEqual(mlirValueGetType(other), type))
      return other;
  }
  return none;
}

static MlirValue new_argument(struct cul_ir *ir, MlirType type,
                              MlirOperation op) {
  MlirOperation function = cul_ir_function_of(ir, op);
  return function.ptr ? cul_ir_add_argument(ir, function, type)
                      : (MlirValue){NULL};
}

MlirValue cul_ir_replacement(struct cul_ir *ir, MlirValue value,
                             MlirOperation op, uint32_t from) {
  static const struct {
    enum cul_ir_source source;
    enum cul_ir_constant which;
  } constants[] = {{CUL_IR_FROM_ZERO, CUL_IR_ZERO},
                   {CUL_IR_FROM_ONE, CUL_IR_ONE},
                   {CUL_IR_FROM_POISON, CUL_IR_POISON},
                   {CUL_IR_FROM_CAST, CUL_IR_CAST}};
  MlirType type = mlirValueGetType(value);
  MlirValue found = {NULL};
  if (from & CUL_IR_FROM_PEER)
    found = peer_of(value);
  if (!found.ptr && from & CUL_IR_FROM_EARLIER)
    found = cul_ir_find_value(ir, type, op, value);
  if (!found.ptr && from & CUL_IR_FROM_ARGUMENT)
    found = new_argument(ir, type, op);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(constants) && !found.ptr; i++)
    if (from & constants[i].source)
      found = cul_ir_constant(ir, type, constants[i].which, op);
  return found;
}

bool cul_ir_replace(struct cul_ir *ir, MlirValue value, MlirOperation op,
                    MlirValue prefer, uint32_t from) {
  MlirValue with = prefer;
  if (!cul_ir_has_uses(value))
    return true;
  if (!with.ptr ||
      !mlirTypeEqual(mlirValueGetType(with), mlirValueGetType(value)))
    with = cul_ir_replacement(ir, value, op, from);
  if (with.ptr)
    cul_ir_replace_uses(value, with);
  return with.ptr;
}

bool cul_ir_replace_results(struct cul_ir *ir, MlirOperation op,
                            uint32_t from) {
  CUL_IR_EACH_RESULT(result, op) {
    if (!cul_ir_replace(ir, result, op, (MlirValue){NULL}, from))
      return false;
  }
  return true;
}

bool cul_ir_erase(struct cul_ir *ir, MlirOperation op) {
  return op.ptr != ir->root.ptr && !cul_ir_is_terminator(ir, op) &&
         cul_ir_replace_results(ir, op, CUL_IR_FROM_VALUES) &&
         cul_ir_discard(ir, op);
}
