/* The target of a job: see target.h. */
#include "target.h"
#include "../../oracles/rules/rules.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../base/outputs.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../oracles/rules/rules.h"
#include "../../runners/live.h"

/* Larger inputs are taken for a mistake (a weight file, a log).  100 MB of
 * weights are 200 MB of text. */
static const size_t max_input = (size_t)1 << 30;

/* A run that has not ended by then has a timeout, where one is sought and
 * --timeout does not say it. */
static const uint64_t hang_ms = 20 * 1000;

static const char *const no_env[] = {NULL};

/* What a script may want to know beside the candidate. */
static const char *const script_env[] = {"CULPRIT_CANDIDATE=@@",
                                         "CULPRIT_ORIGINAL=@{original}",
                                         "CULPRIT_WORKDIR=@{dir}", NULL};

static int read_input(const char *path, struct cul_target_subject *subject,
                      struct cul_err *err) {
  struct stat st;
  int rc = cul_file_read(path, max_input, &subject->text, err);
  if (rc < 0) {
    if (strstr(err->what, "the most that is read"))
      return cul_fail(err, CUL_EUSAGE,
                      "weights belong outside the module: elide or strip "
                      "them first (mlir-opt --mlir-elide-elementsattrs-if-"
                      "larger=16)",
                      "%s is larger than %zu MiB", path, max_input >> 20);
    return rc;
  }
  if (subject->text.len == 0)
    return cul_fail(err, CUL_EUSAGE, "give the file that makes the tool fail",
                    "%s is empty", path);
  subject->executable = stat(path, &st) == 0 && (st.st_mode & 0111);
  return 0;
}

/* The candidate's name: the input's, with only harmless characters. */
static char *candidate_name(const char *input) {
  char *name = cul_xstrdup(cul_basename(input));
  for (char *at = name; *at; at++)
    if (!isalnum((unsigned char)*at) && !strchr("._-+", *at))
      *at = '_';
  if (name[0] == '-' || name[0] == '.')
    name[0] = '_';
  return name;
}

static int find_script(struct cul_target *target, struct cul_err *err) {
  const struct cul_target_conf *conf = target->conf;
  struct cul_command *command = &target->tool.command;
  int rc = cul_contract_find(conf->contract, &target->script.contract, err);
  if (rc == 0)
    rc = cul_contract_check_place(target->script.contract, err);
  if (rc == 0)
    rc = cul_contract_argv(target->script.contract, conf->script, conf->argv,
                           &target->script.argv, &command->delivery, err);
  if (rc < 0)
    return rc;
  command->argv = target->script.argv;
  command->env = script_env;
  command->cwd = target->script.contract->fresh ? NULL : ".";
  return 0;
}

/* The file itself is the program. */
static int check_executable(const struct cul_target *target,
                            struct cul_err *err) {
  const char *program = target->conf->argv[0], *input = target->conf->input;
  if (target->subject.executable || strcmp(program, "@@") != 0)
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "make it executable (chmod +x), or name its interpreter: "
                  "-- bash @@",
                  "the command runs @@, but %s is not executable", input);
}

/* As the runs will find it, by the PATH that they are passed. */
static int check_program(const struct cul_target *target, struct cul_err *err) {
  const char *name = target->tool.command.argv[0];
  char *program = cul_plan_program(&target->tool.command, name);
  int rc = 0;
  if (!program || access(program, F_OK) < 0)
    rc = cul_fail_command(err,
                          "check the name, install it, or give its full path",
                          "cannot find the program %s", name);
  else if (access(program, X_OK) < 0)
    rc = cul_fail_command(err, "make it executable: chmod +x",
                          "cannot start the program %s: it is not executable",
                          name);
  free(program);
  return rc;
}

static int find_command(struct cul_target *target, struct cul_err *err) {
  const struct cul_target_conf *conf = target->conf;
  target->tool.command.executable = target->subject.executable;
  target->tool.command.env = no_env;
  target->tool.command.environment = target->tool.environment;
  if (conf->passes || conf->device)
    return cul_target_find_engine(target, err);
  if (conf->script)
    return find_script(target, err);
  if (!conf->argv || !conf->argv[0])
    return cul_fail(err, CUL_EUSAGE,
                    "put it behind \"--\", with @@ for the file: -- mlir-opt "
                    "--canonicalize @@",
                    "no command to run is given");
  target->tool.command.argv = conf->argv;
  target->tool.command.cwd = ".";
  target->tool.command.delivery =
      cul_has_placeholder(conf->argv) ? CUL_BY_PLACEHOLDER : CUL_BY_STDIN;
  if (strstr(conf->argv[0], "@@"))
    return check_executable(target, err);
  if (conf->installed || strstr(conf->argv[0], "@{")) /* each has its own */
    return 0;
  return check_program(target, err);
}

static void set_tool(struct cul_target *target) {
  target->probe.request.tool = cul_identity_key(&target->tool.identity);
}

/* So many that the limit of open files (ulimit -n) is enough: besides what a
 * job holds, a worker has four candidates, and the pipes of a run. */
static void fit_workers(int *workers) {
  enum { JOB = 16, WORKER = 10 };
  struct rlimit limit;
  int room;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0 ||
      limit.rlim_cur >= JOB + WORKER * CUL_MAX_WORKERS)
    return;
  room = ((int)limit.rlim_cur - JOB) / WORKER;
  room = room < 1 ? 1 : room;
  if (*workers <= room)
    return;
  cul_status_hiccup(CUL_HICCUP_START,
                    "note:      %d run%s at a time: more files may not be open "
                    "(ulimit -n %d)",
                    room, cul_s((unsigned)room), (int)limit.rlim_cur);
  *workers = room;
}

static void set_up_probe(struct cul_target *target) {
  const struct cul_target_conf *conf = target->conf;
  struct cul_probe *probe = &target->probe;
  double seconds = conf->timeout_s > 0 ? conf->timeout_s : 60;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  probe->cache = target->cache;
  /* What a worker forks has the worker's memory. */
  probe->runner = cul_runner_find(
      target->engine.argv && !conf->oracle.measured.memory ? "live"
                                                           : "preload");
  probe->lost_status = target->engine.argv ? CUL_ENGINE_MISSING : 0;
  probe->place = &target->place.held;
  probe->workers = conf->workers > 0 ? conf->workers : (int)cores;
  if ((target->script.contract && target->script.contract->alone &&
       conf->workers <= 0) ||
      cul_contract_shares(target->script.contract))
    probe->workers = 1;
  if (probe->workers < 1)
    probe->workers = 1;
  if (probe->workers > CUL_MAX_WORKERS)
    probe->workers = CUL_MAX_WORKERS;
  fit_workers(&probe->workers);
  probe->interrupted = conf->interrupted;
  probe->budget.deadline_us = conf->deadline_us;
  probe->request = (struct cul_request){.role = "suspect",
                                        .cmd = &target->tool.command,
                                        .wall_ms = (uint64_t)(seconds * 1000),
                                        .out_bytes = 1 << 20};
}

/* Runs of some oracles are not like others. */
static void prepare_runs(struct cul_target *target) {
  const struct cul_oracle_conf *conf = &target->oracle_conf;
  struct cul_request *request = &target->probe.request;
  if (conf->mismatch.wanted)
    request->out_bytes = CUL_OUTPUTS_MAX_BYTES;
  if (conf->nondeterminism.wanted) {
    request->flags |= CUL_RUN_RANDOMIZE;
    request->out_bytes = 8 << 20;
  }
  if (conf->measured.slower && conf->measured.by &&
      strcmp(conf->measured.by, "wall") == 0)
    request->flags |= CUL_RUN_ALONE;
}

static int open_oracle(struct cul_target *target, struct cul_err *err) {
  struct cul_oracle_conf *conf = &target->oracle_conf;
  void *inner = NULL;
  int rc = cul_rules_new(&target->rules, err);
  if (rc < 0)
    return rc;
  *conf = target->conf->oracle;
  conf->rules = target->rules;
  conf->script.wanted = target->conf->script != NULL;
  if (target->script.contract && conf->script.sense == CUL_SENSE_UNKNOWN)
    conf->script.sense = target->script.contract->sense;
  conf->timeout_ms = target->probe.request.wall_ms;
  conf->hang.limit_ms =
      target->conf->timeout_s > 0 ? conf->timeout_ms : hang_ms;
  conf->crash.candidate = target->subject.file;
  conf->mismatch.wide = target->probe.roles[CUL_ROLE_WIDE].name != NULL;
  conf->mismatch.checked = target->probe.roles[CUL_ROLE_CHECKED].name != NULL;
  target->oracle = cul_oracle_choose(conf);
  prepare_runs(target);
  rc = target->oracle->open(conf, &inner, err);
  if (rc < 0)
    return rc;
  target->probe.oracle = &cul_repeat;
  target->probe.oracle_self = cul_repeat_new(target->oracle, inner, conf);
  return 0;
}

/* "mlir-opt-22 on model.mlir" */
static void name_task(const struct cul_target *target) {
  const struct cul_target_conf *conf = target->conf;
  const char *program = conf->script          ? conf->script
                        : target->engine.argv ? "the passes"
                        : target->tool.command.argv
                            ? target->tool.command.argv[0]
                            : "";
  cul_status_task("%.60s on %.60s", cul_basename(program),
                  cul_basename(conf->name ? conf->name : conf->input));
}

int cul_target_open(struct cul_target *target,
                    const struct cul_target_conf *conf, struct cul_err *err) {
  int rc;
  *target = (struct cul_target){.conf = conf};
  rc = cul_environment_new(&conf->environment, &target->tool.environment, err);
  if (rc == 0)
    rc = read_input(conf->input, &target->subject, err);
  if (rc == 0)
    rc = find_command(target, err);
  if (rc == 0)
    rc = cul_workplace_open(&target->place, err);
  if (rc < 0)
    return rc;
  target->dir = target->place.dir;
  target->subject.file =
      target->script.contract && target->script.contract->file
          ? cul_xstrdup(target->script.contract->file)
          : candidate_name(conf->name ? conf->name : conf->input);
  target->subject.path = realpath(conf->input, NULL);
  if (!target->subject.path)
    target->subject.path = cul_xstrdup(conf->input);
  cul_workplace_cache(conf->cache_path, conf->no_cache, &target->cache,
                      &target->note);
  set_up_probe(target);
  name_task(target);
  rc = cul_target_open_roles(target, err);
  return rc == 0 ? open_oracle(target, err) : rc;
}

int cul_target_recall(struct cul_target *target, struct cul_err *err) {
  int rc = 0;
  if (target->cache)
    rc = cul_identity_recall(target->cache, &target->tool.command,
                             &target->tool.identity, &target->tool.recalled,
                             err);
  if (rc == 0 && target->tool.recalled)
    set_tool(target);
  if (rc == 0 && target->tool.recalled)
    rc = cul_target_know_roles(target, NULL, err);
  return rc;
}

bool cul_target_whole(const struct cul_target *target) {
  return target->oracle && target->oracle->whole;
}

bool cul_target_flaky(const struct cul_target *target, struct cul_rate *rate) {
  return target->probe.oracle_self &&
         cul_repeat_flaky(target->probe.oracle_self, rate);
}

/* A crash reproducer holds the passes that fail; without the flag that makes a
 * tool run them it does nothing. */
static bool is_idle_reproducer(const struct cul_target *target) {
  static const char mark[] = "mlir_reproducer";
  for (const char *const *arg = target->tool.command.argv; *arg; arg++)
    if (strstr(*arg, "run-reproducer"))
      return false;
  return memmem(target->subject.text.data, target->subject.text.len, mark,
                sizeof mark - 1);
}

/* A script that lacks something says so, and its answer is none. */
static int fail_script(const struct cul_target *target, struct cul_err *err) {
  const struct cul_record *record = &target->original.records[0];
  struct cul_bytes said = cul_last_words(cul_buf_bytes(&record->err));
  return cul_fail(err, CUL_ENOFAIL,
                  "try the script by hand on both; where it follows a "
                  "reducer's contract, name it with --contract; --repeat 200 "
                  "looks for what shows more rarely",
                  "%s is not interesting: %s (%zu run%s)%s%.*s",
                  target->conf->input, target->original.verdict.why,
                  target->original.n, cul_s(target->original.n),
                  said.len ? "; its words: " : "", (int)said.len,
                  said.len ? said.data : "");
}

/* The first line of standard error that says "error: ", as LLVM's tools do. */
static struct cul_bytes error_line(const struct cul_record *record) {
  static const char mark[] = "error: ";
  struct cul_bytes line = {NULL, 0};
  const char *from, *to, *end = record->err.data + record->err.len;
  if (record->err.len == 0)
    return line;
  from = memmem(record->err.data, record->err.len, mark, sizeof mark - 1);
  if (!from)
    return line;
  to = memchr(from, '\n', (size_t)(end - from));
  line = (struct cul_bytes){from, (size_t)((to ? to : end) - from)};
  if (line.len > 160)
    line.len = 160;
  return line;
}

/* All runs had, and none shows the failure. */
static int fail_shown(const struct cul_target *target, struct cul_err *err) {
  struct cul_bytes error;
  const struct cul_verdict *verdict = &target->original.verdict;
  const struct cul_record *record = &target->original.records[0];
  size_t n = target->original.n;
  if (target->script.contract)
    return fail_script(target, err);
  if (cul_target_whole(target))
    return cul_fail(err, CUL_ENOFAIL,
                    "look at the runs with culprit check; --repeat asks for "
                    "more runs, --above, --by and --keep for another bound",
                    "%s does not show what is sought (%s): %s",
                    target->conf->input, target->oracle->name, verdict->why);
  if (record->end == CUL_EXITED && is_idle_reproducer(target))
    return cul_fail(err, CUL_ENOFAIL,
                    "have the tool run the passes that it holds: put "
                    "--run-reproducer before @@",
                    "%s is a crash reproducer, and this command does not run "
                    "its pipeline",
                    target->conf->input);
  if (record->end == CUL_EXITED && record->status == 0 &&
      (error = error_line(record)).len)
    return cul_fail(err, CUL_ENOFAIL,
                    "if that is the failure, ask for it with --match, or let "
                    "the command tell by its exit status (bash: set -o "
                    "pipefail)",
                    "%s does not show a failure: the command ends with exit "
                    "status 0, though it prints \"%.*s\" (%zu run%s)",
                    target->conf->input, (int)error.len, error.data, n,
                    cul_s(n));
  if (record->end == CUL_EXITED)
    return cul_fail(err, CUL_ENOFAIL,
                    "run the command by hand; --match, --exit, --signal or "
                    "--script say what to look for where it is not a crash; "
                    "--repeat 200 looks for what shows more rarely",
                    "%s does not show a failure: %s (exit status %d, %zu "
                    "run%s)",
                    target->conf->input, verdict->why, record->status, n,
                    cul_s(n));
  return cul_fail(err, CUL_ENOFAIL, "see what it does show with: culprit check",
                  "%s does not show the failure asked for: %s",
                  target->conf->input, verdict->why);
}

/* What the shell says of a program that is not there, or is none. */
static bool reference_is_missing(const struct cul_target *target) {
  for (size_t i = 0; i < target->original.n; i++) {
    const struct cul_record *record = &target->original.records[i];
    if (record->role == CUL_ROLE_REFERENCE && record->end == CUL_EXITED &&
        (record->status == 126 || record->status == 127))
      return true;
  }
  return false;
}

static int fail_lost(const struct cul_target *target, struct cul_err *err) {
  const struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  return cul_fail_command(
      err,
      sandbox->mode == CUL_SANDBOX_OFF
          ? "give --sandbox=auto: in a process namespace the tool "
            "cannot reach it"
          : "use a machine, or a container, that gives process "
            "namespaces: in one the tool cannot reach it",
      "on %s the tool kills its supervisor, each "
      "time: nothing is known of its runs",
      target->conf->input);
}

/* What helps where the runs tell neither of a failure nor that there is none.
 */
static const char *advise_undecided(const struct cul_target *target) {
  const struct cul_record *record =
      &target->original.records[target->original.n - 1];
  char *refused = cul_record_refused(record);
  const char *advice =
      refused ? "see what the input does there; --writable PATH lets it change "
                "that file or directory, --sandbox=off all"
      : record->limit == CUL_LIMIT_MEMORY
          ? "give it more with --max-memory, or let the script decide"
          : "give it more time with --timeout, or let the script decide";
  free(refused);
  return advice;
}

int cul_target_demand_failure(const struct cul_target *target,
                              struct cul_err *err) {
  const struct cul_verdict *verdict = &target->original.verdict;
  size_t n = target->original.n;
  if (cul_target_check_engine(target, err) < 0)
    return err->code;
  switch (verdict->answer) {
  case CUL_SAME:
    return 0;
  case CUL_BROKEN:
    return cul_judged_fail(&target->original, err);
  case CUL_UNRESOLVED:
    if (cul_judged_is_lost(&target->original))
      return fail_lost(target, err);
    if (reference_is_missing(target))
      return cul_fail_command(
          err, "run what --ref says by hand on the input and fix it",
          "the reference cannot run: %s", verdict->why);
    if (verdict->confidence >= 1)
      return cul_fail(err, CUL_EFLAKY, advise_undecided(target),
                      "no run decides whether %s fails: %s",
                      target->conf->input, verdict->why);
    return cul_fail(err, CUL_EFLAKY,
                    "pin what varies (threads, seeds), preserve less with "
                    "--match or --any-crash, or make it fail more often (more "
                    "threads, a sanitizer)",
                    "the failure shows only sometimes: %s (%zu run%s)",
                    verdict->why, n, cul_s(n));
  case CUL_PASSES:
  case CUL_OTHER:
  case CUL_INVALID:
    break;
  }
  return fail_shown(target, err);
}

static void release_subject(struct cul_target_subject *subject) {
  cul_buf_release(&subject->text);
  free(subject->path);
  free(subject->file);
}

static void release_tool(struct cul_target_tool *tool) {
  cul_identity_release(&tool->identity);
  cul_environment_free(tool->environment);
}

static void release_engine(struct cul_target_engine *engine) {
  free(engine->program);
  free(engine->argv);
  free(engine->seeds);
  free(engine->values);
}

void cul_target_release(struct cul_target *target) {
  cul_servers_free(target->probe.service.servers);
  cul_judged_release(&target->original);
  if (target->probe.oracle && target->probe.oracle_self)
    target->probe.oracle->close(target->probe.oracle_self);
  cul_rules_free(target->rules);
  cul_cache_close(target->cache);
  if (target->dir)
    cul_contract_clear_place(target->script.contract, target->dir);
  cul_workplace_close(&target->place);
  cul_contract_free(target->script.argv);
  cul_role_commands_release(&target->roles);
  free(target->inputs.dir);
  free(target->inputs.name);
  free(target->note);
  free(target->found);
  free(target->places.taken);
  cul_target_restore(target); /* releases what has replaced something */
  release_engine(&target->engine);
  release_subject(&target->subject);
  release_tool(&target->tool);
  *target = (struct cul_target){0};
}
