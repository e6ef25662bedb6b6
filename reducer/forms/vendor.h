/* The verifier of the tool under test, asked what operations require.
 *
 * It is the command that prints the generic form (cul_form_opt_tool), with
 * --split-input-file: one start answers all that a worker asks at a time.
 * A tool that does not know the option answers one question at a start, some
 * of them; one that dies is started again with fewer questions, until it is
 * known which one it was: the answer to that is "unknown".  What one does that
 * verifies nothing, or prints nothing, counts for nothing.
 *
 * Answers are kept in the store under the identity of the tool, of the command
 * and of the question, for all jobs.  What had no answer in time is not. */
#ifndef CUL_REDUCER_FORMS_VENDOR_H
#define CUL_REDUCER_FORMS_VENDOR_H

#include "../../probe/target/target.h"
#include "../worker/worker.h"

struct cul_vendor_counts {
  uint64_t questions, cached, unknown; /* all; of them */
  uint64_t starts;                     /* of the tool */
  uint64_t us, first_us;               /* that it took; cul_now_us() when it was
                                          started first, 0: it was not */
};

struct cul_vendor;

/* Starts nothing.  target: borrowed; typed: --opt-tool, or NULL. */
struct cul_vendor *cul_vendor_new(struct cul_target *target, const char *typed);
void cul_vendor_free(struct cul_vendor *vendor);

/* Answer what worker asks for the sake of a mutation (UINT32_MAX: of all there
 * is to know), until it asks nothing more.  vendor: NULL: nobody is asked, as
 * where libMLIR answers in the worker.  Errors: ECHILD, ELOST (of the
 * worker), EINTR, EBUDGET; those of the tool are none. */
CUL_MUST_CHECK int cul_vendor_teach(struct cul_vendor *vendor,
                                    struct cul_worker *worker,
                                    uint32_t mutation, struct cul_err *err);

void cul_vendor_count(const struct cul_vendor *vendor,
                      struct cul_vendor_counts *out);
/* The command in one line (heap), NULL: there is none; and why nothing came of
 * it (borrowed), NULL: it answers, or was not asked. */
char *cul_vendor_name(const struct cul_vendor *vendor);
const char *cul_vendor_refusal(const struct cul_vendor *vendor);
/* Not 0: an answer did not come in time.  What is listed by what is known may
 * be listed otherwise another time; the number is of this time alone.  vendor:
 * may be NULL. */
uint64_t cul_vendor_missed(const struct cul_vendor *vendor);

#endif
