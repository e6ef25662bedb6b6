/* Bookkeeping while a reduce job searches: statistics, steps, other failures,
 * the nearest passing neighbour, the journal.
 *
 * Of a step's text what differs from the step before is kept: 4 KiB of it, 512
 * KiB of all steps, nothing of texts above 1 MiB; and how much that leaves
 * out. */
#ifndef CUL_REDUCER_JOB_WATCH_H
#define CUL_REDUCER_JOB_WATCH_H

#include "job.h"

/* Hook the job into its probe, to tell of runs before there is a space. */
void cul_reduce_listen(struct cul_reduce *job);

/* Hook the job into its probe and space; fills job->subject.statistics. EUSAGE:
 * a mutation that is to be left out does not exist. */
CUL_MUST_CHECK int cul_reduce_watch(struct cul_reduce *job,
                                    struct cul_err *err);

/* The search begins with this text: there are no steps, and the first one will
 * be told by what it makes of it. */
void cul_reduce_log_start(struct cul_reduce *job, struct cul_bytes text);
/* Free the steps that were told; there are none. */
void cul_reduce_log_forget(struct cul_reduce *job);

/* A growing edit has made the subject smaller than `before`, with all that
 * followed it: one step. */
void cul_reduce_gained(struct cul_reduce *job, uint32_t mutation,
                       const struct cul_size *before);

/* The search goes on from elsewhere, where no edit of the subject leads; why,
 * a constant, stands in a mutation's place. */
void cul_reduce_jumped(struct cul_reduce *job, const char *why);

/* Does the user wish to leave this mutation?  Then it counts as left. */
bool cul_reduce_skips(struct cul_reduce *job, uint32_t mutation);

/* OUT.broken goes, the candidate on which the test could not run: this job's,
 * or one that an earlier one left, as the store knows.  The output is ours. */
void cul_reduce_drop_broken(struct cul_reduce *job);

#endif
