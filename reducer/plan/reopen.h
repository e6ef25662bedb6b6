/* Going back: the search continues from an earlier text of the job. */
#ifndef CUL_REDUCER_PLAN_REOPEN_H
#define CUL_REDUCER_PLAN_REOPEN_H

#include "../job/job.h"

/* Make the text the revision, write it as the result, forget what mutations
 * found on later texts, and record a step.  text: as the job's form prints it;
 * why: a constant string, shown in place of a mutation.  Errors: those of
 * cul_form_identity and of writing the result. */
CUL_MUST_CHECK int cul_reduce_reopen(struct cul_reduce *job,
                                     struct cul_bytes text, const char *why,
                                     struct cul_err *err);

#endif
