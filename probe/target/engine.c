/* Targets that are run by culprit's own program: see target.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../runners/live.h"
#include "target.h"

/* Bytes that fill fresh memory: by role, as other commands have it from the
 * C library (roles.c). */
static const char *poison_of(enum cul_run_role role) {
  if (role == CUL_ROLE_POISON)
    return "170";
  return role == CUL_ROLE_REFERENCE || role == CUL_ROLE_SUSPECT_POISON ? "85"
                                                                       : NULL;
}

static void add_option(char **argv, size_t *n, const char *name,
                       const char *value) {
  if (!value)
    return;
  argv[(*n)++] = (char *)name;
  argv[(*n)++] = (char *)value;
}

/* --by kernels: the engine has to print it. */
static bool is_kernels(const char *by) {
  return by && strcmp(by, "kernels") == 0;
}

char **cul_target_engine_words(const struct cul_target *target,
                               enum cul_run_role role) {
  enum { MOST_WORDS = 24 };
  const struct cul_target_conf *conf = target->conf;
  bool suspect = role == CUL_ROLE_SUSPECT || role == CUL_ROLE_SUSPECT_POISON;
  bool jit = conf->oracle.mismatch.wanted || conf->device;
  /* A reference of numbers runs on the CPU; of times, where the suspect does.
   */
  const char *device =
      suspect || !conf->oracle.mismatch.wanted ? conf->device : NULL;
  char **argv = cul_xcalloc(MOST_WORDS, sizeof *argv);
  size_t n = 0;
  argv[n++] = target->engine.program;
  add_option(argv, &n, "--run", jit ? "jit" : "pipeline");
  add_option(argv, &n, "--passes", suspect ? conf->passes : conf->ref_passes);
  add_option(argv, &n, "--inputs",
             target->engine.values ? target->engine.values : conf->values);
  add_option(argv, &n, "--device", device);
  if (device && target->engine.patience[0])
    add_option(argv, &n, "--patience", target->engine.patience);
  if (device && conf->oracle.measured.slower &&
      is_kernels(conf->oracle.measured.by))
    argv[n++] = (char *)"--time-kernels";
  add_option(argv, &n, "--seeds", target->engine.seeds);
  add_option(argv, &n, "--poison",
             conf->oracle.mismatch.wanted ? poison_of(role) : NULL);
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
  target->engine.argv = cul_target_engine_words(target, CUL_ROLE_SUSPECT);
  target->tool.command.argv = (const char *const *)target->engine.argv;
  for (int role = CUL_ROLE_SUSPECT + 1; role < CUL_N_ROLES; role++) {
    struct cul_role_command *storage = &target->roles.of[role];
    if (!storage->words)
      continue;
    free(storage->words);
    storage->words = cul_target_engine_words(target, (enum cul_run_role)role);
    storage->command.argv = (const char *const *)storage->words;
  }
}

int cul_target_show_inputs(struct cul_target *target, struct cul_bytes text,
                           struct cul_buf *out, struct cul_err *err) {
  const char *values =
      target->engine.values ? target->engine.values : target->conf->values;
  const char *const argv[] = {
      target->engine.program,       "--run", "jit", "--show-inputs", "--inputs",
      values ? values : "integers", "@@",    NULL};
  struct cul_command command = cul_target_variant(target, (char *const *)argv);
  struct cul_request request = target->probe.request;
  struct cul_record record = {0};
  struct cul_placed placed;
  char *tmp = cul_xasprintf("%s/t%03d", target->dir, CUL_SLOT_OTHER);
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

int cul_target_find_engine(struct cul_target *target, struct cul_err *err) {
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
  /* A kernel that hangs is named before the deadline ends everything. */
  if (conf->timeout_s > 0)
    snprintf(target->engine.patience, sizeof target->engine.patience, "%g",
             conf->timeout_s / 2);
  if (conf->seeds > 0)
    target->engine.seeds = cul_xasprintf("%lld", (long long)conf->seeds);
  cul_environment_sandbox(target->tool.environment)->fixed = true;
  target->engine.argv = cul_target_engine_words(target, CUL_ROLE_SUSPECT);
  target->tool.command.argv = (const char *const *)target->engine.argv;
  target->tool.command.cwd = ".";
  target->tool.command.delivery = CUL_BY_PLACEHOLDER;
  return 0;
}

int cul_target_check_engine(const struct cul_target *target,
                            struct cul_err *err) {
  const struct cul_record *record = &target->original.records[0];
  const char *text = cul_buf_str(&record->err);
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
