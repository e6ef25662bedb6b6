/* The commits between the ends of a bisection.  Uses the repository, but
 * neither builds nor verdicts. */
#ifndef CUL_BISECT_HISTORY_RANGE_H
#define CUL_BISECT_HISTORY_RANGE_H

#include "../report/notices.h"
#include "repo.h"

/* The user's configuration; borrowed. */
struct cul_range_conf {
  const char *repo;        /* directory */
  const char *const *good; /* revisions, NULL terminated; NULL: none known */
  const char *bad;
  const char *const *paths; /* the culprit touches one of them; NULL terminated;
                               NULL: all commits are equal */
  bool find_fix;            /* good is the newer one */
  bool first_parent;
};

/* A search inside dependencies: the range consists of commits of one of them,
 * or steps of several; everything else is as in the commit that moved them, or
 * its parent. */
struct cul_inside {
  struct cul_commit_id commit;
  /* n_held each: the commits that it moved from and to */
  const struct cul_commit_id *before, *after;
  /* Commits that are equivalent to all before and to all after; NULL: none. */
  const struct cul_commit_id *before_is, *after_is;
  struct cul_override *held; /* the dependencies and where they are held; then
                                n_more that are the same everywhere */
  size_t n_held, n_more;
  size_t moving; /* the dependency whose commits form the history; n_held: use
                    vectors */
  /* n_held ids per commit of history; NULL: those of held */
  const struct cul_commit_id *vectors;
};

struct cul_range {
  struct cul_range_conf conf;
  struct cul_repo *repo;
  const struct cul_inside *inside; /* NULL: the repository itself; borrowed */
  struct cul_commit_id bad;        /* as given by the user */
  struct cul_commit_id *goods;
  size_t n_goods;
  struct cul_history history;
  struct cul_dag dag;
  uint32_t *points; /* number in history of each point of dag */
  bool *touches;    /* per candidate: touches conf.paths; NULL: all are equal */
};

/* Open the repository and find the commits of the ends.  Errors: EUSAGE.
 * Release out in any case. */
CUL_MUST_CHECK int cul_range_open(const struct cul_range_conf *conf,
                                  struct cul_range *out, struct cul_err *err);
void cul_range_release(struct cul_range *range);
/* Read the history of the ends.  Errors: of cul_repo_history. */
CUL_MUST_CHECK int cul_range_read(struct cul_range *range, struct cul_err *err);
/* Make the DAG between the ends.  Errors: EUSAGE (the ends are swapped, or have
 * no common ancestor). */
CUL_MUST_CHECK int cul_range_lay_out(struct cul_range *range,
                                     const struct cul_notices *notices,
                                     struct cul_err *err);
CUL_MUST_CHECK int cul_range_check_bases(const struct cul_range *range,
                                         struct cul_err *err);
/* The prior probability of each candidate, by conf.paths; *out: heap, NULL: all
 * are equal.  Sets touches.  Errors: EUSAGE (nothing between the ends touches
 * them). */
CUL_MUST_CHECK int cul_range_weigh(struct cul_range *range,
                                   const struct cul_notices *notices,
                                   double **out, struct cul_err *err);

/* A commit's number in the history. */
uint32_t cul_range_number(const struct cul_range *range,
                          const struct cul_commit_id *id);
/* The revision that a commit of the history represents; *held: heap, used by
 * the revision. */
void cul_range_revision(const struct cul_range *range, uint32_t commit,
                        struct cul_repo_revision *out,
                        struct cul_override **held);

#endif
