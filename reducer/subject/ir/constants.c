/* Constants: see ir.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"

bool cul_ir_is_free_constant(const struct cul_ir *ir, MlirOperation op) {
  return ir->llvm && cul_ir_is_constant(op);
}

/* The name of an operation of the input that is a constant of this class; NULL:
 * none. */
static const char *constant_seen(const struct cul_ir *ir,
                                 enum cul_ir_class class) {
  return ir->facts ? ir->facts->constants[class] : NULL;
}

/* ---- attributes ---- */

/* Does this floating-point type have a zero?  (f8E8M0FNU, of MLIR 22, does
 * not.) */
static bool has_zero(MlirType type) {
#if CUL_MLIR_MAJOR >= 22
  return !mlirTypeIsAFloat8E8M0FNU(type);
#else
  (void)type;
  return true;
#endif
}

/* The literal of one or zero of an element type: "1", "0.0", "true"; NULL:
 * there is none.  A type without a zero gets "1.0". */
static const char *literal(MlirType type, bool one) {
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1)
    return one ? "true" : "false";
  if (mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type))
    return one ? "1" : "0";
  if (mlirTypeIsAFloat(type))
    return one || !has_zero(type) ? "1.0" : "0.0";
  return NULL;
}

static bool is_static(MlirType type) {
  return mlirTypeIsAShaped(type) && mlirShapedTypeHasRank(type) &&
         mlirShapedTypeHasStaticShape(type);
}

static MlirAttribute shaped_attr(struct cul_ir *ir, MlirType type, bool one) {
  MlirType element = mlirShapedTypeGetElementType(type);
  const char *number;
  CUL_HEAP char *text = NULL;
  if (mlirTypeIsAComplex(element)) {
    number = literal(mlirComplexTypeGetElementType(element), one);
    text = number ? cul_xasprintf("dense<(%s, %s)> : %s", number, number,
                                  cul_ir_type_text(ir, type))
                  : NULL;
  } else {
    number = literal(element, one);
    text = number ? cul_xasprintf("dense<%s> : %s", number,
                                  cul_ir_type_text(ir, type))
                  : NULL;
  }
  return cul_ir_attr_parse(ir, text);
}

/* Is this a signed or unsigned integer type that has no constants: does the
 * input contain only arith.constant, which is signless?  In native form the
 * verifier rejects such constants. */
static bool has_no_constants(const struct cul_ir *ir, MlirType type) {
  bool shaped = mlirTypeIsARankedTensor(type);
  MlirType element = shaped ? mlirShapedTypeGetElementType(type) : type;
  const char *seen;
  if (!cul_ir_is_opaque(ir) || !mlirTypeIsAInteger(element) ||
      mlirIntegerTypeIsSignless(element))
    return false;
  seen = constant_seen(ir, shaped ? CUL_IR_TENSOR : CUL_IR_SCALAR);
  return !seen || strcmp(seen, "arith.constant") == 0;
}

MlirAttribute cul_ir_constant_attr(struct cul_ir *ir, MlirType type,
                                   enum cul_ir_constant which) {
  bool one = which == CUL_IR_ONE;
  MlirAttribute attr = {NULL};
  const char *number;
  CUL_HEAP char *text = NULL;
  if (has_no_constants(ir, type))
    return attr;
  if (mlirTypeIsAVector(type) || mlirTypeIsARankedTensor(type))
    return is_static(type) || mlirTypeIsAVector(type)
               ? shaped_attr(ir, type, one)
               : attr;
  number = literal(type, one);
  if (!number)
    return attr;
  if (*number == 't' || *number == 'f')
    return mlirBoolAttrGet(ir->context, one);
  text = cul_xasprintf("%s : %s", number, cul_ir_type_text(ir, type));
  return cul_ir_attr_parse(ir, text);
}

/* ---- operations ---- */

static MlirValue create_constant(struct cul_ir *ir, const char *name,
                                 MlirType type, MlirAttribute value,
                                 MlirOperation before) {
  struct cul_ir_new what = {.name = name, .results = &type, .n_results = 1};
  MlirOperation op = cul_ir_create(ir, &what, before);
  if (!op.ptr)
    return (MlirValue){NULL};
  if (value.ptr && !cul_ir_set(ir, op, "value", value)) {
    cul_ir_discard(ir, op);
    return (MlirValue){NULL};
  }
  return mlirOperationGetResult(op, 0);
}

static bool in_llvm(const struct cul_ir *ir, MlirOperation op) {
  MlirOperation function = cul_ir_function_of(ir, op);
  return ir->llvm || (function.ptr && cul_ir_is(function, "llvm.func"));
}

/* Does the type's text start with this dialect prefix, such as "!llvm."? */
static bool type_starts(struct cul_ir *ir, MlirType type, const char *prefix) {
  return strncmp(cul_ir_type_text(ir, type), prefix, strlen(prefix)) == 0;
}

bool cul_ir_is_constant_type(struct cul_ir *ir, MlirType type) {
  return type_starts(ir, type, "!tosa.shape<");
}

/* Can llvm.mlir.constant have this type? */
static bool is_llvm_number(MlirType type) {
  return mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) ||
         mlirTypeIsAVector(type);
}

static const char *constant_name(struct cul_ir *ir, MlirType type,
                                 MlirOperation op) {
  enum cul_ir_class class = CUL_IR_SCALAR;
  MlirOperation function = cul_ir_function_of(ir, op);
  const char *seen;
  if (in_llvm(ir, op) && is_llvm_number(type))
    return "llvm.mlir.constant";
  if (function.ptr && cul_ir_is(function, "spirv.func"))
    return "spirv.Constant";
  if (function.ptr && cul_ir_is(function, "emitc.func"))
    return "emitc.constant";
  if (mlirTypeIsAVector(type))
    class = CUL_IR_VECTOR;
  else if (mlirTypeIsATensor(type))
    class = CUL_IR_TENSOR;
  if (in_llvm(ir, op))
    return "arith.constant";
  seen = cul_ir_is_opaque(ir) ? constant_seen(ir, class) : NULL;
  return seen ? seen : "arith.constant";
}

static MlirValue complex_constant(struct cul_ir *ir, MlirType type, bool one,
                                  MlirOperation op) {
  MlirType element = mlirComplexTypeGetElementType(type);
  MlirAttribute parts[2];
  if (!literal(element, one))
    return (MlirValue){NULL};
  parts[0] = parts[1] =
      cul_ir_constant_attr(ir, element, one ? CUL_IR_ONE : CUL_IR_ZERO);
  return create_constant(ir, "complex.constant", type,
                         mlirArrayAttrGet(ir->context, 2, parts), op);
}

/* Make a tensor.empty with every dynamic size 1. */
static MlirValue empty_tensor(struct cul_ir *ir, MlirType type,
                              MlirOperation op) {
  intptr_t rank = mlirShapedTypeGetRank(type);
  CUL_HEAP MlirValue *sizes = cul_xcalloc((size_t)rank + 1, sizeof *sizes);
  size_t n = 0;
  MlirOperation empty;
  for (intptr_t i = 0; i < rank; i++)
    if (mlirShapedTypeIsDynamicDim(type, i)) {
      sizes[n] = n ? sizes[0]
                   : cul_ir_constant(ir, mlirIndexTypeGet(ir->context),
                                     CUL_IR_ONE, op);
      n++;
    }
  empty = cul_ir_create(
      ir, &(struct cul_ir_new){"tensor.empty", sizes, n, &type, 1}, op);
  return mlirOperationGetResult(empty, 0);
}

static const char *poison_name(const struct cul_ir *ir, MlirOperation op) {
  MlirOperation function = cul_ir_function_of(ir, op);
  if (function.ptr && cul_ir_is(function, "spirv.func"))
    return "spirv.Undef";
  return in_llvm(ir, op) ? "llvm.mlir.poison" : "ub.poison";
}

MlirValue cul_ir_constant(struct cul_ir *ir, MlirType type,
                          enum cul_ir_constant which, MlirOperation op) {
  MlirAttribute attr = {NULL};
  MlirValue none = {NULL};
  if (which == CUL_IR_POISON)
    return create_constant(ir, poison_name(ir, op), type, attr, op);
  if (which == CUL_IR_CAST)
    return create_constant(ir, "builtin.unrealized_conversion_cast", type, attr,
                           op);
  if (mlirTypeIsAComplex(type))
    return complex_constant(ir, type, which == CUL_IR_ONE, op);
  if (type_starts(ir, type, "!llvm.ptr") ||
      type_starts(ir, type, "!llvm.struct") ||
      type_starts(ir, type, "!llvm.array"))
    return which == CUL_IR_ZERO
               ? create_constant(ir, "llvm.mlir.zero", type, attr, op)
               : none;
  attr = cul_ir_constant_attr(ir, type, which);
  if (attr.ptr)
    return create_constant(ir, constant_name(ir, type, op), type, attr, op);
  if (mlirTypeIsARankedTensor(type) && !is_static(type) && which == CUL_IR_ZERO)
    return empty_tensor(ir, type, op);
  return none;
}
