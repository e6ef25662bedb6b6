/* An oracle as a bisection needs it: one run, one answer.  Private. */
#ifndef CUL_BISECT_SEARCH_COMMITS_ORACLE_H
#define CUL_BISECT_SEARCH_COMMITS_ORACLE_H

#include "../../oracles/oracle.h"

/* self of cul_commits_oracle: the user's oracle, opened. */
struct cul_commits_oracle {
  const struct cul_oracle *inner;
  void *self;
};
/* Learns from a single failing run, since a failure that shows only sometimes
 * is no obstacle; a test that cannot run at one commit is UNRESOLVED there,
 * not the end of the job. */
extern const struct cul_oracle cul_commits_one_run;

#endif
