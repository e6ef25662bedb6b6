/* What systems record of a model's steps (dispatches, tasks): the tensors that
 * went in and came out of each; and the first step where two runs part. */
#ifndef CUL_SYSTEMS_TRACE_H
#define CUL_SYSTEMS_TRACE_H

#include "../base/tensor/compare.h"

struct cul_trace_event {
  char *name; /* heap: "f_dispatch_1::f_dispatch_1_matmul", a task's id */
  struct cul_tensors inputs, outputs;
};

struct cul_trace {
  struct cul_trace_event *events; /* heap; in the order they ran, or in that of
                                     their dependencies */
  size_t n;
};

/* One kind of record: a file trace_NAME.c, a line TRACE(NAME) in list.h. */
struct cul_trace_reader {
  const char *name;
  /* Append the events of path.  *mine: false where it is of another kind, out
   * is then as it was.  Errors: EUSAGE. */
  int (*read)(const char *path, struct cul_trace *out, bool *mine,
              struct cul_err *err);
};

/* Read path by the first reader whose it is.  *found: false where no reader
 * knows it.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_trace_load(const char *path, struct cul_trace *out,
                                  bool *found, struct cul_err *err);
void cul_trace_release(struct cul_trace *trace);
/* Append an event; borrowed until the next. */
struct cul_trace_event *cul_trace_add(struct cul_trace *trace, const char *name,
                                      size_t len);

/* Where two runs part. */
struct cul_divergence {
  struct cul_trace_event *got, *want; /* NULL: they never do */
  size_t event;                       /* of want, from 0 */
  bool inputs_agree; /* the step itself is to blame; false: something before
                        it that the traces do not hold */
  size_t only_got, only_want; /* steps that the other run does not have */
};

/* The first step of want whose outputs are off while its inputs agree; where
 * there is none, the first with outputs off.  Steps are matched by name and
 * by how often the name came before.  Borrows from both. */
void cul_trace_diverge(struct cul_trace *got, struct cul_trace *want,
                       const struct cul_tolerance_conf *tolerance,
                       struct cul_divergence *out);

#endif
