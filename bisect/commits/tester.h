/* Commits, built and tested: a point of the space is a commit of the range and
 * the number of a run of its artefact class.  Knows how to test a commit, and
 * what each run told; not which commit is to be tested. */
#ifndef CUL_BISECT_COMMITS_TESTER_H
#define CUL_BISECT_COMMITS_TESTER_H

#include "../build/pool.h"
#include "../build/sandboxes.h"
#include "../ledger/journal.h"
#include "../ledger/ledger.h"
#include "archive.h"
#include "sought.h"

/* What became of a point that was begun; kept beyond its slot. */
enum cul_test_end {
  CUL_TEST_ANSWERED, /* the verdict counts */
  CUL_TEST_SAME,     /* built, and the same artefact as one that was told of */
  CUL_TEST_TROUBLE,  /* the machine failed: to be tried again */
  CUL_TEST_ESCAPED,  /* the trace was not closed: to be run without */
};
struct cul_test {
  uint32_t commit, attempt;
  bool live;
  bool teaching; /* a run of --bad: it shows where tests may write */
  bool doubtful; /* trouble, unless the verdict is the sought failure */
  bool refused;  /* a write, by the sandbox: what it told is not kept */
  enum cul_test_end end;
  uint64_t run_us;
  char why[200];
};

/* All but probe, trouble and tests is borrowed. */
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
  bool outside; /* the test's program is no part of a commit: that it is missing
                   is the machine's doing */
  int64_t retries; /* where the machine fails */
  double retry_pause_s;
  char *trouble; /* what the machine failed at, again and again; or NULL */
  struct cul_test tests[CUL_MAX_WORKERS + 1]; /* by slot */
};

/* Commits as the probe sees them; the tester is told of its runs by
 * probe.watcher, which is set.  Borrows the tester. */
struct cul_space cul_tester_space(struct cul_tester *tester);
/* Set probe.watcher. */
void cul_tester_watch(struct cul_tester *tester);

/* The test of a commit that was begun last; NULL: none is under way. */
struct cul_test *cul_tester_of(struct cul_tester *tester, uint32_t commit);
/* The machine spoilt one more try: how long to wait, microseconds.  False:
 * that was the last one; trouble tells of it. */
bool cul_tester_again(struct cul_tester *tester, uint32_t tries,
                      const struct cul_test *test, uint64_t *pause_us);
/* What the machine failed at is the job's end: EENV. */
int cul_tester_fail(const struct cul_tester *tester, struct cul_err *err);

/* A run of a class that an earlier job, or this one, knows: its verdict, or its
 * record judged anew.  *found: false where nothing is known. */
CUL_MUST_CHECK int cul_tester_recall(struct cul_tester *tester,
                                     const struct cul_digest *trial,
                                     enum cul_purpose purpose,
                                     struct cul_verdict *verdict, bool *found,
                                     struct cul_err *err);
/* The verdict of a run of a commit is kept for later jobs. */
void cul_tester_keep(struct cul_tester *tester, uint32_t commit,
                     uint32_t attempt, const struct cul_verdict *verdict);

/* Build a commit and run the test once, and wait for it; nothing is under way.
 * Errors: of builder, runner and oracle; EENV (the machine fails), EBUDGET,
 * EINTR. */
CUL_MUST_CHECK int cul_tester_try(struct cul_tester *tester, uint32_t commit,
                                  enum cul_purpose purpose,
                                  struct cul_verdict *verdict,
                                  struct cul_err *err);

#endif
