/* The job that finds where wrong numbers begin: what all its steps share.
 * Private to divergence*.c and dispatch*.c. */
#ifndef CUL_REDUCER_NUMBERS_DIVERGENCE_JOB_H
#define CUL_REDUCER_NUMBERS_DIVERGENCE_JOB_H

#include "../../base/tensor/compare.h"
#include "divergence.h"
#include "divergence_flow.h"

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
  /* operations may write memory that is none of their operands, so that the
   * values of a block do not show everything that it reads */
  bool shared;
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

/* Write a file of conf->out; name: below it.  Errors: those of files. */
CUL_MUST_CHECK int cul_divergence_put(const struct cul_divergence_job *job,
                                      const char *name,
                                      const struct cul_buf *text, mode_t mode,
                                      struct cul_err *err);
/* Write conf->out/report.json. */
CUL_MUST_CHECK int
cul_divergence_put_report(const struct cul_divergence_job *job,
                          const json_t *report, struct cul_err *err);

#endif
