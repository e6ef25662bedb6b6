/* Private to divergence*.c and dispatch*.c. */
#ifndef CUL_REDUCER_NUMBERS_DIVERGENCE_JOB_H
#define CUL_REDUCER_NUMBERS_DIVERGENCE_JOB_H

#include "../../base/tensor/compare.h"
#include "divergence.h"

/* An operation (cul_flow_op) and a value (cul_flow_item) of the entry function,
 * as the engine lists them (engines/program/program.h). */
struct cul_flow_op {
  char *name, *location, *text; /* heap */
  char *stop;  /* why nothing inside it is followed, heap; NULL: no reason */
  bool inside; /* the steps inside it can be followed */
};
void cul_flow_op_release(struct cul_flow_op *op);
struct cul_flow_item {
  uint32_t op, end;
  uint64_t elements;
  char *type; /* heap */
};

/* The operations and steps inside an operation, as the engine lists them
 * (engines/program/program.h). */
struct cul_inner_op {
  struct cul_flow_op op;
  uint32_t parent, last, region, block;
};
struct cul_inner_step {
  int kind; /* enum cul_trace_kind */
  uint32_t op, region, number;
  /* of a block: how often it began since the block around it began */
  uint64_t turn;
  uint64_t when;    /* number of the comparison that saw it last; 0: none */
  const char *seen; /* its place in want at that time */
};
/* The steps that programs print: those inside operation `at`, one level of it
 * (flat) or all, with memory or without. */
struct cul_inner_view {
  uint32_t at;
  bool flat, memory;
};
struct cul_inner {
  struct cul_inner_op *ops;
  struct cul_inner_step *steps;
  size_t n_ops, n_steps;
  struct cul_inner_view view; /* the steps that are printed in want */
  struct cul_buf want;        /* the reference's print of these steps */
  uint64_t when;              /* steps before the one that differs */
  /* whole: the function itself is followed, and there is no root */
  bool whole;
  /* root: number of the operation in ops of the job; op: the wrong one inside
   * it */
  uint32_t root, op;
  uint32_t at;  /* index of op in its block */
  bool entered; /* op is the wrong operation, not the root */
  char *stop;   /* the reason why it is not entered further, heap; NULL: none */
  /* the reference's print with the memory before op, and in it the place of
   * each memory at the divergence */
  struct cul_buf before;
  const char **places;
  size_t n_places;
};

struct cul_divergence_job {
  const struct cul_divergence_conf *conf;
  struct cul_target *target; /* borrowed; classified */
  struct cul_held out;       /* the directory conf->out */
  /* culprit-worker-mlir, which contains the engines; heap */
  char *program;
  /* file of the module in the job's directory; heap */
  char *input;
  struct cul_flow_op *ops;
  struct cul_flow_item *values;
  size_t n_ops, n_values;
  bool fresh; /* some memory may be read before it is written */
  /* values of the reference, and those of its second run; named by number */
  struct cul_tensors want, again;
  bool exact; /* the reference does no rounding: every bit counts */
  /* the reference overflows, but not where the results differ: its elements
   * that are not finite are not compared */
  bool overflows;
  /* what the engine "program" made last, and by which words */
  struct cul_buf made, made_by;
  double floor; /* smallest severity that counts as a difference */
  uint32_t runs[CUL_N_ROLES]; /* runs of the search */
  struct cul_inner inner;
  unsigned hidden; /* number of programs whose prints hid the difference */
};

/* A value of the suspect compared with the reference's. */
struct cul_divergent {
  bool differs;
  double severity;
  char what[200]; /* "12 of 16 are off, ..." */
};
/* All values agree up to operation lo, and some differs after hi. */
struct cul_divergence_range {
  int64_t lo, hi;
  bool seen; /* a run has shown the difference */
  struct cul_divergent what;
};

/* Run the engine "program" on the module with these words, NULL terminated, and
 * append its output; the same words as the last time get what that gave, unless
 * they name a directory or "--from".  to: the directory that replaces "@{out}"
 * in a word, writable for the engine; NULL: none.  Errors: EUSAGE with the
 * engine's message; those of a run. */
CUL_MUST_CHECK int cul_divergence_make(struct cul_divergence_job *job,
                                       const char *const *words, const char *to,
                                       struct cul_buf *out,
                                       struct cul_err *err);
/* The same, but call fn with each line of the output. */
typedef void cul_divergence_line(struct cul_divergence_job *job,
                                 const char *line);
CUL_MUST_CHECK int cul_divergence_list(struct cul_divergence_job *job,
                                       const char *const *words,
                                       cul_divergence_line *fn,
                                       struct cul_err *err);
/* Narrow the range down to one operation: hi.  Errors: EUSAGE if no run shows a
 * difference; those of runs. */
CUL_MUST_CHECK int cul_divergence_bisect(struct cul_divergence_job *job,
                                         struct cul_divergence_range *range,
                                         struct cul_err *err);
/* Read the operations and values of the module's entry function. */
CUL_MUST_CHECK int cul_divergence_read_flow(struct cul_divergence_job *job,
                                            struct cul_err *err);
void cul_divergence_free_flow(struct cul_divergence_job *job);

/* Run the program with the command of this role.  out: add its values, named by
 * number; NULL: do not read them (the print may then be 64 MiB at most, else
 * 256 MiB).  printed: append its output; or NULL.  Errors: EUSAGE if the
 * program fails or prints something else; those of runs. */
CUL_MUST_CHECK int cul_divergence_run(struct cul_divergence_job *job,
                                      const struct cul_buf *program,
                                      enum cul_run_role role,
                                      struct cul_tensors *out,
                                      struct cul_buf *printed,
                                      struct cul_err *err);
/* Read the next value from a print; *found: false after the last one. */
CUL_MUST_CHECK int cul_divergence_next(const char **at, struct cul_tensors *out,
                                       bool *found, struct cul_err *err);
/* Read a line "NAME\tLOCATION\tTEXT" of the engine; out's strings are heap. */
void cul_divergence_read_op(struct cul_divergence_job *job, const char *at,
                            struct cul_flow_op *out);
/* Copy those elements of want (the reference's) to got that differ between a
 * and b, two runs of the reference.  Does nothing if a or b is NULL, or if the
 * sizes or types differ. */
void cul_divergence_skip(struct cul_tensor *got, const struct cul_tensor *want,
                         const struct cul_tensor *a,
                         const struct cul_tensor *b);
/* Compare two tensors of the same number.  Undefined elements, for which two
 * runs of the reference differ, are set equal first. */
void cul_divergence_compare(const struct cul_divergence_job *job,
                            struct cul_tensor *got,
                            const struct cul_tensor *want,
                            struct cul_divergent *out);
/* Make the reference compute those of these values that job->want lacks. */
CUL_MUST_CHECK int cul_divergence_want(struct cul_divergence_job *job,
                                       const uint32_t *numbers, size_t n,
                                       struct cul_err *err);

/* Write a file of conf->out; name: below it.  Errors: those of files. */
CUL_MUST_CHECK int cul_divergence_put(const struct cul_divergence_job *job,
                                      const char *name,
                                      const struct cul_buf *text, mode_t mode,
                                      struct cul_err *err);
/* Write conf->out/report.json. */
CUL_MUST_CHECK int
cul_divergence_put_report(const struct cul_divergence_job *job,
                          const json_t *report, struct cul_err *err);

/* Find the first dispatch that diverges in a command that runs iree-compile and
 * iree-run-module, and the wrong operation in it; print them to text, and write
 * conf->out.  *mine: false for any other command, for which nothing is done.
 * *report: a reference to the report.  Errors: EUSAGE (the dispatches cannot be
 * followed), those of runs. */
CUL_MUST_CHECK int cul_dispatches(struct cul_divergence_job *job, FILE *text,
                                  json_t **report, bool *mine,
                                  struct cul_err *err);

/* A segment: operations first to last as a program of their own.  Their
 * operands are those that the reference computed. */
struct cul_divergence_segment {
  bool inside; /* they are in the block that contains job->inner.op */
  uint32_t first, last;
  /* got, want: prints of suspect, reference */
  struct cul_buf program, got, want;
  struct cul_tensors want_tensors;
  struct cul_divergent worst;
};

#endif
