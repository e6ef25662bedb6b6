/* The nearest passing neighbour: of all candidates made of the result by one
 * more edit that pass, the one that differs least. */
#ifndef CUL_REDUCER_JOB_NEIGHBOUR_H
#define CUL_REDUCER_JOB_NEIGHBOUR_H

#include "../subject/subject.h"

struct cul_extent;
struct cul_reduce;

struct cul_neighbour {
  struct cul_buf text; /* empty: there is none */
  struct cul_size size;
  char edit[48]; /* the mutation that led to it */
};

struct cul_neighbours {
  struct cul_neighbour nearest;
  struct cul_neighbour ahead; /* of the speculative revision */
  struct cul_buf difference;  /* what is true of it, behind "passes when" */
};
void cul_neighbours_release(struct cul_neighbours *neighbours);

/* A candidate in a slot passes: keep it where it is nearer to the best than
 * the one had.  It is remembered, so that a job that is
 * continued, and asks the point no more, has it too. */
void cul_neighbour_consider(struct cul_reduce *job, int slot,
                            const struct cul_extent *extent);
/* Candidates of the speculative revision are kept apart: it has become the
 * revision; it has gone. */
void cul_neighbour_promote(struct cul_reduce *job);
void cul_neighbour_forget(struct cul_reduce *job);
/* At the end: what an earlier, interrupted run of the job remembered. */
CUL_MUST_CHECK int cul_neighbour_recall(struct cul_reduce *job,
                                        struct cul_err *err);
/* ... and where that is nothing: single edits of the result are asked until one
 * passes, by a few dozen runs at most, and not beyond the budget. */
CUL_MUST_CHECK int cul_neighbour_seek(struct cul_reduce *job,
                                      struct cul_err *err);
/* Both texts are had: say in words what differs (difference). */
void cul_neighbour_describe(struct cul_reduce *job);

#endif
