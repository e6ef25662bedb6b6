/* Other programs that make the subject smaller: a reducer of the user
 * (--pass-through COMMAND), and for Python scripts, one of culprit's own. */
#ifndef CUL_REDUCER_PLAN_PASS_THROUGH_H
#define CUL_REDUCER_PLAN_PASS_THROUGH_H

#include "../job/job.h"

/* The words of the command: the file that it reduces in place, and the program
 * that tests whether a file shows the failure. */
#define CUL_PASS_FILE "@@"
#define CUL_PASS_TEST "@{test}"

/* Check that the command names the file and the test.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_pass_through_check(const char *command,
                                          struct cul_err *err);
/* Run the command of job->conf, if there is one, on the result so far.  Its
 * test uses the job's runs, cache and limits.  The file that it leaves, or else
 * the smallest text that showed the failure, becomes the result if it is
 * smaller and shows the failure in the job's form.  *changed: set to true in
 * this case; otherwise left as it is.  A command that fails is reported in a
 * note, not as an error.  Errors: EBUDGET, EINTR (the command is killed), EENV.
 */
CUL_MUST_CHECK int cul_pass_through(struct cul_reduce *job, bool *changed,
                                    struct cul_err *err);
/* If the input is a Python script that fails while it runs: run it once below
 * culprit's own script (systems/standalone.py), which looks at the variables of
 * the frames where it fails, and writes a text for each frame that has those
 * values as literals.  The first one that is smaller and shows the failure
 * becomes the result.  Errors: EBUDGET, EINTR, EENV. */
CUL_MUST_CHECK int cul_standalone(struct cul_reduce *job, struct cul_err *err);

#endif
