/* Runs the tests of a suite: see suite.h. */
#include "suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../probe/workplace.h"
#include "../../runners/runner.h"
#include "walk.h"

enum { MAX_SLOTS = 64, TICK_MS = 100 };

struct slot {
  struct cul_run *run; /* NULL: free */
  size_t file;
  char *tmp;
  struct cul_subst subst;
  struct cul_artefact art;
  struct cul_request request;
};

struct suite {
  struct cul_triage *t;
  char **files;
  struct cul_record **ended; /* index: file; records that were not taken yet */
  size_t n, next, taken;
  char *script;        /* conf->run with the test's name as parameter 1 */
  const char *argv[6]; /* the shell that runs script */
  struct cul_environment *environment;
  struct cul_command command;
  struct cul_request request;
  const struct cul_runner *runner;
  struct slot slots[MAX_SLOTS];
  size_t n_slots, n_running;
  struct cul_workplace place;
};

/* ---- which files ---- */

static bool is_test(const char *path) {
  static const char *const endings[] = {".mlir", ".py",  ".ll",   ".pto",
                                        ".hlo",  ".ptx", ".ttir", ".c",
                                        ".cpp",  ".cu",  ".tosa"};
  const char *dot = strrchr(cul_basename(path), '.');
  for (size_t i = 0; dot && i < CUL_ARRAY_SIZE(endings); i++)
    if (!strcmp(dot, endings[i]))
      return true;
  return false;
}

static void add_file(struct suite *s, const char *path) {
  if ((s->n & (s->n - 1)) == 0)
    s->files =
        cul_xreallocarray(s->files, s->n ? 2 * s->n : 1, sizeof *s->files);
  s->files[s->n++] = cul_xstrdup(path);
}

static void take_file(void *self, const char *path) {
  struct suite *s = self;
  if (is_test(path))
    add_file(s, path);
  else
    s->t->n_skipped++;
}

static void take_problem(void *self, const char *path, const char *why) {
  struct suite *s = self;
  cul_triage_problem(s->t, path, why);
}

static int find_files(struct suite *s, struct cul_err *err) {
  const struct cul_triage_conf *conf = s->t->conf;
  const struct cul_walk walk = {.self = s,
                                .file = take_file,
                                .problem = take_problem,
                                .except = "Inputs",
                                .interrupted = conf->interrupted,
                                .output = conf->output};
  for (size_t i = 0; i < conf->n_inputs; i++) {
    struct stat st;
    if (stat(conf->inputs[i], &st) < 0)
      return cul_fail(err, CUL_EUSAGE, "give a directory of tests, or a test",
                      "cannot read %s: %s", conf->inputs[i], strerror(errno));
    if (S_ISDIR(st.st_mode))
      cul_walk_dir(&walk, conf->inputs[i]);
    else
      add_file(s, conf->inputs[i]);
  }
  if (s->n)
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "tests are files such as .mlir, .ll and .py; other files are "
                  "run if they are given one by one",
                  "no test in %s%s", conf->inputs[0],
                  conf->n_inputs > 1 ? " and the others" : "");
}

/* ---- running ---- */

/* Replace each "@@" in the shell command by parameter 1, quoted as its position
 * requires, so that the shell never interprets the name of a test. */
static char *with_parameter(const char *text) {
  struct cul_buf out = {0};
  char quote = '\0';
  for (const char *at = text; *at; at++) {
    if (at[0] == '@' && at[1] == '@') {
      cul_buf_adds(&out, quote == '"'    ? "${1}"
                         : quote == '\'' ? "'\"$1\"'"
                                         : "\"$1\"");
      at++;
      continue;
    }
    cul_buf_addc(&out, *at);
    if (*at == '\\' && quote != '\'' && at[1] && at[1] != '@')
      cul_buf_addc(&out, *++at);
    else if (*at == quote)
      quote = '\0';
    else if (!quote && (*at == '"' || *at == '\''))
      quote = *at;
  }
  return cul_buf_take(&out);
}

static int set_up(struct suite *s, struct cul_err *err) {
  const struct cul_triage_conf *conf = s->t->conf;
  double seconds = conf->timeout_s > 0 ? conf->timeout_s : 60;
  long n = conf->workers > 0 ? conf->workers : sysconf(_SC_NPROCESSORS_ONLN);
  int rc;
  if (!cul_has_placeholder((const char *const[]){conf->run, NULL}))
    return cul_fail(err, CUL_EUSAGE,
                    "put @@ where the file's name belongs: --run 'mlir-opt "
                    "--canonicalize @@'",
                    "--run: \"%s\" has no placeholder for the test", conf->run);
  s->script = with_parameter(conf->run);
  s->argv[0] = "bash";
  s->argv[1] = "-c";
  s->argv[2] = s->script;
  s->argv[3] = "bash";
  s->argv[4] = "@@";
  rc = cul_environment_new(&conf->environment, &s->environment, err);
  if (rc < 0)
    return rc;
  s->command = (struct cul_command){.argv = s->argv,
                                    .delivery = CUL_BY_PLACEHOLDER,
                                    .cwd = ".",
                                    .environment = s->environment};
  s->request = (struct cul_request){.role = "suspect",
                                    .cmd = &s->command,
                                    .wall_ms = (uint64_t)(seconds * 1000),
                                    .out_bytes = 1 << 20};
  s->runner = cul_runner_find("process");
  rc = cul_workplace_open(&s->place, err);
  s->n_slots = n < 1 ? 1 : n > MAX_SLOTS ? MAX_SLOTS : (size_t)n;
  for (size_t i = 0; i < s->n_slots && rc == 0; i++)
    s->slots[i].tmp = cul_xasprintf("%s/%zu", s->place.dir, i);
  return rc;
}

static void take(struct suite *s, size_t file) {
  struct cul_record *record = s->ended[file];
  cul_triage_add_record(s->t, s->files[file], record, s->t->conf->run);
  cul_record_release(record);
  free(record);
  s->ended[file] = NULL;
}

/* Take the records in the order of the files, so that the order of failures
 * does not depend on time. */
static void take_ended(struct suite *s) {
  while (s->taken < s->next && s->ended[s->taken])
    take(s, s->taken++);
}

/* Take the remaining records after an interrupt, when some tests have not
 * ended. */
static void take_rest(struct suite *s) {
  for (size_t i = s->taken; i < s->next; i++)
    if (s->ended[i])
      take(s, i);
  s->t->n_unrun = s->t->n_logs ? s->n - s->t->n_logs : 0;
}

static void keep_record(struct suite *s, size_t file,
                        const struct cul_record *record) {
  s->ended[file] = cul_xmalloc(sizeof *record);
  *s->ended[file] = *record;
}

static int start_next(struct suite *s, struct slot *slot, struct cul_err *err) {
  char *path = realpath(s->files[s->next], NULL);
  int rc = 0;
  slot->file = s->next++;
  if (!path) {
    const struct cul_record none = {.end = CUL_EXITED};
    cul_triage_problem(s->t, s->files[slot->file], strerror(errno));
    keep_record(s, slot->file, &none);
    take_ended(s);
    return 0;
  }
  slot->subst = (struct cul_subst){"@@", path};
  slot->art = (struct cul_artefact){.subst = &slot->subst,
                                    .n_subst = 1,
                                    .dir = "",
                                    .file = "",
                                    .live_fd = -1};
  slot->request = s->request;
  rc = cul_workplace_claim_tmp(&s->place.held, slot->tmp, &slot->request, err);
  if (rc == 0)
    rc = s->runner->start(&slot->art, &slot->request, slot->tmp, &slot->run,
                          err);
  s->n_running += rc == 0;
  return rc;
}

/* Check a failure that every test would have: the command cannot run. */
static int check_command(const struct suite *s, const struct cul_record *record,
                         struct cul_err *err) {
  bool unknown = record->end == CUL_EXITED && record->status == 127 &&
                 strstr(cul_buf_str(&record->err), "not found");
  if (!unknown && record->end != CUL_NOT_STARTED)
    return 0;
  return cul_fail(
      err, CUL_EENV, "check the name, install it, or give its full path",
      "--run '%s' cannot be run: %.*s", s->t->conf->run,
      (int)strcspn(cul_buf_str(&record->err), "\n"), cul_buf_str(&record->err));
}

static int finish(struct suite *s, struct slot *slot, struct cul_record *record,
                  struct cul_err *err) {
  int rc = check_command(s, record, err);
  slot->run = NULL;
  s->n_running--;
  s->t->n_logs++;
  free((char *)(uintptr_t)slot->subst.value);
  slot->subst.value = NULL;
  keep_record(s, slot->file, record);
  if (rc == 0)
    take_ended(s);
  return rc;
}

static int advance_all(struct suite *s, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < s->n_slots && rc == 0; i++) {
    struct cul_record record = {0};
    bool done = false;
    if (!s->slots[i].run)
      continue;
    rc = s->runner->advance(s->slots[i].run, &record, &done, err);
    if (rc == 0 && done)
      rc = finish(s, &s->slots[i], &record, err);
  }
  return rc;
}

static void wait_for_any(struct suite *s) {
  struct pollfd fds[MAX_SLOTS * CUL_RUN_MAX_FDS];
  size_t n = 0;
  for (size_t i = 0; i < s->n_slots; i++)
    if (s->slots[i].run)
      n += s->runner->fds(s->slots[i].run, fds + n, CUL_RUN_MAX_FDS);
  (void)poll(fds, n, TICK_MS);
  cul_status_beat();
}

static int run_all(struct suite *s, struct cul_err *err) {
  int rc = 0;
  while (rc == 0 && (s->next < s->n || s->n_running)) {
    for (size_t i = 0; i < s->n_slots && s->next < s->n && rc == 0; i++)
      if (!s->slots[i].run)
        rc = start_next(s, &s->slots[i], err);
    if (rc == 0 && s->n_running)
      wait_for_any(s);
    if (rc == 0)
      rc = advance_all(s, err);
    if (rc == 0)
      rc = cul_triage_time_left(s->t->conf, err);
  }
  if (cul_is_cut(rc))
    take_rest(s);
  if (rc == CUL_EBUDGET)
    rc = cul_fail(err, rc,
                  "their failures are reported; the same command with a larger "
                  "--max-time runs all tests",
                  "--max-time was reached after %zu of %zu test%s",
                  s->t->n_logs, s->n, cul_s(s->n));
  return rc;
}

static void release(struct suite *s) {
  for (size_t i = 0; i < s->n_slots; i++)
    if (s->slots[i].run && s->runner->hang_up)
      s->runner->hang_up(s->slots[i].run);
  for (size_t i = 0; i < s->n_slots; i++) {
    if (s->slots[i].run)
      s->runner->cancel(s->slots[i].run);
    free((char *)(uintptr_t)s->slots[i].subst.value);
    free(s->slots[i].tmp);
  }
  cul_environment_free(s->environment);
  free(s->script);
  for (size_t i = 0; i < s->n; i++) {
    if (s->ended && s->ended[i])
      cul_record_release(s->ended[i]);
    if (s->ended)
      free(s->ended[i]);
    free(s->files[i]);
  }
  free(s->files);
  free(s->ended);
  cul_workplace_close(&s->place);
}

int cul_triage_suite(struct cul_triage *t, struct cul_err *err) {
  struct suite *s = cul_xcalloc(1, sizeof *s);
  int rc;
  s->t = t;
  rc = find_files(s, err);
  if (rc == 0) {
    s->ended = cul_xcalloc(s->n, sizeof *s->ended);
    rc = set_up(s, err);
  }
  if (rc == 0)
    rc = run_all(s, err);
  release(s);
  free(s);
  return rc;
}
