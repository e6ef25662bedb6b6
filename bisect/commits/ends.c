/* The ends of a bisection: the sought failure, and an earlier commit that
 * passes. */
#include <stdlib.h>
#include <string.h>

#include "job.h"

/* Runs of the failing end at most until it shows its failure. */
static const int most_first_runs = 30;

static int read_history(struct cul_bisection *whole, struct cul_err *err) {
  int rc = cul_range_read(&whole->range, err);
  if (rc < 0)
    return rc;
  cul_bisection_begin(whole);
  cul_notices_say(&whole->notices, "%u commit%s read", whole->range.history.n,
                  cul_s(whole->range.history.n));
  return 0;
}

static int fail_bad(const struct cul_commits_job *job,
                    const struct cul_verdict *verdict, struct cul_err *err) {
  if ((verdict->answer == CUL_INVALID || verdict->answer == CUL_UNRESOLVED) &&
      job->sandboxes.refused.n)
    return cul_fail(
        err, CUL_EENV,
        "--writable PATH lets them write there, --sandbox=off everywhere",
        "--bad %s cannot be tested: %s", job->conf->bad, verdict->why);
  if (verdict->answer == CUL_INVALID)
    return cul_fail(err, CUL_EENV,
                    "try --build by hand on that commit; its log is kept in "
                    "the work directory",
                    "--bad %s cannot be tested: %s", job->conf->bad,
                    verdict->why);
  if (verdict->answer == CUL_PASSES)
    return cul_fail(err, CUL_ENOFAIL,
                    "check the command and the revision; are --good and --bad "
                    "swapped?",
                    "--bad %s does not fail: none of %d runs did",
                    job->conf->bad, most_first_runs);
  return cul_fail(err, CUL_EENV, "run the command by hand on that commit",
                  "the test cannot run on --bad %s: %s", job->conf->bad,
                  verdict->why);
}

/* Learn the failure again, in contrast to a run that passes. */
static int take_contrast(struct cul_commits_job *job, struct cul_err *err) {
  struct cul_sought *sought = &job->sought;
  char title[sizeof sought->signature.title];
  int rc;
  if (!sought->contrasted)
    return 0;
  memcpy(title, sought->signature.title, sizeof title);
  rc = cul_sought_relearn(sought, err);
  if (rc < 0)
    return rc;
  cul_ledger_rename(&job->ledger, &sought->signature.key);
  if (strcmp(title, sought->signature.title) != 0)
    cul_sought_say(sought, &job->whole.notices);
  return 0;
}

/* Run the good ends until one passes. */
static int contrast(struct cul_commits_job *job, struct cul_err *err) {
  const struct cul_range *range = &job->whole.range;
  int rc = 0;
  for (size_t i = 0;
       i < range->n_goods && rc == 0 && cul_sought_wants_contrast(&job->sought);
       i++) {
    struct cul_verdict verdict;
    rc = cul_tester_try(&job->whole.tester,
                        cul_range_number(range, &range->goods[i]),
                        CUL_TO_CONTRAST, &verdict, err);
  }
  return rc ? rc : take_contrast(job, err);
}

/* Learn the sought failure from the failing end. */
static int classify(struct cul_commits_job *job, struct cul_err *err) {
  struct cul_verdict verdict = {.answer = CUL_PASSES};
  const struct cul_range *range = &job->whole.range;
  uint32_t bad = cul_range_number(range, &range->bad);
  for (int i = 0; i < most_first_runs; i++) {
    int rc =
        cul_tester_try(&job->whole.tester, bad, CUL_TO_LEARN, &verdict, err);
    if (rc < 0)
      return rc;
    if (verdict.answer != CUL_PASSES)
      break;
  }
  if (verdict.answer != CUL_SAME)
    return fail_bad(job, &verdict, err);
  if (job->conf->sought &&
      !job->conf->sought(job->conf->sought_self, &verdict.sig))
    return cul_fail(err, CUL_ENOFAIL,
                    "give a --bad that shows the sought failure",
                    "--bad %s fails with another failure: %s", job->conf->bad,
                    verdict.sig.title);
  cul_sandboxes_seal(&job->sandboxes);
  job->sought.signature = verdict.sig;
  cul_sought_say(&job->sought, &job->whole.notices);
  return contrast(job, err);
}

/* Without --good: back along first parents by 1, 2, 4, ... until one passes. */
static int find_good(struct cul_commits_job *job, struct cul_err *err) {
  struct cul_range *range = &job->whole.range;
  uint32_t at = cul_range_number(range, &range->bad), back = 1;
  for (;; back *= 2) {
    struct cul_verdict verdict;
    uint32_t before = at;
    int rc;
    for (uint32_t i = 0; i < back; i++) {
      uint32_t first = range->history.first[at];
      if (first == range->history.first[at + 1])
        break;
      at = range->history.parents[first];
    }
    if (at == before && cul_repo_is_shallow(range->repo))
      return cul_fail(err, CUL_ENOFAIL,
                      "fetch the rest: git fetch --unshallow, or give --good a "
                      "commit that passes",
                      "no commit before --bad %s was found to pass, back to "
                      "where the shallow clone was cut",
                      job->conf->bad);
    if (at == before)
      return cul_fail(err, CUL_ENOFAIL,
                      "perhaps it never worked in this repository; otherwise "
                      "give --good a commit that passes",
                      "no commit before --bad %s was found to pass, back to "
                      "the first",
                      job->conf->bad);
    rc =
        cul_tester_try(&job->whole.tester, at,
                       cul_sought_wants_contrast(&job->sought) ? CUL_TO_CONTRAST
                                                               : CUL_TO_JUDGE,
                       &verdict, err);
    if (rc < 0)
      return rc;
    if (verdict.answer == CUL_PASSES) {
      range->goods[range->n_goods++] = range->history.ids[at];
      return take_contrast(job, err);
    }
  }
}

/* If a good commit is on another branch, the commit from which both branches
 * began must be good; else the failure was fixed on the other branch. */
static int check_bases(struct cul_commits_job *job,
                       const struct cul_commit_id *good, const char *name,
                       struct cul_err *err) {
  const struct cul_range *range = &job->whole.range;
  uint32_t *bases, from = cul_range_number(range, good);
  uint32_t bad = cul_range_number(range, &range->bad);
  size_t n = cul_history_bases(&range->history, bad, from, &bases);
  int rc = 0;
  for (size_t i = 0; i < n && rc == 0; i++) {
    struct cul_verdict verdict;
    char hex[CUL_COMMIT_HEX];
    if (bases[i] == from || bases[i] == bad)
      continue;
    rc = cul_tester_try(&job->whole.tester, bases[i], CUL_TO_JUDGE, &verdict,
                        err);
    if (rc == 0 && verdict.answer == CUL_SAME)
      rc = cul_fail(
          err, CUL_EUSAGE,
          "the failure was fixed on the side of --good: use --find-fix with "
          "this commit as --bad, or give an older --good",
          "the merge base %.12s of --bad %s and --good %s fails, too",
          cul_commit_hex(&range->history.ids[bases[i]], hex), job->conf->bad,
          name);
  }
  free(bases);
  return rc;
}

int cul_commits_ends(struct cul_commits_job *job, struct cul_err *err) {
  struct cul_bisection *whole = &job->whole;
  struct cul_range *range = &whole->range;
  int rc = read_history(whole, err);
  /* Report wrong revisions before anything is built. */
  if (rc == 0 && range->n_goods > 0)
    rc = cul_range_lay_out(range, &whole->notices, err);
  if (rc == 0)
    rc = cul_range_check_bases(range, err);
  if (rc == 0)
    rc = classify(job, err);
  if (rc == 0 && range->n_goods == 0) {
    rc = find_good(job, err);
    if (rc == 0)
      rc = cul_range_lay_out(range, &whole->notices, err);
  }
  for (size_t i = 0; i < range->n_goods && rc == 0 && !job->conf->find_fix; i++)
    if (job->conf->good && job->conf->good[i])
      rc = check_bases(job, &range->goods[i], job->conf->good[i], err);
  return rc < 0 ? rc : cul_commits_check_lacking(job, err);
}
