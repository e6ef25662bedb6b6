/* Commands of MLIR's own tools, run in-process: see inside.h.
 *
 * The tool itself says what its options mean: mlir-opt --dump-pass-pipeline
 * prints the whole pipeline, nested and with all options, and --help says which
 * flags are passes.  An option that neither it nor pipeline/upstream.h knows
 * may change what the tool does: the command runs then. */
#include "inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../pipeline/passes.h"
#include "../../pipeline/upstream.h"

static int CUL_PRINTF(2, 3)
    refuse(struct cul_target *target, const char *fmt, ...) {
  char text[240];
  va_list args;
  if (target->inside.why)
    return 0;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  target->inside.why = cul_xstrdup(text);
  return 0;
}

/* ---- asking ---- */

/* Run a program on a text that is no candidate.  tool: the identity that covers
 * the program and keys its answer in the cache; NULL: do not cache it. */
static int ask(struct cul_target *target, const char *const *argv,
               const char *text, const struct cul_digest *tool,
               struct cul_record *out, struct cul_err *err) {
  struct cul_command command = cul_target_variant(target, (char *const *)argv);
  struct cul_request request = target->probe.request;
  struct cul_placed placed;
  char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_OTHER);
  bool found = false;
  int rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  request.cmd = &command;
  request.file = NULL; /* the answer is about options */
  request.out_bytes = 8 << 20;
  if (tool)
    request.tool = *tool;
  if (rc == 0)
    rc = cul_placed_fill(&placed, (struct cul_bytes){text, strlen(text)}, err);
  if (rc == 0 && tool)
    rc = cul_cache_get(target->cache, &placed.art.digest, &request, out, &found,
                       err);
  if (rc == 0 && !found)
    rc = cul_probe_wait(&target->probe, target->probe.runner, &placed.art,
                        &request, tmp, out, err);
  if (rc == 0 && tool && !found && out->end == CUL_EXITED)
    rc = cul_cache_put(target->cache, &placed.art.digest, &request, out, err);
  cul_placed_release(&placed);
  free(tmp);
  return rc;
}

/* Find the first flag of the stage that is not a pass.  *out: NULL if there is
 * none. */
static int find_odd(struct cul_target *target, const struct cul_digest *tool,
                    const struct cul_upstream_stage *stage, const char **out,
                    struct cul_err *err) {
  const char *const argv[] = {stage->words[0], "--help", NULL};
  struct cul_record record = {0};
  struct cul_passes passes;
  bool any = false;
  int rc = 0;
  *out = NULL;
  for (size_t i = 0; i < stage->n; i++)
    any |= stage->is_flag[i];
  if (!any)
    return 0;
  rc = ask(target, argv, "", tool, &record, err);
  cul_passes_read((const char *const *)stage->words, (struct cul_bytes){0},
                  cul_buf_bytes(&record.out), &passes);
  for (size_t i = 0; i < stage->n && !*out; i++) {
    const char *word = stage->words[i];
    bool found = false;
    size_t from = strspn(word, "-"), n = strcspn(word + from, "=");
    for (size_t k = 0; k < passes.n && !found && !stage->pipeline; k++) {
      struct cul_bytes name = cul_passes_name(&passes, k);
      found = name.len == n && !memcmp(name.data, word + from, n);
    }
    if (stage->is_flag[i] && !found)
      *out = word;
  }
  cul_passes_release(&passes);
  cul_record_release(&record);
  return rc;
}

/* The length of the pipeline at the beginning of text, up to its last bracket.
 */
static size_t length_of(const char *text) {
  size_t depth = 0, i = 0;
  for (; text[i]; i++) {
    depth += text[i] == '(';
    if (text[i] == ')' && --depth == 0)
      return i + 1;
  }
  return 0;
}

/* Ask mlir-opt for the pipeline of a stage as it has parsed it.  *out: heap;
 * left NULL if mlir-opt does not print it. */
static int ask_pipeline(struct cul_target *target,
                        const struct cul_digest *tool,
                        const struct cul_upstream_stage *stage, char **out,
                        struct cul_err *err) {
  static const char mark[] = "Pass Manager with ";
  const char **argv = cul_xcalloc(stage->n + 3, sizeof *argv), *at;
  struct cul_record record = {0};
  struct cul_buf text = {0};
  size_t n = 0, len;
  int rc;
  for (size_t i = 0; i < stage->n; i++)
    if (!stage->is_file[i])
      argv[n++] = stage->words[i];
  argv[n++] = "--dump-pass-pipeline";
  argv[n] = "@@";
  rc = ask(target, argv, "module {\n}\n", tool, &record, err);
  at = rc == 0 ? strstr(cul_buf_str(&record.err), mark) : NULL;
  at = at ? strchr(at, '\n') : NULL;
  len = at ? length_of(++at) : 0;
  for (size_t i = 0; i < len; i++)
    if (at[i] != '\n')
      cul_buf_addc(&text, at[i]);
  *out = len ? cul_buf_take(&text) : NULL;
  cul_buf_release(&text);
  cul_record_release(&record);
  free(argv);
  return rc;
}

/* ---- words ---- */

enum { MOST_WORDS = 256 };

static void add(char **argv, size_t *n, const char *word) {
  if (*n + 1 < MOST_WORDS)
    argv[(*n)++] = cul_xstrdup(word);
}

static void add_libraries(char **argv, size_t *n, const char *list) {
  while (list && *list) {
    size_t len = strcspn(list, ",");
    char *one = cul_xstrndup(list, len);
    char *path = realpath(one, NULL);
    add(argv, n, "--library");
    add(argv, n, path ? path : one);
    free(path);
    free(one);
    list += len + (list[len] == ',');
  }
}

static void add_runner(char **argv, size_t *n,
                       const struct cul_upstream_stage *stage) {
  char level[2] = {stage->level ? stage->level : '0', '\0'};
  add(argv, n, "--call");
  add(argv, n, stage->entry);
  add(argv, n, "--result");
  add(argv, n, stage->result);
  add(argv, n, "--level");
  add(argv, n, level);
  add_libraries(argv, n, stage->libraries);
}

static void add_shell(char **argv, size_t *n,
                      const struct cul_upstream *upstream) {
  if (upstream->shell)
    add(argv, n, "--shell");
  if (upstream->pipefail)
    add(argv, n, "--pipefail");
  if (upstream->stops)
    add(argv, n, "--stops");
  if (upstream->execs)
    add(argv, n, "--exec");
  if (upstream->stages[upstream->n - 1].silent)
    add(argv, n, "--silent");
}

static void free_words(char **argv) {
  for (size_t i = 0; argv && argv[i]; i++)
    free(argv[i]);
  free(argv);
}

/* Add the engine's words for stage `at`, or refuse() with the reason. */
static int add_stage(struct cul_target *target, const struct cul_digest *tool,
                     const struct cul_upstream *upstream, size_t at,
                     char **argv, size_t *n, struct cul_err *err) {
  const struct cul_upstream_stage *stage = &upstream->stages[at];
  const char *odd;
  char *pipeline = NULL, number[24];
  int rc;
  if (stage->tool == CUL_UPSTREAM_RUNNER)
    return add_runner(argv, n, stage), 0;
  rc = find_odd(target, tool, stage, &odd, err);
  if (rc == 0 && odd)
    return refuse(target, "%.80s is not a pass of mlir-opt", odd);
  if (rc == 0)
    rc = ask_pipeline(target, tool, stage, &pipeline, err);
  if (rc == 0 && !pipeline)
    return refuse(target, "mlir-opt does not print its pipeline");
  if (rc < 0)
    return rc;
  add(argv, n, "--stage");
  add(argv, n, pipeline);
  free(pipeline);
  if (stage->unverified) {
    snprintf(number, sizeof number, "%zu", at);
    add(argv, n, "--unverified");
    add(argv, n, number);
  }
  return 0;
}

static bool has_tool(const struct cul_upstream *upstream, const char *program) {
  for (size_t i = 0; i < upstream->n; i++)
    if (strcmp(upstream->stages[i].words[0], program) == 0)
      return true;
  return false;
}

/* The first tool of a command that the suspect does not use; NULL: there is
 * none. Only the suspect's tools are known to be of the engine's release. */
static const char *find_other_tool(const struct cul_target *target,
                                   const struct cul_upstream *upstream) {
  const char *found = NULL;
  struct cul_upstream suspect;
  bool read = cul_upstream_read(cul_target_command(target)->argv, &suspect);
  for (size_t i = 0; i < upstream->n && !found; i++)
    if (!read || !has_tool(&suspect, upstream->stages[i].words[0]))
      found = upstream->stages[i].words[0];
  cul_upstream_release(&suspect);
  return found;
}

/* Translate a command into the engine's words.  *out: heap array of heap
 * strings; NULL if the command is not understood, with the reason in
 * target->inside.why.
 */
static int words_of(struct cul_target *target, const struct cul_digest *tool,
                    const char *const *command, char ***out,
                    struct cul_err *err) {
  struct cul_upstream upstream;
  char **argv = cul_xcalloc(MOST_WORDS, sizeof *argv);
  const char *other;
  size_t n = 0;
  int rc = 0;
  *out = NULL;
  if (!cul_upstream_read(command, &upstream))
    refuse(target, "%s", upstream.why);
  else if ((other = find_other_tool(target, &upstream)))
    refuse(target, "%.80s is not a tool of the command", other);
  add(argv, &n, target->inside.program);
  add(argv, &n, "--run");
  add(argv, &n, "stages");
  for (size_t i = 0; i < upstream.n && rc == 0 && !target->inside.why; i++)
    rc = add_stage(target, tool, &upstream, i, argv, &n, err);
  if (rc == 0 && !target->inside.why) {
    add_shell(argv, &n, &upstream);
    *out = argv;
  } else {
    free_words(argv);
  }
  cul_upstream_release(&upstream);
  return rc;
}

/* ---- the same? ---- */

/* Find a variable that changes what the tools do or load; NULL: there is none.
 */
static const char *odd_variable(const struct cul_target *target) {
  static const char *const odd[] = {
      "LD_PRELOAD=",     "LD_LIBRARY_PATH=", "LD_AUDIT=",
      "GLIBC_TUNABLES=", "MALLOC_",          NULL};
  const char *const *entry = cul_environment_list(target->tool.environment);
  for (; *entry; entry++)
    for (size_t i = 0; odd[i]; i++)
      if (strncmp(*entry, odd[i], strlen(odd[i])) == 0)
        return *entry;
  return NULL;
}

static bool is_file(const char *path, size_t len, const char *other) {
  char *name = cul_xstrndup(path, len), *real = realpath(name, NULL);
  bool is = real && strcmp(real, other) == 0;
  free(real);
  free(name);
  return is;
}

/* Is the tools' libMLIR, the only one that they load, the engine's?  library: a
 * path without links. */
static bool is_linked(const struct cul_identity *identity,
                      const char *library) {
  const char *line = cul_buf_str(&identity->files);
  bool found = false;
  while (*line) {
    size_t len = strcspn(line, "\n");
    const char *path = memchr(line, ' ', len);
    if (path++ &&
        memmem(path, len - (size_t)(path - line), "/libMLIR.so", 11)) {
      if (!is_file(path, len - (size_t)(path - line), library))
        return false;
      found = true;
    }
    line += len + (line[len] == '\n');
  }
  return found;
}

/* Can the engine read the pipelines, and is it of the same release? */
static int check_engine(struct cul_target *target, char *const *words,
                        struct cul_err *err) {
  const char **argv = cul_xcalloc(MOST_WORDS + 2, sizeof *argv);
  struct cul_record record = {0};
  size_t n = 0;
  char *library;
  int rc;
  while (words[n])
    argv[n] = words[n], n++;
  argv[n++] = "--check";
  argv[n] = "@@";
  rc = ask(target, argv, "module {\n}\n", NULL, &record, err);
  if (rc == 0 && (record.end != CUL_EXITED || record.status != 0)) {
    struct cul_bytes said = cul_buf_bytes(&record.err);
    const char *error =
        said.len ? strstr(cul_buf_str(&record.err), "error: ") : NULL;
    refuse(target, "culprit's libMLIR: %.*s",
           error ? (int)strcspn(error, "\n") : 0, error ? error : "");
  }
  if (rc == 0 && !target->inside.why) {
    cul_buf_addc(&record.out, '\0');
    record.out.data[strcspn(record.out.data, "\n")] = '\0';
    library = realpath(record.out.data, NULL);
    if (!library || !is_linked(&target->tool.identity, library))
      refuse(target, "the tools do not use %s alone, which is culprit's",
             record.out.data);
    free(library);
  }
  cul_record_release(&record);
  free(argv);
  return rc;
}

static bool same_output(const struct cul_record *a,
                        const struct cul_record *b) {
  return a->truncated || b->truncated ||
         (a->out.len == b->out.len &&
          (!a->out.len || memcmp(a->out.data, b->out.data, a->out.len) == 0));
}

static const struct cul_record *first_of(const struct cul_judged *judged,
                                         enum cul_run_role role) {
  for (size_t i = 0; i < judged->n; i++)
    if (judged->records[i].role == role)
      return &judged->records[i];
  return NULL;
}

/* Let the command make the runs in f64 if the engine's run in f64 ends or
 * prints otherwise. */
static void compare_wide(struct cul_target *target,
                         const struct cul_judged *own,
                         const struct cul_judged *inside) {
  const struct cul_record *a = first_of(own, CUL_ROLE_WIDE);
  const struct cul_record *b = first_of(inside, CUL_ROLE_WIDE);
  if (a && b &&
      (a->end != b->end || a->status != b->status || !same_output(a, b)))
    target->probe.service.inside.of[CUL_ROLE_WIDE].argv = NULL;
}

/* The first line of out that differs from the line of `than`, at most `max`
 * bytes of it. */
static struct cul_bytes find_line(const struct cul_buf *out,
                                  const struct cul_buf *than, size_t max) {
  const char *end;
  size_t at = 0, len;
  for (size_t i = 0; i < out->len && i < than->len; i++) {
    if (out->data[i] != than->data[i])
      break;
    at = out->data[i] == '\n' ? i + 1 : at;
  }
  end = at < out->len ? memchr(out->data + at, '\n', out->len - at) : NULL;
  len = end ? (size_t)(end - out->data) - at : out->len - at;
  return (struct cul_bytes){len ? out->data + at : "", len < max ? len : max};
}

static void refuse_output(struct cul_target *target,
                          const struct cul_record *own,
                          const struct cul_record *inside) {
  struct cul_bytes a = find_line(&own->out, &inside->out, 60);
  struct cul_bytes b = find_line(&inside->out, &own->out, 60);
  refuse(target, "in-process it prints \"%.*s\", not \"%.*s\"", (int)b.len,
         b.data, (int)a.len, a.data);
}

/* Check that the command and the engine have the same answer, end and output;
 * refuse() the engine otherwise. */
static void compare(struct cul_target *target, const struct cul_judged *own,
                    const struct cul_judged *inside) {
  const struct cul_record *a = own->n ? own->records : NULL;
  const struct cul_record *b = inside->n ? inside->records : NULL;
  if (own->verdict.answer != CUL_SAME || inside->verdict.answer != CUL_SAME)
    refuse(target, "in-process it shows \"%s\" (%.60s), not \"%s\" (%.60s)",
           cul_answer_name(inside->verdict.answer), inside->verdict.why,
           cul_answer_name(own->verdict.answer), own->verdict.why);
  else if (a && b && (a->end != b->end || a->status != b->status))
    refuse(target, "in-process it ends differently (status %d, not %d)",
           b->status, a->status);
  else if (a && b && !same_output(a, b))
    refuse_output(target, a, b);
}

static bool same_words(const char *const *a, const char *const *b) {
  for (; *a && *b; a++, b++)
    if (strcmp(*a, *b) != 0)
      return false;
  return !*a && !*b;
}

/* Judge the text by the command, or by the engine.  What is always the engine's
 * has one record. */
static int judge(struct cul_target *target, const struct cul_pieces *text,
                 bool by_engine, struct cul_judged *out, struct cul_err *err) {
  struct cul_in_process *inside = &target->probe.service.inside;
  struct cul_role roles[CUL_N_ROLES];
  struct cul_placed placed;
  int rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  memcpy(roles, target->probe.roles, sizeof roles);
  for (int i = CUL_ROLE_SUSPECT + 1; i < CUL_N_ROLES; i++)
    if (inside->of[i].argv &&
        !same_words(inside->of[i].argv, roles[i].cmd->argv)) {
      roles[i].cmd = &inside->of[i];
      roles[i].tool = inside->tool;
    }
  if (by_engine) {
    placed.art.cmd = &inside->of[CUL_ROLE_SUSPECT];
    placed.art.tool = &inside->tool;
    placed.art.roles = roles;
  }
  if (rc == 0)
    rc = cul_placed_fill_pieces(&placed, text, err);
  if (rc == 0)
    rc = cul_probe_judge(&target->probe, &placed.art, false, out, err);
  cul_placed_release(&placed);
  return rc;
}

/* Judge the text both ways and compare.  These runs count as comparisons, not
 * as candidates. */
static int check_same(struct cul_target *target, const struct cul_pieces *text,
                      struct cul_err *err) {
  struct cul_judged own = {0}, inside = {0};
  struct cul_counts before = target->probe.counts, *counts;
  int rc = judge(target, text, false, &own, err);
  if (rc == 0)
    rc = judge(target, text, true, &inside, err);
  if (rc == 0)
    compare(target, &own, &inside);
  if (rc == 0)
    compare_wide(target, &own, &inside);
  counts = &target->probe.counts;
  counts->compared += counts->executed - before.executed;
  counts->executed = before.executed;
  memcpy(counts->by_phase, before.by_phase, sizeof counts->by_phase);
  cul_judged_release(&own);
  cul_judged_release(&inside);
  return rc;
}

/* ---- all roles ---- */

/* Set the role's words: the stages, and the role's own options.  A role in f64
 * does not become the program with exec, because its shell still has to make
 * the module in f64. */
static void set_role(struct cul_target *target, enum cul_run_role role,
                     char *const *words) {
  char **argv = cul_xcalloc(MOST_WORDS + 4, sizeof *argv);
  struct cul_command *command = &target->probe.service.inside.of[role];
  const char *fill =
      target->conf->oracle.mismatch.wanted ? cul_role_fill(role) : NULL;
  size_t n = 0;
  for (size_t i = 0; words[i]; i++)
    if (!target->roles.of[role].widens || strcmp(words[i], "--exec") != 0)
      add(argv, &n, words[i]);
  if (fill) {
    add(argv, &n, "--fill");
    add(argv, &n, fill);
  }
  if (target->roles.of[role].widens)
    add(argv, &n, "--wide");
  add(argv, &n, "@@");
  target->inside.words[role] = argv;
  *command = target->tool.command;
  command->argv = (const char *const *)argv;
  command->delivery = CUL_BY_PLACEHOLDER;
}

/* Set all roles whose commands the engine understands: those that run the
 * command of the suspect or of the reference, also with filled memory or in
 * f64. */
static int set_roles(struct cul_target *target, char *const *words,
                     struct cul_err *err) {
  const struct cul_command *suspect = cul_target_command(target);
  const struct cul_command *checked = target->probe.roles[CUL_ROLE_CHECKED].cmd;
  const struct cul_command *reference =
      target->probe.roles[CUL_ROLE_REFERENCE].cmd;
  char **other = NULL;
  int rc = 0;
  if (reference)
    rc = words_of(target, &target->probe.roles[CUL_ROLE_REFERENCE].tool,
                  reference->argv, &other, err);
  free(target->inside.why); /* not understood: the reference's command runs */
  target->inside.why = NULL;
  set_role(target, CUL_ROLE_SUSPECT, words);
  for (int i = CUL_ROLE_SUSPECT + 1; i < CUL_N_ROLES && rc == 0; i++) {
    const struct cul_command *own = target->probe.roles[i].cmd;
    if (own && same_words(own->argv, suspect->argv))
      set_role(target, (enum cul_run_role)i, words);
    else if (own && other &&
             (target->roles.of[i].widens ||
              same_words(own->argv, reference->argv)))
      set_role(target, (enum cul_run_role)i, other);
  }
  /* This role is always run by the engine. */
  if (checked && strcmp(checked->argv[0], target->inside.program) == 0)
    target->probe.service.inside.of[CUL_ROLE_CHECKED] = *checked;
  free_words(other);
  return rc;
}

static void set_tool(struct cul_target *target) {
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest digest = {{0, 0}};
  struct cul_err ignored = {0};
  cul_hasher_field(h, "in-process");
  if (cul_cache_file_digest(target->cache, target->inside.program, &digest,
                            &ignored) < 0)
    digest = cul_digest_of(CULPRIT_VERSION, strlen(CULPRIT_VERSION));
  cul_hasher_add(h, &digest, sizeof digest);
  cul_hasher_add(h, &target->probe.request.tool,
                 sizeof target->probe.request.tool);
  for (int i = 0; i < CUL_N_ROLES; i++)
    cul_hasher_add(h, &target->probe.roles[i].tool,
                   sizeof target->probe.roles[i].tool);
  target->probe.service.inside.tool = cul_hasher_finish(h);
}

/* ---- may it? ---- */

/* Does the command name one of the tools? */
static bool names_tool(const struct cul_target *target) {
  for (const char *const *arg = cul_target_command(target)->argv; *arg; arg++)
    if (strstr(*arg, "mlir-opt") || strstr(*arg, "mlir-runner"))
      return true;
  return false;
}

/* A reason not to run in-process that does not depend on the command; NULL:
 * there is none. */
static const char *objection(const struct cul_target *target) {
  const struct cul_environment_conf *environment = &target->conf->environment;
  const char *variable = odd_variable(target);
  if (target->conf->start == CUL_START_EXEC)
    return "--engine exec";
  if (target->inside.wrong)
    return "the command passed a result that was found in-process";
  if (target->conf->start != CUL_START_AUTO)
    return "--start sets how the command is started";
  if (target->tool.hosts || target->conf->elsewhere)
    return "the command runs elsewhere";
  if (cul_target_whole(target) || cul_target_flaky(target, NULL))
    return "many runs together show the failure";
  if (target->probe.deadline.fixed)
    return "the failure is a hang";
  if (target->probe.request.flags)
    return "the runs have memory of their own layout";
  if (environment->n_set || environment->n_unset || environment->n_unkeyed)
    return "the command has variables of its own";
  return variable ? variable : NULL;
}

int cul_target_enter(struct cul_target *target, const struct cul_pieces *text,
                     struct cul_err *err) {
  const char *why = names_tool(target) ? objection(target) : "";
  char *dir = cul_program_dir(), **words = NULL;
  int rc;
  cul_target_leave(target);
  target->inside.program = cul_own_file(dir, "culprit-worker-mlir", X_OK);
  free(dir);
  if (why && *why)
    return refuse(target, "%.*s", (int)strcspn(why, "="), why);
  if (why || !target->inside.program)
    return 0;
  rc = words_of(target, &target->probe.request.tool,
                cul_target_command(target)->argv, &words, err);
  if (rc == 0 && words)
    rc = check_engine(target, words, err);
  if (rc == 0 && words && !target->inside.why)
    rc = set_roles(target, words, err);
  free_words(words);
  if (rc < 0 || target->inside.why)
    return rc;
  set_tool(target);
  rc = check_same(target, text, err);
  if (rc == 0 && !target->inside.why) {
    target->probe.service.inside.instead = cul_target_command(target)->argv;
    target->probe.service.inside.on = true;
    /* the text is the first failure, confirmed in full */
    target->probe.service.inside.same = 1;
    target->probe.service.inside.compared.answers = 1U << CUL_SAME;
  }
  return rc;
}
