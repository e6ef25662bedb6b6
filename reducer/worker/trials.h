/* Trials of mutations at many sites, for people who write them. */
#ifndef CUL_REDUCER_WORKER_TRIALS_H
#define CUL_REDUCER_WORKER_TRIALS_H

#include "session.h"

struct cul_trial_conf {
  enum cul_form form; /* form in which the subject is opened */
  const char *name;   /* name of the mutation, or "all" */
  size_t most;        /* maximum number of sites of each mutation */
  const char *keep;   /* directory for the results, valid or not; or NULL */
  uint64_t seed;      /* 0 = evenly spread sites, and subsets; else random */
};

/* Try mutations, each trial in a child, and print counts as JSON lines.  Kept
 * results are NUMBER.mlir; the file `index` has a line "NUMBER MUTATION OUTCOME
 * WHY", separated by tabs, for each. */
CUL_MUST_CHECK int cul_session_try(struct cul_session *session,
                                   const struct cul_trial_conf *conf,
                                   struct cul_err *err);

#endif
