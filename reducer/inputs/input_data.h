/* Input data as a part of the subject: where culprit makes the inputs itself
 * (--mismatch --passes, --device), the simplest that still show the failure:
 * few elements that are not 0, ones, or 1 and the element's own number.
 * Subsets of elements are searched by delta debugging (A. Zeller, R.
 * Hildebrandt, 2002). */
#ifndef CUL_REDUCER_INPUTS_INPUT_DATA_H
#define CUL_REDUCER_INPUTS_INPUT_DATA_H

#include "../job/job.h"

/* The module is as small as it gets: simplify its inputs, and set
 * job->inputs.  From then on all roles run with them.  Nothing where the inputs
 * are not ours, the failure shows only sometimes, or a budget is spent.
 * Errors: of runs. */
CUL_MUST_CHECK int cul_input_data_reduce(struct cul_reduce *job,
                                         struct cul_err *err);
void cul_input_data_free(struct cul_input_data *data);

/* For report.json; null where there is nothing to say. */
json_t *cul_input_data_json(const struct cul_reduce *job);

#endif
