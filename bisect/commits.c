/* The job from end to end: see commits.h. */
#include "commits.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "../probe/workplace.h"
#include "commits_oracle.h"
#include "commits_private.h"

/* How often the failing end is run until it shows its failure. */
static const int most_first_runs = 30;
/* A build may take hours; one that hangs is the user's to end. */
static const uint64_t build_ms = (uint64_t)7 * 24 * 3600 * 1000;

static const char *const env_keys[] = {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH",
                                       NULL};
static const char *const env[] = {"CULPRIT_COMMIT=@{commit}", NULL};

void cul_commits_say(struct cul_commits *job, const char *format, ...) {
  va_list args;
  char line[512];
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (job->watcher.said)
    job->watcher.said(job->watcher.self, line);
}

void cul_commits_warn(struct cul_commits *job, const char *format, ...) {
  va_list args;
  char line[512];
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  cul_commits_say(job, "warning: %s", line);
  job->warnings = cul_xreallocarray(job->warnings, job->n_warnings + 1,
                                    sizeof *job->warnings);
  job->warnings[job->n_warnings++] = cul_xstrdup(line);
}

/* ---- setting up ---- */

static int open_oracle(struct cul_commits *job, struct cul_err *err) {
  struct cul_oracle_conf *conf = &job->oracle_conf;
  static const struct cul_commits_oracle none = {NULL, NULL};
  struct cul_commits_oracle *one = cul_xcalloc(1, sizeof *one);
  int rc = cul_rules_new(&job->rules, err);
  *one = none;
  job->one_run = one;
  if (rc < 0)
    return rc;
  *conf = job->conf->oracle;
  conf->rules = job->rules;
  conf->across = true;
  conf->timeout_ms = conf->hang_ms = job->probe.request.wall_ms;
  if (conf->script)
    conf->sense = CUL_SENSE_BISECT;
  one->inner = cul_oracle_choose(conf);
  rc = one->inner->open(conf, &one->self, err);
  job->probe.oracle = &cul_commits_one_run;
  job->probe.oracle_self = one;
  return rc;
}

/* "./opt" is the one of the build directory, wherever culprit runs. */
static void set_up_command(struct cul_commits *job) {
  const char *const *argv = job->conf->argv;
  size_t n = 0;
  while (argv[n])
    n++;
  job->argv = cul_xcalloc(n + 1, sizeof *job->argv);
  memcpy(job->argv, argv, n * sizeof *argv);
  if (argv[0][0] != '/' && argv[0][0] != '@' && strchr(argv[0], '/'))
    job->argv[0] = job->program = cul_xasprintf("@{dir}/%s", argv[0]);
  job->command = (struct cul_command){.argv = job->argv,
                                      .delivery = CUL_BY_PLACEHOLDER,
                                      .env = env,
                                      .env_keys = env_keys};
}

static void set_up_probe(struct cul_commits *job) {
  struct cul_probe *probe = &job->probe;
  double seconds = job->conf->timeout_s > 0 ? job->conf->timeout_s : 60;
  set_up_command(job);
  probe->cache = job->cache;
  probe->runner = cul_runner_find("process");
  probe->tmp = job->tmp;
  probe->workers = job->conf->builds > 0 ? job->conf->builds : 1;
  probe->build_ms = build_ms;
  probe->interrupted = job->conf->interrupted;
  probe->budget.deadline_us = job->deadline_us;
  probe->watcher = (struct cul_watcher){.self = job, .ran = cul_commits_ran};
  probe->fixed_deadline = true; /* each commit's tool has its own pace */
  probe->request = (struct cul_request){.role = "suspect",
                                        .cmd = &job->command,
                                        .flags = CUL_RUN_SYMBOLIZE,
                                        .wall_ms = (uint64_t)(seconds * 1000),
                                        .out_bytes = 1 << 20};
}

static int open_pool(struct cul_commits *job, struct cul_err *err) {
  struct cul_pool_conf conf = {.repo = job->repo, .build = job->conf->build};
  char *base = cul_cache_dir(), *real = realpath(job->conf->repo, NULL);
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest digest;
  char hex[CUL_DIGEST_HEX], *dir, *full;
  int rc;
  cul_hasher_field(h, real);
  cul_hasher_field(h, job->conf->build);
  digest = cul_hasher_finish(h);
  dir = job->conf->work ? cul_xstrdup(job->conf->work)
                        : cul_xasprintf("%s/bisect/%.16s", base,
                                        cul_digest_hex(&digest, hex));
  rc = cul_mkdirs(dir, err);
  full = rc == 0 ? realpath(dir, NULL) : NULL;
  conf.dir = full ? full : dir;
  conf.n = (size_t)job->probe.workers + 3;
  if (rc == 0)
    rc = cul_pool_open(&conf, &job->pool, err);
  free(full);
  free(dir);
  free(real);
  free(base);
  return rc;
}

static int resolve_ends(struct cul_commits *job, struct cul_err *err) {
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

static int open_job(struct cul_commits *job, struct cul_err *err) {
  int rc = cul_repo_open(job->conf->repo, &job->repo, err);
  if (rc == 0)
    rc = resolve_ends(job, err);
  if (rc == 0)
    rc = cul_workplace_dir(&job->tmp, err);
  if (rc < 0)
    return rc;
  cul_workplace_cache(job->tmp, job->conf->cache_path, job->conf->no_cache,
                      &job->cache, &job->note);
  if (job->note)
    cul_commits_say(job, "%s", job->note);
  set_up_probe(job);
  rc = open_oracle(job, err);
  if (rc < 0)
    return rc;
  cul_commits_name(job);
  job->probe.request.tool = job->test;
  rc = open_pool(job, err);
  if (rc == 0)
    job->artefacts = cul_artefacts_new(
        &(struct cul_artefacts_conf){.cache = job->cache,
                                     .test = job->test,
                                     .argv = job->conf->argv,
                                     .since = cul_pool_since(job->pool)});
  return rc;
}

/* ---- the ends ---- */

static uint32_t number_of(const struct cul_commits *job,
                          const struct cul_commit_id *id) {
  return cul_history_find(&job->history, id);
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
  cul_commits_say(job, "%u commits read", job->history.n);
  return 0;
}

static int fail_bad(const struct cul_commits *job,
                    const struct cul_verdict *verdict, struct cul_err *err) {
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
  uint32_t bad = number_of(job, &job->bad);
  struct cul_buf text = {0};
  for (int i = 0; i < most_first_runs; i++) {
    int rc = cul_commits_try(job, bad, true, &verdict, err);
    if (rc < 0)
      return rc;
    if (verdict.answer != CUL_PASSES)
      break;
  }
  if (verdict.answer != CUL_SAME)
    return fail_bad(job, &verdict, err);
  job->sought = verdict.sig;
  cul_commits_one_run.describe(job->one_run, &text);
  cul_commits_say(job, "sought: %s", cul_buf_str(&text));
  cul_buf_release(&text);
  return 0;
}

/* Without --good: back along first parents by 1, 2, 4, ... until one passes. */
static int find_good(struct cul_commits *job, struct cul_err *err) {
  uint32_t at = number_of(job, &job->bad), back = 1;
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
    if (at == before)
      return cul_fail(err, CUL_ENOFAIL,
                      "it never worked in this repository, or give --good a "
                      "commit that passes",
                      "no commit before --bad %s was found to pass, back to "
                      "the first",
                      job->conf->bad);
    rc = cul_commits_try(job, at, false, &verdict, err);
    if (rc < 0)
      return rc;
    if (verdict.answer == CUL_PASSES) {
      job->goods[job->n_goods++] = job->history.ids[at];
      return 0;
    }
  }
}

/* Where a good commit is on another branch, what both branches began from
 * must be good: else the failure was fixed on the other branch. */
static int check_bases(struct cul_commits *job,
                       const struct cul_commit_id *good, const char *name,
                       struct cul_err *err) {
  struct cul_commit_id *bases;
  size_t n;
  int rc = cul_repo_merge_bases(job->repo, &job->bad, good, &bases, &n, err);
  if (rc < 0)
    return rc;
  if (n == 0)
    rc = cul_fail(err, CUL_EUSAGE, "give a --good of the same history",
                  "--bad %s and --good %s have no common ancestor",
                  job->conf->bad, name);
  for (size_t i = 0; i < n && rc == 0; i++) {
    struct cul_verdict verdict;
    char hex[CUL_COMMIT_HEX];
    if (cul_commit_equal(&bases[i], good) ||
        cul_commit_equal(&bases[i], &job->bad))
      continue;
    rc = cul_commits_try(job, number_of(job, &bases[i]), false, &verdict, err);
    if (rc == 0 && verdict.answer == CUL_SAME)
      rc = cul_fail(err, CUL_EUSAGE,
                    "it was fixed there: --find-fix with --bad that commit "
                    "tells where; or give a --good before it",
                    "the merge base %.12s of --bad %s and --good %s fails, too",
                    cul_commit_hex(&bases[i], hex), job->conf->bad, name);
  }
  free(bases);
  return rc;
}

/* ---- the search ---- */

static int lay_out(struct cul_commits *job, struct cul_err *err) {
  const struct cul_history *h = &job->history;
  bool fix = job->conf->find_fix;
  uint32_t *from = cul_xcalloc(job->n_goods + 1, sizeof *from);
  uint32_t bad = number_of(job, &job->bad), end = bad;
  size_t n = job->n_goods;
  bool ok;
  for (size_t i = 0; i < n; i++)
    from[i] = number_of(job, &job->goods[i]);
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
  cul_commits_say(job, "%u commits to search", job->dag.n);
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

static int search(struct cul_commits *job, struct cul_err *err) {
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

static int fail_budget(struct cul_err *err) {
  return cul_fail(err, CUL_EBUDGET,
                  "the report says what is known by now; with a larger budget "
                  "the same command goes on where it stopped",
                  "the budget of runs, builds or time is spent");
}

static int say_end(const struct cul_commits *job,
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
    return fail_budget(err);
  default:
    return 0;
  }
}

static int conclude(struct cul_commits *job, bool out_of_time, json_t **report,
                    struct cul_err *err) {
  struct cul_bisect_answer answer;
  int rc;
  cul_bisector_answer(job->bisector, &answer);
  rc = out_of_time ? fail_budget(err) : say_end(job, &answer, err);
  free(answer.suspects);
  if (rc == 0 || rc == CUL_EBUDGET) {
    *report = cul_commits_report(job, err);
    if (!*report)
      rc = err->code;
  }
  return rc;
}

static int run(struct cul_commits *job, json_t **report, struct cul_err *err) {
  int rc = open_job(job, err);
  if (rc == 0)
    rc = load_history(job, err);
  if (rc == 0)
    rc = classify(job, err);
  if (rc == 0 && job->n_goods == 0)
    rc = find_good(job, err);
  for (size_t i = 0; i < job->n_goods && rc == 0 && !job->conf->find_fix; i++)
    if (job->conf->good && job->conf->good[i])
      rc = check_bases(job, &job->goods[i], job->conf->good[i], err);
  if (rc == 0)
    rc = lay_out(job, err);
  if (rc == 0)
    rc = search(job, err);
  return rc == 0 || (rc == CUL_EBUDGET && job->bisector)
             ? conclude(job, rc < 0, report, err)
             : rc;
}

static void release(struct cul_commits *job) {
  struct cul_space space = cul_commits_space(job);
  struct cul_commits_oracle *one = job->one_run;
  for (int i = 0; i <= CUL_MAX_WORKERS && job->pool; i++)
    space.drop(job, i);
  if (job->pool)
    cul_pool_close(job->pool);
  if (one && one->self)
    one->inner->close(one->self);
  free(one);
  cul_bisector_free(job->bisector);
  cul_dag_release(&job->dag);
  cul_history_release(&job->history);
  cul_repo_close(job->repo);
  cul_rules_free(job->rules);
  cul_cache_close(job->cache);
  if (job->tmp)
    cul_rmtree(job->tmp);
  free(job->tmp);
  free(job->argv);
  free(job->program);
  free(job->note);
  free(job->goods);
  free(job->points);
  free(job->touches);
  cul_artefacts_free(job->artefacts);
  free(job->coins);
  free(job->coin_of);
  free(job->seen);
  free(job->trouble);
  for (size_t i = 0; i < job->n_warnings; i++)
    free(job->warnings[i]);
  free(job->warnings);
  free(job->events);
}

int cul_commits_run(const struct cul_commits_conf *conf,
                    const struct cul_commits_watcher *watcher, json_t **report,
                    struct cul_err *err) {
  struct cul_commits *job = cul_xcalloc(1, sizeof *job);
  int rc;
  job->conf = conf;
  if (conf->max_time_s > 0)
    job->deadline_us = cul_now_us() + (uint64_t)(conf->max_time_s * 1e6);
  if (watcher)
    job->watcher = *watcher;
  *report = NULL;
  if (conf->find_fix && (!conf->good || !conf->good[0]))
    rc = cul_fail(err, CUL_EUSAGE, "give --good a newer commit that passes",
                  "--find-fix needs --good");
  else
    rc = run(job, report, err);
  release(job);
  free(job);
  return rc;
}
