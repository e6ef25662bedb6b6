/* The range between the ends, searched. */
#include <stdlib.h>

#include "commits_private.h"

int cul_commits_lay_out(struct cul_commits *job, struct cul_err *err) {
  const struct cul_history *h = &job->history;
  bool fix = job->conf->find_fix;
  uint32_t *from = cul_xcalloc(job->n_goods + 1, sizeof *from);
  uint32_t bad = cul_commits_number(job, &job->bad), end = bad;
  size_t n = job->n_goods;
  bool ok;
  for (size_t i = 0; i < n; i++)
    from[i] = cul_commits_number(job, &job->goods[i]);
  if (fix)
    end = from[0], from[0] = bad, n = 1;
  ok = cul_dag_between(&(struct cul_graph){h->n, h->first, h->parents}, end,
                       from, n, &job->dag, &job->points);
  free(from);
  if (!ok)
    return cul_fail(err, CUL_EUSAGE,
                    fix ? "with --find-fix --bad is the older commit, which "
                          "fails, and --good the newer one, which passes"
                        : "are they swapped?  --find-fix finds what made a "
                          "failure go away",
                    "--%s %s is an ancestor of --%s", fix ? "good" : "bad",
                    fix ? job->conf->good[0] : job->conf->bad,
                    fix ? "bad" : "good");
  cul_commits_say(job, "%u commit%s to search", job->dag.n, cul_s(job->dag.n));
  return 0;
}

/* Of the probability, what is left to commits that touch none of --paths: who
 * says where it is may be wrong. */
static const double elsewhere = 0.05;

/* *out: per candidate, heap; NULL where all are alike. */
static int weigh_paths(struct cul_commits *job, double **out,
                       struct cul_err *err) {
  const struct cul_dag *dag = &job->dag;
  size_t n = (size_t)dag->n + dag->n_outer, m = 0;
  struct cul_commit_id *ids;
  int rc;
  *out = NULL;
  if (!job->conf->paths || !job->conf->paths[0])
    return 0;
  ids = cul_xcalloc(n + 1, sizeof *ids);
  for (size_t p = 0; p < n; p++)
    ids[p] = job->history.ids[job->points[p]];
  job->touches = cul_xcalloc((size_t)dag->n + 1, sizeof *job->touches);
  rc = cul_repo_touching(job->repo, dag, ids, job->conf->paths, job->touches,
                         err);
  free(ids);
  for (uint32_t c = 0; c < dag->n; c++)
    m += job->touches[c];
  if (rc == 0 && m == 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  "give paths as they stand in the repository, from its root",
                  "no commit between the ends touches --paths %s",
                  job->conf->paths[0]);
  if (rc < 0)
    return rc;
  cul_commits_say(job, "%zu of them touch --paths", m);
  *out = cul_xcalloc((size_t)dag->n + 1, sizeof **out);
  for (uint32_t c = 0; c < dag->n; c++)
    (*out)[c] = m == dag->n       ? 1.0 / (double)m
                : job->touches[c] ? (1 - elsewhere) / (double)m
                                  : elsewhere / (double)(dag->n - m);
  return 0;
}

int cul_commits_search(struct cul_commits *job, struct cul_err *err) {
  struct cul_bisect_conf conf = job->conf->search;
  struct cul_space space = cul_commits_space(job);
  struct cul_asker asker = cul_commits_asker(job);
  double *prior;
  int rc = weigh_paths(job, &prior, err);
  if (rc < 0)
    return rc;
  /* Only a failure that is told by its signature cannot come from elsewhere. */
  conf.one_sided = !job->conf->find_fix && !job->oracle_conf.script &&
                   job->sought.kind != CUL_KIND_EXIT;
  job->bisector = cul_bisector_new(&job->dag, prior, &conf);
  free(prior);
  rc = cul_probe_run(&job->probe, &space, &asker, err);
  if (rc == 0 && job->failure.code) {
    *err = job->failure;
    rc = err->code;
  }
  if (rc == 0 && job->trouble)
    rc = cul_fail(err, CUL_EENV,
                  "mend it; the same command goes on where it stopped", "%s",
                  job->trouble);
  return rc;
}

/* Of the commit that could not be tested last. */
static const char *last_why(const struct cul_commits *job) {
  for (size_t i = job->n_events; i-- > 0;)
    if (job->events[i].why[0] && job->events[i].answer != CUL_SAME &&
        job->events[i].answer != CUL_PASSES)
      return job->events[i].why;
  return "";
}

int cul_commits_fail_budget(struct cul_err *err) {
  return cul_fail(err, CUL_EBUDGET,
                  "the report says what is known by now; with a larger budget "
                  "the same command goes on where it stopped",
                  "the budget of runs, builds or time is spent");
}

int cul_commits_say_end(const struct cul_commits *job,
                        const struct cul_bisect_answer *answer,
                        struct cul_err *err) {
  const struct cul_commits_conf *conf = job->conf;
  const char *good = conf->good && conf->good[0] ? conf->good[0] : "found";
  switch (answer->end) {
  case CUL_BISECT_BAD_PASSES:
    return cul_fail(
        err, CUL_ENOFAIL,
        conf->find_fix ? "give --good a commit that passes"
                       : "it failed at first: does it depend on "
                         "what ran before?",
        "--%s %s does not %s any more", conf->find_fix ? "good" : "bad",
        conf->find_fix ? good : conf->bad, conf->find_fix ? "pass" : "fail");
  case CUL_BISECT_GOOD_FAILS:
    return cul_fail(
        err, CUL_EUSAGE, "give an older commit, or none: it is looked for then",
        "--%s %s %s as often as the other end", conf->find_fix ? "bad" : "good",
        conf->find_fix ? conf->bad : good, conf->find_fix ? "passes" : "fails");
  case CUL_BISECT_END_BROKEN:
    return cul_fail(err, CUL_EENV,
                    "give an end that can be built and shows pass or fail",
                    "an end cannot be tested: %s", last_why(job));
  case CUL_BISECT_BUDGET:
    return cul_commits_fail_budget(err);
  default:
    return 0;
  }
}
