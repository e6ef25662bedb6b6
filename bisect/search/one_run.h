/* Adapts an oracle for bisections: one run gives one answer. */
#ifndef CUL_BISECT_SEARCH_ONE_RUN_H
#define CUL_BISECT_SEARCH_ONE_RUN_H

#include "../../oracles/oracle.h"

/* self of cul_one_run_oracle: the user's oracle, opened. */
struct cul_one_run {
  const struct cul_oracle *inner;
  void *self;
};
/* Learns from a single failing run, because bisection handles flaky failures.
 * A test that cannot run at one commit is UNRESOLVED there and does not end the
 * job. */
extern const struct cul_oracle cul_one_run_oracle;

#endif
