/* Another reducer as one mutation: --pass-through COMMAND. */
#ifndef CUL_REDUCER_PLAN_PASS_THROUGH_H
#define CUL_REDUCER_PLAN_PASS_THROUGH_H

#include "../job/job.h"

/* Words of the command: the file that it reduces in place, and the program that
 * says whether a file shows the failure. */
#define CUL_PASS_FILE "@@"
#define CUL_PASS_TEST "@{test}"

/* Check that the command names the file and the test.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_pass_through_check(const char *command,
                                          struct cul_err *err);
/* Run the command of job->conf, if there is one, on the result so far.  The
 * test that it asks is the job's: the same runs, cache and limits.  What it
 * leaves, or else the smallest text that showed the failure, becomes the result
 * if it shows the failure as the job writes it, and is smaller.  *changed: set
 * to true if so; otherwise left as it is.  A command that fails is noted, and
 * is no error.  Errors: EBUDGET, EINTR (the command is killed), EENV. */
CUL_MUST_CHECK int cul_pass_through(struct cul_reduce *job, bool *changed,
                                    struct cul_err *err);

#endif
