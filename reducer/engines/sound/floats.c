/* Floating-point exceptions, derived from operands and result (IEEE 754-2019,
 * 7): see sound.h. */
#include <fenv.h>
#include <math.h>

#include "sound.h"

/* Predicates of arith.cmpf. */
enum { EQUAL = 1, GREATER = 2, LESS = 4, ORDERED = 7, UNEQUAL = 13, NONE = 14 };

static MlirValue result(const struct cul_sound_at *at) {
  return mlirOperationGetResult(at->op, 0);
}

static bool is_float(const struct cul_sound_at *at) {
  return cul_sound_float_bits(mlirValueGetType(result(at)));
}

/* Are all operands finite?  any: are none of them NaN? */
static MlirValue good_operands(const struct cul_sound_at *at, bool any) {
  MlirValue all = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(at->op); i++) {
    MlirValue x = mlirOperationGetOperand(at->op, i);
    MlirValue good =
        any ? cul_sound_compare_float(at, ORDERED, x, 0)
            : cul_sound_and(at, cul_sound_compare_float(at, LESS, x, INFINITY),
                            cul_sound_compare_float(at, GREATER, x, -INFINITY));
    all = all.ptr ? cul_sound_and(at, all, good) : good;
  }
  return all;
}

static MlirValue overflows(const struct cul_sound_at *at) {
  MlirValue infinite;
  if (!is_float(at) || !cul_sound_float_bits(mlirValueGetType(
                           mlirOperationGetOperand(at->op, 0))))
    return (MlirValue){NULL};
  infinite =
      cul_sound_or(at, cul_sound_compare_float(at, EQUAL, result(at), INFINITY),
                   cul_sound_compare_float(at, EQUAL, result(at), -INFINITY));
  return cul_sound_and(at, infinite, good_operands(at, false));
}

static MlirValue has_no_result(const struct cul_sound_at *at) {
  if (!is_float(at))
    return (MlirValue){NULL};
  return cul_sound_and(at, cul_sound_compare_float(at, NONE, result(at), 0),
                       good_operands(at, true));
}

static MlirValue divides_by_zero(const struct cul_sound_at *at) {
  MlirValue bad;
  if (!is_float(at))
    return (MlirValue){NULL};
  bad = cul_sound_and(
      at,
      cul_sound_compare_float(at, EQUAL, mlirOperationGetOperand(at->op, 1), 0),
      cul_sound_compare_float(at, UNEQUAL, mlirOperationGetOperand(at->op, 0),
                              0));
  return cul_sound_and(at, bad, good_operands(at, false));
}

/* Does a quotient overflow?  Division by 0 is an exception of its own. */
static MlirValue quotient_overflows(const struct cul_sound_at *at) {
  MlirValue bad = overflows(at);
  return bad.ptr ? cul_sound_and(
                       at, bad,
                       cul_sound_compare_float(
                           at, UNEQUAL, mlirOperationGetOperand(at->op, 1), 0))
                 : bad;
}

const struct cul_sound_rule cul_sound_floats[] = {
    {"arith.addf", CUL_SOUND_RAISES, overflows, "", FE_OVERFLOW},
    {"arith.subf", CUL_SOUND_RAISES, overflows, "", FE_OVERFLOW},
    {"arith.mulf", CUL_SOUND_RAISES, overflows, "", FE_OVERFLOW},
    {"arith.truncf", CUL_SOUND_RAISES, overflows, "", FE_OVERFLOW},
    {"math.fma", CUL_SOUND_RAISES, overflows, "", FE_OVERFLOW},
    {"math.exp", CUL_SOUND_RAISES, overflows, "", FE_OVERFLOW},
    {"arith.divf", CUL_SOUND_RAISES, quotient_overflows, "", FE_OVERFLOW},
    {"arith.divf", CUL_SOUND_RAISES, divides_by_zero, "", FE_DIVBYZERO},
    {"arith.addf", CUL_SOUND_RAISES, has_no_result, "", FE_INVALID},
    {"arith.subf", CUL_SOUND_RAISES, has_no_result, "", FE_INVALID},
    {"arith.mulf", CUL_SOUND_RAISES, has_no_result, "", FE_INVALID},
    {"arith.divf", CUL_SOUND_RAISES, has_no_result, "", FE_INVALID},
    {"arith.remf", CUL_SOUND_RAISES, has_no_result, "", FE_INVALID},
    {"math.sqrt", CUL_SOUND_RAISES, has_no_result, "", FE_INVALID},
    {"math.log", CUL_SOUND_RAISES, has_no_result, "", FE_INVALID},
    {.name = NULL}};
