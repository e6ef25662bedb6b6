/* Trace the dispatches of a command and of its reference, and pair them.
 *
 * Scripts stand in for iree-compile and iree-run-module
 * (probe/target/stand_ins.h).  They add the flag that traces dispatches
 * (--iree-flow-trace-dispatch-tensors), and print the words they received. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_SIDES_H
#define CUL_REDUCER_NUMBERS_DISPATCH_SIDES_H

#include "dispatch_tools.h"

struct cul_dispatch_sides {
  struct cul_divergence_job *job; /* borrowed */
  struct cul_dispatch_side suspect, reference;
  struct cul_trace_pairs pairs;
};

/* Trace both sides, and pair their dispatches by values.  The job, roles and
 * names of sides must be set.  Errors: EUSAGE (nothing is traced, or no
 * dispatch diverges), those of runs. */
CUL_MUST_CHECK int cul_dispatch_sides_trace(struct cul_dispatch_sides *sides,
                                            struct cul_err *err);
/* Free what both sides own; {0} is fine. */
void cul_dispatch_sides_release(struct cul_dispatch_sides *sides);

/* Run the side's command with the scripts in place of the tools.  head: lines
 * of shell that each script executes first.  Errors: those of runs. */
CUL_MUST_CHECK int cul_dispatch_run_stood_in(struct cul_divergence_job *job,
                                             struct cul_dispatch_side *side,
                                             const char *head,
                                             struct cul_record *record,
                                             struct cul_err *err);

/* The number of earlier steps that have the name of this one. */
size_t cul_dispatch_nth(const struct cul_trace *trace, size_t step);
/* EXECUTABLE of an event's name, "EXECUTABLE::EXPORT"; heap. */
char *cul_dispatch_executable(const char *event);

#endif
