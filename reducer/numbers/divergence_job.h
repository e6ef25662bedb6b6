/* Private to divergence*.c. */
#ifndef CUL_REDUCER_NUMBERS_DIVERGENCE_JOB_H
#define CUL_REDUCER_NUMBERS_DIVERGENCE_JOB_H

#include "../../base/tensor/compare.h"
#include "divergence.h"

/* An operation of the function of entry, and a value:
 * engines/program/program.h. */
struct cul_flow_op {
  char *name, *location, *text; /* heap */
  bool inside;                  /* what it does inside can be followed */
};
void cul_flow_op_release(struct cul_flow_op *op);
struct cul_flow_item {
  uint32_t op, end;
  uint64_t elements;
  char *type; /* heap */
};

/* What an operation does inside, step by step: engines/program/program.h. */
struct cul_inner_op {
  struct cul_flow_op op;
  uint32_t parent, last, region, block;
};
struct cul_inner_step {
  int kind; /* enum cul_trace_kind */
  uint32_t op, region, number;
  uint64_t turn; /* of a block: how often it began since that around it did */
  uint64_t when; /* it was seen last; 0: never */
  const char *seen; /* there, in the reference's print */
};
struct cul_inner {
  struct cul_inner_op *ops;
  struct cul_inner_step *steps;
  size_t n_ops, n_steps;
  struct cul_buf want; /* printed by the reference */
  uint32_t root, op;   /* number of the operation; what of it is wrong */
  uint32_t at;         /* its place in its block */
  bool entered;        /* op is wrong, and not the root itself */
};
void cul_inner_release(struct cul_inner *inner);

struct cul_divergence_job {
  const struct cul_divergence_conf *conf;
  struct cul_target *target; /* borrowed, and classified */
  struct cul_held out;       /* conf->out */
  char *program;             /* of the engines */
  char *input;               /* the module, in the job's directory */
  struct cul_flow_op *ops;
  struct cul_flow_item *values;
  size_t n_ops, n_values;
  bool fresh; /* there is memory that nobody may have written */
  struct cul_tensors want, again; /* of the reference, and once more: named
                                     by number */
  bool exact;     /* nothing is rounded on the way: every bit counts */
  bool overflows; /* the reference, but not in what differs: where it has no
                     finite number nothing is compared */
  double floor;   /* least severity of a difference */
  uint32_t runs[CUL_N_ROLES]; /* while searching */
  struct cul_inner inner;
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

/* The engine's output for the module and these words (NULL terminated).  to:
 * the directory that "@{out}" in a word stands for, and that the engine may
 * write to; NULL: none. */
CUL_MUST_CHECK int cul_divergence_make(struct cul_divergence_job *job,
                                       const char *const *words, const char *to,
                                       struct cul_buf *out,
                                       struct cul_err *err);
/* The same, handed to fn line by line. */
typedef void cul_divergence_line(struct cul_divergence_job *job,
                                 const char *line);
CUL_MUST_CHECK int cul_divergence_list(struct cul_divergence_job *job,
                                       const char *const *words,
                                       cul_divergence_line *fn,
                                       struct cul_err *err);
/* Look at operations (lo, hi] until one is left: 0; where no run shows a
 * difference, EUSAGE. */
CUL_MUST_CHECK int cul_divergence_bisect(struct cul_divergence_job *job,
                                         struct cul_divergence_range *range,
                                         struct cul_err *err);
/* Where the range's operation does something inside, find the first step of it
 * that differs: job->inner, and range->what of it. */
CUL_MUST_CHECK int cul_divergence_enter(struct cul_divergence_job *job,
                                        struct cul_divergence_range *range,
                                        struct cul_err *err);
/* In which turn, branch or element of operation number `op` of job->inner is
 * what is wrong?  "turn 4", "else", "element (0, 3)"; or "". */
void cul_inner_where(const struct cul_inner *inner, uint32_t op,
                     struct cul_buf *out);
/* The turn that it is in, from 0 on. */
uint64_t cul_inner_turn(const struct cul_inner *inner, uint32_t op);
/* What the reference computed in a step, last before it went wrong.  Errors:
 * EUSAGE: nothing. */
CUL_MUST_CHECK int cul_inner_value(const struct cul_inner *inner,
                                   uint32_t number, struct cul_tensors *out,
                                   struct cul_err *err);
/* Read the operations and values of the module as it is opened. */
CUL_MUST_CHECK int cul_divergence_read_flow(struct cul_divergence_job *job,
                                            struct cul_err *err);
void cul_divergence_free_flow(struct cul_divergence_job *job);

/* Run the program as this role has it.  out: its values, named by number;
 * NULL: they stay text, and are fewer.  Errors: EUSAGE where it fails. */
CUL_MUST_CHECK int cul_divergence_run(struct cul_divergence_job *job,
                                      const struct cul_buf *program,
                                      enum cul_run_role role,
                                      struct cul_tensors *out,
                                      struct cul_buf *printed,
                                      struct cul_err *err);
/* The next value of what was printed; *found is false behind the last one. */
CUL_MUST_CHECK int cul_divergence_next(const char **at, struct cul_tensors *out,
                                       bool *found, struct cul_err *err);
/* A line "NAME\tLOCATION\tTEXT" of the engine. */
void cul_divergence_read_op(struct cul_divergence_job *job, const char *at,
                            struct cul_flow_op *out);
/* Elements of got become the reference's where that has given two different
 * numbers, a and b. */
void cul_divergence_skip(struct cul_tensor *got, const struct cul_tensor *want,
                         const struct cul_tensor *a,
                         const struct cul_tensor *b);
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
  bool inside; /* of the block in which job->inner.op stands */
  uint32_t first, last;
  struct cul_buf program, got, want; /* the latter two: printed */
  struct cul_tensors want_tensors;
  struct cul_divergent worst;
};
void cul_divergence_segment_release(struct cul_divergence_segment *segment);
/* The shortest run of operations that ends with `last`, or with what is wrong
 * inside it, and is wrong by itself; found is false where none is. */
CUL_MUST_CHECK int
cul_divergence_segment_find(struct cul_divergence_job *job, uint32_t last,
                            struct cul_divergence_segment *out, bool *found,
                            struct cul_err *err);
/* One that was found, as a program that prints its numbers as such. */
CUL_MUST_CHECK int
cul_divergence_segment_plain(struct cul_divergence_job *job,
                             const struct cul_divergence_segment *segment,
                             struct cul_buf *out, struct cul_err *err);
/* Write it into conf->out.  *shows: repro.sh was run, and said so. */
CUL_MUST_CHECK int
cul_divergence_bundle(struct cul_divergence_job *job,
                      const struct cul_divergence_segment *segment, bool *shows,
                      struct cul_err *err);

#endif
