/* Regions for mutations: what goes in, what comes out, moving operations. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_REGION_H
#define CUL_REDUCER_MUTATIONS_FRAME_REGION_H

#include "../../subject/ir/ir.h"
#include "../../subject/ir/map.h"
#include "../mutation.h"
#include "cfg.h"

/* The only block of a region; null when it has none or several. */
MlirBlock cul_region_single(MlirRegion region);
/* Add a site per region to which weight gives one; place: the operation,
 * detail: which region; parent: the nearest region around that has a site. */
typedef uint32_t cul_region_weight_fn(struct cul_ir *ir, MlirOperation op,
                                      intptr_t region);
void cul_region_sites(struct cul_ir *ir, cul_region_weight_fn *weight,
                      struct cul_sites *out);
/* Operations in a region, at any depth. */
uint32_t cul_region_count(MlirRegion region);
/* Does op have regions that are neither a function's, a module's, nor a
 * terminator's: those of loops, conditionals, linalg.generic, gpu.launch? */
bool cul_region_is_control(const struct cul_ir *ir, MlirOperation op);

/* The operand of op that enters its region as argument number `argument` of
 * the block, null when none does or it is not known: the init of a loop,
 * the lower bound for its counter. */
MlirValue cul_region_entering(MlirOperation op, MlirBlock block,
                              size_t argument);
/* Index of the operand, SIZE_MAX for null. */
size_t cul_region_entering_operand(MlirOperation op, MlirBlock block,
                                   size_t argument);
/* The operand of the block's terminator that leaves as result number
 * `result` of op; SIZE_MAX when none does. */
size_t cul_region_leaving_operand(const struct cul_ir *ir, MlirOperation op,
                                  MlirBlock block, size_t result);

/* A loop: are the last operands the inits of the results? */
bool cul_region_is_carried(MlirOperation op);

enum cul_region_bind {
  CUL_REGION_TO_OPERANDS,  /* arguments become what enters, else a stand-in */
  CUL_REGION_TO_ARGUMENTS, /* arguments become new ones of the function */
  CUL_REGION_TO_OUTER,     /* arguments become those of the block around op,
                              where one has the type: an outer counter */
  CUL_REGION_TO_CONSTANTS, /* arguments become zero, where there is one */
};
/* What stands for an argument of a block of op when its operations move in
 * front of op.  Never null where the world has casts. */
MlirValue cul_region_bind(struct cul_ir *ir, MlirOperation op, MlirBlock block,
                          size_t argument, enum cul_region_bind bind);
/* The operand that result starts as where op is a loop: to be preferred for its
 * uses; null: there is none. */
MlirValue cul_region_init(MlirOperation op, size_t result);

/* Move the operations of block, all but a terminator, in front of op. */
void cul_region_move_before(struct cul_ir *ir, MlirBlock block,
                            MlirOperation op);
bool cul_region_same_type(MlirValue a, MlirValue b);

/* Does op hold a loop nest or another wrapper, and nothing else? */
bool cul_omp_is_wrapper(MlirOperation op);
/* Is op all that a wrapper holds? */
bool cul_omp_is_wrapped(MlirOperation op);
/* Would the loop nest stand alone without this wrapper? */
bool cul_omp_is_last_wrapper(MlirOperation op);
/* The outermost operation that goes once what op's region holds is moved out
 * of it; op itself where it may stand anywhere. */
MlirOperation cul_omp_frame(MlirOperation op);
/* Op has lost a wrapper around or inside it: is it still composite? */
void cul_omp_fix_up(MlirOperation op);
/* Must an operation of the dialect that has this attribute have it?  What says
 * one thing of each operand, what another attribute's entries need, what
 * follows from regions. */
bool cul_omp_needs(MlirOperation op, MlirStringRef name);

#endif
