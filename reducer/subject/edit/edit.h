/* Edits that keep a module valid: a value is replaced by another of its type,
 * an operation is built again with fewer parts, a function with another
 * signature; constants for what nothing else gives. */
#ifndef CUL_REDUCER_SUBJECT_EDIT_EDIT_H
#define CUL_REDUCER_SUBJECT_EDIT_EDIT_H

#include "../ir/ir.h"

/* In the order they are tried. */
enum cul_ir_source {
  CUL_IR_FROM_PEER = 1 << 0,     /* another argument of the value's block */
  CUL_IR_FROM_EARLIER = 1 << 1,  /* cul_ir_find_value */
  CUL_IR_FROM_ARGUMENT = 1 << 2, /* a new argument of the function around */
  CUL_IR_FROM_ZERO = 1 << 3,     /* these: cul_ir_constant */
  CUL_IR_FROM_ONE = 1 << 4,
  CUL_IR_FROM_POISON = 1 << 5,
  CUL_IR_FROM_CAST = 1 << 6,
  CUL_IR_FROM_VALUES =
      CUL_IR_FROM_EARLIER | CUL_IR_FROM_ARGUMENT | CUL_IR_FROM_ZERO,
  CUL_IR_FROM_ANY = CUL_IR_FROM_VALUES | CUL_IR_FROM_CAST,
};

/* A value of the type of `value`, and not it, for use in op; from: enum
 * cul_ir_source.  New constants stand just before op; a new argument is
 * finished by cul_ir_commit.  Null: no source has one. */
MlirValue cul_ir_replacement(struct cul_ir *ir, MlirValue value,
                             MlirOperation op, uint32_t from);

/* All uses of value become uses of `prefer` where it has the type (it may be
 * null; that it dominates them is the caller's to know), else of its
 * replacement for op.  True also where value has no uses; false, and nothing
 * is changed, where there is no replacement. */
bool cul_ir_replace(struct cul_ir *ir, MlirValue value, MlirOperation op,
                    MlirValue prefer, uint32_t from);
/* The same for each result of op that has uses, up to the first that has no
 * replacement. */
bool cul_ir_replace_results(struct cul_ir *ir, MlirOperation op, uint32_t from);

#endif
