/* The job behind commits.h: it ties together what knows nothing of it. */
#ifndef CUL_BISECT_COMMITS_JOB_H
#define CUL_BISECT_COMMITS_JOB_H

#include "../../probe/workplace.h"
#include "commits.h"
#include "strategy.h"

/* One range, and all that is learnt on it. */
struct cul_bisection {
  struct cul_notices notices;
  struct cul_range range;
  struct cul_inside inside; /* where range.inside is set */
  struct cul_classes classes;
  struct cul_journal journal;
  struct cul_builder builder;
  struct cul_tester tester;
  struct cul_strategy strategy;
};

/* What all its bisections share, and what is found. */
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
  struct cul_bisection whole; /* of the repository itself */
  struct cul_moves moves;     /* of the culprit */
  json_t *moved;  /* of the report: see moves.c; NULL: it moves none */
  json_t *inner;  /* of the report; NULL: the culprit moves no dependency */
  json_t *trials; /* of the report: see cul_commits_experiment; or NULL */
};

/* ---- bisection.c ---- */

/* Tie the parts of a bisection to each other and to what is shared. */
void cul_bisection_tie(struct cul_bisection *bisection,
                       struct cul_commits_job *job);
/* Another one, inside; heap.  Its range is to be filled. */
struct cul_bisection *cul_bisection_inside(struct cul_commits_job *job,
                                           const struct cul_inside *inside);
/* What it did is the job's doing; frees it. */
void cul_bisection_end_inside(struct cul_commits_job *job,
                              struct cul_bisection *bisection);
void cul_bisection_release(struct cul_bisection *bisection);
/* The history of the range is there. */
void cul_bisection_begin(struct cul_bisection *bisection);
/* Search the range.  Errors: of cul_probe_run; EUSAGE (cul_range_weigh); EENV
 * (the machine fails). */
CUL_MUST_CHECK int cul_bisection_search(struct cul_commits_job *job,
                                        struct cul_bisection *bisection,
                                        struct cul_err *err);
/* What is wrong where that found nothing; 0: it did. */
CUL_MUST_CHECK int cul_bisection_end(const struct cul_bisection *bisection,
                                     const struct cul_bisect_answer *answer,
                                     struct cul_err *err);
int cul_bisection_fail_budget(struct cul_err *err);

/* ---- ends.c ---- */

/* What failure is sought, a commit without it, and the dag between. */
CUL_MUST_CHECK int cul_commits_ends(struct cul_commits_job *job,
                                    struct cul_err *err);

/* ---- experiment.c ---- */

/* A revision that is no commit, built and run until it shows the failure, at
 * most `runs` times; remembered as commits are, and listed in job->trials.
 * what: in words, "f00 without dep". */
CUL_MUST_CHECK int cul_commits_experiment(struct cul_commits_job *job,
                                          const struct cul_revision *revision,
                                          const char *what, uint32_t runs,
                                          struct cul_verdict *verdict,
                                          struct cul_err *err);

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

/* ---- bundle.c ---- */

/* The report in three forms and a script; nothing without --bundle. */
CUL_MUST_CHECK int cul_commits_bundle_write(struct cul_commits_job *job,
                                            const json_t *report,
                                            struct cul_err *err);

/* ---- report.c ---- */

/* What was seen at each candidate (see struct cul_plot); heap. */
char *cul_bisection_marks(const struct cul_bisection *bisection);
/* The report of a bisection; a new reference. */
json_t *cul_bisection_report(const struct cul_commits_job *job,
                             struct cul_bisection *bisection,
                             struct cul_err *err);

#endif
