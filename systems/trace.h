/* Records of the steps of a model (dispatches, tasks) with the input and output
 * tensors of each, and the first step at which two runs diverge. */
#ifndef CUL_SYSTEMS_TRACE_H
#define CUL_SYSTEMS_TRACE_H

#include "../base/patience.h"
#include "../base/tensor/compare.h"

struct cul_trace_event {
  char *name; /* heap: "f_dispatch_1::f_dispatch_1_matmul", a task's id */
  char *what; /* heap: what it runs, "kernel 3"; NULL: its name says it */
  struct cul_tensors inputs, outputs;
  /* Inputs that are single numbers.  They may be addresses, and so they do not
   * count when steps are paired. */
  struct cul_tensors scalars;
  /* heap; for each input: does it share the elements of an earlier tensor of
   * the trace, which owns them?  NULL: none does */
  bool *borrows;
};

struct cul_trace {
  /* heap; in order of execution, or of their dependencies */
  struct cul_trace_event *events;
  size_t n;
  /* heap; the reason why the run or its record ended early; a last step that
   * was cut off is left out.  NULL: the record is complete */
  char *ended;
  /* with ended: the name of the step in which it ended, heap; or NULL */
  char *at;
};

/* One kind of record: a file trace_NAME.c, a line TRACE(NAME) in list.h. */
struct cul_trace_reader {
  const char *name;
  /* Append the events of path.  *mine: false if path is of another kind; out is
   * then unchanged.  Errors: EUSAGE; those of patience. */
  int (*read)(const char *path, const struct cul_patience *patience,
              struct cul_trace *out, bool *mine, struct cul_err *err);
};

/* Read path by the first reader that accepts it.  *found: false if none does.
 * patience is asked before each step.  Errors: EUSAGE; those of patience. */
CUL_MUST_CHECK int cul_trace_load(const char *path,
                                  const struct cul_patience *patience,
                                  struct cul_trace *out, bool *found,
                                  struct cul_err *err);
void cul_trace_release(struct cul_trace *trace);
/* The index of the step of that name, or of the same number in another notation
 * (0x10, 16); SIZE_MAX: there is none. */
size_t cul_trace_find(const struct cul_trace *trace, const char *name);
/* Append "step 2 of 9, NAME (WHAT)". */
void cul_trace_tell(const struct cul_trace *trace, size_t step,
                    struct cul_buf *out);
/* Append an event; borrowed until the next. */
struct cul_trace_event *cul_trace_add(struct cul_trace *trace, const char *name,
                                      size_t len);

/* How a step relates to the reference's run. */
enum cul_step_state {
  CUL_STEP_SAME,  /* its outputs agree with the reference; see cul_trace_pair */
  CUL_STEP_WRONG, /* its inputs are the reference's, its outputs are not */
  CUL_STEP_LATER, /* its inputs already differ */
  CUL_STEP_ALONE, /* the reference has no such step */
};
struct cul_step {
  enum cul_step_state state;
  size_t want; /* the reference's step; SIZE_MAX: none */
};
struct cul_trace_pairs {
  struct cul_step *steps; /* heap; of got, in its order */
  size_t n;
  /* heap; for each step of want: does got lack it?  It does if the step has no
   * partner, got has all its inputs, and got has not all its outputs.  All are
   * false if got ended early */
  bool *lacks;
  /* the first WRONG one or, if there is none, the first other one that differs
   * and has a partner; SIZE_MAX: none */
  size_t first;
  size_t n_wrong;
  /* number of steps of each run without a partner; 0 if the other run ended
   * early */
  size_t only_got, only_want;
};

/* The largest difference of two values of these types that rounding explains,
 * relative to the largest value of their tensor: some roundoffs, or the error
 * of a print of six digits. */
double cul_trace_slack(enum cul_dtype a, enum cul_dtype b);

/* Pair the steps of two runs by the values of their inputs, because names,
 * numbers and the division into steps differ between versions and levels of
 * optimization.  A step is the same if its inputs and outputs agree with those
 * of its partner.  It is also the same if the runs are divided differently
 * there: all its outputs are values of the reference, or all steps that read
 * its outputs are the same.  Steps whose inputs differ are paired by name, the
 * n-th with the n-th.
 *
 * With tolerance->rounding and no other tolerance, values agree if the rounding
 * of the type and a print of six digits explain their difference, relative to
 * the largest value of the tensor.  patience is asked before two tensors are
 * compared.  Errors: those of patience; release out then, too. */
CUL_MUST_CHECK int cul_trace_pair(const struct cul_trace *got,
                                  const struct cul_trace *want,
                                  const struct cul_tolerance_conf *tolerance,
                                  const struct cul_patience *patience,
                                  struct cul_trace_pairs *out,
                                  struct cul_err *err);
void cul_trace_pairs_release(struct cul_trace_pairs *pairs);

#endif
