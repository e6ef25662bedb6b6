/* The variables of the user's environment that the failure needs, which a
 * bundle must have: elsewhere they are not set. */
#ifndef CUL_REDUCER_FINISH_VARIABLES_H
#define CUL_REDUCER_FINISH_VARIABLES_H

#include "../job/job.h"

/* Find them by runs of the result without some of the variables: one run if
 * none is needed.  Fills job->outcome.variables; leaves it empty without
 * conf->bundle, for a flaky failure, and where other processes than those of a
 * command on this machine show the failure.  Errors: those of runs. */
CUL_MUST_CHECK int cul_variables_find(struct cul_reduce *job,
                                      struct cul_err *err);
/* How runs of the result differ from the usual environment: as the user said,
 * and with the needed variables among those that are set.  Borrowed. */
const struct cul_environment_conf *
cul_variables_conf(const struct cul_reduce *job);
#endif
