/* The divergence inside loops, branches, calls and bodies: the first step that
 * differs inside the operation that the bisection found. */
#ifndef CUL_REDUCER_NUMBERS_DIVERGENCE_INNER_H
#define CUL_REDUCER_NUMBERS_DIVERGENCE_INNER_H

#include "divergence_bisect.h"

/* If steps inside the range's operation can be followed, find the first one
 * that differs: fill job->inner, and range->what for this step.
 * job->inner.entered is false if the operation as a whole is to be named;
 * job->inner.stop then has the reason.  whole: follow the entry function.
 * Errors: those of runs. */
CUL_MUST_CHECK int cul_inner_enter(struct cul_divergence_job *job,
                                   struct cul_divergence_range *range,
                                   bool whole, struct cul_err *err);
/* Free what it owns and leave {0}, which is fine, too. */
void cul_inner_release(struct cul_inner *inner);

/* Append the turn, branch or element of operation `op` that contains the wrong
 * step: "turn 4", "else", "element (0, 3)"; nothing if it is not known. */
void cul_inner_where(const struct cul_inner *inner, uint32_t op,
                     struct cul_buf *out);
/* The turn of operation `op`, from 0, in which the divergence is. */
uint64_t cul_inner_turn(const struct cul_inner *inner, uint32_t op);
/* Read the last value before the divergence that the reference computed in a
 * step, or found in a place of memory; number: of the engine.  Errors: EUSAGE
 * (none is recorded), those of runs. */
CUL_MUST_CHECK int cul_inner_value(struct cul_divergence_job *job,
                                   uint32_t number, struct cul_tensors *out,
                                   struct cul_err *err);

#endif
