/* See replacement.h. */
#include "replacement.h"

static MlirValue peer_of(MlirValue value) {
  MlirValue none = {NULL};
  MlirType type = mlirValueGetType(value);
  MlirBlock block;
  if (!mlirValueIsABlockArgument(value))
    return none;
  block = mlirBlockArgumentGetOwner(value);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    MlirValue other = mlirBlockGetArgument(block, i);
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
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++)
    if (!cul_ir_replace(ir, mlirOperationGetResult(op, i), op,
                        (MlirValue){NULL}, from))
      return false;
  return true;
}
