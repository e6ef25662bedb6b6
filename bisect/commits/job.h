/* The job behind commits.h: it ties together what knows nothing of it. */
#ifndef CUL_BISECT_COMMITS_JOB_H
#define CUL_BISECT_COMMITS_JOB_H

#include "../../probe/workplace.h"
#include "bisection.h"
#include "commits.h"

struct cul_commits_job {
  const struct cul_commits_conf *conf;
  uint64_t start_us;
  struct cul_workplace place; /* removed at the end */
  struct cul_cache *cache;
  struct cul_sandboxes sandboxes;
  struct cul_ledger ledger;
  struct cul_lacking lacking;
  struct cul_sought sought;
  struct cul_archive archive;
  struct cul_pool *pool;
  struct cul_artefacts *artefacts;
  struct cul_command command; /* the test */
  const char **argv;          /* of command: the first one found in the build */
  char *program;
  struct cul_bisection_shared shared;
  struct cul_bisection whole; /* of the repository itself */
  struct cul_moves moves;     /* of the culprit */
  json_t *moved;  /* of the report: see moves.c; NULL: it moves none */
  json_t *inner;  /* of the report; NULL: the culprit moves no dependency */
  json_t *trials; /* of the report: see cul_commits_experiment; or NULL */
};

/* ---- ends.c ---- */

/* What failure is sought, a commit without it, and the dag between. */
CUL_MUST_CHECK int cul_commits_ends(struct cul_commits_job *job,
                                    struct cul_err *err);

/* ---- experiment.c ---- */

/* A revision that is no commit, built and run until it shows the failure, at
 * most `runs` times; remembered as commits are, and listed in job->trials.
 * what: in words, "f00 without dep". */
CUL_MUST_CHECK int
cul_commits_experiment(struct cul_commits_job *job,
                       const struct cul_repo_revision *revision,
                       const char *what, uint32_t runs,
                       struct cul_verdict *verdict, struct cul_err *err);

/* ---- doubts.c ---- */

/* Do the ends differ only for lack of a submodule?  EENV. */
CUL_MUST_CHECK int cul_commits_check_lacking(struct cul_commits_job *job,
                                             struct cul_err *err);
/* Try the ends without the submodules that are in doubt; no run is in flight.
 */
CUL_MUST_CHECK int cul_commits_settle_doubts(struct cul_commits_job *job,
                                             struct cul_err *err);

/* ---- moves.c ---- */

/* Where the culprit moves dependencies, and these are to blame, find who is
 * inside; sets job->inner and job->moved.  Errors: EINTR, EBUDGET; others are
 * warned of: the answer outside stands. */
CUL_MUST_CHECK int cul_commits_go_inside(struct cul_commits_job *job,
                                         uint32_t culprit, struct cul_err *err);

/* ---- inner.c ---- */

/* The search in what is to blame.  moved: its items are narrowed.  inside:
 * held, n_held, n_more, before_is, after_is and commit are set; what is held is
 * at its new commit. */
CUL_MUST_CHECK int cul_commits_search_moved(struct cul_commits_job *job,
                                            struct cul_inside *inside,
                                            struct cul_moved *moved,
                                            struct cul_err *err);

#endif
