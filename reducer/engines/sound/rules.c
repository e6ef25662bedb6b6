/* Conditions of undefined behaviour and poison: see sound.h. */
#include <math.h>
#include <string.h>

#include "../../subject/ir/compat.h"
#include "sound.h"

static MlirValue operand(const struct cul_sound_at *at, intptr_t i) {
  return mlirOperationGetOperand(at->op, i);
}

static MlirValue result(const struct cul_sound_at *at) {
  return mlirOperationGetResult(at->op, 0);
}

static MlirValue both(const struct cul_sound_at *at, const char *name,
                      MlirValue a, MlirValue b) {
  return cul_sound_make(at, name, mlirValueGetType(a),
                        (const MlirValue[3]){a, b});
}

static bool is_true(const struct cul_sound_at *at, const char *name) {
  MlirAttribute attr = cul_ir_get(at->op, name);
  return attr.ptr &&
         (mlirAttributeIsAUnit(attr) ||
          (mlirAttributeIsABool(attr) && mlirBoolAttrGetValue(attr)));
}

/* Does the operation have the flag, as in "overflow<nsw, nuw>"?  LLVM's
 * operations print it, but have no attribute for it. */
static bool says(const struct cul_sound_at *at, const char *word) {
  MlirAttribute attr = cul_ir_get(at->op, "overflowFlags");
  struct cul_buf text = {0};
  const char *flags;
  bool said;
  if (attr.ptr)
    return strstr(cul_ir_attr_text(at->ir, attr), word) != NULL;
  mlirOperationPrint(at->op, cul_compat_append, &text);
  flags = strstr(cul_buf_str(&text), " overflow<");
  said =
      flags && strstr(flags, word) && strstr(flags, word) < strchr(flags, '>');
  cul_buf_release(&text);
  return said;
}

static bool is_signed(const struct cul_sound_at *at) { return says(at, "nsw"); }

static bool is_unsigned(const struct cul_sound_at *at) {
  return says(at, "nuw");
}

static MlirValue is_negative(const struct cul_sound_at *at, MlirValue value) {
  MlirValue zero = cul_sound_number(at, mlirValueGetType(value), 0);
  return cul_sound_compare(at, CUL_SOUND_SLT, value, zero);
}

/* ---- shifts ---- */

static MlirValue shifts_too_far(const struct cul_sound_at *at) {
  MlirType type = mlirValueGetType(operand(at, 0));
  unsigned bits = cul_sound_bits(type);
  MlirValue most;
  if (!bits)
    return (MlirValue){NULL};
  most = cul_sound_number(at, type, bits);
  /* i1 cannot represent its own width. */
  if (bits < 2)
    return cul_sound_compare(at, CUL_SOUND_NE, operand(at, 1),
                             cul_sound_number(at, type, 0));
  return cul_sound_compare(at, CUL_SOUND_UGE, operand(at, 1), most);
}

/* Does shifting the result back lose bits of the operand?  A shift by too much
 * (far) counts as one by 0. */
static MlirValue loses_bits(const struct cul_sound_at *at, MlirValue far,
                            const char *back) {
  MlirType type = mlirValueGetType(operand(at, 1));
  MlirValue near = cul_sound_make(
      at, "arith.select", type,
      (const MlirValue[3]){far, cul_sound_number(at, type, 0), operand(at, 1)});
  return cul_sound_compare(at, CUL_SOUND_NE, both(at, back, result(at), near),
                           operand(at, 0));
}

static MlirValue bad_left(const struct cul_sound_at *at) {
  MlirValue far = shifts_too_far(at), bad = far;
  if (far.ptr && is_signed(at))
    bad = cul_sound_or(at, bad, loses_bits(at, far, "arith.shrsi"));
  if (far.ptr && is_unsigned(at))
    bad = cul_sound_or(at, bad, loses_bits(at, far, "arith.shrui"));
  return bad;
}

static MlirValue bad_right(const struct cul_sound_at *at) {
  MlirValue far = shifts_too_far(at);
  return far.ptr && is_true(at, "isExact")
             ? cul_sound_or(at, far, loses_bits(at, far, "arith.shli"))
             : far;
}

/* ---- divisions ---- */

static MlirValue by_zero(const struct cul_sound_at *at) {
  MlirType type = mlirValueGetType(operand(at, 1));
  return cul_sound_bits(type)
             ? cul_sound_compare(at, CUL_SOUND_EQ, operand(at, 1),
                                 cul_sound_number(at, type, 0))
             : (MlirValue){NULL};
}

/* A division by zero, or of the least number by -1. */
static MlirValue bad_quotient(const struct cul_sound_at *at) {
  MlirType type = mlirValueGetType(operand(at, 1));
  MlirValue zero = by_zero(at), least, minus;
  if (!zero.ptr)
    return zero;
  least = cul_sound_compare(
      at, CUL_SOUND_EQ, operand(at, 0),
      cul_sound_number(at, type, INT64_MIN >> (64 - cul_sound_bits(type))));
  minus = cul_sound_compare(at, CUL_SOUND_EQ, operand(at, 1),
                            cul_sound_number(at, type, -1));
  return cul_sound_or(at, zero, cul_sound_and(at, least, minus));
}

/* Does a division declared exact leave a remainder? */
static MlirValue leaves_rest(const struct cul_sound_at *at) {
  if (!cul_sound_bits(mlirValueGetType(operand(at, 1))) ||
      !is_true(at, "isExact"))
    return (MlirValue){NULL};
  return cul_sound_compare(at, CUL_SOUND_NE,
                           both(at, "arith.muli", result(at), operand(at, 1)),
                           operand(at, 0));
}

/* ---- operations declared not to overflow ---- */

/* Do the signs of a and b differ, and also those of c and d? */
static MlirValue overflows(const struct cul_sound_at *at, MlirValue a,
                           MlirValue b, MlirValue c, MlirValue d) {
  return is_negative(at, both(at, "arith.andi", both(at, "arith.xori", a, b),
                              both(at, "arith.xori", c, d)));
}

static MlirValue bad_sum(const struct cul_sound_at *at) {
  MlirValue x = operand(at, 0), y = operand(at, 1), r = result(at);
  MlirValue bad = {NULL};
  if (!cul_sound_bits(mlirValueGetType(r)))
    return bad;
  if (is_signed(at))
    bad = overflows(at, x, r, y, r);
  if (is_unsigned(at))
    bad = cul_sound_or(at, bad, cul_sound_compare(at, CUL_SOUND_UGT, x, r));
  return bad;
}

static MlirValue bad_difference(const struct cul_sound_at *at) {
  MlirValue x = operand(at, 0), y = operand(at, 1), r = result(at);
  MlirValue bad = {NULL};
  if (!cul_sound_bits(mlirValueGetType(r)))
    return bad;
  if (is_signed(at))
    bad = overflows(at, x, y, x, r);
  if (is_unsigned(at))
    bad = cul_sound_or(at, bad, cul_sound_compare(at, CUL_SOUND_UGT, y, x));
  return bad;
}

/* Does the product overflow?  Its upper half then differs from the sign or zero
 * extension of the lower half. */
static MlirValue bad_half(const struct cul_sound_at *at, bool with_sign) {
  MlirValue x = operand(at, 0), y = operand(at, 1), low, high, want;
  MlirType type = mlirValueGetType(x), types[] = {type, type};
  struct cul_ir_new what = {.name = with_sign ? "arith.mulsi_extended"
                                              : "arith.mului_extended",
                            .operands = (const MlirValue[]){x, y},
                            .n_operands = 2,
                            .results = types,
                            .n_results = 2};
  MlirOperation product = cul_ir_create(at->ir, &what, at->before);
  low = mlirOperationGetResult(product, 0);
  high = mlirOperationGetResult(product, 1);
  want = cul_sound_number(at, type, with_sign ? cul_sound_bits(type) - 1 : 0);
  if (with_sign)
    want = both(at, "arith.shrsi", low, want);
  return cul_sound_compare(at, CUL_SOUND_NE, high, want);
}

static MlirValue bad_product(const struct cul_sound_at *at) {
  MlirValue bad = {NULL};
  if (cul_sound_bits(mlirValueGetType(result(at))) < 2)
    return bad;
  if (is_signed(at))
    bad = bad_half(at, true);
  if (is_unsigned(at))
    bad = cul_sound_or(at, bad, bad_half(at, false));
  return bad;
}

static MlirValue bad_cut(const struct cul_sound_at *at) {
  MlirType type = mlirValueGetType(operand(at, 0));
  MlirValue bad = {NULL}, cut = result(at);
  if (!cul_sound_bits(type))
    return bad;
  for (int with_sign = 0; with_sign < 2; with_sign++)
    if (with_sign ? is_signed(at) : is_unsigned(at)) {
      MlirValue back =
          cul_sound_make(at, with_sign ? "arith.extsi" : "arith.extui", type,
                         (const MlirValue[3]){cut});
      bad = cul_sound_or(
          at, bad, cul_sound_compare(at, CUL_SOUND_NE, back, operand(at, 0)));
    }
  return bad;
}

static MlirValue bad_sign(const struct cul_sound_at *at) {
  MlirType type = mlirValueGetType(operand(at, 0));
  return is_true(at, "nonNeg") && cul_sound_bits(type)
             ? is_negative(at, operand(at, 0))
             : (MlirValue){NULL};
}

/* ---- floats ---- */

/* Is the truncated float NaN, or out of the range of the integer? */
static MlirValue bad_integer(const struct cul_sound_at *at, bool with_sign) {
  enum { NOT_GREATER = 12, NOT_GREATER_EQUAL = 11, NOT_LESS = 10 };
  MlirValue x = operand(at, 0);
  MlirType type = mlirValueGetType(x), element = cul_sound_element(type);
  MlirType f64 = mlirF64TypeGet(at->ir->context);
  unsigned bits = cul_sound_bits(mlirValueGetType(result(at)));
  bool wide = mlirTypeIsAF64(element);
  double most = ldexp(1, (int)bits - with_sign), least = with_sign ? -most : 0;
  if (!bits || !(wide || mlirTypeIsAF32(element) || mlirTypeIsAF16(element) ||
                 mlirTypeIsABF16(element)))
    return (MlirValue){NULL};
  if (!wide)
    x = cul_sound_make(at, "arith.extf", cul_sound_like(type, f64),
                       (const MlirValue[3]){x});
  /* From 2^53 on, doubles have no number between least - 1 and least. */
  least -= least > -ldexp(1, 53);
  return cul_sound_or(
      at,
      cul_sound_compare_float(
          at, least <= -ldexp(1, 53) ? NOT_GREATER_EQUAL : NOT_GREATER, x,
          least),
      cul_sound_compare_float(at, NOT_LESS, x, most));
}

static MlirValue bad_signed(const struct cul_sound_at *at) {
  return bad_integer(at, true);
}

static MlirValue bad_unsigned(const struct cul_sound_at *at) {
  return bad_integer(at, false);
}

/* ---- others ---- */

static MlirValue always(const struct cul_sound_at *at) {
  return cul_sound_number(at, mlirIntegerTypeGet(at->ir->context, 1), 1);
}

static MlirValue of_zero(const struct cul_sound_at *at) {
  MlirType type = mlirValueGetType(operand(at, 0));
  return is_true(at, "is_zero_poison") && cul_sound_bits(type)
             ? cul_sound_compare(at, CUL_SOUND_EQ, operand(at, 0),
                                 cul_sound_number(at, type, 0))
             : (MlirValue){NULL};
}

static MlirValue not_so(const struct cul_sound_at *at) {
  MlirType type = mlirValueGetType(operand(at, 0));
  return cul_sound_compare(at, CUL_SOUND_EQ, operand(at, 0),
                           cul_sound_number(at, type, 0));
}

const struct cul_sound_rule cul_sound_rules[] = {
    {"arith.shli", CUL_SOUND_POISON, bad_left, "by", 1},
    {"arith.shrsi", CUL_SOUND_POISON, bad_right, "by", 1},
    {"arith.shrui", CUL_SOUND_POISON, bad_right, "by", 1},
    {"index.shl", CUL_SOUND_POISON, bad_left, "by", 1},
    {"index.shrs", CUL_SOUND_POISON, bad_right, "by", 1},
    {"index.shru", CUL_SOUND_POISON, bad_right, "by", 1},
    {"llvm.shl", CUL_SOUND_POISON, bad_left, "by", 1},
    {"llvm.ashr", CUL_SOUND_POISON, bad_right, "by", 1},
    {"llvm.lshr", CUL_SOUND_POISON, bad_right, "by", 1},
    {"arith.divui", CUL_SOUND_ENDS, by_zero, "by", 1},
    {"arith.remui", CUL_SOUND_ENDS, by_zero, "by", 1},
    {"arith.ceildivui", CUL_SOUND_ENDS, by_zero, "by", 1},
    {"arith.divsi", CUL_SOUND_ENDS, bad_quotient, "by", 1},
    {"arith.remsi", CUL_SOUND_ENDS, bad_quotient, "by", 1},
    {"arith.ceildivsi", CUL_SOUND_ENDS, bad_quotient, "by", 1},
    {"arith.floordivsi", CUL_SOUND_ENDS, bad_quotient, "by", 1},
    {"index.divu", CUL_SOUND_ENDS, by_zero, "by", 1},
    {"index.remu", CUL_SOUND_ENDS, by_zero, "by", 1},
    {"index.ceildivu", CUL_SOUND_ENDS, by_zero, "by", 1},
    {"index.divs", CUL_SOUND_ENDS, bad_quotient, "by", 1},
    {"index.rems", CUL_SOUND_ENDS, bad_quotient, "by", 1},
    {"index.ceildivs", CUL_SOUND_ENDS, bad_quotient, "by", 1},
    {"index.floordivs", CUL_SOUND_ENDS, bad_quotient, "by", 1},
    {"llvm.udiv", CUL_SOUND_ENDS, by_zero, "by", 1},
    {"llvm.urem", CUL_SOUND_ENDS, by_zero, "by", 1},
    {"llvm.sdiv", CUL_SOUND_ENDS, bad_quotient, "by", 1},
    {"llvm.srem", CUL_SOUND_ENDS, bad_quotient, "by", 1},
    {"arith.divui", CUL_SOUND_POISON, leaves_rest, "leaves a rest, exact", -1},
    {"arith.divsi", CUL_SOUND_POISON, leaves_rest, "leaves a rest, exact", -1},
    {"llvm.udiv", CUL_SOUND_POISON, leaves_rest, "leaves a rest, exact", -1},
    {"llvm.sdiv", CUL_SOUND_POISON, leaves_rest, "leaves a rest, exact", -1},
    {"arith.addi", CUL_SOUND_POISON, bad_sum, "overflows", -1},
    {"arith.subi", CUL_SOUND_POISON, bad_difference, "overflows", -1},
    {"arith.muli", CUL_SOUND_POISON, bad_product, "overflows", -1},
    {"arith.trunci", CUL_SOUND_POISON, bad_cut, "overflows", -1},
    {"llvm.add", CUL_SOUND_POISON, bad_sum, "overflows", -1},
    {"llvm.sub", CUL_SOUND_POISON, bad_difference, "overflows", -1},
    {"llvm.mul", CUL_SOUND_POISON, bad_product, "overflows", -1},
    {"llvm.trunc", CUL_SOUND_POISON, bad_cut, "overflows", -1},
    {"llvm.zext", CUL_SOUND_POISON, bad_sign, "is negative, nneg", -1},
    {"llvm.uitofp", CUL_SOUND_POISON, bad_sign, "is negative, nneg", -1},
    {"arith.extui", CUL_SOUND_POISON, bad_sign, "is negative, nneg", -1},
    {"arith.uitofp", CUL_SOUND_POISON, bad_sign, "is negative, nneg", -1},
    {"arith.fptosi", CUL_SOUND_POISON, bad_signed, "is out of range", -1},
    {"arith.fptoui", CUL_SOUND_POISON, bad_unsigned, "is out of range", -1},
    {"llvm.fptosi", CUL_SOUND_POISON, bad_signed, "is out of range", -1},
    {"llvm.fptoui", CUL_SOUND_POISON, bad_unsigned, "is out of range", -1},
    {"ub.poison", CUL_SOUND_POISON, always, "is used", -1},
    {"llvm.mlir.poison", CUL_SOUND_POISON, always, "is used", -1},
    {"llvm.mlir.undef", CUL_SOUND_POISON, always, "is used", -1},
    {"llvm.intr.ctlz", CUL_SOUND_POISON, of_zero, "is zero", -1},
    {"llvm.intr.cttz", CUL_SOUND_POISON, of_zero, "is zero", -1},
    {"llvm.intr.assume", CUL_SOUND_ENDS, not_so, "does not hold", -1},
    {"llvm.unreachable", CUL_SOUND_ENDS, always, "is reached", -1},
    {.name = NULL}};
