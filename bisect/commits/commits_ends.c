/* The ends of a bisection: what fails, what passed before. */
#include <stdlib.h>
#include <string.h>

#include "commits_private.h"

/* How often the failing end is run until it shows its failure. */
static const int most_first_runs = 30;

uint32_t cul_commits_number(const struct cul_commits *job,
                            const struct cul_commit_id *id) {
  return cul_history_find(&job->history, id);
}

int cul_commits_resolve(struct cul_commits *job, struct cul_err *err) {
  const struct cul_commits_conf *conf = job->conf;
  int rc = cul_repo_resolve(job->repo, conf->bad, "--bad", &job->bad, err);
  size_t n = 0;
  while (conf->good && conf->good[n])
    n++;
  job->goods = cul_xcalloc(n + 2, sizeof *job->goods);
  for (size_t i = 0; i < n && rc == 0; i++)
    rc = cul_repo_resolve(job->repo, conf->good[i], "--good",
                          &job->goods[job->n_goods++], err);
  for (size_t i = 0; i < job->n_goods && rc == 0; i++)
    if (cul_commit_equal(&job->goods[i], &job->bad))
      rc = cul_fail(err, CUL_EUSAGE, "give two different commits",
                    "--good %s and --bad %s are the same commit", conf->good[i],
                    conf->bad);
  return rc;
}

static int load_history(struct cul_commits *job, struct cul_err *err) {
  struct cul_commit_id *tips = cul_xcalloc(job->n_goods + 1, sizeof *tips);
  int rc;
  tips[0] = job->bad;
  memcpy(tips + 1, job->goods, job->n_goods * sizeof *tips);
  rc = cul_repo_history(job->repo, tips, job->n_goods + 1,
                        job->conf->first_parent, &job->history, err);
  free(tips);
  if (rc < 0)
    return rc;
  job->coin_of = cul_xcalloc((size_t)job->history.n + 1, sizeof *job->coin_of);
  job->seen = cul_xcalloc((size_t)job->history.n + 1, sizeof *job->seen);
  cul_commits_say(job, "%u commit%s read", job->history.n,
                  cul_s(job->history.n));
  return 0;
}

static int fail_bad(const struct cul_commits *job,
                    const struct cul_verdict *verdict, struct cul_err *err) {
  if ((verdict->answer == CUL_INVALID || verdict->answer == CUL_UNRESOLVED) &&
      job->refused.n)
    return cul_fail(err, CUL_EENV,
                    "--writable PATH lets them change what is there, "
                    "--sandbox=off all",
                    "--bad %s cannot be tested: %s", job->conf->bad,
                    verdict->why);
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

/* What failure is sought is what the failing end shows. */
static int classify(struct cul_commits *job, struct cul_err *err) {
  struct cul_verdict verdict = {.answer = CUL_PASSES};
  uint32_t bad = cul_commits_number(job, &job->bad);
  for (int i = 0; i < most_first_runs; i++) {
    int rc = cul_commits_try(job, bad, true, &verdict, err);
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
                    "give a --bad that shows the failure that is sought",
                    "--bad %s fails with another failure: %s", job->conf->bad,
                    verdict.sig.title);
  cul_commits_seal(job);
  job->sought = verdict.sig;
  cul_commits_say_sought(job);
  return cul_commits_contrast(job, err);
}

/* Without --good: back along first parents by 1, 2, 4, ... until one passes. */
static int find_good(struct cul_commits *job, struct cul_err *err) {
  uint32_t at = cul_commits_number(job, &job->bad), back = 1;
  for (;; back *= 2) {
    struct cul_verdict verdict;
    uint32_t before = at;
    int rc;
    for (uint32_t i = 0; i < back; i++) {
      uint32_t first = job->history.first[at];
      if (first == job->history.first[at + 1])
        break;
      at = job->history.parents[first];
    }
    if (at == before && cul_repo_is_shallow(job->repo))
      return cul_fail(err, CUL_ENOFAIL,
                      "fetch the rest: git fetch --unshallow, or give --good a "
                      "commit that passes",
                      "no commit before --bad %s was found to pass, back to "
                      "where the shallow clone was cut",
                      job->conf->bad);
    if (at == before)
      return cul_fail(err, CUL_ENOFAIL,
                      "it never worked in this repository, or give --good a "
                      "commit that passes",
                      "no commit before --bad %s was found to pass, back to "
                      "the first",
                      job->conf->bad);
    job->contrasting = cul_commits_wants_contrast(job);
    rc = cul_commits_try(job, at, false, &verdict, err);
    job->contrasting = false;
    if (rc < 0)
      return rc;
    if (verdict.answer == CUL_PASSES) {
      job->goods[job->n_goods++] = job->history.ids[at];
      return cul_commits_take_contrast(job, err);
    }
  }
}

static int demand_base(struct cul_commits *job, size_t i, struct cul_err *err) {
  uint32_t *bases;
  size_t n =
      cul_history_bases(&job->history, cul_commits_number(job, &job->bad),
                        cul_commits_number(job, &job->goods[i]), &bases);
  free(bases);
  if (n > 0)
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  cul_repo_is_shallow(job->repo)
                      ? "the shallow clone lacks the commits between them: "
                        "git fetch --unshallow"
                      : "give a --good of the same history",
                  "--bad %s and --good %s have no common ancestor",
                  job->conf->bad, job->conf->good[i]);
}

/* Where a good commit is on another branch, what both branches began from
 * must be good: else the failure was fixed on the other branch. */
static int check_bases(struct cul_commits *job,
                       const struct cul_commit_id *good, const char *name,
                       struct cul_err *err) {
  uint32_t *bases, from = cul_commits_number(job, good);
  uint32_t bad = cul_commits_number(job, &job->bad);
  size_t n = cul_history_bases(&job->history, bad, from, &bases);
  int rc = 0;
  for (size_t i = 0; i < n && rc == 0; i++) {
    struct cul_verdict verdict;
    char hex[CUL_COMMIT_HEX];
    if (bases[i] == from || bases[i] == bad)
      continue;
    rc = cul_commits_try(job, bases[i], false, &verdict, err);
    if (rc == 0 && verdict.answer == CUL_SAME)
      rc = cul_fail(err, CUL_EUSAGE,
                    "it was fixed there: --find-fix with --bad that commit "
                    "tells where; or give a --good before it",
                    "the merge base %.12s of --bad %s and --good %s fails, too",
                    cul_commit_hex(&job->history.ids[bases[i]], hex),
                    job->conf->bad, name);
  }
  free(bases);
  return rc;
}

int cul_commits_ends(struct cul_commits *job, struct cul_err *err) {
  int rc = load_history(job, err);
  /* What is wrong with the revisions is said before anything is built. */
  if (rc == 0 && job->n_goods > 0)
    rc = cul_commits_lay_out(job, err);
  for (size_t i = 0; i < job->n_goods && rc == 0; i++)
    rc = demand_base(job, i, err);
  if (rc == 0)
    rc = classify(job, err);
  if (rc == 0 && job->n_goods == 0) {
    rc = find_good(job, err);
    if (rc == 0)
      rc = cul_commits_lay_out(job, err);
  }
  for (size_t i = 0; i < job->n_goods && rc == 0 && !job->conf->find_fix; i++)
    if (job->conf->good && job->conf->good[i])
      rc = check_bases(job, &job->goods[i], job->conf->good[i], err);
  return rc < 0 ? rc : cul_commits_check_lacking(job, err);
}
