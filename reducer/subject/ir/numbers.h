/* Attributes that are lists of numbers, in whatever kind they come: i64 and i32
 * arrays, arrays of integers, dense literals; one integer, a constant map. */
#ifndef CUL_REDUCER_SUBJECT_IR_NUMBERS_H
#define CUL_REDUCER_SUBJECT_IR_NUMBERS_H

#include "ir.h"

enum { CUL_NUMBERS_MAX = 64 }; /* longer lists are not read */
#define CUL_NUMBER_DYNAMIC INT64_MIN

/* The value of an integer, signed or not, of this type: 64 bits at most. */
int64_t cul_number_of(MlirAttribute attr, MlirType type);
/* Read them into out[CUL_NUMBERS_MAX].  Returns how many, 0 when it is
 * something else, null, or too long. */
size_t cul_numbers(MlirAttribute attr, int64_t *out);
/* The same of an attribute of op. */
size_t cul_numbers_named(MlirOperation op, const char *name, int64_t *out);
/* An attribute of the same kind with other numbers; null: cannot. */
MlirAttribute cul_numbers_replaced(struct cul_ir *ir, MlirAttribute like,
                                   const int64_t *numbers, size_t n);
/* Dimensions that go, as gone[CUL_NUMBERS_MAX]: a list of numbers of dimensions
 * without them, the others counted anew.  Null: it is one number, which went.
 */
MlirAttribute cul_numbers_without(struct cul_ir *ir, MlirAttribute dims,
                                  const bool *gone);
/* A map without dimensions and results that go; inside other subscripts such a
 * dimension is 0. */
MlirAttribute cul_numbers_map_without(struct cul_ir *ir, MlirAffineMap map,
                                      const bool *dims, const bool *results);

#endif
