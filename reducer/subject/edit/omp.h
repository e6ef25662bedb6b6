/* OpenMP: operations that are valid only inside others.  A loop nest is inside
 * wrappers, each of which contains nothing else; a section is inside
 * omp.sections. */
#ifndef CUL_REDUCER_SUBJECT_EDIT_OMP_H
#define CUL_REDUCER_SUBJECT_EDIT_OMP_H

#include "../ir/ir.h"

/* Does op hold a loop nest or another wrapper, and nothing else? */
bool cul_omp_is_wrapper(MlirOperation op);
/* Is op the only thing that a wrapper holds? */
bool cul_omp_is_wrapped(MlirOperation op);
/* Would removing this wrapper leave the loop nest without any wrapper? */
bool cul_omp_is_last_wrapper(MlirOperation op);
/* The outermost operation that must be removed when the contents of op's region
 * are moved out; op itself if the contents may be anywhere. */
MlirOperation cul_omp_frame(MlirOperation op);
/* Correct whether op is composite, after a wrapper around or inside it was
 * removed. */
void cul_omp_fix_up(MlirOperation op);
/* Must an operation of dialect omp keep this attribute as it is?  It must if it
 * is a list with one entry per operand ("_byref", "_kinds", "_syms"), if the
 * operation or its operands depend on it (types, map types, data sharing, the
 * kind of schedule), or if it follows from the regions (omp.composite). */
bool cul_omp_needs(MlirOperation op, MlirStringRef name);

#endif
