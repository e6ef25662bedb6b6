/* Ask the verifier of the tool under test what operations require.
 *
 * The tool is the command that prints the generic form (cul_form_opt_tool),
 * with --split-input-file: one start answers all questions that a worker has at
 * a time.  A tool that does not know this option answers one question per
 * start, and the number of its starts is bounded.  A tool that dies is started
 * again with fewer questions, until the question that kills it is known; the
 * answer to that is "unknown".  A tool that verifies nothing, or prints
 * nothing, is not used.
 *
 * Answers are stored for all jobs under the identity of the tool, the command
 * and the question; a question that was not answered in time is not stored. */
#ifndef CUL_REDUCER_FORMS_VENDOR_H
#define CUL_REDUCER_FORMS_VENDOR_H

#include "../../probe/target/target.h"
#include "../worker/worker.h"

struct cul_vendor_counts {
  /* all; those from the store; those without answer */
  uint64_t questions, cached, unknown;
  uint64_t starts; /* starts of the tool */
  /* time of all starts; cul_now_us() at the first start, 0: none */
  uint64_t us, first_us;
};

struct cul_vendor;

/* Starts no process.  target: borrowed; typed: --opt-tool, or NULL. */
struct cul_vendor *cul_vendor_new(struct cul_target *target, const char *typed);
void cul_vendor_free(struct cul_vendor *vendor);

/* Answer the questions that the worker has about a mutation (UINT32_MAX: all
 * questions), until it has no more.  No tool is asked if vendor is NULL
 * (libMLIR answers in the worker) or if the worker runs candidates itself
 * (cul_worker_is_live).  Errors: ECHILD, ELOST (of the worker), EINTR, EBUDGET,
 * EENV; failures of the tool are no errors. */
CUL_MUST_CHECK int cul_vendor_teach(struct cul_vendor *vendor,
                                    struct cul_worker *worker,
                                    uint32_t mutation, struct cul_err *err);

void cul_vendor_count(const struct cul_vendor *vendor,
                      struct cul_vendor_counts *out);
/* The command in one line, heap; NULL: there is none. */
char *cul_vendor_name(const struct cul_vendor *vendor);
/* The reason why the tool is not used, borrowed; NULL: it is used, or was not
 * asked yet. */
const char *cul_vendor_refusal(const struct cul_vendor *vendor);
/* Not 0: an answer did not come in time, so that mutations may list other sites
 * another time.  The number is unique to this vendor.  vendor may be NULL. */
uint64_t cul_vendor_missed(const struct cul_vendor *vendor);

#endif
