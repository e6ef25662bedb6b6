/* Find a replacement for a value, so that edits keep a module valid. */
#ifndef CUL_REDUCER_SUBJECT_IR_REPLACEMENT_H
#define CUL_REDUCER_SUBJECT_IR_REPLACEMENT_H

#include "ir.h"

/* Sources of a replacement, in the order in which they are tried. */
enum cul_ir_source {
  CUL_IR_FROM_PEER = 1 << 0,     /* another argument of the value's block */
  CUL_IR_FROM_EARLIER = 1 << 1,  /* cul_ir_find_value */
  CUL_IR_FROM_ARGUMENT = 1 << 2, /* a new argument of the enclosing function */
  CUL_IR_FROM_ZERO = 1 << 3,     /* this and the following: cul_ir_constant */
  CUL_IR_FROM_ONE = 1 << 4,
  CUL_IR_FROM_POISON = 1 << 5,
  CUL_IR_FROM_CAST = 1 << 6,
  CUL_IR_FROM_VALUES =
      CUL_IR_FROM_EARLIER | CUL_IR_FROM_ARGUMENT | CUL_IR_FROM_ZERO,
  CUL_IR_FROM_ANY = CUL_IR_FROM_VALUES | CUL_IR_FROM_CAST,
};

/* A replacement of the same type for `value`, usable in op; from: mask of enum
 * cul_ir_source.  A new constant is inserted before op; a new argument is
 * completed by cul_ir_commit.  Null: no source has one. */
MlirValue cul_ir_replacement(struct cul_ir *ir, MlirValue value,
                             MlirOperation op, uint32_t from);

/* Replace all uses of value by `prefer` if that has the same type (it may be
 * null; the caller knows that it dominates the uses), else by a replacement for
 * op.  True also if value has no uses.  False: there is no replacement, and
 * nothing was changed. */
bool cul_ir_replace(struct cul_ir *ir, MlirValue value, MlirOperation op,
                    MlirValue prefer, uint32_t from);
/* The same for each result of op that has uses.  False: a result has no
 * replacement; the results before it were replaced. */
bool cul_ir_replace_results(struct cul_ir *ir, MlirOperation op, uint32_t from);

#endif
