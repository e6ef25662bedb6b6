/* Bookkeeping while a reduce job searches: statistics, steps, other failures,
 * the nearest passing neighbour, the journal.
 *
 * Each step keeps the difference of its text from the step before: at most 4
 * KiB per step and 512 KiB for all steps, and none for texts above 1 MiB; the
 * size of what is omitted is recorded. */
#ifndef CUL_REDUCER_JOB_WATCH_H
#define CUL_REDUCER_JOB_WATCH_H

#include "job.h"

/* Register the job with its probe, so that runs are reported before there is a
 * space. */
void cul_reduce_listen(struct cul_reduce *job);

/* Register the job with its probe and space, and fill job->subject.statistics.
 * Errors: EUSAGE if a mutation that is to be left out does not exist. */
CUL_MUST_CHECK int cul_reduce_watch(struct cul_reduce *job,
                                    struct cul_err *err);

/* Start the log with this text and no steps.  The first step is described by
 * its difference from the text. */
void cul_reduce_log_start(struct cul_reduce *job,
                          const struct cul_pieces *text);
/* Free all steps. */
void cul_reduce_log_forget(struct cul_reduce *job);

/* Record one step: a growing edit and the edits that followed it have made the
 * subject smaller than `before`. */
void cul_reduce_gained(struct cul_reduce *job, uint32_t mutation,
                       const struct cul_size *before);

/* The step of cul_standalone, which --without may name. */
#define CUL_STANDALONE "standalone"

/* Record that the search continues from a subject that no edit leads to.  why:
 * a constant string, shown in place of a mutation. */
void cul_reduce_jumped(struct cul_reduce *job, const char *why);

/* Does the user wish to leave this mutation?  If so, it is counted as left. */
bool cul_reduce_skips(struct cul_reduce *job, uint32_t mutation);

/* Remove OUT.broken, the candidate on which the test failed to run, if this job
 * wrote it, or if an earlier one did according to the store.  The job must hold
 * the output. */
void cul_reduce_drop_broken(struct cul_reduce *job);

#endif
