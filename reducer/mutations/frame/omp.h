/* OpenMP for mutations of regions: operations that stand only in others.  A
 * loop nest is in wrappers, each of which holds nothing else; a section is in
 * its sections. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_OMP_H
#define CUL_REDUCER_MUTATIONS_FRAME_OMP_H

#include "../../subject/ir/ir.h"

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
