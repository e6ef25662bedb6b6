/* One bisection: the search of a range between two ends, its parts, and what it
 * shares with other bisections of the job.  Independent of the job: the range
 * of the repository and one inside a dependency are searched in the same
 * way. */
#ifndef CUL_BISECT_COMMITS_BISECTION_H
#define CUL_BISECT_COMMITS_BISECTION_H

#include "strategy.h"

/* Borrowed by all bisections of a job. */
struct cul_bisection_shared {
  const struct cul_ledger *ledger;
  struct cul_lacking *lacking;
  struct cul_sought *sought;
  struct cul_sandboxes *sandboxes;
  const struct cul_archive *archive;
  struct cul_pool *pool;
  struct cul_artefacts *artefacts;
  struct cul_bisect_conf search;
  bool outside; /* these three: see struct cul_tester */
  int64_t retries;
  double retry_pause_s;
};

/* One range, and all that is learned about it. */
struct cul_bisection {
  const struct cul_bisection_shared *shared;
  struct cul_notices notices;
  struct cul_range range;
  struct cul_inside inside; /* if range.inside is set */
  struct cul_classes classes;
  struct cul_journal journal;
  struct cul_builder builder;
  struct cul_tester tester;
  struct cul_strategy strategy;
};

/* Connect the parts of a bisection with each other and with the shared ones.
 * The bisection must not be moved afterwards. */
void cul_bisection_tie(struct cul_bisection *bisection,
                       const struct cul_bisection_shared *shared);
/* A bisection inside a dependency of the whole; heap.  The caller fills its
 * range. */
struct cul_bisection *cul_bisection_inside(const struct cul_bisection *whole,
                                           const struct cul_inside *inside);
/* Add its work to the whole's; frees it. */
void cul_bisection_end_inside(struct cul_bisection *whole,
                              struct cul_bisection *in);
void cul_bisection_release(struct cul_bisection *bisection);

/* Begin, when the history of the range has been read. */
void cul_bisection_begin(struct cul_bisection *bisection);
/* Search the range, which must be laid out.  Returns 0 also if there are doubts
 * (cul_strategy_has_doubts); settle them and call cul_bisection_go_on.  Errors:
 * of cul_probe_run; EUSAGE (cul_range_weigh); EENV (the machine fails). */
CUL_MUST_CHECK int cul_bisection_search(struct cul_bisection *bisection,
                                        struct cul_err *err);
CUL_MUST_CHECK int cul_bisection_go_on(struct cul_bisection *bisection,
                                       struct cul_err *err);
/* The error if the search found nothing; 0: it found an answer. */
CUL_MUST_CHECK int cul_bisection_end(const struct cul_bisection *bisection,
                                     const struct cul_bisect_answer *answer,
                                     struct cul_err *err);
/* Report EBUDGET; the report has what is known. */
int cul_bisection_fail_budget(struct cul_err *err);

#endif
