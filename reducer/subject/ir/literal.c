/* Literals of another type: see ir.h.  A number keeps its value if the new type
 * has it; if the number of elements changes, the literal becomes a splat of the
 * first one. */
#include "numbers.h"

static MlirAttribute none(void) { return (MlirAttribute){NULL}; }

/* Truncate to a width, as a signed number. */
static int64_t cut(int64_t value, unsigned width) {
  uint64_t bits;
  if (width >= 64)
    return value;
  bits = (uint64_t)value << (64 - width);
  return (int64_t)bits >> (64 - width);
}

static MlirAttribute integer(struct cul_ir *ir, MlirAttribute old,
                             MlirType type) {
  MlirType from = mlirAttributeGetType(old);
  int64_t value;
  if (mlirTypeIsAInteger(from) && mlirIntegerTypeGetWidth(from) > 64)
    return cul_ir_constant_attr(ir, type, CUL_IR_ONE);
  value = cul_number_of(old, from);
  if (mlirTypeIsAIndex(type))
    return mlirIntegerAttrGet(type, value);
  if (!mlirTypeIsAInteger(type))
    return cul_ir_constant_attr(ir, type, CUL_IR_ONE);
  if (mlirIntegerTypeGetWidth(type) == 1)
    return mlirBoolAttrGet(ir->context, value & 1);
  return mlirIntegerAttrGet(type, cut(value, mlirIntegerTypeGetWidth(type)));
}

static MlirAttribute scalar(struct cul_ir *ir, MlirAttribute old,
                            MlirType type) {
  if (mlirAttributeIsAInteger(old))
    return integer(ir, old, type);
  if (mlirAttributeIsAFloat(old) && mlirTypeIsAFloat(type))
    return mlirFloatAttrDoubleGet(ir->context, type,
                                  mlirFloatAttrGetValueDouble(old));
  return none();
}

/* The first element, as the splat value of a tensor of one. */
static MlirAttribute first_of(MlirAttribute old, MlirType element) {
  int64_t one = 1;
  unsigned bits = mlirTypeIsAIndex(element) ? 64
                  : mlirTypeIsAInteger(element)
                      ? mlirIntegerTypeGetWidth(element)
                  : mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element)
                                              : 0;
  MlirType type = mlirRankedTensorTypeGet(1, &one, element, none());
  if (mlirDenseElementsAttrIsSplat(old))
    return mlirDenseElementsAttrGetSplatValue(old);
  if (bits == 0)
    return none();
  if (bits == 1)
    return mlirBoolAttrGet(mlirAttributeGetContext(old),
                           mlirDenseElementsAttrGetBoolValue(old, 0));
  old = mlirDenseElementsAttrRawBufferGet(type, (bits + 7) / 8,
                                          mlirDenseElementsAttrGetRawData(old));
  return old.ptr ? mlirDenseElementsAttrGetSplatValue(old) : old;
}

/* The first element as one of another type; null if it cannot be. */
static MlirAttribute first_as(struct cul_ir *ir, MlirAttribute old,
                              MlirType to) {
  MlirType from = mlirShapedTypeGetElementType(mlirAttributeGetType(old));
  MlirAttribute first = none();
  if (mlirAttributeIsADenseElements(old) &&
      mlirElementsAttrGetNumElements(old) > 0)
    first = first_of(old, from);
  return first.ptr && !mlirTypeEqual(from, to) ? scalar(ir, first, to) : first;
}

static int64_t count(MlirType type) {
  int64_t n = 1;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++)
    n *= mlirShapedTypeGetDimSize(type, i);
  return n;
}

/* The same elements if their number stays, else a splat of the first; the first
 * element for a scalar type. */
static MlirAttribute elements(struct cul_ir *ir, MlirAttribute old,
                              MlirType type) {
  MlirType had = mlirAttributeGetType(old);
  bool shaped = mlirTypeIsAShaped(type);
  MlirType to = shaped ? mlirShapedTypeGetElementType(type) : type;
  MlirAttribute first;
  if (shaped && mlirAttributeIsADenseElements(old) &&
      mlirTypeEqual(mlirShapedTypeGetElementType(had), to) &&
      count(had) == count(type))
    return mlirDenseElementsAttrReshapeGet(old, type);
  first = first_as(ir, old, to);
  if (!first.ptr)
    return cul_ir_constant_attr(ir, type, CUL_IR_ONE);
  return shaped ? mlirDenseElementsAttrSplatGet(type, first) : first;
}

MlirAttribute cul_ir_literal_as(struct cul_ir *ir, MlirAttribute old,
                                MlirType type) {
  if (!mlirAttributeIsAElements(old))
    return scalar(ir, old, type);
  if (mlirTypeIsAShaped(type) &&
      (!mlirShapedTypeHasRank(type) || !mlirShapedTypeHasStaticShape(type)))
    return none();
  return elements(ir, old, type);
}
