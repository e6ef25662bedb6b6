/* The state of the job of commits.h, which connects independent parts. */
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
  struct cul_stamps stamps; /* of the files of the test that no build makes */
  struct cul_hosts *hosts;  /* for builds and tests; NULL: this machine */
  struct cul_buf there;     /* result of cul_there_survey for them */
  struct cul_outside_told told; /* by them */
  struct cul_sandboxes sandboxes;
  struct cul_ledger ledger;
  struct cul_ledger_outside outside; /* of ledger */
  struct cul_lacking lacking;
  struct cul_sought sought;
  struct cul_archive archive;
  struct cul_pool *pool;
  struct cul_artefacts *artefacts;
  struct cul_command command; /* the test */
  const char **argv; /* of command: the program is looked up in the build */
  char *program;
  struct cul_bisection_shared shared;
  struct cul_bisection whole; /* of the repository itself */
  struct cul_moves moves;     /* of the culprit */
  json_t *moved;              /* of the report: see moves.c; NULL: no moves */
  json_t *inner;  /* of the report; NULL: the culprit moves no dependency */
  json_t *trials; /* of the report: see cul_commits_experiment; or NULL */
};

/* ---- ends.c ---- */

/* Find the sought failure, a commit without it, and the DAG between. */
CUL_MUST_CHECK int cul_commits_ends(struct cul_commits_job *job,
                                    struct cul_err *err);

/* ---- experiment.c ---- */

/* Build a revision that is not a commit and run it until it shows the failure,
 * at most `runs` times.  The result is stored as for commits, and listed in
 * job->trials.  what: a description, "f00 without dep". */
CUL_MUST_CHECK int
cul_commits_experiment(struct cul_commits_job *job,
                       const struct cul_repo_revision *revision,
                       const char *what, uint32_t runs,
                       struct cul_verdict *verdict, struct cul_err *err);

/* ---- doubts.c ---- */

/* Check that a missing submodule is not the only difference of the ends; else
 * EENV. */
CUL_MUST_CHECK int cul_commits_check_lacking(struct cul_commits_job *job,
                                             struct cul_err *err);
/* Try the ends without the submodules that are in doubt; no run may be under
 * way. */
CUL_MUST_CHECK int cul_commits_settle_doubts(struct cul_commits_job *job,
                                             struct cul_err *err);

/* ---- moves.c ---- */

/* If the culprit moves dependencies and these are to blame, find the culprit
 * inside them; sets job->inner and job->moved.  Errors: EINTR, EBUDGET; others
 * become warnings, and the outer answer remains. */
CUL_MUST_CHECK int cul_commits_go_inside(struct cul_commits_job *job,
                                         uint32_t culprit, struct cul_err *err);

#endif
