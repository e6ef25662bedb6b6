/* The shortest run of operations that is wrong by itself, with recorded inputs,
 * and the files in which it is written. */
#ifndef CUL_REDUCER_NUMBERS_DIVERGENCE_SEGMENT_H
#define CUL_REDUCER_NUMBERS_DIVERGENCE_SEGMENT_H

#include "divergence_run.h"

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

/* Find the shortest segment that ends with operation `last`, or with the wrong
 * one inside it, and is wrong by itself.  *found: there is one.  out: release
 * it.  Errors: those of runs. */
CUL_MUST_CHECK int cul_segment_find(struct cul_divergence_job *job,
                                    uint32_t last,
                                    struct cul_divergence_segment *out,
                                    bool *found, struct cul_err *err);
/* Free what it owns and leave {0}, which is fine, too. */
void cul_segment_release(struct cul_divergence_segment *segment);
/* Append the segment as a program that prints its results as plain numbers. */
CUL_MUST_CHECK int cul_segment_plain(struct cul_divergence_job *job,
                                     const struct cul_divergence_segment *s,
                                     struct cul_buf *out, struct cul_err *err);
/* Write the segment into conf->out.  *shows: repro.sh, run afterwards, shows
 * the failure.  Errors: those of files and runs. */
CUL_MUST_CHECK int
cul_segment_write(struct cul_divergence_job *job,
                  const struct cul_divergence_segment *segment, bool *shows,
                  struct cul_err *err);

#endif
