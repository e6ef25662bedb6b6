/* Decides whether an unavailable submodule matters: if an end of the range has
 * a submodule that another commit lacks, the end is tried without it (see
 * lacking.h). */
#include <stdlib.h>
#include <string.h>

#include "job.h"

/* Runs of an end without a submodule: it may fail only sometimes. */
static const uint32_t trial_runs = 10;

/* Test an end of the range without one of its submodules. */
static int try_without(struct cul_commits_job *job,
                       const struct cul_commit_id *end, const char *path,
                       struct cul_verdict *verdict, struct cul_err *err) {
  char hex[CUL_COMMIT_HEX];
  char *what = cul_xasprintf("%.12s without submodule %s",
                             cul_commit_hex(end, hex), path);
  struct cul_override held = {.path = path, .kind = CUL_LEFT_EMPTY};
  struct cul_repo_revision revision = {*end, &held, 1};
  int rc =
      cul_commits_experiment(job, &revision, what, trial_runs, verdict, err);
  free(what);
  return rc;
}

static int fail_lack(const char *path, const char *end, const char *does,
                     const char *other, struct cul_err *err) {
  return cul_fail(err, CUL_EENV,
                  "give it: git submodule update --init --recursive in the "
                  "repository, or git config submodule.NAME.url with the "
                  "directory of a clone",
                  "the %s end %s for lack of submodule %s: without it the %s "
                  "end %s, too",
                  end, does, path, other, does);
}

/* Check a submodule that one end lacks and the other has, or does not know. */
static int check_one(struct cul_commits_job *job,
                     struct cul_lacking_module *missing, bool bad, bool good,
                     struct cul_err *err) {
  const struct cul_range *range = &job->whole.range;
  const struct cul_commit_id *other = bad ? &range->goods[0] : &range->bad;
  const char *path = missing->path; /* outlives its item: more may be listed */
  struct cul_verdict verdict = {.answer = CUL_INVALID};
  bool known = cul_lacking_names(&job->lacking, other, path);
  int rc = 0;
  missing->passes = missing->fails = CUL_DOUBT_COUNTS;
  if (bad && good)
    return 0;
  if (known)
    rc = try_without(job, other, path, &verdict, err);
  else if (bad)
    cul_notices_warn(&job->whole.notices,
                     "the bad end lacks submodule %s, which the good end does "
                     "not have: is the failure one for lack of it?",
                     path);
  if (rc == 0 && known && bad && verdict.answer == CUL_SAME)
    rc = fail_lack(path, "bad", "fails", "good", err);
  else if (rc == 0 && known && good && verdict.answer == CUL_PASSES)
    rc = fail_lack(path, "good", "passes", "bad", err);
  return rc;
}

int cul_commits_check_lacking(struct cul_commits_job *job,
                              struct cul_err *err) {
  const struct cul_range *range = &job->whole.range;
  struct cul_lacking *lacking = &job->lacking;
  uint32_t bad = cul_range_number(range, &range->bad);
  uint32_t good = cul_range_number(range, &range->goods[0]);
  int rc = 0;
  cul_lacking_list(lacking, range, bad);
  cul_lacking_list(lacking, range, good);
  for (size_t i = 0; i < lacking->n && rc == 0; i++) {
    const char *path = lacking->items[i].path;
    bool at_bad = cul_lacking_has(lacking, range, bad, path);
    bool at_good = cul_lacking_has(lacking, range, good, path);
    if (at_bad || at_good)
      rc = check_one(job, &lacking->items[i], at_bad, at_good, err);
  }
  return rc;
}

int cul_commits_settle_doubts(struct cul_commits_job *job,
                              struct cul_err *err) {
  const struct cul_range *range = &job->whole.range;
  struct cul_lacking *lacking = &job->lacking;
  struct cul_verdict verdict;
  int rc = 0;
  for (size_t i = 0; i < lacking->n && rc == 0; i++) {
    const char *path = lacking->items[i].path;
    if (lacking->items[i].passes == CUL_DOUBT_TO_TRY) {
      rc = try_without(job, &range->bad, path, &verdict, err);
      lacking->items[i].passes = rc == 0 && verdict.answer == CUL_SAME
                                     ? CUL_DOUBT_COUNTS
                                     : CUL_DOUBT_NOT;
    }
    if (rc == 0 && lacking->items[i].fails == CUL_DOUBT_TO_TRY) {
      rc = try_without(job, &range->goods[0], path, &verdict, err);
      lacking->items[i].fails = rc == 0 && verdict.answer == CUL_PASSES
                                    ? CUL_DOUBT_COUNTS
                                    : CUL_DOUBT_NOT;
    }
  }
  return rc;
}
