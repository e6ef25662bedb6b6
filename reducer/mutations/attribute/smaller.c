/* Numbers, strings and literals made smaller: see simplify.h. */
#include "simplify.h"

static bool is_wide(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) > 64;
}

int64_t cul_integer_of(MlirAttribute attr, MlirType type) {
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsUnsigned(type))
    return (int64_t)mlirIntegerAttrGetValueUInt(attr);
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsSigned(type))
    return mlirIntegerAttrGetValueSInt(attr);
  return mlirIntegerAttrGetValueInt(attr);
}

static MlirAttribute shrink_integer(struct cul_ir *ir, MlirAttribute attr,
                                    enum cul_smaller which) {
  MlirType type = mlirAttributeGetType(attr);
  MlirAttribute none = {NULL};
  int64_t value;
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1)
    return which == CUL_SMALLER_HALF
               ? none
               : cul_ir_constant_attr(ir, type,
                                      which == CUL_SMALLER_ZERO ? CUL_IR_ZERO
                                                                : CUL_IR_ONE);
  if (which == CUL_SMALLER_ZERO)
    return cul_ir_constant_attr(ir, type, CUL_IR_ZERO);
  if (is_wide(type))
    return which == CUL_SMALLER_ONE ? cul_ir_constant_attr(ir, type, CUL_IR_ONE)
                                    : none;
  value = cul_integer_of(attr, type);
  /* Up is not smaller. */
  if (which == CUL_SMALLER_ONE)
    return value == 0 ? none : mlirIntegerAttrGet(type, 1);
  return value / 2 <= 1 && value / 2 >= 0 ? none
                                          : mlirIntegerAttrGet(type, value / 2);
}

/* A float, or all elements of a literal. */
static MlirAttribute shrink_data(struct cul_ir *ir, MlirAttribute attr,
                                 enum cul_smaller which) {
  MlirType type = mlirAttributeGetType(attr);
  MlirAttribute zero = cul_ir_constant_attr(ir, type, CUL_IR_ZERO);
  if (which == CUL_SMALLER_ZERO)
    return zero;
  if (which == CUL_SMALLER_ONE && attr.ptr != zero.ptr)
    return cul_ir_constant_attr(ir, type, CUL_IR_ONE);
  return (MlirAttribute){NULL};
}

static MlirAttribute shrink_string(struct cul_ir *ir, MlirAttribute attr,
                                   enum cul_smaller which) {
  if (which != CUL_SMALLER_ZERO || mlirStringAttrGetValue(attr).length == 0)
    return (MlirAttribute){NULL};
  return mlirStringAttrGet(ir->context, cul_ir_str(""));
}

MlirAttribute cul_smaller(struct cul_ir *ir, MlirAttribute attr,
                          enum cul_smaller which) {
  MlirAttribute small = {NULL};
  if (mlirAttributeIsAInteger(attr))
    small = shrink_integer(ir, attr, which);
  else if (mlirAttributeIsAFloat(attr) || mlirAttributeIsADenseElements(attr) ||
           mlirAttributeIsADenseResourceElements(attr))
    small = shrink_data(ir, attr, which);
  else if (mlirAttributeIsAString(attr))
    small = shrink_string(ir, attr, which);
  if (small.ptr == attr.ptr)
    small.ptr = NULL;
  return small;
}

bool cul_set_smaller(struct cul_ir *ir, MlirOperation op, uintptr_t key,
                     enum cul_smaller which) {
  const char *name = mlirIdentifierStr((MlirIdentifier){(void *)key}).data;
  MlirAttribute old = cul_ir_get(op, name), small = {NULL};
  if (old.ptr)
    small = cul_smaller(ir, old, which);
  return small.ptr && cul_ir_set(ir, op, name, small);
}
