/* What is printed at the end of a reduction. */
#ifndef CUL_CLI_SUMMARY_H
#define CUL_CLI_SUMMARY_H

#include <stdio.h>

#include "../reducer/reduce.h"

/* The failure, sizes, runs, the nearest passing module, and the result itself
 * where it is short.  job->report must be there. */
void cul_print_reduction(const struct cul_reduce *job, FILE *out);

#endif
