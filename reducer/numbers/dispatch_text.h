/* The text of a module at IREE's phase "flow": find a dispatch in it, and make
 * other modules of it. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_TEXT_H
#define CUL_REDUCER_NUMBERS_DISPATCH_TEXT_H

#include "../../systems/trace.h"
#include "mlir_words.h"

/* A flow.dispatch, and what it needs; the strings are heap. */
struct cul_dispatch_site {
  const char *line; /* in the flow; borrowed */
  char *symbol, *workload;
  struct cul_mlir_words operands, types, results;
  char *value; /* "%5" */
};
/* Find the nth (from 0) dispatch of an event's name, or the last one.  Errors:
 * EUSAGE. */
CUL_MUST_CHECK int cul_dispatch_site_find(const struct cul_buf *flow,
                                          const char *event, size_t nth,
                                          struct cul_dispatch_site *out,
                                          struct cul_err *err);
void cul_dispatch_site_release(struct cul_dispatch_site *site);

/* Append the whole module with a function that returns the tensors that the
 * dispatch reads (*n_read), then those that it writes.  Errors: EUSAGE (it is
 * inside control flow). */
CUL_MUST_CHECK int cul_dispatch_text_look(const struct cul_buf *flow,
                                          const struct cul_dispatch_site *site,
                                          struct cul_buf *out, size_t *n_read,
                                          struct cul_err *err);
/* Append a module with the dispatch alone, as a function of its tensors, whose
 * sizes are those of the event.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_dispatch_text_alone(const struct cul_buf *flow,
                                           const struct cul_dispatch_site *site,
                                           const struct cul_trace_event *event,
                                           struct cul_buf *out,
                                           struct cul_err *err);
/* Append the module with values in the place of the dispatch's results, as
 * many.  Errors: EUSAGE (a value is of another type). */
CUL_MUST_CHECK int cul_dispatch_text_replace(
    const struct cul_buf *flow, const struct cul_dispatch_site *site,
    const struct cul_tensors *values, struct cul_buf *out, struct cul_err *err);

/* Append the formats of executables that a module is compiled to, each once:
 * "llvm-cpu", "embedded-elf-x86_64" and a line's end. */
void cul_dispatch_text_formats(const struct cul_buf *flow, struct cul_buf *out);
/* Append a module for the target of another one: its lines that name targets
 * are the other's. */
void cul_dispatch_text_retarget(const struct cul_buf *flow,
                                const struct cul_buf *other,
                                struct cul_buf *out);

#endif
