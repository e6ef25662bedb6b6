/* Builds and tests commits.  A point of the space is a commit of the range and
 * the number of a run of its artefact class.  The tester knows how to test a
 * commit and the result of each run; the strategy decides which commit is
 * tested. */
#ifndef CUL_BISECT_COMMITS_TESTER_H
#define CUL_BISECT_COMMITS_TESTER_H

#include "../build/pool.h"
#include "../build/sandboxes.h"
#include "../ledger/journal.h"
#include "../ledger/ledger.h"
#include "archive.h"
#include "sought.h"

/* The result of a point that was begun; kept after its slot is freed. */
enum cul_test_end {
  CUL_TEST_ANSWERED, /* the verdict counts */
  CUL_TEST_SAME,     /* built, and the same artefact as one already judged */
  CUL_TEST_TROUBLE,  /* the machine failed: must be tried again */
  CUL_TEST_ESCAPED,  /* the trace was not closed: must be run without a trace */
};
struct cul_test {
  uint32_t commit, attempt;
  bool live;
  bool teaching; /* a run on --bad, which shows where tests may write */
  /* counts as trouble unless the verdict is the sought failure */
  bool doubtful;
  bool refused; /* the sandbox refused a write: the verdict is not stored */
  enum cul_test_end end;
  uint64_t run_us;
  char why[200];
};

/* All members except probe, trouble and tests are borrowed. */
struct cul_tester {
  struct cul_probe probe;
  const struct cul_range *range;
  struct cul_builder *builder;
  struct cul_classes *classes;
  const struct cul_ledger *ledger;
  struct cul_journal *journal;
  struct cul_notices *notices;
  struct cul_sought *sought;
  struct cul_sandboxes *sandboxes;
  const struct cul_archive *archive;
  bool outside; /* the test's program is not part of a commit: if it is missing,
                   the machine is at fault */
  int64_t retries; /* if the machine fails */
  double retry_pause_s;
  char *trouble; /* the repeated failure of the machine; or NULL */
  struct cul_test tests[CUL_MAX_WORKERS + 1]; /* by slot */
};

/* Commits as a space for the probe.  Sets probe.watcher, which informs the
 * tester of its runs.  Borrows the tester. */
struct cul_space cul_tester_space(struct cul_tester *tester);
/* Set probe.watcher. */
void cul_tester_watch(struct cul_tester *tester);

/* The last test of a commit; NULL: none is under way. */
struct cul_test *cul_tester_of(struct cul_tester *tester, uint32_t commit);
/* The machine failed one more try: the time to wait before the next,
 * microseconds.  False: that was the last try; trouble has the reason. */
bool cul_tester_again(struct cul_tester *tester, uint32_t tries,
                      const struct cul_test *test, uint64_t *pause_us);
/* End the job with EENV and the failure of the machine. */
int cul_tester_fail(const struct cul_tester *tester, struct cul_err *err);

/* Recall a run of a class from an earlier job or this one: its verdict, or its
 * record judged anew.  *found: false if nothing is known. */
CUL_MUST_CHECK int cul_tester_recall(struct cul_tester *tester,
                                     const struct cul_digest *trial,
                                     enum cul_purpose purpose,
                                     struct cul_verdict *verdict, bool *found,
                                     struct cul_err *err);
/* Store the verdict of a run of a commit for later jobs. */
void cul_tester_keep(struct cul_tester *tester, uint32_t commit,
                     uint32_t attempt, const struct cul_verdict *verdict);

/* Build a commit, run the test once, and wait for it; nothing else may be under
 * way.  Errors: of builder, runner and oracle; EENV (the machine fails),
 * EBUDGET, EINTR. */
CUL_MUST_CHECK int cul_tester_try(struct cul_tester *tester, uint32_t commit,
                                  enum cul_purpose purpose,
                                  struct cul_verdict *verdict,
                                  struct cul_err *err);

#endif
