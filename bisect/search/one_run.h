/* An oracle as a bisection needs it: one run, one answer. */
#ifndef CUL_BISECT_SEARCH_ONE_RUN_H
#define CUL_BISECT_SEARCH_ONE_RUN_H

#include "../../oracles/oracle.h"

/* self of cul_one_run_oracle: the user's oracle, opened. */
struct cul_one_run {
  const struct cul_oracle *inner;
  void *self;
};
/* Learns from a single failing run, since a failure that shows only sometimes
 * is no obstacle; a test that cannot run at one commit is UNRESOLVED there,
 * not the end of the job. */
extern const struct cul_oracle cul_one_run_oracle;

#endif
