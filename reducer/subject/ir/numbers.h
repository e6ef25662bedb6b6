/* Lists of numbers in attributes of any kind: i64 and i32 arrays, arrays of
 * integers, dense literals.  One integer or a constant map is a list of one
 * number. */
#ifndef CUL_REDUCER_SUBJECT_IR_NUMBERS_H
#define CUL_REDUCER_SUBJECT_IR_NUMBERS_H

#include "ir.h"
#include <mlir-c/AffineExpr.h>

enum { CUL_NUMBERS_MAX = 64 }; /* longer lists are not read */
#define CUL_NUMBER_DYNAMIC INT64_MIN
#define CUL_NUMBER_GONE (INT64_MIN + 1) /* an entry that is removed */

/* The value of an integer, signed or not, of this type: 64 bits at most. */
int64_t cul_number_of(MlirAttribute attr, MlirType type);
/* Read the numbers of attr into out[CUL_NUMBERS_MAX].  Returns how many; 0:
 * attr is null, no list of numbers, or too long. */
size_t cul_numbers(MlirAttribute attr, int64_t *out);
/* The same for an attribute of op. */
size_t cul_numbers_named(MlirOperation op, const char *name, int64_t *out);
/* An attribute of the same kind as `like` with these numbers; null: it cannot
 * be made. */
MlirAttribute cul_numbers_replaced(struct cul_ir *ir, MlirAttribute like,
                                   const int64_t *numbers, size_t n);
/* Remove the dimensions d with gone[d] from `dims`, a list of dimension
 * numbers, and renumber the others.  gone: CUL_NUMBERS_MAX entries.  Null: dims
 * is one integer, and its dimension was removed. */
MlirAttribute cul_numbers_without(struct cul_ir *ir, MlirAttribute dims,
                                  const bool *gone);
/* The map without the dimensions in `dims` and the results in `results`.  A
 * removed dimension becomes 0 in the results that are left. */
MlirAttribute cul_numbers_map_without(struct cul_ir *ir, MlirAffineMap map,
                                      const bool *dims, const bool *results);

/* The number of inputs of an affine map or an integer set, its dimensions and
 * then its symbols; 0: attr is null, or neither. */
intptr_t cul_affine_count_inputs(MlirAttribute attr);
/* Input i of one with n_dims dimensions. */
static inline MlirAffineExpr cul_affine_input(struct cul_ir *ir,
                                              intptr_t n_dims, intptr_t i) {
  return i < n_dims ? mlirAffineDimExprGet(ir->context, i)
                    : mlirAffineSymbolExprGet(ir->context, i - n_dims);
}
/* The map or set with input `at` replaced by 0.  goes: also remove the input,
 * and renumber later ones. */
MlirAttribute cul_affine_with_0(struct cul_ir *ir, MlirAttribute attr,
                                intptr_t at, bool goes);

#endif
