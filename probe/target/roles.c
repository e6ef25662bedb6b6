/* The reference and what belongs to it: see target.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../base/tensor/tensor.h"
#include "../../pipeline/call_words.h"
#include "../../pipeline/shell_text.h"
#include "../trial.h"
#include "target.h"

static const char *const role_names[CUL_N_ROLES] = {
    [CUL_ROLE_REFERENCE] = "reference",
    [CUL_ROLE_POISON] = "poison",
    [CUL_ROLE_SUSPECT_POISON] = "suspect-poison",
    [CUL_ROLE_CONTROL] = "control",
    [CUL_ROLE_WIDE] = "wide",
    [CUL_ROLE_CHECKED] = "checked"};

/* glibc fills what malloc gives with this byte's complement, but for what a
 * thread has freed before and finds in its own cache. */
static const char *const fill_a[] = {
    "GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=170",
    "MALLOC_PERTURB_=170", NULL};
static const char *const fill_b[] = {
    "GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=85",
    "MALLOC_PERTURB_=85", NULL};

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

/* A string of the user's runs under a shell; a failing part of a pipe counts.
 * A shell that has nothing else to do becomes the command: it is not measured
 * beside it. */
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

/* The command's words with a number in the place of each "@{n}"; one block. */
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

/* The command does its work 2 N times; the reference is it, doing N. */
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

/* Run by culprit's own engine. */
static void set_engine(struct cul_target *target, enum cul_run_role role) {
  struct cul_command command = target->tool.command;
  char **words = cul_target_engine_words(target, role);
  target->roles.of[role].words = words;
  command.argv = (const char *const *)words;
  set_role(target, role, &command, NULL);
}

/* The roles that the oracle asks for; the control has the checks. */
static void set_engines(struct cul_target *target) {
  const struct cul_oracle_conf *oracle = &target->conf->oracle;
  if (oracle->mismatch.wanted)
    for (int role = CUL_ROLE_SUSPECT + 1; role <= CUL_ROLE_WIDE; role++)
      set_engine(target, (enum cul_run_role)role);
  else if (oracle->measured.reference)
    set_engine(target, CUL_ROLE_REFERENCE);
}

/* The candidate in f64 stands beside the outputs then. */
static char *wide_text(const struct cul_target *target, const char *reference) {
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
  return cul_buf_take(&out);
}

/* Upstream's modules: what they are, the file's name says. */
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

/* They can be read in f64, and what the reference makes of them then is nearer
 * to the truth. */
static void set_wide(struct cul_target *target) {
  const struct cul_target_conf *conf = target->conf;
  char *text;
  if (conf->wide) {
    set_shell(target, CUL_ROLE_WIDE, conf->wide);
    return;
  }
  if (!is_mlir(target) || strchr(target->subject.file, ' ') ||
      strstr(conf->reference, "@@@@") || !has_engine(target))
    return;
  text = wide_text(target, conf->reference);
  set_shell(target, CUL_ROLE_WIDE, text);
  free(text);
}

/* The function that the reference's words name, and what they hand over to it;
 * else the one that is called with nothing. */
static size_t add_call(struct cul_target *target, char **words) {
  struct cul_call_words call;
  struct cul_buf text = {0};
  size_t n = 0, arguments = 0;
  if (!target->conf->reference ||
      !cul_call_words(target->conf->reference, &call)) {
    words[n++] = (char *)"--closed";
    return n;
  }
  if (call.entry) {
    cul_buf_addf(&text, "--entry=%s", call.entry);
    cul_buf_addc(&text, '\0');
    arguments = text.len;
  }
  cul_buf_addf(&text, "--arguments=%s", call.arguments);
  target->roles.of[CUL_ROLE_CHECKED].text = cul_buf_take(&text);
  if (call.entry)
    words[n++] = target->roles.of[CUL_ROLE_CHECKED].text;
  words[n++] = target->roles.of[CUL_ROLE_CHECKED].text + arguments;
  cul_call_words_release(&call);
  return n;
}

/* They can be compiled with checks, and called where it is known with what. */
static void set_checked(struct cul_target *target) {
  enum { WORDS = 8 };
  struct cul_command command = target->tool.command;
  char **words, **at;
  if (!is_mlir(target) || !has_engine(target))
    return;
  at = words = cul_xcalloc(WORDS, sizeof *words);
  *at++ = target->engine.program;
  *at++ = (char *)"--run";
  *at++ = (char *)"jit";
  *at++ = (char *)"--checks";
  at += add_call(target, at);
  *at = (char *)"@@";
  target->roles.of[CUL_ROLE_CHECKED].words = words;
  command.argv = (const char *const *)words;
  command.delivery = CUL_BY_PLACEHOLDER;
  set_role(target, CUL_ROLE_CHECKED, &command, NULL);
}

/* Golden outputs are what a reference wrote once: its command copies them. */
static int set_golden(struct cul_target *target, struct cul_err *err) {
  struct cul_tensors tensors = {0};
  struct cul_buf text = {0};
  char *dir = realpath(target->conf->want, NULL);
  int rc = dir ? cul_tensors_load(dir, NULL, &tensors, err) : 0;
  if (rc == 0 && tensors.n == 0)
    rc = cul_fail(err, CUL_EUSAGE, "give a directory of tensor files",
                  "--want: %s", dir ? "no tensors are there" : "is not there");
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

int cul_target_open_roles(struct cul_target *target, struct cul_err *err) {
  const struct cul_target_conf *conf = target->conf;
  const struct cul_command *reference;
  const char *text = conf->reference;
  if (conf->inputs && !(target->inputs.dir = realpath(conf->inputs, NULL)))
    return cul_fail(err, CUL_EUSAGE, "give a directory of tensor files",
                    "--inputs: %s is not there", conf->inputs);
  if (target->engine.argv)
    set_engines(target);
  if (conf->oracle.measured.iterations)
    return set_iterations(target, err);
  if (conf->want && set_golden(target, err) < 0)
    return err->code;
  if (conf->want)
    text = target->roles.golden;
  if (!text)
    return 0;
  set_shell(target, CUL_ROLE_REFERENCE, text);
  if (!conf->oracle.mismatch
           .wanted) /* filled memory costs time, and is touched */
    return 0;
  reference = &target->roles.of[CUL_ROLE_REFERENCE].command;
  set_role(target, CUL_ROLE_POISON, reference, fill_b);
  set_role(target, CUL_ROLE_REFERENCE, reference, fill_a);
  set_role(target, CUL_ROLE_SUSPECT_POISON, &target->tool.command, fill_a);
  if (conf->control)
    set_shell(target, CUL_ROLE_CONTROL, conf->control);
  if (!conf->want)
    set_wide(target);
  set_checked(target);
  return 0;
}

/* What a traced run of a role did is one of the classification's records, as
 * the suspect's first run is; tool: of the role, known now. */
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

/* One traced run on the original: what does the command execute and read? */
static int trace(struct cul_target *target, const struct cul_placed *placed,
                 enum cul_run_role role, struct cul_identity *identity,
                 struct cul_err *err) {
  struct cul_request request = target->probe.request;
  const struct cul_role *as = &target->probe.roles[role];
  struct cul_record record = {0};
  char *tmp = cul_xasprintf("%s/t%03d", target->dir, CUL_SLOT_ORIGINAL);
  uint64_t start_us = cul_now_us();
  int rc;
  request.role = as->name;
  request.cmd = as->cmd;
  request.flags |= CUL_RUN_TRACE | CUL_RUN_NO_CACHE;
  cul_trial_tidy(&target->probe, &placed->art, as->cmd);
  /* A tool that ends its supervisor shows so in the runs that follow. */
  rc = cul_probe_try(&target->probe, target->probe.runner, &placed->art,
                     &request, tmp, &record, err);
  cul_trial_collect(&target->probe, &placed->art, as->cmd, &record);
  cul_probe_tell_ended(&target->probe, CUL_SLOT_ORIGINAL, start_us, false);
  target->probe.counts.executed++;
  target->probe.counts.by_phase[CUL_RUNS_CLASSIFY]++;
  if (rc == 0)
    rc = cul_identity_learn(target->cache, as->cmd, &record, target->dir,
                            identity, err);
  request.tool = cul_identity_key(identity);
  if (rc == 0)
    rc = share(target, placed, &request, role, &record, err);
  else
    cul_record_release(&record);
  free(tmp);
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
    rc = cul_identity_recall(target->cache, out->cmd, &identity, &found, err);
  if (rc == 0 && !found && !placed)
    return 0;
  if (rc == 0 && !found)
    rc = trace(target, placed, role, &identity, err);
  if (rc == 0)
    out->tool = cul_identity_key(&identity);
  /* A reference that is not closed is one that may change between jobs. */
  if (rc == 0 && cul_digest_is_zero(&identity.digest))
    target->tool.identity.digest = (struct cul_digest){{0, 0}};
  cul_identity_release(&identity);
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
    dir = target->conf->inputs;
  free(target->inputs.dir);
  free(target->inputs.name);
  target->inputs.dir = dir ? realpath(dir, NULL) : NULL;
  target->inputs.name = name ? cul_xstrdup(name) : NULL;
}

void cul_role_commands_release(struct cul_role_commands *roles) {
  for (size_t role = 0; role < CUL_N_ROLES; role++)
    free(roles->of[role].text), free(roles->of[role].words);
  free(roles->golden);
}
