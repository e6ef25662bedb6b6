/* The text of a module at IREE's phase "flow": find a dispatch in it, and make
 * other modules of it. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_TEXT_H
#define CUL_REDUCER_NUMBERS_DISPATCH_TEXT_H

#include "../../systems/trace.h"
#include "mlir_words.h"

/* The parts of a flow.dispatch operation; the strings are heap. */
struct cul_dispatch_site {
  const char *line; /* in the flow; borrowed */
  char *symbol, *workload;
  struct cul_mlir_words operands, types, results;
  char *value; /* the name of its results: "%5" */
};
/* Find the nth dispatch (from 0) with the name of an event; if there are fewer,
 * the last one.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_dispatch_site_find(const struct cul_buf *flow,
                                          const char *event, size_t nth,
                                          struct cul_dispatch_site *out,
                                          struct cul_err *err);
/* Free what it owns; {0} is fine. */
void cul_dispatch_site_release(struct cul_dispatch_site *site);

/* Numbers that the host computes for a dispatch. */
struct cul_dispatch_scalars {
  struct cul_mlir_words names, types; /* "%9", "i1" */
  struct cul_tensors values;          /* of one element; none: not known yet */
};
/* Append the whole module, changed so that the function around the dispatch
 * returns the *n_read tensors that the dispatch reads, then those that it
 * writes; or, if scalars is given, these *n_read numbers as tensors.  Errors:
 * EUSAGE (the dispatch is inside control flow). */
CUL_MUST_CHECK int cul_dispatch_text_look(
    const struct cul_buf *flow, const struct cul_dispatch_site *site,
    const struct cul_dispatch_scalars *scalars, struct cul_buf *out,
    size_t *n_read, struct cul_err *err);
/* Append a module with the dispatch alone, as a function @main of its tensors.
 * The event gives their sizes, scalars the numbers that it reads.  Errors:
 * EUSAGE; if the values of some numbers are missing, all their names and types
 * are then in scalars. */
CUL_MUST_CHECK int cul_dispatch_text_alone(const struct cul_buf *flow,
                                           const struct cul_dispatch_site *site,
                                           const struct cul_trace_event *event,
                                           struct cul_dispatch_scalars *scalars,
                                           struct cul_buf *out,
                                           struct cul_err *err);
/* Append the module with the dispatch replaced by constants, one value for each
 * of its results.  Errors: EUSAGE (a value is of another type). */
CUL_MUST_CHECK int cul_dispatch_text_replace(
    const struct cul_buf *flow, const struct cul_dispatch_site *site,
    const struct cul_tensors *values, struct cul_buf *out, struct cul_err *err);

/* Append the module flow with the lines that define targets replaced by those
 * of the module other. */
void cul_dispatch_text_retarget(const struct cul_buf *flow,
                                const struct cul_buf *other,
                                struct cul_buf *out);

#endif
