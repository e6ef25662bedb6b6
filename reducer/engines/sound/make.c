/* Make the operations of checks: see sound.h.  Only dialect arith is used: it
 * handles index, vectors of any rank, and the operands of LLVM's operations. */
#include <string.h>

#include "sound.h"

MlirType cul_sound_element(MlirType type) {
  return mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
}

MlirType cul_sound_like(MlirType shape, MlirType element) {
  int64_t dims[16];
  intptr_t rank;
  if (!mlirTypeIsAVector(shape))
    return element;
  rank = mlirShapedTypeGetRank(shape);
  for (intptr_t d = 0; d < rank; d++)
    dims[d] = mlirShapedTypeGetDimSize(shape, d);
  return mlirVectorTypeGet(rank, dims, element);
}

/* Is this no vector, or one of fixed length? */
static bool is_plain(MlirType type) {
  return !mlirTypeIsAVector(type) ||
         (!mlirVectorTypeIsScalable(type) && mlirShapedTypeGetRank(type) <= 16);
}

unsigned cul_sound_bits(MlirType type) {
  MlirType element = cul_sound_element(type);
  unsigned bits = 0;
  if (!is_plain(type))
    return 0;
  if (mlirTypeIsAIndex(element))
    return 64;
  if (mlirTypeIsAInteger(element) && mlirIntegerTypeIsSignless(element))
    bits = mlirIntegerTypeGetWidth(element);
  return bits <= 64 ? bits : 0;
}

unsigned cul_sound_float_bits(MlirType type) {
  MlirType element = cul_sound_element(type);
  if (!is_plain(type))
    return 0;
  if (mlirTypeIsAF64(element))
    return 64;
  if (mlirTypeIsAF32(element))
    return 32;
  return mlirTypeIsAF16(element) || mlirTypeIsABF16(element) ? 16 : 0;
}

MlirValue cul_sound_make(const struct cul_sound_at *at, const char *name,
                         MlirType type, const MlirValue operands[3]) {
  struct cul_ir_new what = {
      .name = name, .operands = operands, .results = &type, .n_results = 1};
  while (what.n_operands < 3 && operands[what.n_operands].ptr)
    what.n_operands++;
  return mlirOperationGetResult(cul_ir_create(at->ir, &what, at->before), 0);
}

MlirValue cul_sound_number(const struct cul_sound_at *at, MlirType type,
                           int64_t number) {
  static const MlirValue none[3];
  MlirType element = cul_sound_element(type);
  MlirAttribute attr =
      mlirTypeIsAFloat(element)
          ? mlirFloatAttrDoubleGet(at->ir->context, element, (double)number)
          : mlirIntegerAttrGet(element, number);
  MlirValue made;
  if (mlirTypeIsAVector(type))
    attr = mlirDenseElementsAttrSplatGet(type, attr);
  made = cul_sound_make(at, "arith.constant", type, none);
  cul_ir_set(at->ir, mlirOpResultGetOwner(made), "value", attr);
  return made;
}

MlirValue cul_sound_compare(const struct cul_sound_at *at,
                            enum cul_sound_order order, MlirValue a,
                            MlirValue b) {
  MlirContext context = at->ir->context;
  MlirType type = mlirValueGetType(a);
  MlirType flag = cul_sound_like(type, mlirIntegerTypeGet(context, 1));
  MlirValue made =
      cul_sound_make(at, "arith.cmpi", flag, (const MlirValue[3]){a, b});
  cul_ir_set(at->ir, mlirOpResultGetOwner(made), "predicate",
             mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), (int)order));
  return made;
}

MlirValue cul_sound_or(const struct cul_sound_at *at, MlirValue a,
                       MlirValue b) {
  if (!a.ptr || !b.ptr)
    return a.ptr ? a : b;
  return cul_sound_make(at, "arith.ori", mlirValueGetType(a),
                        (const MlirValue[3]){a, b});
}

MlirValue cul_sound_and(const struct cul_sound_at *at, MlirValue a,
                        MlirValue b) {
  return cul_sound_make(at, "arith.andi", mlirValueGetType(a),
                        (const MlirValue[3]){a, b});
}

MlirValue cul_sound_compare_float(const struct cul_sound_at *at,
                                  int64_t predicate, MlirValue a, double b) {
  MlirContext context = at->ir->context;
  MlirType type = mlirValueGetType(a), element = cul_sound_element(type);
  MlirType flag = cul_sound_like(type, mlirIntegerTypeGet(context, 1));
  MlirAttribute attr = mlirFloatAttrDoubleGet(context, element, b);
  MlirValue limit = cul_sound_number(at, type, 0), made;
  if (mlirTypeIsAVector(type))
    attr = mlirDenseElementsAttrSplatGet(type, attr);
  cul_ir_set(at->ir, mlirOpResultGetOwner(limit), "value", attr);
  made = cul_sound_make(at, "arith.cmpf", flag, (const MlirValue[3]){a, limit});
  cul_ir_set(at->ir, mlirOpResultGetOwner(made), "predicate",
             mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), predicate));
  return made;
}
