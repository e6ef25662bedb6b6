/* A range between two ends, searched: its parts, tied to each other and to what
 * all bisections of a job share.  Knows no job: the repository's own range and
 * one inside a dependency are searched alike. */
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

/* One range, and all that is learnt on it. */
struct cul_bisection {
  const struct cul_bisection_shared *shared;
  struct cul_notices notices;
  struct cul_range range;
  struct cul_inside inside; /* where range.inside is set */
  struct cul_classes classes;
  struct cul_journal journal;
  struct cul_builder builder;
  struct cul_tester tester;
  struct cul_strategy strategy;
};

/* Tie the parts of a bisection to each other and to what is shared; it is not
 * moved from then on. */
void cul_bisection_tie(struct cul_bisection *bisection,
                       const struct cul_bisection_shared *shared);
/* Another one, inside of the whole; heap.  Its range is to be filled. */
struct cul_bisection *cul_bisection_inside(const struct cul_bisection *whole,
                                           const struct cul_inside *inside);
/* What it did is the whole's doing; frees it. */
void cul_bisection_end_inside(struct cul_bisection *whole,
                              struct cul_bisection *in);
void cul_bisection_release(struct cul_bisection *bisection);

/* The history of the range is there. */
void cul_bisection_begin(struct cul_bisection *bisection);
/* Search the range, laid out.  Returns 0, too, where there are doubts
 * (cul_strategy_has_doubts): cul_bisection_go_on follows, once they are
 * settled. Errors: of cul_probe_run; EUSAGE (cul_range_weigh); EENV (the
 * machine fails).
 */
CUL_MUST_CHECK int cul_bisection_search(struct cul_bisection *bisection,
                                        struct cul_err *err);
CUL_MUST_CHECK int cul_bisection_go_on(struct cul_bisection *bisection,
                                       struct cul_err *err);
/* What is wrong where that found nothing; 0: it did. */
CUL_MUST_CHECK int cul_bisection_end(const struct cul_bisection *bisection,
                                     const struct cul_bisect_answer *answer,
                                     struct cul_err *err);
/* EBUDGET: the report tells what is known. */
int cul_bisection_fail_budget(struct cul_err *err);

#endif
