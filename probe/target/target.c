/* The target of a job: see target.h. */
#include "target.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/files/outputs.h"
#include "../../base/status.h"
#include "../../base/tensor/tensor.h"
#include "../../base/visible.h"
#include "../../oracles/rules/rules.h"
#include "../../pipeline/arguments.h"
#include "../../pipeline/call_words.h"
#include "../../pipeline/shell_text.h"
#include "../../runners/live.h"
#include "../../runners/remote/hosts.h"
#include "../trial.h"
#include "stand_ins.h"

/* ---- engine ---- */

/* Targets that are run by culprit's own program. */

static void add_option(char **argv, size_t *n, const char *name,
                       const char *value) {
  if (!value)
    return;
  argv[(*n)++] = (char *)name;
  argv[(*n)++] = (char *)value;
}

/* Is it --by kernels?  The engine must then print the time of the kernels. */
static bool is_kernels(const char *by) {
  return by && strcmp(by, "kernels") == 0;
}

/* "emul" or "emul:64". */
static bool is_emulated(const char *device) {
  return strncmp(device, "emul", strlen("emul")) == 0;
}

/* The arguments of a role's run, with the engine as the program; the caller
 * frees the block. */
static char **target_engine_words(const struct cul_target *target,
                                  enum cul_run_role role) {
  enum { MOST_WORDS = 24 };
  const struct cul_target_conf *conf = target->conf;
  bool suspect = cul_role_is_suspect(role);
  bool jit = conf->oracle.mismatch.wanted || conf->device;
  /* To compare values, the reference runs on the CPU; to compare times, on the
   * suspect's device. */
  const char *device =
      suspect || !conf->oracle.mismatch.wanted ? conf->device : NULL;
  char **argv = cul_xcalloc(MOST_WORDS, sizeof *argv);
  size_t n = 0;
  argv[n++] = target->engine.program;
  add_option(argv, &n, "--run", jit ? "jit" : "pipeline");
  add_option(argv, &n, "--passes", suspect ? conf->passes : conf->ref.passes);
  add_option(argv, &n, "--inputs",
             target->engine.values ? target->engine.values
                                   : conf->inputs.values);
  add_option(argv, &n, "--device", device);
  if (device && target->engine.patience[0])
    add_option(argv, &n, "--patience", target->engine.patience);
  if (device && conf->oracle.measured.slower &&
      is_kernels(conf->oracle.measured.by))
    argv[n++] = (char *)"--time-kernels";
  if (device && is_emulated(device) && !conf->oracle.mismatch.wanted &&
      !conf->oracle.measured.slower && !conf->oracle.measured.memory)
    argv[n++] = (char *)"--races";
  add_option(argv, &n, "--seeds", target->engine.seeds);
  add_option(argv, &n, "--poison",
             conf->oracle.mismatch.wanted ? cul_role_fill(role) : NULL);
  if (role == CUL_ROLE_CONTROL)
    argv[n++] = (char *)"--checks";
  if (role == CUL_ROLE_WIDE)
    argv[n++] = (char *)"--wide";
  if ((conf->oracle.match || conf->oracle.nondeterminism.wanted) && !jit)
    argv[n++] = (char *)"--print";
  argv[n] = (char *)"@@";
  return argv;
}

void cul_target_set_values(struct cul_target *target, const char *values) {
  char *old = target->engine.values;
  target->engine.values = values ? cul_xstrdup(values) : NULL;
  free(old);
  free(target->engine.argv);
  target->engine.argv = target_engine_words(target, CUL_ROLE_SUSPECT);
  target->tool.command.argv = (const char *const *)target->engine.argv;
  for (int role = CUL_ROLE_SUSPECT + 1; role < CUL_N_ROLES; role++) {
    struct cul_role_command *storage = &target->roles.of[role];
    if (!storage->words)
      continue;
    free(storage->words);
    storage->words = target_engine_words(target, (enum cul_run_role)role);
    storage->command.argv = (const char *const *)storage->words;
  }
}

int cul_target_show_inputs(struct cul_target *target, struct cul_bytes text,
                           struct cul_buf *out, struct cul_err *err) {
  const char *values = target->engine.values ? target->engine.values
                                             : target->conf->inputs.values;
  const char *const argv[] = {
      target->engine.program,       "--run", "jit", "--show-inputs", "--inputs",
      values ? values : "integers", "@@",    NULL};
  struct cul_command command = cul_target_variant(target, (char *const *)argv);
  struct cul_request request = target->probe.request;
  struct cul_record record = {0};
  struct cul_placed placed;
  char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_OTHER);
  int rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  request.cmd = &command;
  if (rc == 0)
    rc = cul_placed_fill(&placed, text, err);
  if (rc == 0)
    rc = cul_probe_wait(&target->probe, target->probe.runner, &placed.art,
                        &request, tmp, &record, err);
  if (rc == 0 && record.end == CUL_EXITED && record.status == 0 &&
      !record.truncated)
    cul_buf_add(out, record.out.data, record.out.len);
  cul_record_release(&record);
  cul_placed_release(&placed);
  free(tmp);
  return rc;
}

/* For conf->passes or conf->device: make culprit's own program the command,
 * which runs the passes on a file.  A worker that holds a candidate runs it by
 * the same words.  Errors: EUSAGE, EENV. */
static int target_find_engine(struct cul_target *target, struct cul_err *err) {
  const struct cul_target_conf *conf = target->conf;
  char *dir = cul_program_dir();
  target->engine.program = cul_own_file(dir, "culprit-worker-mlir", X_OK);
  free(dir);
  if (conf->script || (conf->argv && conf->argv[0]))
    return cul_fail(err, CUL_EUSAGE, "leave one of them out",
                    "--passes and --device run no command and no script");
  if (!target->engine.program)
    return cul_fail(err, CUL_EENV, "install culprit again: a part is missing",
                    "no program culprit-worker-mlir");
  /* A kernel gets half of the time, so that the engine can name one that hangs
   * before the deadline ends the run. */
  if (conf->timeout_s > 0)
    snprintf(target->engine.patience, sizeof target->engine.patience, "%g",
             conf->timeout_s / 2);
  if (conf->inputs.seeds > 0)
    target->engine.seeds = cul_xasprintf("%lld", (long long)conf->inputs.seeds);
  cul_environment_sandbox(target->tool.environment)->fixed = true;
  target->engine.argv = target_engine_words(target, CUL_ROLE_SUSPECT);
  target->tool.command.argv = (const char *const *)target->engine.argv;
  target->tool.command.cwd = ".";
  target->tool.command.delivery = CUL_BY_PLACEHOLDER;
  return 0;
}

/* After classification: fail if the engine could not be started, lacked
 * something, or rejected its arguments (EUSAGE). */
static int target_check_engine(const struct cul_target *target,
                               struct cul_err *err) {
  const struct cul_record *record = &target->original.records[0];
  const char *text = cul_buf_str(&record->err);
  if (target->engine.argv && record->end == CUL_NOT_STARTED &&
      target->tool.hosts)
    return cul_fail_command(
        err, "install this culprit there, in the same directory",
        "the other machine cannot start %s, which runs --passes and --device",
        target->engine.program);
  if (!target->engine.argv || record->end != CUL_EXITED)
    return 0;
  if (strncmp(text, "error: ", 7) == 0)
    text += 7;
  if (record->status == CUL_ENGINE_MISSING)
    return cul_fail_command(err, "", "%.*s", (int)strcspn(text, "\n"), text);
  if (record->status != CUL_ENGINE_USAGE)
    return 0;
  if (strncmp(text, "--device: ", 10) == 0)
    return cul_fail(err, CUL_EUSAGE, "", "%.*s", (int)strcspn(text, "\n"),
                    text);
  return cul_fail(err, CUL_EUSAGE,
                  "give what mlir-opt's --pass-pipeline takes, "
                  "builtin.module(...); mlir-opt --help lists passes",
                  "--passes: %.*s", (int)strcspn(text, "\n"), text);
}

/* ---- roles ---- */

/* The reference and its related commands. */

static const char *const role_names[CUL_N_ROLES] = {
    [CUL_ROLE_REFERENCE] = "reference",
    [CUL_ROLE_POISON] = "poison",
    [CUL_ROLE_SUSPECT_POISON] = "suspect-poison",
    [CUL_ROLE_CONTROL] = "control",
    [CUL_ROLE_WIDE] = "wide",
    [CUL_ROLE_CHECKED] = "checked",
    [CUL_ROLE_OWN] = "own",
    [CUL_ROLE_SUSPECT_REFILLED] = "suspect-refilled"};

/* glibc fills the memory from malloc with the complement of this byte, except
 * memory that a thread has freed before and finds in its own cache.
 * CULPRIT_FRESH: see runners/preload/fresh.c.  The two are of one length, so
 * that nothing lies elsewhere in memory.  The bytes are those of
 * cul_role_fill. */
static const char *const fill_a[] = {
    "GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=0xaa",
    "MALLOC_PERTURB_=0xaa", "CULPRIT_FRESH=085", NULL};
static const char *const fill_b[] = {
    "GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=0x55",
    "MALLOC_PERTURB_=0x55", "CULPRIT_FRESH=170", NULL};

static void set_role(struct cul_target *target, enum cul_run_role role,
                     const struct cul_command *command,
                     const char *const *env) {
  struct cul_role_command *storage = &target->roles.of[role];
  storage->command = *command;
  if (env)
    storage->command.env = env;
  target->probe.roles[role] =
      (struct cul_role){.name = role_names[role], .cmd = &storage->command};
}

/* Let bash run a string of the user's as a role's command.  A pipe fails if one
 * of its parts does.  A shell with only one command becomes this command
 * (exec), so that its own costs are not measured. */
static void set_shell(struct cul_target *target, enum cul_run_role role,
                      const char *text) {
  struct cul_role_command *storage = &target->roles.of[role];
  struct cul_command command = target->tool.command;
  storage->text = strchr(text, '|') ? cul_xasprintf("set -o pipefail; %s", text)
                                    : cul_xstrdup(text);
  storage->argv[0] = "bash";
  storage->argv[1] = "-c";
  storage->argv[2] = storage->text;
  command.argv = storage->argv;
  command.delivery =
      cul_has_placeholder(storage->argv) ? CUL_BY_PLACEHOLDER : CUL_BY_STDIN;
  set_role(target, role, &command, NULL);
}

/* The command's words with n for each "@{n}", in one block; *any is set if
 * there is one. */
static char **repeated(const char *const *argv, uint64_t n, bool *any) {
  static const char mark[] = "@{n}";
  struct cul_buf text = {0};
  size_t words = 0, *starts;
  char **out;
  while (argv[words])
    words++;
  starts = cul_xcalloc(words + 1, sizeof *starts);
  for (size_t i = 0; i < words; i++) {
    starts[i] = text.len;
    for (const char *at = argv[i], *found; at; at = found) {
      found = strstr(at, mark);
      cul_buf_add(&text, at, found ? (size_t)(found - at) : strlen(at));
      if (!found)
        break;
      *any = true;
      cul_buf_addf(&text, "%llu", (unsigned long long)n);
      found += sizeof mark - 1;
    }
    cul_buf_addc(&text, '\0');
  }
  out = cul_xmalloc((words + 1) * sizeof *out + text.len);
  memcpy(out + words + 1, text.data, text.len);
  for (size_t i = 0; i < words; i++)
    out[i] = (char *)(out + words + 1) + starts[i];
  out[words] = NULL;
  free(starts);
  cul_buf_release(&text);
  return out;
}

/* The suspect is the command doing its work 2 N times; the reference is the
 * same command doing it N times. */
static int set_iterations(struct cul_target *target, struct cul_err *err) {
  uint64_t n = target->conf->oracle.measured.iterations;
  const char *const *given = target->tool.command.argv;
  struct cul_role_command *roles = target->roles.of;
  struct cul_command command = target->tool.command;
  bool any = false;
  roles[CUL_ROLE_REFERENCE].words = repeated(given, n, &any);
  roles[CUL_ROLE_SUSPECT].words = repeated(given, 2 * n, &any);
  if (!any)
    return cul_fail(err, CUL_EUSAGE,
                    "put it where the command takes the number: "
                    "--repetitions=@{n}",
                    "--iterations: the command has no @{n}");
  command.argv = (const char *const *)roles[CUL_ROLE_REFERENCE].words;
  set_role(target, CUL_ROLE_REFERENCE, &command, NULL);
  target->tool.command.argv =
      (const char *const *)roles[CUL_ROLE_SUSPECT].words;
  return 0;
}

/* Let culprit's own engine run a role. */
static void set_engine(struct cul_target *target, enum cul_run_role role) {
  struct cul_command command = target->tool.command;
  char **words = target_engine_words(target, role);
  target->roles.of[role].words = words;
  command.argv = (const char *const *)words;
  set_role(target, role, &command, NULL);
}

/* Set the roles that the oracle asks for. */
static void set_engines(struct cul_target *target) {
  const struct cul_oracle_conf *oracle = &target->conf->oracle;
  if (!oracle->mismatch.wanted && oracle->measured.reference)
    set_engine(target, CUL_ROLE_REFERENCE);
  if (!oracle->mismatch.wanted)
    return;
  for (int role = CUL_ROLE_SUSPECT + 1; role <= CUL_ROLE_WIDE; role++)
    set_engine(target, (enum cul_run_role)role);
  set_engine(target, CUL_ROLE_SUSPECT_REFILLED);
}

/* If the reference's words name the function and its arguments, culprit's own
 * engine prints, after the results, the possible rounding error of each; it
 * prints nothing for a module that it cannot run. */
static bool add_bounds(const struct cul_target *target, const char *reference,
                       struct cul_buf *out) {
  struct cul_call_words call;
  struct cul_buf word = {0};
  if (!cul_call_words(reference, &call))
    return false;
  cul_buf_adds(out, " && { ");
  cul_shell_quote(target->engine.program, out);
  cul_buf_adds(out, " --run jit --wide ");
  if (call.entry) {
    cul_buf_addf(&word, "--entry=%s", call.entry);
    cul_shell_quote(cul_buf_str(&word), out);
    cul_buf_clear(&word);
  }
  cul_buf_addf(&word, "--arguments=%s", call.arguments);
  cul_buf_addc(out, ' ');
  cul_shell_quote(cul_buf_str(&word), out);
  cul_buf_adds(out, " @@ 2>/dev/null | grep -E '^result.(noise|bound) '; "
                    "true; }");
  cul_buf_release(&word);
  cul_call_words_release(&call);
  return true;
}

/* The shell text that writes the candidate in f64 next to the outputs and runs
 * the reference on it.  *bounded: culprit's engine prints bounds after the
 * results. */
static char *wide_text(const struct cul_target *target, const char *reference,
                       bool *bounded) {
  struct cul_buf out = {0};
  bool named = strstr(reference, "@@") != NULL;
  cul_shell_quote(target->engine.program, &out);
  cul_buf_addf(&out, " --run widen @@ >@{out}/%s && { ", target->subject.file);
  for (const char *at = reference; *at;) {
    if (strncmp(at, "@@", 2) != 0) {
      cul_buf_addc(&out, *at++);
      continue;
    }
    cul_buf_addf(&out, "@{out}/%s", target->subject.file);
    at += 2;
    if (*at == '.')
      at += strcspn(at, " \t\n'\";|&<>)");
  }
  cul_buf_addf(&out, "\n} %s%s", named ? "" : "<@{out}/",
               named ? "" : target->subject.file);
  *bounded = add_bounds(target, reference, &out);
  return cul_buf_take(&out);
}

/* Modules of upstream MLIR; the extension of the file identifies them. */
static bool is_mlir(const struct cul_target *target) {
  const char *dot = strrchr(target->subject.file, '.');
  return dot && strcmp(dot, ".mlir") == 0;
}

static bool has_engine(struct cul_target *target) {
  char *dir = cul_program_dir();
  if (!target->engine.program)
    target->engine.program = cul_own_file(dir, "culprit-worker-mlir", X_OK);
  free(dir);
  return target->engine.program != NULL;
}

/* Set the wide role: the user's command, or the reference on the candidate in
 * f64, where its results are more precise.  culprit can change only modules of
 * upstream MLIR to f64. */
static void set_wide(struct cul_target *target) {
  const struct cul_target_conf *conf = target->conf;
  char *text;
  bool bounded;
  if (conf->ref.wide) {
    set_shell(target, CUL_ROLE_WIDE, conf->ref.wide);
    return;
  }
  if (!is_mlir(target) || target->tool.hosts ||
      strchr(target->subject.file, ' ') || strstr(conf->ref.command, "@@@@") ||
      !has_engine(target))
    return;
  text = wide_text(target, conf->ref.command, &bounded);
  set_shell(target, CUL_ROLE_WIDE, text);
  target->roles.of[CUL_ROLE_WIDE].widens = !bounded;
  free(text);
}

/* The directory of the scripts that change a reference to f64, by the name of
 * one of them; heap.  NULL: the scripts are not installed. */
static char *wide_scripts(const char *name) {
  char *dir = cul_program_dir();
  char *path = cul_own_file(dir, name, X_OK);
  if (path)
    *strrchr(path, '/') = '\0';
  free(dir);
  return path;
}

/* Let the shell read the command into a variable.  It is not quoted, because
 * the paths that replace its placeholders may have quotes. */
static void add_command(const char *command, struct cul_buf *out) {
  cul_buf_addf(out,
               "IFS= read -r -d '' command <<'CULPRIT_REFERENCE'\n%s\n"
               "CULPRIT_REFERENCE\n",
               command);
}

/* The shell text of the reference, with scripts that replace IREE's tools. */
static char *wide_text_of_iree(const struct cul_target *target,
                               const char *scripts) {
  char *library = cul_stand_ins_library();
  struct cul_buf out = {0};
  cul_buf_adds(&out, "export PATH=");
  cul_shell_quote(scripts, &out);
  cul_buf_adds(&out, ":\"$PATH\" " CUL_STAND_INS_VARIABLE "=");
  cul_shell_quote(scripts, &out);
  cul_buf_adds(&out, " CULPRIT_WIDE=\"$TMPDIR/wide\" CULPRIT_WORKER=");
  cul_shell_quote(target->engine.program, &out);
  if (library) {
    cul_buf_adds(&out, " LD_PRELOAD=");
    cul_shell_quote(library, &out);
    cul_buf_adds(&out, "\"${LD_PRELOAD:+:$LD_PRELOAD}\"");
  }
  cul_buf_addc(&out, '\n');
  add_command(target->conf->ref.command, &out);
  /* A shell of its own, which loads the library. */
  cul_buf_adds(&out, "bash -o pipefail -c \"$command\"");
  cul_buf_adds(&out, " || exit\n[ -e \"$CULPRIT_WIDE/0.vmfb\" ] || { echo "
                     "'error: the reference starts iree-compile by no program "
                     "that is linked dynamically' >&2; exit 1; }");
  free(library);
  return cul_buf_take(&out);
}

/* Is a file whose path ends in this way among the files of the identity? */
static bool has_file(const struct cul_identity *identity, const char *name,
                     bool whole) {
  const char *at = cul_buf_str(&identity->files);
  size_t len = strlen(name);
  while ((at = strstr(at, name)) &&
         (at[-1] != '/' || (whole && at[len] != '\n')))
    at += len;
  return at != NULL;
}

/* Change the wide role if the reference starts IREE's tools.  Their input has
 * dialects other than upstream's: the compiler must first print it in a form
 * that culprit reads, and must be told not to demote f64.  Only scripts in
 * place of the tools can do both. */
static void set_wide_of_iree(struct cul_target *target,
                             const struct cul_identity *reference) {
  struct cul_role_command *storage = &target->roles.of[CUL_ROLE_WIDE];
  char *scripts = NULL, *text;
  if (!storage->text || !has_engine(target))
    return;
  for (int i = 0; i < CUL_N_STOOD_IN; i++)
    if (!has_file(reference, cul_stood_in_names[i], true))
      return;
  scripts = wide_scripts("wide/iree-compile");
  if (!scripts)
    return;
  text = wide_text_of_iree(target, scripts);
  free(storage->text);
  set_shell(target, CUL_ROLE_WIDE, text);
  storage->widens = false;
  free(text);
  free(scripts);
}

/* Set the wide role if the reference imports JAX: the scripts change JAX itself
 * (systems/wide-jax). */
static void set_wide_of_jax(struct cul_target *target,
                            const struct cul_identity *reference) {
  const char *command = target->conf->ref.command;
  struct cul_buf text = {0};
  char *scripts = NULL;
  if (!command || target->tool.hosts || is_mlir(target) ||
      !target->conf->oracle.mismatch.wanted ||
      (!has_file(reference, "jax/__init__.py", true) &&
       !has_file(reference, "jax/__pycache__/__init__.", false)))
    return;
  scripts = wide_scripts("wide-jax/thrice");
  if (!scripts)
    return;
  add_command(command, &text);
  cul_buf_adds(&text, "exec ");
  cul_shell_quote(scripts, &text);
  cul_buf_adds(&text, "/thrice \"$command\"");
  if (strstr(command, "@{out}"))
    cul_buf_adds(&text, " @{out}");
  set_shell(target, CUL_ROLE_WIDE, cul_buf_str(&text));
  target->oracle_conf.mismatch.wide = true;
  cul_buf_release(&text);
  free(scripts);
}

/* Set or change the wide role; the programs that the reference starts are known
 * now. */
static void set_wide_by(struct cul_target *target,
                        const struct cul_identity *reference) {
  if (target->conf->ref.wide)
    return;
  if (target->probe.roles[CUL_ROLE_WIDE].name)
    set_wide_of_iree(target, reference);
  else
    set_wide_of_jax(target, reference);
}

/* Add the options for the call; else --closed, which calls a function without
 * arguments.  Returns their number. */
static size_t add_call(struct cul_role_command *storage,
                       const struct cul_call_words *call, char **words) {
  struct cul_buf text = {0};
  size_t n = 0, arguments = 0;
  if (!call) {
    words[n++] = (char *)"--closed";
    return n;
  }
  if (call->entry) {
    cul_buf_addf(&text, "--entry=%s", call->entry);
    cul_buf_addc(&text, '\0');
    arguments = text.len;
  }
  cul_buf_addf(&text, "--arguments=%s", call->arguments);
  free(storage->text);
  storage->text = cul_buf_take(&text);
  if (call->entry)
    words[n++] = storage->text;
  words[n++] = storage->text + arguments;
  return n;
}

/* Let culprit's engine compile a module of upstream MLIR, with these options,
 * and make the call; NULL: it is not known. */
static void set_jit(struct cul_target *target, enum cul_run_role role,
                    const char *const *options,
                    const struct cul_call_words *call) {
  enum { WORDS = 10 };
  struct cul_role_command *storage = &target->roles.of[role];
  struct cul_command command = target->tool.command;
  char **words, **at;
  at = words = cul_xcalloc(WORDS, sizeof *words);
  *at++ = target->engine.program;
  *at++ = (char *)"--run";
  *at++ = (char *)"jit";
  while (*options)
    *at++ = (char *)*options++;
  at += add_call(storage, call, at);
  *at = (char *)"@@";
  free(storage->words);
  storage->words = words;
  command.argv = (const char *const *)words;
  command.delivery = CUL_BY_PLACEHOLDER;
  command.hosts = NULL;
  set_role(target, role, &command, NULL);
}

/* Set the checked role, and, if the call is known, that of culprit's own run in
 * f64. */
static void set_checked(struct cul_target *target,
                        const struct cul_call_words *call) {
  static const char *const checks[] = {"--checks", NULL};
  static const char *const wide[] = {"--wide", "--poison", "113", NULL};
  set_jit(target, CUL_ROLE_CHECKED, checks, call);
  if (!call || !target->probe.roles[CUL_ROLE_WIDE].name ||
      target->conf->ref.wide)
    return;
  set_jit(target, CUL_ROLE_OWN, wide, call);
  target->oracle_conf.mismatch.own = true;
}

/* The call as the reference's own words name it; false: they do not, or its
 * arguments are in files, which its runs may have written. */
static bool named_call(const struct cul_target *target,
                       struct cul_call_words *out) {
  const char *text = target->conf->ref.command;
  *out = (struct cul_call_words){0};
  if (text && cul_call_words(text, out) && !out->files)
    return true;
  cul_call_words_release(out);
  return false;
}

static void open_checked(struct cul_target *target) {
  struct cul_call_words call;
  if (!is_mlir(target) || !has_engine(target))
    return;
  set_checked(target, named_call(target, &call) ? &call : NULL);
  cul_call_words_release(&call);
}

/* Is the file, a path without links, one that the tool read and did not
 * write? */
static bool has_read(const struct cul_identity *identity, const char *path) {
  const char *at = cul_buf_str(&identity->files), *name = cul_basename(path);
  size_t len = strlen(name);
  bool found = false;
  for (; *at && !found; at += strcspn(at, "\n"), at += *at == '\n') {
    const char *from = at + strcspn(at, " \n") + 1;
    size_t n = strcspn(from, "\n");
    char *file, *real;
    if (n <= len || memcmp(from + n - len, name, len) != 0)
      continue;
    file = cul_xstrndup(from, n);
    real = realpath(file, NULL);
    found = real && strcmp(real, path) == 0;
    free(real);
    free(file);
  }
  return found;
}

/* Append the path of an argument's file as a template; false: a run wrote it,
 * or it is of other inputs. */
static bool add_file(const struct cul_target *target,
                     const struct cul_identity *identity, const char *path,
                     struct cul_buf *out) {
  const char *dir = target->inputs.dir;
  size_t under = dir ? strlen(dir) : 0;
  char *real = realpath(path, NULL);
  bool good = real && !strchr(real, '@');
  if (good && dir) {
    good = strncmp(real, dir, under) == 0 && real[under] == '/';
    cul_buf_addf(out, "@{inputs}%s", good ? real + under : "");
  } else if (good) {
    good = has_read(identity, real);
    cul_buf_adds(out, real);
  }
  free(real);
  return good;
}

/* Make templates of the arguments of a call that was seen; false: they cannot
 * be known for other runs. */
static bool generalize(const struct cul_target *target,
                       const struct cul_identity *identity,
                       struct cul_call_words *call) {
  struct cul_buf out = {0};
  bool good = !strchr(call->arguments, '@') &&
              !(call->entry && strchr(call->entry, '@'));
  cul_buf_adds(&out, "");
  for (const char *at = call->arguments; *at && good;) {
    size_t len = strcspn(at, "\n"), head = strcspn(at, "<\n");
    char *path = cul_xstrndup(at + head, len - head);
    cul_buf_add(&out, at, head + (*path == '<'));
    if (*path == '<')
      good = add_file(target, identity, path + 1, &out);
    cul_buf_addc(&out, '\n');
    free(path);
    at += len + 1;
  }
  free(call->arguments);
  call->arguments = cul_buf_take(&out);
  return good;
}

static bool same_call(const struct cul_call_words *a,
                      const struct cul_call_words *b) {
  return strcmp(a->entry ? a->entry : "", b->entry ? b->entry : "") == 0 &&
         strcmp(a->arguments, b->arguments) == 0;
}

/* The shell text that makes a call of a record; heap. */
static char *text_of_call(const char *line, size_t len) {
  struct cul_buf out = {0};
  char *words = cul_xstrndup(line, len), *next = words;
  for (size_t i = 0; next; i++) {
    char *word = next;
    next = strchr(word, CUL_CALL_NEXT);
    if (next)
      *next++ = '\0';
    for (char *at = word; (at = strchr(at, CUL_CALL_LINE));)
      *at = '\n';
    cul_buf_adds(&out, i == 0 ? "cd " : i == 1 ? "; " : " ");
    cul_shell_quote(word, &out);
  }
  free(words);
  return cul_buf_take(&out);
}

/* The only call that the tool's runs make; false: there is none, or several. */
static bool seen_call(const struct cul_identity *identity,
                      struct cul_call_words *out) {
  const char *at = cul_buf_str(&identity->calls);
  bool any = false, several = false;
  *out = (struct cul_call_words){0};
  while (*at && !several) {
    size_t len = strcspn(at, "\n");
    char *text = text_of_call(at, len);
    struct cul_call_words call;
    if (cul_call_words(text, &call) && !any) {
      *out = call;
      any = true;
    } else if (call.arguments) {
      several = !same_call(&call, out);
      cul_call_words_release(&call);
    }
    free(text);
    at += len + 1;
  }
  return any && !several;
}

/* Change the checked role if the reference's words do not name the call and a
 * program that it started shows it: a script may hold the words. */
static void set_checked_by(struct cul_target *target,
                           const struct cul_identity *reference) {
  struct cul_call_words call;
  bool named;
  if (!target->probe.roles[CUL_ROLE_CHECKED].name || target->engine.argv)
    return;
  named = named_call(target, &call);
  cul_call_words_release(&call);
  if (named)
    return;
  if (seen_call(reference, &call) && generalize(target, reference, &call))
    set_checked(target, &call);
  cul_call_words_release(&call);
}

/* Golden outputs are the stored outputs of a reference: its command copies
 * them. */
static int set_golden(struct cul_target *target, struct cul_err *err) {
  struct cul_tensors tensors = {0};
  struct cul_buf text = {0};
  char *dir = realpath(target->conf->ref.want, NULL);
  int rc = dir ? cul_tensors_load(dir, NULL, &tensors, err) : 0;
  if (rc == 0 && tensors.n == 0)
    rc =
        cul_fail(err, CUL_EUSAGE, "give a directory of tensor files",
                 "--want: %s", dir ? "it contains no tensors" : "is not there");
  cul_tensors_release(&tensors);
  if (rc == 0) {
    cul_buf_adds(&text, "cp ");
    cul_shell_quote(dir, &text);
    cul_buf_adds(&text, "/* @{out}/");
    target->roles.golden = cul_buf_take(&text);
  }
  free(dir);
  return rc;
}

static int by_name(const FTSENT **a, const FTSENT **b) {
  return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Digest the names and the content of the files of --inputs. */
static int read_inputs(struct cul_target *target, struct cul_err *err) {
  char *dirs[] = {target->inputs.dir, NULL};
  size_t skip = strlen(target->inputs.dir);
  struct cul_hasher *h = cul_hasher_new();
  FTS *tree = fts_open(dirs, FTS_LOGICAL | FTS_NOCHDIR, by_name);
  struct cul_digest all;
  char hex[CUL_DIGEST_HEX];
  int rc = 0;
  for (FTSENT *e; rc == 0 && tree && (e = fts_read(tree));) {
    struct cul_digest digest = {{0, 0}};
    if (e->fts_info != FTS_F)
      continue;
    rc = target->cache
             ? cul_cache_file_digest(target->cache, e->fts_path, &digest, err)
             : cul_file_digest(e->fts_path, &digest, err);
    cul_hasher_field(h, e->fts_path + skip);
    cul_hasher_add(h, &digest, sizeof digest);
  }
  if (tree)
    fts_close(tree);
  all = cul_hasher_finish(h);
  target->inputs.given =
      cul_xasprintf("%s %s", target->inputs.dir, cul_digest_hex(&all, hex));
  return rc;
}

/* Set the commands of the roles other than the suspect.  Errors: EUSAGE,
 * EENV. */
static int target_open_roles(struct cul_target *target, struct cul_err *err) {
  const struct cul_target_conf *conf = target->conf;
  const struct cul_command *reference;
  const char *text = conf->ref.command;
  if (conf->inputs.dir &&
      !(target->inputs.dir = realpath(conf->inputs.dir, NULL)))
    return cul_fail(err, CUL_EUSAGE, "give a directory of tensor files",
                    "--inputs: %s is not there", conf->inputs.dir);
  if (target->inputs.dir && read_inputs(target, err) < 0)
    return err->code;
  target->tool.command.inputs = target->inputs.given;
  if (target->engine.argv)
    set_engines(target);
  if (conf->oracle.measured.iterations)
    return set_iterations(target, err);
  if (conf->ref.want && set_golden(target, err) < 0)
    return err->code;
  if (conf->ref.want)
    text = target->roles.golden;
  if (!text)
    return 0;
  set_shell(target, CUL_ROLE_REFERENCE, text);
  if (conf->ref.want) /* the golden files are on this machine */
    target->roles.of[CUL_ROLE_REFERENCE].command.hosts = NULL;
  if (!conf->oracle.mismatch
           .wanted) /* to fill memory would change what is measured */
    return 0;
  reference = &target->roles.of[CUL_ROLE_REFERENCE].command;
  set_role(target, CUL_ROLE_POISON, reference, fill_b);
  target->probe.roles[CUL_ROLE_POISON].flags = CUL_RUN_RANDOMIZE;
  set_role(target, CUL_ROLE_REFERENCE, reference, fill_a);
  set_role(target, CUL_ROLE_SUSPECT_POISON, &target->tool.command, fill_a);
  set_role(target, CUL_ROLE_SUSPECT_REFILLED, &target->tool.command, fill_b);
  if (conf->ref.control)
    set_shell(target, CUL_ROLE_CONTROL, conf->ref.control);
  if (!conf->ref.want)
    set_wide(target);
  open_checked(target);
  return 0;
}

/* Make the traced run of a role one of the classification's records, like the
 * suspect's first run.  request->tool is set: the role's tool is known now. */
static int share(struct cul_target *target, const struct cul_placed *placed,
                 struct cul_request *request, enum cul_run_role role,
                 struct cul_record *record, struct cul_err *err) {
  struct cul_judged *had = &target->original;
  struct cul_probe *probe = &target->probe;
  int rc = 0;
  cul_buf_release(&record->files);
  record->role = role;
  if (!record->trace_closed || had->n == 0 || cul_target_whole(target) ||
      record->end == CUL_DEADLINE ||
      (probe->lost_status && record->status == probe->lost_status)) {
    cul_record_release(record);
    return 0;
  }
  request->flags = probe->request.flags;
  if (target->cache)
    rc =
        cul_cache_put(target->cache, &placed->art.digest, request, record, err);
  had->records =
      cul_xreallocarray(had->records, had->n + 1, sizeof *had->records);
  had->records[had->n++] = *record;
  return rc;
}

/* One traced run on the original, to find the files that the command executes
 * and reads. */
static int trace(struct cul_target *target, const struct cul_placed *placed,
                 enum cul_run_role role, struct cul_identity *identity,
                 struct cul_err *err) {
  struct cul_request request = target->probe.request;
  const struct cul_role *as = &target->probe.roles[role];
  struct cul_record record = {0};
  char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_ORIGINAL);
  uint64_t start_us = cul_now_us();
  int rc;
  request.role = as->name;
  request.cmd = as->cmd;
  request.flags |= CUL_RUN_TRACE | CUL_RUN_NO_CACHE;
  cul_trial_tidy(&target->probe, &placed->art, as->cmd);
  /* No error if the tool kills its supervisor: later runs find that out. */
  rc = cul_probe_try(&target->probe, target->probe.runner, &placed->art,
                     &request, tmp, &record, err);
  cul_trial_collect(&target->probe, &placed->art, as->cmd, &record);
  cul_probe_tell_ended(&target->probe, CUL_SLOT_ORIGINAL, start_us, false);
  target->probe.counts.executed++;
  target->probe.counts.by_phase[CUL_RUNS_CLASSIFY]++;
  if (rc == 0)
    rc = cul_identity_learn(target->cache, as->cmd, &record, target->dir,
                            identity, err);
  if (rc == 0)
    cul_stamps_add(&target->stamps, as->cmd, identity);
  request.tool = cul_identity_key(identity);
  if (rc == 0)
    rc = share(target, placed, &request, role, &record, err);
  else
    cul_record_release(&record);
  free(tmp);
  return rc;
}

/* cul_identity_recall, also of a tool elsewhere. */
static int recall(struct cul_target *target, const struct cul_command *command,
                  struct cul_identity *identity, bool *found,
                  struct cul_err *err) {
  const struct cul_patience patience = cul_probe_patience(&target->probe);
  int rc = cul_identity_recall(target->cache, command, identity, found, err);
  if (rc == 0 && identity->there.len)
    rc = cul_hosts_recall(command, &patience, identity, found, err);
  if (rc == 0 && *found)
    cul_stamps_add(&target->stamps, command, identity);
  if (rc < 0 || !*found)
    cul_identity_release(identity);
  return rc;
}

static int know(struct cul_target *target, const struct cul_placed *placed,
                enum cul_run_role role, struct cul_err *err) {
  struct cul_role *out = &target->probe.roles[role];
  struct cul_identity identity = {0};
  bool found = false;
  int rc = 0;
  if (!out->name || !cul_digest_is_zero(&out->tool))
    return 0;
  if (target->cache)
    rc = recall(target, out->cmd, &identity, &found, err);
  if (rc == 0 && !found && !placed)
    return 0;
  if (rc == 0 && !found)
    rc = trace(target, placed, role, &identity, err);
  if (rc == 0)
    out->tool = cul_identity_key(&identity);
  if (rc == 0 && role == CUL_ROLE_REFERENCE)
    set_wide_by(target, &identity);
  if (rc == 0 && role == CUL_ROLE_REFERENCE)
    set_checked_by(target, &identity);
  /* A role's tool whose identity is not closed may change between jobs: then
   * the whole target counts as not closed. */
  if (rc == 0 && cul_digest_is_zero(&identity.digest))
    target->tool.identity.digest = (struct cul_digest){{0, 0}};
  cul_identity_release(&target->roles.of[role].identity);
  target->roles.of[role].identity = identity;
  return rc;
}

int cul_target_know_roles(struct cul_target *target,
                          const struct cul_placed *placed,
                          struct cul_err *err) {
  struct cul_role *roles = target->probe.roles;
  int rc = know(target, placed, CUL_ROLE_REFERENCE, err);
  if (rc == 0)
    rc = know(target, placed, CUL_ROLE_CONTROL, err);
  if (rc == 0)
    rc = know(target, placed, CUL_ROLE_WIDE, err);
  if (rc == 0)
    rc = know(target, placed, CUL_ROLE_CHECKED, err);
  roles[CUL_ROLE_POISON].tool = roles[CUL_ROLE_REFERENCE].tool;
  roles[CUL_ROLE_SUSPECT_POISON].tool = target->probe.request.tool;
  roles[CUL_ROLE_SUSPECT_REFILLED].tool = target->probe.request.tool;
  roles[CUL_ROLE_OWN].tool = roles[CUL_ROLE_CHECKED].tool; /* one program */
  return rc;
}

bool cul_target_knows_roles(const struct cul_target *target) {
  bool all = true;
  for (size_t role = 0; role < CUL_N_ROLES; role++)
    all = all && (!target->probe.roles[role].name ||
                  !cul_digest_is_zero(&target->probe.roles[role].tool));
  return all;
}

void cul_target_set_inputs(struct cul_target *target, const char *dir,
                           const char *name) {
  if (!dir)
    dir = target->conf->inputs.dir;
  free(target->inputs.dir);
  free(target->inputs.name);
  target->inputs.dir = dir ? realpath(dir, NULL) : NULL;
  target->inputs.name = name ? cul_xstrdup(name) : NULL;
}

static void role_commands_release(struct cul_role_commands *roles) {
  for (size_t role = 0; role < CUL_N_ROLES; role++)
    free(roles->of[role].text), free(roles->of[role].words),
        cul_identity_release(&roles->of[role].identity);
  free(roles->golden);
}

/* ---- target ---- */

/* Larger inputs are taken for a mistake (a weight file, a log).  100 MB of
 * weights are 200 MB of text. */
static const size_t max_input = (size_t)1 << 30;

/* A run that has not ended by then is a timeout, if a timeout is sought and
 * --timeout is not given. */
static const uint64_t hang_ms = 20 * 1000;

static const char *const no_env[] = {NULL};

/* Variables that pass a script the paths of its files. */
static const char *const script_env[] = {"CULPRIT_CANDIDATE=@@",
                                         "CULPRIT_ORIGINAL=@{original}",
                                         "CULPRIT_WORKDIR=@{dir}", NULL};

/* The file's pages are copied directly: with a copy in the heap, a large input
 * would be in memory twice.  EUSAGE: the file must be read instead, which also
 * detects errors (pipes, files that shrink meanwhile). */
static int seal_pages(const char *path, struct cul_sealed *out,
                      struct cul_err *err) {
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  int rc = CUL_EUSAGE;
  struct cul_err refused = {0};
  struct stat st;
  void *map = MAP_FAILED;
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
      (uint64_t)st.st_size <= max_input)
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (map != MAP_FAILED) {
    (void)madvise(map, (size_t)st.st_size, MADV_SEQUENTIAL);
    rc = cul_sealed_make((struct cul_bytes){map, (size_t)st.st_size}, out,
                         &refused);
    munmap(map, (size_t)st.st_size);
  }
  if (fd >= 0)
    close(fd);
  if (rc == CUL_EINTR)
    *err = refused;
  return rc == 0 || rc == CUL_EINTR ? rc : CUL_EUSAGE;
}

static int read_input(const char *path, struct cul_target_subject *subject,
                      struct cul_err *err) {
  struct cul_buf text = {0};
  struct stat st;
  int rc = seal_pages(path, &subject->text, err);
  if (rc == CUL_EUSAGE)
    rc = cul_file_read(path, max_input, &text, err);
  if (rc == 0 && !subject->text.bytes.data)
    rc = cul_sealed_make(cul_buf_bytes(&text), &subject->text, err);
  cul_buf_release(&text);
  if (rc == CUL_EUSAGE && strcmp(path, "-") == 0)
    return cul_fail(err, CUL_EUSAGE, "standard input is /dev/stdin",
                    "no file is called -");
  if (rc < 0) {
    if (strstr(err->what, "the most that is read"))
      return cul_fail(err, CUL_EUSAGE,
                      "elide or strip weights first (mlir-opt "
                      "--mlir-elide-elementsattrs-if-larger=16)",
                      "%s is larger than %zu MiB", path, max_input >> 20);
    return rc;
  }
  if (subject->text.bytes.len == 0)
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

/* Check that an input that is itself the program (@@) is executable. */
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

/* Check that the runs will find the program, by the PATH that they are passed.
 */
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

/* Detect a command that was put in quotes as a whole: it is one word, which
 * names no program. */
static int check_words(const char *const *argv, struct cul_err *err) {
  if (argv[1] || !strchr(argv[0], ' ') || access(argv[0], F_OK) == 0)
    return 0;
  return cul_fail(
      err, CUL_EUSAGE,
      "remove the quotes, or let a shell run the command: -- bash -c "
      "'COMMAND'",
      "the command is one word with blanks: \"%s\"", argv[0]);
}

static int find_command(struct cul_target *target, struct cul_err *err) {
  const struct cul_target_conf *conf = target->conf;
  target->tool.command.executable = target->subject.executable;
  target->tool.command.env = no_env;
  target->tool.command.environment = target->tool.environment;
  target->tool.command.hosts = target->tool.hosts;
  if (conf->passes || conf->device)
    return target_find_engine(target, err);
  if (conf->script)
    return find_script(target, err);
  if (!conf->argv || !conf->argv[0])
    return cul_fail(err, CUL_EUSAGE,
                    "put it after \"--\", with @@ for the file: -- mlir-opt "
                    "--canonicalize @@",
                    "no command to run is given");
  if (check_words(conf->argv, err) < 0)
    return err->code;
  target->tool.command.argv = conf->argv;
  target->tool.command.cwd = ".";
  target->tool.command.delivery =
      cul_has_placeholder(conf->argv) ? CUL_BY_PLACEHOLDER : CUL_BY_STDIN;
  if (strstr(conf->argv[0], "@@"))
    return check_executable(target, err);
  if (conf->installed || target->tool.hosts ||
      strstr(conf->argv[0], "@{")) /* each run has its own program */
    return 0;
  return check_program(target, err);
}

static void set_tool(struct cul_target *target) {
  target->probe.request.tool = cul_identity_key(&target->tool.identity);
}

/* Reduce the number of workers to the limit of open files (ulimit -n): JOB
 * files for the job, and WORKER for each worker, which has four candidates and
 * the pipes of a run. */
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
  cul_status_transient(
      CUL_TRANSIENT_START,
      "note:      %d run%s at a time: more files may not be open "
      "(ulimit -n %d)",
      room, cul_s((unsigned)room), (int)limit.rlim_cur);
  *workers = room;
}

static bool is_elf(const char *path) {
  char head[4] = "";
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  bool elf = fd >= 0 && pread(fd, head, sizeof head, 0) == sizeof head &&
             memcmp(head, "\177ELF", sizeof head) == 0;
  if (fd >= 0)
    close(fd);
  return elf;
}

/* May a word of the command be a script, or its text (-c TEXT)?  A value of an
 * --option is none. */
static bool has_script(const char *const *argv) {
  for (size_t i = 1; argv[i]; i++)
    if (argv[i][0] != '-' && strcmp(argv[i], "@@") != 0 &&
        strncmp(argv[i - 1], "--", 2) != 0)
      return true;
  return false;
}

/* May the runs depend on the name of the file?  A script can look at it, and
 * some languages have modules and macros of that name.  A binary that gets a
 * module of MLIR and no script opens it, whatever its name: so inputs of other
 * names, such as those of a triage, share their runs. */
static bool name_counts(const struct cul_target *target) {
  const struct cul_command *command = &target->tool.command;
  char *program;
  bool counts;
  if (target->engine.argv)
    return false;
  if (!is_mlir(target) || target->tool.hosts || has_script(command->argv))
    return true;
  program = cul_plan_program(command, command->argv[0]);
  counts = !program || !is_elf(program);
  free(program);
  return counts;
}

static void set_up_probe(struct cul_target *target) {
  const struct cul_target_conf *conf = target->conf;
  struct cul_probe *probe = &target->probe;
  double seconds = conf->timeout_s > 0 ? conf->timeout_s : 60;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  probe->cache = target->cache;
  /* Memory is not measured in a fork of a worker, which shares its memory. */
  probe->runner = cul_runner_find(
      target->tool.hosts || conf->elsewhere                  ? "remote"
      : target->engine.argv && !conf->oracle.measured.memory ? "live"
                                                             : "preload");
  probe->lost_status = target->engine.argv ? CUL_ENGINE_MISSING : 0;
  probe->place = &target->place.held;
  probe->doubt.stamps = &target->stamps;
  /* A worker elsewhere has one run; the next one waits there for it, and one is
   * on its way. */
  if (target->tool.hosts)
    cores = 3 * (long)cul_hosts_places(&conf->environment);
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
  if (name_counts(target))
    probe->request.file = target->subject.file;
}

/* Adapt the request to the oracle. */
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
  target->probe.early.off = conf->hang.whole;
  conf->script.wanted = target->conf->script != NULL;
  if (target->script.contract && conf->script.sense == CUL_SENSE_UNKNOWN)
    conf->script.sense = target->script.contract->sense;
  conf->timeout_ms = target->probe.request.wall_ms;
  if (target->conf->timeout_s > 0)
    conf->hang.limit_ms = conf->timeout_ms;
  else if (!conf->hang.limit_ms)
    conf->hang.limit_ms = hang_ms;
  conf->crash.candidate = target->subject.file;
  conf->mismatch.wide = target->probe.roles[CUL_ROLE_WIDE].name != NULL;
  conf->mismatch.checked = target->probe.roles[CUL_ROLE_CHECKED].name != NULL;
  conf->mismatch.own = target->probe.roles[CUL_ROLE_OWN].name != NULL;
  conf->mismatch.unguarded = target->conf->ref.command &&
                             !conf->mismatch.checked &&
                             !target->probe.roles[CUL_ROLE_CONTROL].name;
  target->oracle = cul_oracle_choose(conf);
  prepare_runs(target);
  rc = target->oracle->open(conf, &inner, err);
  if (rc < 0)
    return rc;
  target->probe.oracle = &cul_repeat;
  target->probe.doubt.quotes = &conf->quotes;
  target->probe.oracle_self = cul_repeat_new(target->oracle, inner, conf);
  return 0;
}

int cul_target_hosts(const struct cul_target_conf *of, struct cul_hosts **out,
                     struct cul_err *err) {
  const struct cul_environment_conf *environment = &of->environment;
  struct cul_hosts_conf conf = {.on = environment->on,
                                .n_on = environment->n_on,
                                .shared = environment->shared,
                                .environment = environment};
  const char **sent = cul_xcalloc(environment->n_sent + 2, sizeof *sent);
  int rc = 0;
  for (size_t i = 0; i < environment->n_sent; i++)
    sent[conf.n_sent++] = environment->sent[i];
  sent[conf.n_sent++] = of->script;
  sent[conf.n_sent++] = of->inputs.dir;
  conf.sent = sent;
  *out = NULL;
  if (conf.n_on)
    rc = cul_hosts_open(&conf, out, err);
  free(sent);
  return rc;
}

/* "mlir-opt-22 on model.mlir" */
static void name_task(const struct cul_target *target) {
  const struct cul_target_conf *conf = target->conf;
  const char *program = conf->script          ? conf->script
                        : target->engine.argv ? "the passes"
                        : target->tool.command.argv
                            ? cul_arguments_program(target->tool.command.argv)
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
    rc = conf->environment.hosts
             ? 0
             : cul_target_hosts(conf, &target->tool.hosts, err);
  if (conf->environment.hosts)
    target->tool.hosts = conf->environment.hosts;
  if (rc == 0)
    rc = read_input(conf->input, &target->subject, err);
  if (rc == 0)
    rc = find_command(target, err);
  if (rc == 0)
    rc = cul_workplace_open(&target->place, err);
  if (rc < 0)
    return rc;
  target->dir = target->stamps.dir = target->place.dir;
  target->subject.file =
      target->script.contract && target->script.contract->file
          ? cul_xstrdup(target->script.contract->file)
          : candidate_name(conf->name ? conf->name : conf->input);
  target->subject.path = realpath(conf->input, NULL);
  if (!target->subject.path)
    target->subject.path = cul_xstrdup(conf->input);
  cul_workplace_cache(&conf->cache, &target->cache, &target->note);
  cul_cache_guard(target->cache, cul_stamps_hold, &target->stamps);
  set_up_probe(target);
  name_task(target);
  rc = target_open_roles(target, err);
  return rc == 0 ? open_oracle(target, err) : rc;
}

int cul_target_recall(struct cul_target *target, struct cul_err *err) {
  int rc = 0;
  if (target->cache)
    rc = recall(target, &target->tool.command, &target->tool.identity,
                &target->tool.recalled, err);
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

/* Is the input a crash reproducer, and does the command lack the flag that runs
 * the passes in it? */
static bool is_idle_reproducer(const struct cul_target *target) {
  static const char mark[] = "mlir_reproducer";
  for (const char *const *arg = target->tool.command.argv; *arg; arg++)
    if (strstr(*arg, "run-reproducer"))
      return false;
  return memmem(target->subject.text.bytes.data, target->subject.text.bytes.len,
                mark, sizeof mark - 1);
}

/* Report a script that does not accept the input, with its last output: a
 * script that lacks a program prints the reason there. */
static int fail_script(const struct cul_target *target, struct cul_err *err) {
  const struct cul_record *record = &target->original.records[0];
  struct cul_bytes said = cul_last_words(cul_buf_bytes(&record->err));
  return cul_fail(
      err, CUL_ENOFAIL,
      "try the script by hand on both; if it was written for another reducer, "
      "use --contract; --repeat 200 finds rarer failures",
      "%s is not interesting: %s (%zu run%s)%s%.*s", target->conf->input,
      target->original.verdict.why, target->original.n,
      cul_s(target->original.n), said.len ? "; its output: " : "",
      (int)said.len, said.len ? said.data : "");
}

/* The first line of standard error that begins with "error: ", as LLVM's tools
 * print it. */
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

/* Append the last line of standard error, which may say why the tool did not do
 * what it does by hand (a file that it may not read), or be the failure. */
static void add_last_words(const struct cul_record *record,
                           struct cul_buf *out) {
  enum { MOST = 160 };
  size_t to = record->err.len, from;
  while (to > 0 && strchr("\r\n\t ", record->err.data[to - 1]))
    to--;
  for (from = to; from > 0 && record->err.data[from - 1] != '\n';)
    from--;
  if (to > from)
    cul_buf_addf(out, "; its last line of standard error is \"%.*s\"",
                 (int)(to - from < MOST ? to - from : MOST),
                 record->err.data + from);
}

/* Report that no run shows the failure, with advice on the likely reason. */
static int fail_shown(const struct cul_target *target, struct cul_err *err) {
  struct cul_bytes error;
  const struct cul_verdict *verdict = &target->original.verdict;
  const struct cul_record *record = &target->original.records[0];
  size_t n = target->original.n;
  CUL_OWNED(cul_buf) words = {0};
  add_last_words(record, &words);
  if (target->script.contract)
    return fail_script(target, err);
  if (cul_target_whole(target))
    return cul_fail(err, CUL_ENOFAIL,
                    "look at the runs with culprit check; --repeat asks for "
                    "more runs, --above, --by and --keep for another bound",
                    "%s does not show the sought failure (%s): %s",
                    target->conf->input, target->oracle->name, verdict->why);
  if (record->end == CUL_EXITED && is_idle_reproducer(target))
    return cul_fail(err, CUL_ENOFAIL,
                    "put --run-reproducer before @@, so that the tool runs the "
                    "passes in the reproducer",
                    "%s is a crash reproducer, and this command does not run "
                    "its pipeline",
                    target->conf->input);
  if (record->end == CUL_EXITED && record->status == 0 &&
      (error = error_line(record)).len)
    return cul_fail(err, CUL_ENOFAIL,
                    "if that is the failure, use --match, or make the command "
                    "exit with another status (bash: set -o pipefail)",
                    "%s does not show a failure: the command exits with 0, "
                    "although it prints \"%.*s\" (%zu run%s)",
                    target->conf->input, (int)error.len, error.data, n,
                    cul_s(n));
  if (record->end == CUL_EXITED && target->oracle_conf.mismatch.wanted &&
      !target->oracle_conf.all_of)
    return cul_fail(
        err, CUL_ENOFAIL,
        "run both commands by hand; --ulp, --rtol and --atol set another "
        "tolerance; with --exit N the command may also fail",
        "%s does not show wrong numbers: %s (exit status %d, %zu run%s)",
        target->conf->input, verdict->why, record->status, n, cul_s(n));
  if (record->end == CUL_EXITED)
    return cul_fail(
        err, CUL_ENOFAIL,
        "run the command by hand; if the failure is not a crash, use --match, "
        "--exit, --signal or --script; --repeat 200 finds rarer failures",
        "%s does not show a failure: %s (exit status %d, %zu "
        "run%s)%s",
        target->conf->input, verdict->why, record->status, n, cul_s(n),
        cul_buf_str(&words));
  return cul_fail(err, CUL_ENOFAIL, "culprit check shows its failure",
                  "%s does not show the failure asked for: %s",
                  target->conf->input, verdict->why);
}

/* Does a shell exit because a program of the reference is missing (127) or
 * cannot be executed (126)? */
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
          ? "use --sandbox=auto: in a process namespace the tool cannot reach "
            "the supervisor"
          : "use a machine or a container with process namespaces, in which "
            "the tool cannot reach the supervisor",
      "on %s the tool kills its supervisor each time, so its runs have no "
      "result",
      target->conf->input);
}

/* Advice if the runs show neither a failure nor its absence. */
static const char *advise_undecided(const struct cul_target *target) {
  const struct cul_role *reference = &target->probe.roles[CUL_ROLE_REFERENCE];
  const struct cul_record *record =
      &target->original.records[target->original.n - 1];
  char *refused = cul_record_refused(record);
  const char *advice =
      reference->name && reference->cmd->delivery == CUL_BY_STDIN
          ? "--ref has no @@, so the file goes to its standard input: put @@ "
            "in place of the file's name"
      : refused ? "look at what the input does there; --writable PATH lets it "
                  "change that file or directory, --sandbox=off all"
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
  if (target_check_engine(target, err) < 0)
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
          err, "run the command of --ref by hand on the input and fix it",
          "the reference cannot run: %s", verdict->why);
    if (verdict->confidence >= 1)
      return cul_fail(err, CUL_EFLAKY, advise_undecided(target),
                      "no run decides whether %s fails: %s",
                      target->conf->input, verdict->why);
    return cul_fail(
        err, CUL_EFLAKY,
        "fix what varies (threads, seeds), preserve less with --match or "
        "--any-crash, or make it fail more often (more threads, a sanitizer)",
        "the failure is flaky: %s (%zu run%s)", verdict->why, n, cul_s(n));
  case CUL_PASSES:
  case CUL_OTHER:
  case CUL_INVALID:
    break;
  }
  return fail_shown(target, err);
}

static void release_subject(struct cul_target_subject *subject) {
  cul_sealed_release(&subject->text);
  cul_sealed_release(&subject->given);
  free(subject->path);
  free(subject->file);
}

static void release_tool(struct cul_target_tool *tool, bool hosts) {
  cul_identity_release(&tool->identity);
  if (hosts)
    cul_hosts_free(tool->hosts);
  cul_environment_free(tool->environment);
}

static void release_engine(struct cul_target_engine *engine) {
  free(engine->program);
  free(engine->argv);
  free(engine->seeds);
  free(engine->values);
}

int cul_target_left(const void *conf, struct cul_err *err) {
  const struct cul_target_conf *target = conf;
  if (cul_status_interrupted() || (target->interrupted && *target->interrupted))
    return cul_fail(err, CUL_EINTR, "run the same command again to continue",
                    "interrupted");
  if (target->deadline_us && cul_now_us() >= target->deadline_us)
    return cul_fail(err, CUL_EBUDGET,
                    "raise --max-time and run the same command again",
                    "--max-time reached");
  return 0;
}

void cul_target_leave(struct cul_target *target) {
  struct cul_target_inside *inside = &target->inside;
  for (int i = 0; i < CUL_N_ROLES; i++) {
    for (size_t k = 0; inside->words[i] && inside->words[i][k]; k++)
      free(inside->words[i][k]);
    free(inside->words[i]);
  }
  free(inside->program);
  free(inside->why);
  *inside = (struct cul_target_inside){.wrong = inside->wrong};
  target->probe.service.inside = (struct cul_in_process){0};
}

void cul_target_release(struct cul_target *target) {
  cul_servers_free(target->probe.service.servers);
  cul_judged_release(&target->original);
  if (target->probe.oracle && target->probe.oracle_self)
    target->probe.oracle->close(target->probe.oracle_self);
  cul_rules_free(target->rules);
  cul_cache_close(target->cache);
  cul_stamps_release(&target->stamps);
  if (target->dir)
    cul_contract_clear_place(target->script.contract, target->dir);
  cul_workplace_close(&target->place);
  cul_contract_free(target->script.argv);
  role_commands_release(&target->roles);
  cul_target_leave(target);
  free(target->inputs.given);
  free(target->inputs.dir);
  free(target->inputs.name);
  free(target->note);
  free(target->found);
  free(target->places.taken);
  cul_target_restore(target); /* releases the replacements */
  release_engine(&target->engine);
  release_subject(&target->subject);
  release_tool(&target->tool, target->conf && !target->conf->environment.hosts);
  *target = (struct cul_target){0};
}
