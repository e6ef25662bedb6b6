/* Regions: which values enter and leave, and moving operations. */
#ifndef CUL_REDUCER_SUBJECT_EDIT_REGION_H
#define CUL_REDUCER_SUBJECT_EDIT_REGION_H

#include "../ir/ir.h"
#include "../ir/map.h"
#include "cfg.h"

/* The only block of a region; null if there is none or more than one. */
MlirBlock cul_region_single(MlirRegion region);
/* Operations in a region, at any depth. */
uint32_t cul_region_count(MlirRegion region);
/* Does op have regions that do not belong to a function, a module or a
 * terminator: those of loops, conditionals, linalg.generic, gpu.launch? */
bool cul_region_is_control(const struct cul_ir *ir, MlirOperation op);

/* How many arguments of a loop's body are counters: they come first, and so do,
 * but for affine loops, their lower bounds among the operands.  0: no loop that
 * is known here. */
size_t cul_region_counters(MlirOperation op, MlirBlock body);
/* The operand of op that enters its region as argument number `argument` of the
 * block: the init of a loop, or the lower bound for its counter.  Null if there
 * is none or it is not known. */
MlirValue cul_region_entering(MlirOperation op, MlirBlock block,
                              size_t argument);
/* Index of that operand; SIZE_MAX if it is null. */
size_t cul_region_entering_operand(MlirOperation op, MlirBlock block,
                                   size_t argument);
/* The operand of the block's terminator that leaves as result number `result`
 * of op; SIZE_MAX if there is none. */
size_t cul_region_leaving_operand(const struct cul_ir *ir, MlirOperation op,
                                  MlirBlock block, size_t result);

/* Is op a loop whose last operands are the inits of its results? */
bool cul_region_is_carried(MlirOperation op);

enum cul_region_bind {
  CUL_REGION_TO_OPERANDS,  /* replace arguments by what enters, or by a
                              stand-in */
  CUL_REGION_TO_ARGUMENTS, /* replace arguments by new ones of the function */
  CUL_REGION_TO_OUTER,     /* replace arguments by those of the block around
                              op if the type agrees: an outer counter */
  CUL_REGION_TO_CONSTANTS, /* replace arguments by zero if there is one */
  CUL_REGION_TO_ONES,      /* the same by one, but an index by zero */
};
/* The value that replaces an argument of a block of op when the block's
 * operations move in front of op.  Never null if casts are available. */
MlirValue cul_region_bind(struct cul_ir *ir, MlirOperation op, MlirBlock block,
                          size_t argument, enum cul_region_bind bind);
/* Replace the arguments of the block that have uses by these values; false: one
 * has none. */
bool cul_region_bind_all(struct cul_ir *ir, MlirOperation op, MlirBlock block,
                         enum cul_region_bind bind);
/* If op is a loop, the operand that is the initial value of the result; prefer
 * it for replacing uses.  Null: there is none. */
MlirValue cul_region_init(MlirOperation op, size_t result);

/* Add to the set out op, and the operations in blocks of around itself whose
 * results it needs, directly or not. */
void cul_region_needs(MlirOperation around, MlirOperation op,
                      struct cul_map *out);

/* Move the operations of block, except a terminator, in front of op. */
void cul_region_move_before(struct cul_ir *ir, MlirBlock block,
                            MlirOperation op);
/* Make the operations of block, the body of op, work on all elements at once:
 * they move in front of op with op's operands for the block's arguments, and
 * with tensors for elements; their results replace those of op.  False: values
 * that the body uses have no operand of op that could stand for them. */
bool cul_region_lift(struct cul_ir *ir, MlirOperation op, MlirBlock block);
/* Do both exist and have the same type? */
bool cul_region_same_type(MlirValue a, MlirValue b);

#endif
