/* Private to divergence*.c. */
#ifndef CUL_REDUCER_DIVERGENCE_JOB_H
#define CUL_REDUCER_DIVERGENCE_JOB_H

#include "../base/tensor/compare.h"
#include "divergence.h"

/* An operation of the function of entry, and a value: engines/program.h. */
struct cul_flow_op {
  char *name, *location, *text; /* heap */
  uint64_t turns;               /* of what stands inside; 0: not known */
};
void cul_flow_op_release(struct cul_flow_op *op);
struct cul_flow_item {
  uint32_t op, end;
  uint64_t elements;
  char *type; /* heap */
};

#define CUL_DIVERGENCE_DEPTH 16
struct cul_divergence_job {
  const struct cul_divergence_conf *conf;
  struct cul_target target;
  char *program; /* of the engines */
  char *input;   /* the module, in the job's directory */
  char *open;    /* what was opened, as the engine takes it; "" */
  struct cul_flow_op *ops;
  struct cul_flow_item *values;
  size_t n_ops, n_values;
  bool fresh; /* there is memory that nobody may have written */
  struct cul_tensors want, again; /* of the reference, and once more: named
                                     by number */
  double floor;                   /* least severity of a difference */
  uint32_t runs[CUL_N_ROLES];     /* while searching */
  struct cul_flow_op path[CUL_DIVERGENCE_DEPTH]; /* what was entered; turns:
                                                    which one */
  size_t depth;
  unsigned hidden; /* so many programs that print more did not show it */
};

/* One suspect value against the reference's. */
struct cul_divergent {
  bool differs;
  double severity;
  char what[200]; /* "12 of 16 are off, ..." */
};
/* Up to lo all agrees, behind hi something differs. */
struct cul_divergence_range {
  int64_t lo, hi;
  bool seen; /* a run has shown the difference */
  struct cul_divergent what;
};

/* The engine's output for the module and these words (NULL terminated), which
 * may name what was opened. */
CUL_MUST_CHECK int cul_divergence_make(struct cul_divergence_job *job,
                                       const char *const *words,
                                       struct cul_buf *out,
                                       struct cul_err *err);
/* Look at operations (lo, hi] until one is left: 0; where no run shows a
 * difference, EUSAGE: after the first that is to show it, where patient is
 * false. */
CUL_MUST_CHECK int cul_divergence_bisect(struct cul_divergence_job *job,
                                         struct cul_divergence_range *range,
                                         bool patient, struct cul_err *err);
/* As long as the range's operation is a call, or a loop whose turns are known,
 * go inside: job and range are then of what stands there.  Where nothing
 * differs inside, they stay as they are. */
CUL_MUST_CHECK int cul_divergence_enter(struct cul_divergence_job *job,
                                        struct cul_divergence_range *range,
                                        struct cul_err *err);
/* Read the operations and values of the module as it is opened. */
CUL_MUST_CHECK int cul_divergence_read_flow(struct cul_divergence_job *job,
                                            struct cul_err *err);
void cul_divergence_free_flow(struct cul_divergence_job *job);

/* Run the program as this role has it.  Errors: EUSAGE where it fails. */
CUL_MUST_CHECK int cul_divergence_run(struct cul_divergence_job *job,
                                      const struct cul_buf *program,
                                      enum cul_run_role role,
                                      struct cul_tensors *out,
                                      struct cul_buf *printed,
                                      struct cul_err *err);
/* Compare two tensors of one number.  Elements of which the reference has
 * given two different numbers, which nobody has written, become equal. */
void cul_divergence_compare(const struct cul_divergence_job *job,
                            struct cul_tensor *got,
                            const struct cul_tensor *want,
                            struct cul_divergent *out);
/* Have the reference compute these values, as far as it has not. */
CUL_MUST_CHECK int cul_divergence_want(struct cul_divergence_job *job,
                                       const uint32_t *numbers, size_t n,
                                       struct cul_err *err);

/* Something differs: have it compute all that it has once more, with fresh
 * memory filled otherwise. */
CUL_MUST_CHECK int cul_divergence_doubt(struct cul_divergence_job *job,
                                        struct cul_err *err);

/* Operation first to last, alone: what they take comes from the reference. */
struct cul_divergence_segment {
  uint32_t first, last;
  struct cul_buf program, got, want; /* the latter two: printed */
  struct cul_tensors want_tensors;
  struct cul_divergent worst;
};
void cul_divergence_segment_release(struct cul_divergence_segment *segment);
/* The shortest run of operations that ends with `last` and is wrong by
 * itself; found is false where none is. */
CUL_MUST_CHECK int
cul_divergence_segment_find(struct cul_divergence_job *job, uint32_t last,
                            struct cul_divergence_segment *out, bool *found,
                            struct cul_err *err);
/* Write it into conf->out.  *shows: repro.sh was run, and said so. */
CUL_MUST_CHECK int
cul_divergence_bundle(struct cul_divergence_job *job,
                      const struct cul_divergence_segment *segment, bool *shows,
                      struct cul_err *err);

#endif
