/* Records of the steps of a model (dispatches, tasks) with the input and output
 * tensors of each, and the first step at which two runs diverge. */
#ifndef CUL_SYSTEMS_TRACE_H
#define CUL_SYSTEMS_TRACE_H

#include "../base/tensor/compare.h"

struct cul_trace_event {
  char *name; /* heap: "f_dispatch_1::f_dispatch_1_matmul", a task's id */
  struct cul_tensors inputs, outputs;
};

struct cul_trace {
  /* heap; in order of execution, or of their dependencies */
  struct cul_trace_event *events;
  size_t n;
};

/* One kind of record: a file trace_NAME.c, a line TRACE(NAME) in list.h. */
struct cul_trace_reader {
  const char *name;
  /* Append the events of path.  *mine: false if path is of another kind; out is
   * then unchanged.  Errors: EUSAGE. */
  int (*read)(const char *path, struct cul_trace *out, bool *mine,
              struct cul_err *err);
};

/* Read path by the first reader that accepts it.  *found: false if none does.
 * Errors: EUSAGE. */
CUL_MUST_CHECK int cul_trace_load(const char *path, struct cul_trace *out,
                                  bool *found, struct cul_err *err);
void cul_trace_release(struct cul_trace *trace);
/* Append an event; borrowed until the next. */
struct cul_trace_event *cul_trace_add(struct cul_trace *trace, const char *name,
                                      size_t len);

/* The point at which two runs diverge. */
struct cul_divergence {
  struct cul_trace_event *got, *want; /* NULL: they do not diverge */
  size_t event;                       /* of want, from 0 */
  bool inputs_agree; /* true: the step itself is to blame; false: an earlier
                        step that the traces do not contain */
  size_t only_got, only_want; /* number of steps that the other run lacks */
};

/* Find the first step of want whose outputs mismatch although its inputs agree
 * or, if there is none, the first whose outputs mismatch.  The n-th step of a
 * name is matched with the n-th of that name in the other run.  Borrows from
 * both. */
void cul_trace_diverge(struct cul_trace *got, struct cul_trace *want,
                       const struct cul_tolerance_conf *tolerance,
                       struct cul_divergence *out);

#endif
