/* The job from end to end: see commits.h. */
#include "commits.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../build/there.h"
#include "../report/leave.h"
#include "bundle.h"
#include "job.h"
#include "report.h"

/* A build may take hours; the user ends one that hangs. */
static const uint64_t build_ms = (uint64_t)7 * 24 * 3600 * 1000;

static const char *const env[] = {"CULPRIT_COMMIT=@{commit}", NULL};

/* ---- setting up ---- */

/* Set up the command: "./opt" is that of the build directory, wherever culprit
 * runs. */
static void set_up_command(struct cul_commits_job *job) {
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
                                      .environment = job->sandboxes.tests,
                                      .env = env,
                                      .hosts = job->hosts};
}

/* Can the file be a part of the test: its program, an interpreter's script, or
 * another executable?  Other words may be inputs or outputs. */
static bool is_code(const char *const *argv, const char *const *arg,
                    const char *path) {
  struct stat st;
  return path[0] == '/' && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
         (arg <= argv + 1 || (st.st_mode & 0111));
}

/* Watch the files of the test that no build makes.  The other files of the test
 * are those of the commits. */
static void watch_test(struct cul_commits_job *job) {
  struct cul_identity identity = {0};
  for (const char *const *arg = job->conf->argv; *arg; arg++) {
    bool found = arg == job->conf->argv && !strchr(*arg, '/');
    char *path = found ? cul_find_program(*arg) : cul_xstrdup(*arg);
    struct cul_err ignored = {0};
    struct cul_digest digest;
    char hex[CUL_DIGEST_HEX];
    if (path && is_code(job->conf->argv, arg, path) &&
        cul_file_digest(path, &digest, &ignored) == 0) {
      cul_buf_addf(&identity.files, "%s %s\n", cul_digest_hex(&digest, hex),
                   path);
      identity.n_files++;
    }
    free(path);
  }
  cul_stamps_add(&job->stamps, &job->command, &identity);
  cul_identity_release(&identity);
  cul_cache_guard(job->cache, cul_stamps_hold, &job->stamps);
}

static void set_up_probe(struct cul_commits_job *job) {
  struct cul_probe *probe = &job->whole.tester.probe;
  double seconds = job->conf->timeout_s > 0 ? job->conf->timeout_s : 60;
  set_up_command(job);
  watch_test(job);
  probe->doubt.stamps = &job->stamps;
  probe->cache = job->cache;
  probe->runner = cul_runner_find(job->hosts ? "remote" : "process");
  probe->place = &job->place.held;
  probe->workers = job->conf->builds > 0 ? job->conf->builds
                   : job->hosts          ? (int)cul_hosts_count(job->hosts)
                                         : 1;
  probe->build_ms = build_ms;
  probe->interrupted = job->conf->interrupted;
  if (job->conf->max_time_s > 0)
    probe->budget.deadline_us =
        job->start_us + (uint64_t)(job->conf->max_time_s * 1e6);
  probe->deadline.fixed = true; /* each commit's tool has its own pace */
  probe->doubt.passes = true;
  probe->request = (struct cul_request){.role = "suspect",
                                        .cmd = &job->command,
                                        .flags = CUL_RUN_SYMBOLIZE,
                                        .wall_ms = (uint64_t)(seconds * 1000),
                                        .out_bytes = 1 << 20};
}

/* The directory for builds of a repository by a command; heap. */
static int work_dir(const struct cul_commits_conf *conf, char **dir,
                    struct cul_err *err) {
  struct cul_hasher *h;
  struct cul_digest digest;
  char hex[CUL_DIGEST_HEX], *base = NULL, *real;
  int rc;
  if (conf->work) {
    *dir = cul_xstrdup(conf->work);
    return 0;
  }
  rc = cul_cache_dir_make(&base, err);
  if (rc < 0)
    return rc;
  real = realpath(conf->repo, NULL);
  h = cul_hasher_new();
  cul_hasher_field(h, real);
  cul_hasher_field(h, conf->build);
  digest = cul_hasher_finish(h);
  *dir = cul_xasprintf("%s/bisect/%.16s", base, cul_digest_hex(&digest, hex));
  free(real);
  free(base);
  return 0;
}

/* How many directories: for each build under way, those of both ends and one
 * more.  As many for each worker. */
static size_t count_workspaces(const struct cul_commits_job *job) {
  size_t n = (size_t)job->whole.tester.probe.workers + 3;
  size_t workers = job->hosts ? cul_hosts_count(job->hosts) : 1;
  return (n + workers - 1) / workers * workers;
}

/* A worker that is asked for the states of the names in a list. */
struct asked {
  struct cul_elsewhere elsewhere;
  struct cul_there *there; /* NULL: it has answered, or is not asked */
  struct pollfd fd;
};

/* Take its answer, unless the worker is left out for it. */
static void take_states(struct cul_commits_job *job, const struct asked *asked,
                        const char *lines) {
  size_t worker = asked->elsewhere.worker;
  struct cul_buf list = {0};
  if (cul_there_agrees(job->hosts, &job->told, worker, lines))
    cul_outside_take(&job->told, worker, lines, &list);
  cul_buf_release(&list);
}

static int ask(struct cul_commits_job *job, const char *list, size_t worker,
               struct asked *asked, struct cul_err *err) {
  struct cul_there_conf conf = {.hosts = job->hosts,
                                .elsewhere = &asked->elsewhere,
                                .environment = job->sandboxes.tests,
                                .script = ":",
                                .tmp = job->place.held.path};
  uint32_t life = cul_hosts_life(job->hosts, worker);
  asked->elsewhere = (struct cul_elsewhere){.worker = worker, .lists = list};
  asked->fd = (struct pollfd){.fd = -1, .events = POLLIN};
  return life == 0 || life == UINT32_MAX
             ? 0
             : cul_there_begin(&conf, &asked->there, &asked->fd.fd, err);
}

/* Wait a little for one answer. */
static int hear(struct cul_commits_job *job, struct asked *asked,
                struct cul_err *err) {
  struct cul_record record = {0};
  bool done = false;
  int rc;
  (void)poll(&asked->fd, 1, 100);
  rc = cul_there_advance(asked->there, &done, &record, err);
  cul_status_beat();
  if (rc == 0 && !done)
    return cul_probe_time_left(&job->whole.tester.probe, err);
  if (rc == 0 && record.end == CUL_EXITED)
    take_states(job, asked, cul_buf_str(&record.files));
  cul_record_release(&record);
  cul_there_free(asked->there);
  asked->there = NULL;
  return rc;
}

/* See in which state all is there on which stored answers and the directories
 * of earlier jobs depend, on the machine of each worker that is connected. */
static int look(struct cul_commits_job *job, const struct cul_pool_conf *pool,
                struct cul_err *err) {
  size_t n = job->hosts ? cul_hosts_count(job->hosts) : 0;
  struct asked *asked = cul_xcalloc(n + 1, sizeof *asked);
  struct cul_buf names = {0};
  int rc = 0;
  if (n)
    cul_pool_names(pool, &names);
  if (n)
    cul_ledger_names(&job->ledger, &names);
  for (size_t i = 0; i < n && names.len && rc == 0; i++)
    rc = ask(job, cul_buf_str(&names), i, &asked[i], err);
  for (size_t i = 0; i < n && rc == 0; i++)
    while (asked[i].there && rc == 0)
      rc = hear(job, &asked[i], err);
  for (size_t i = 0; i < n; i++)
    cul_there_free(asked[i].there);
  free(asked);
  cul_buf_release(&names);
  return rc;
}

static int open_pool(struct cul_commits_job *job, struct cul_err *err) {
  const struct cul_commits_conf *conf = job->conf;
  struct cul_pool_conf pool = {.repo = job->whole.range.repo,
                               .build = conf->build,
                               .key = job->ledger.build,
                               .n = count_workspaces(job),
                               .hosts = job->hosts,
                               .cache = job->cache,
                               .told = &job->told,
                               .artefacts = &job->artefacts};
  struct cul_sandboxes_conf boxes = {.repo = conf->repo,
                                     .cache = conf->cache.path,
                                     .builds =
                                         conf->build != NULL && !job->hosts};
  char *dir = NULL, *full;
  char *shared = conf->environment.shared
                     ? realpath(conf->environment.shared, NULL)
                     : NULL;
  int rc = work_dir(conf, &dir, err);
  if (rc == 0)
    rc = cul_mkdirs(dir, 0700, err);
  full = rc == 0 ? realpath(dir, NULL) : NULL;
  pool.dir = boxes.work = full ? full : dir;
  if (rc == 0)
    rc = cul_sandboxes_set_up(&job->sandboxes, &conf->environment, &boxes, err);
  pool.environment = job->sandboxes.builds;
  pool.shared = shared;
  if (rc == 0)
    rc = look(job, &pool, err);
  if (rc == 0)
    rc = cul_pool_open(&pool, &job->pool, err);
  /* Only names of directories were made of it. */
  free(shared);
  free(full);
  free(dir);
  return rc;
}

static int open_history(struct cul_commits_job *job, struct cul_err *err) {
  const struct cul_commits_conf *conf = job->conf;
  const struct cul_range_conf range = {.repo = conf->repo,
                                       .good = conf->good,
                                       .bad = conf->bad,
                                       .paths = conf->paths,
                                       .find_fix = conf->find_fix,
                                       .first_parent = conf->first_parent};
  job->lacking = (struct cul_lacking){.range = &job->whole.range,
                                      .notices = &job->whole.notices};
  return cul_range_open(&range, &job->whole.range, err);
}

static void open_cache(struct cul_commits_job *job) {
  char *note = NULL;
  cul_workplace_cache(&job->conf->cache, &job->cache, &note);
  if (note)
    cul_notices_say(&job->whole.notices, "%s", note);
  free(note);
}

static void open_ledger(struct cul_commits_job *job) {
  const struct cul_ledger_keys keys = {
      .build = job->conf->build,
      .argv = job->conf->argv,
      .environment = job->sandboxes.tests,
      .oracle = &job->sought.conf,
      .bad = job->whole.range.bad,
      .there = job->hosts ? cul_buf_str(&job->there) : NULL};
  job->ledger = (struct cul_ledger){.cache = job->cache,
                                    .repo = job->whole.range.repo,
                                    .outside = &job->outside,
                                    .told = job->hosts ? &job->told : NULL,
                                    .lacking = &job->lacking};
  cul_ledger_name(&job->ledger, &keys);
}

static int open_oracle(struct cul_commits_job *job, struct cul_err *err) {
  struct cul_probe *probe = &job->whole.tester.probe;
  int rc = cul_sought_open(&job->sought, &job->conf->oracle, job->conf->argv,
                           probe->request.wall_ms, err);
  probe->oracle = &cul_one_run_oracle;
  probe->oracle_self = &job->sought.oracle;
  return rc;
}

static void share(struct cul_commits_job *job) {
  job->shared = (struct cul_bisection_shared){
      .ledger = &job->ledger,
      .lacking = &job->lacking,
      .sought = &job->sought,
      .sandboxes = &job->sandboxes,
      .archive = &job->archive,
      .pool = job->pool,
      .artefacts = job->artefacts,
      .search = job->conf->search,
      .outside = job->argv[0][0] != '@' && !job->program,
      .retries = job->conf->retries,
      .retry_pause_s = job->conf->retry_pause_s};
}

static int open_hosts(struct cul_commits_job *job, struct cul_err *err) {
  const struct cul_environment_conf *environment = &job->conf->environment;
  const struct cul_hosts_conf conf = {.on = environment->on,
                                      .n_on = environment->n_on,
                                      .shared = environment->shared,
                                      .sent = environment->sent,
                                      .n_sent = environment->n_sent,
                                      .environment = environment};
  return conf.n_on ? cul_hosts_open(&conf, &job->hosts, err) : 0;
}

/* What builds and tests find there, which their answers depend on. */
static int survey(struct cul_commits_job *job, struct cul_err *err) {
  const struct cul_patience patience =
      cul_probe_patience(&job->whole.tester.probe);
  char *why = NULL;
  int rc = job->hosts ? cul_hosts_wait(job->hosts, &patience, &why, err) : 0;
  if (rc == 0 && why)
    rc = cul_fail(err, CUL_EENV,
                  job->conf->environment.allocated
                      ? "check the allocation; then run the same "
                        "command again"
                      : "try the command of --on by hand, with \" sh\" after "
                        "it; then run the same command again",
                  "no worker can make builds: %s", why);
  else if (rc == 0 && job->hosts)
    rc = cul_there_survey(job->hosts, job->conf->build, job->place.held.path,
                          job->sandboxes.tests, &patience, &job->there, err);
  free(why);
  return rc;
}

static int open_job(struct cul_commits_job *job, struct cul_err *err) {
  const struct cul_commits_conf *conf = job->conf;
  int rc;
  job->archive = (struct cul_archive){conf->bundle, conf->build != NULL};
  job->sandboxes.notices = &job->whole.notices;
  rc = cul_sandboxes_open(&job->sandboxes, &conf->environment, err);
  if (rc == 0)
    rc = open_history(job, err);
  if (rc == 0)
    rc = cul_archive_open(&job->archive, err);
  if (rc == 0)
    rc = cul_workplace_open(&job->place, err);
  if (rc == 0)
    rc = open_hosts(job, err);
  if (rc < 0)
    return rc;
  open_cache(job);
  set_up_probe(job);
  rc = survey(job, err);
  if (rc == 0)
    rc = open_oracle(job, err);
  if (rc < 0)
    return rc;
  open_ledger(job);
  job->whole.tester.probe.request.tool = job->ledger.test;
  rc = open_pool(job, err);
  if (rc < 0)
    return rc;
  job->artefacts = cul_artefacts_new(
      &(struct cul_artefacts_conf){.cache = job->cache,
                                   .test = job->ledger.test,
                                   .argv = conf->argv,
                                   .since = cul_pool_since(job->pool)});
  share(job);
  cul_bisection_tie(&job->whole, &job->shared);
  return 0;
}

/* Search, again as long as there are doubts that only an experiment can
 * settle. */
static int search(struct cul_commits_job *job, struct cul_err *err) {
  struct cul_bisection *whole = &job->whole;
  int rc = cul_bisection_search(whole, err);
  while (rc == 0 && cul_strategy_has_doubts(&whole->strategy)) {
    rc = cul_commits_settle_doubts(job, err);
    if (rc == 0)
      rc = cul_bisection_go_on(whole, err);
  }
  return rc;
}

static int fail_turns(const struct cul_bisection *b, struct cul_err *err) {
  const struct cul_turn *turn = &b->strategy.turn;
  bool fails = turn->first == CUL_SAME;
  char hex[CUL_COMMIT_HEX];
  return cul_fail(
      err, CUL_EFLAKY,
      "make each run begin anew: remove what the test keeps at its beginning, "
      "or turn its cache off, or place it in $TMPDIR, which is new for each "
      "run",
      "the test's runs depend on earlier ones: of %u runs of %.12s the first "
      "%u "
      "%s and all later ones %s",
      turn->n, cul_commit_hex(&b->range.history.ids[turn->commit], hex),
      turn->lead, fails ? "fail" : "pass", fails ? "pass" : "fail");
}

/* cut: EBUDGET or EINTR, which ended the search; or 0. */
static int conclude(struct cul_commits_job *job, int cut, json_t **report,
                    struct cul_err *err) {
  struct cul_bisect_answer answer;
  struct cul_err wrong = {0};
  int rc;
  cul_bisector_answer(job->whole.strategy.bisector, &answer);
  rc = cut == CUL_EINTR ? cut
       : cut            ? cul_bisection_fail_budget(err)
       : job->whole.strategy.turns
           ? fail_turns(&job->whole, err)
           : cul_bisection_end(&job->whole, &answer, err);
  free(answer.suspects);
  if (rc == 0 && answer.end == CUL_BISECT_FOUND)
    rc = cul_commits_go_inside(job, answer.culprit, err);
  if (rc == 0 || cul_is_cut(rc) || job->whole.strategy.turns) {
    const struct cul_commits_beside beside = {&job->lacking, job->moved,
                                              job->inner, job->trials};
    *report = cul_commits_report(&job->whole, job->conf->argv, &beside, &wrong);
    if (*report)
      (void)!cul_commits_bundle(job->conf, &job->whole, &job->moves, *report,
                                &wrong);
    if (wrong.code) {
      *err = wrong;
      rc = wrong.code;
    }
  }
  if (rc == 0 && answer.end == CUL_BISECT_SUSPECTS && answer.n_suspects > 1)
    rc = cul_leave_several("commit", answer.n_suspects, err);
  return rc;
}

static int run(struct cul_commits_job *job, json_t **report,
               struct cul_err *err) {
  int rc = open_job(job, err);
  if (rc == 0)
    rc = cul_commits_ends(job, err);
  if (rc == CUL_EBUDGET)
    rc = cul_fail(err, CUL_EBUDGET, "raise it; the same command continues",
                  "--max-time was reached before both ends were tested");
  if (rc == 0)
    rc = search(job, err);
  return rc == 0 || (cul_is_cut(rc) && job->whole.strategy.bisector)
             ? conclude(job, rc, report, err)
             : rc;
}

static void release(struct cul_commits_job *job) {
  struct cul_repo *repo = job->whole.range.repo;
  job->whole.range.repo = NULL;
  cul_bisection_release(&job->whole);
  if (job->pool)
    cul_pool_close(job->pool);
  cul_hosts_free(job->hosts);
  cul_buf_release(&job->there);
  cul_outside_told_release(&job->told);
  cul_sought_release(&job->sought);
  json_decref(job->inner);
  json_decref(job->trials);
  json_decref(job->moved);
  cul_lacking_release(&job->lacking);
  cul_moves_release(&job->moves);
  cul_repo_close(repo);
  cul_cache_close(job->cache);
  cul_stamps_release(&job->stamps);
  cul_workplace_close(&job->place);
  free(job->argv);
  free(job->program);
  cul_artefacts_free(job->artefacts);
  cul_sandboxes_release(&job->sandboxes);
  free(job);
}

int cul_commits_run(const struct cul_commits_conf *conf,
                    const struct cul_commits_watcher *watcher, json_t **report,
                    struct cul_err *err) {
  struct cul_commits_job *job = cul_xcalloc(1, sizeof *job);
  int rc;
  job->conf = conf;
  job->start_us = cul_now_us();
  if (watcher)
    job->whole.notices =
        (struct cul_notices){.self = watcher->self, .said = watcher->said};
  *report = NULL;
  if (conf->find_fix && (!conf->good || !conf->good[0]))
    rc = cul_fail(err, CUL_EUSAGE, "give --good a newer commit that passes",
                  "--find-fix needs --good");
  else
    rc = run(job, report, err);
  release(job);
  return rc;
}
