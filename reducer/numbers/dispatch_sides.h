/* The dispatches of a command and of its reference, traced and paired.
 *
 * Scripts of the same names as iree-compile and iree-run-module, first on PATH,
 * add the flag that traces dispatches (--iree-flow-trace-dispatch-tensors) and
 * print the words they received. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_SIDES_H
#define CUL_REDUCER_NUMBERS_DISPATCH_SIDES_H

#include "dispatch_tools.h"

struct cul_dispatch_sides {
  struct cul_divergence_job *job; /* borrowed */
  struct cul_dispatch_side suspect, reference;
  struct cul_trace_pairs pairs;
};

/* Trace both sides, whose job, roles and names are set, and pair their
 * dispatches by values.  Errors: EUSAGE (nothing is traced, or no dispatch
 * diverges), those of runs. */
CUL_MUST_CHECK int cul_dispatch_sides_trace(struct cul_dispatch_sides *sides,
                                            struct cul_err *err);
void cul_dispatch_sides_release(struct cul_dispatch_sides *sides);

/* Run the side's command with the scripts, which set `head`, lines of a shell,
 * first.  Errors: those of runs. */
CUL_MUST_CHECK int cul_dispatch_run_stood_in(struct cul_divergence_job *job,
                                             struct cul_dispatch_side *side,
                                             const char *head,
                                             struct cul_record *record,
                                             struct cul_err *err);

/* The number of earlier steps that have the name of this one. */
size_t cul_dispatch_nth(const struct cul_trace *trace, size_t step);
/* The executable's name in that of an event, "EXECUTABLE::EXPORT"; heap. */
char *cul_dispatch_executable(const char *event);

#endif
