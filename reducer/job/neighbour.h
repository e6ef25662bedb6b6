/* The nearest passing neighbour: among all candidates that one further edit
 * makes of the result and that pass, the one that differs least from it. */
#ifndef CUL_REDUCER_JOB_NEIGHBOUR_H
#define CUL_REDUCER_JOB_NEIGHBOUR_H

#include "../subject/subject.h"

struct cul_extent;
struct cul_reduce;

/* In bytes.  A larger text has no neighbour: candidates are not kept, and a
 * list of its edits takes many times as much memory. */
enum { CUL_NEIGHBOUR_MOST = 16 << 20 };

struct cul_neighbour {
  struct cul_buf text; /* empty: no neighbour is known */
  struct cul_size size;
  char edit[48]; /* the mutation that made it */
};

struct cul_neighbours {
  struct cul_neighbour nearest;
  struct cul_neighbour ahead; /* the nearest to the speculative revision */
  struct cul_buf difference;  /* follows the words "passes when" */
};
void cul_neighbours_release(struct cul_neighbours *neighbours);

/* The candidate in a slot passes: keep it if it is nearer to the best one than
 * the present neighbour.  It is also stored, so that a continued job, which
 * does not ask for the point again, still has it. */
void cul_neighbour_consider(struct cul_reduce *job, int slot,
                            const struct cul_extent *extent);
/* Neighbours of the speculative revision are kept apart.  promote: the
 * speculative revision has become the revision.  forget: it was dropped. */
void cul_neighbour_promote(struct cul_reduce *job);
void cul_neighbour_forget(struct cul_reduce *job);
/* At the end, restore the data that an earlier, interrupted run of the job
 * stored. */
CUL_MUST_CHECK int cul_neighbour_recall(struct cul_reduce *job,
                                        struct cul_err *err);
/* If there is no neighbour yet, try single edits of the result until one
 * passes: a few dozen runs at most, within the budget. */
CUL_MUST_CHECK int cul_neighbour_seek(struct cul_reduce *job,
                                      struct cul_err *err);
/* Describe in words how the two texts differ (difference).  Both must be
 * present. */
void cul_neighbour_describe(struct cul_reduce *job);

#endif
