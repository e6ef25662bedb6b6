/* The job from end to end: see commits.h. */
#include "commits.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../search/commits_oracle.h"
#include "commits_private.h"

/* A build may take hours; one that hangs is the user's to end. */
static const uint64_t build_ms = (uint64_t)7 * 24 * 3600 * 1000;

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
  cul_commits_find_fixed(job);
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
                                      .environment = job->environment,
                                      .env = env};
}

static void set_up_probe(struct cul_commits *job) {
  struct cul_probe *probe = &job->probe;
  double seconds = job->conf->timeout_s > 0 ? job->conf->timeout_s : 60;
  set_up_command(job);
  probe->cache = job->cache;
  probe->runner = cul_runner_find("process");
  probe->place = &job->place.held;
  probe->workers = job->conf->builds > 0 ? job->conf->builds : 1;
  probe->build_ms = build_ms;
  probe->interrupted = job->conf->interrupted;
  probe->budget.deadline_us = job->deadline_us;
  probe->watcher = (struct cul_watcher){.self = job, .ran = cul_commits_ran};
  probe->fixed_deadline = true; /* each commit's tool has its own pace */
  probe->doubt_passes = true;
  probe->request = (struct cul_request){.role = "suspect",
                                        .cmd = &job->command,
                                        .flags = CUL_RUN_SYMBOLIZE,
                                        .wall_ms = (uint64_t)(seconds * 1000),
                                        .out_bytes = 1 << 20};
}

static int open_pool(struct cul_commits *job, struct cul_err *err) {
  struct cul_pool_conf conf = {
      .repo = job->repo, .build = job->conf->build, .key = job->build};
  char *base = NULL, *real = realpath(job->conf->repo, NULL);
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest digest;
  char hex[CUL_DIGEST_HEX], *dir, *full;
  int rc = 0;
  cul_hasher_field(h, real);
  cul_hasher_field(h, job->conf->build);
  digest = cul_hasher_finish(h);
  if (!job->conf->work)
    rc = cul_cache_dir_make(&base, err);
  dir = job->conf->work ? cul_xstrdup(job->conf->work)
                        : cul_xasprintf("%s/bisect/%.16s", base ? base : "",
                                        cul_digest_hex(&digest, hex));
  if (rc == 0)
    rc = cul_mkdirs(dir, err);
  full = rc == 0 ? realpath(dir, NULL) : NULL;
  conf.dir = full ? full : dir;
  conf.n = (size_t)job->probe.workers + 3;
  if (rc == 0)
    rc = cul_commits_open_boxes(job, conf.dir, err);
  conf.environment = job->building;
  if (rc == 0)
    rc = cul_pool_open(&conf, &job->pool, err);
  free(full);
  free(dir);
  free(real);
  free(base);
  return rc;
}

static int open_job(struct cul_commits *job, struct cul_err *err) {
  int rc = cul_environment_new(&job->conf->environment, &job->environment, err);
  if (rc == 0)
    rc = cul_repo_open(job->conf->repo, &job->repo, err);
  if (rc == 0)
    rc = cul_commits_resolve(job, err);
  if (rc == 0 && job->conf->bundle)
    rc = cul_commits_bundle_open(job, err);
  if (rc == 0)
    rc = cul_workplace_open(&job->place, err);
  if (rc < 0)
    return rc;
  cul_workplace_cache(job->conf->cache_path, job->conf->no_cache, &job->cache,
                      &job->note);
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

static int conclude(struct cul_commits *job, bool out_of_time, json_t **report,
                    struct cul_err *err) {
  struct cul_bisect_answer answer;
  struct cul_err wrong = {0};
  int rc;
  cul_bisector_answer(job->bisector, &answer);
  rc = out_of_time ? cul_commits_fail_budget(err)
                   : cul_commits_say_end(job, &answer, err);
  free(answer.suspects);
  if (rc == 0 && answer.end == CUL_BISECT_FOUND)
    rc = cul_commits_go_inside(job, answer.culprit, err);
  if (rc == 0 || rc == CUL_EBUDGET) {
    *report = cul_commits_report(job, &wrong);
    if (*report && job->conf->bundle)
      (void)!cul_commits_bundle_write(job, *report, &wrong);
    if (wrong.code) {
      *err = wrong;
      rc = wrong.code;
    }
  }
  return rc;
}

static int run(struct cul_commits *job, json_t **report, struct cul_err *err) {
  int rc = open_job(job, err);
  if (rc == 0)
    rc = cul_commits_ends(job, err);
  if (rc == CUL_EBUDGET)
    rc = cul_fail(err, CUL_EBUDGET,
                  "raise it; the same command goes on where it stopped",
                  "--max-time was reached before both ends were tested");
  if (rc == 0)
    rc = cul_commits_search(job, err);
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
  json_decref(job->inner);
  json_decref(job->trials);
  cul_commits_missing_free(job);
  json_decref(job->moved);
  cul_moves_release(&job->moves);
  cul_bisector_free(job->bisector);
  cul_dag_release(&job->dag);
  cul_history_release(&job->history);
  cul_repo_close(job->repo);
  cul_rules_free(job->rules);
  cul_cache_close(job->cache);
  cul_workplace_close(&job->place);
  free(job->argv);
  free(job->program);
  free(job->work);
  free(job->note);
  free(job->goods);
  free(job->points);
  free(job->touches);
  cul_artefacts_free(job->artefacts);
  cul_commits_release_words(job);
  free(job->coins);
  free(job->coin_of);
  free(job->seen);
  free(job->trouble);
  for (size_t i = 0; i < job->n_warnings; i++)
    free(job->warnings[i]);
  free(job->warnings);
  free(job->events);
  cul_paths_release(&job->refused);
  cul_environment_free(job->building);
  cul_environment_free(job->environment);
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
