/* Wrong numbers of a command that runs iree-compile and iree-run-module: the
 * first dispatch that diverges, cut out, and the operation in it.
 *
 * Scripts of the same names, first on PATH, add the flag that traces dispatches
 * (--iree-flow-trace-dispatch-tensors) and print the words they received.  With
 * these words the module is compiled to the phase "flow", whose text is cut: a
 * module that returns what a dispatch of the reference read and wrote, bit for
 * bit; and one with that dispatch alone. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../oracles/numbers/numbers.h"
#include "../../pipeline/shell_text.h"
#include "../../pipeline/shell_words.h"
#include "../../probe/target/findings.h"
#include "../../probe/target/stand_ins.h"
#include "../../systems/trace.h"
#include "divergence_job.h"
#include "trace_scripts.h"

static const uint64_t most_printed = (uint64_t)256 << 20;

/* ---- lists of words ---- */

struct list {
  char **items; /* heap, as each item */
  size_t n, cap;
};

static void list_add(struct list *list, char *taken) {
  CUL_XADD(list->items, list->n, list->cap) = taken;
}

static void list_release(struct list *list) {
  for (size_t i = 0; i < list->n; i++)
    free(list->items[i]);
  free(list->items);
  *list = (struct list){0};
}

/* Where the bracketed text that begins at `at` ends, behind its bracket; the
 * end of the text, if it is not closed.  The '>' of an arrow closes nothing. */
static const char *behind_brackets(const char *at) {
  int depth = 0;
  bool quoted = false;
  for (; *at; at++) {
    if (*at == '"' && at[-1] != '\\')
      quoted = !quoted;
    if (quoted)
      continue;
    depth += strchr("([{<", *at) != NULL;
    if (strchr(")]}>", *at) && !(*at == '>' && at[-1] == '-') && --depth == 0)
      return at + 1;
  }
  return at;
}

/* The items of "a, b<c, d>" up to end, without the blanks before them; none, if
 * end is before at: the brackets around them are not closed. */
static void split(const char *at, const char *end, struct list *out) {
  while (at < end) {
    const char *from = at + strspn(at, " "), *to = from;
    while (to < end && *to != ',')
      to = strchr("([{<", *to) ? behind_brackets(to) : to + 1;
    to = to > end ? end : to;
    if (to > from)
      list_add(out, cul_xstrndup(from, (size_t)(to - from)));
    at = to + 1;
  }
}

/* ---- one side ---- */

/* The command of a role, run once with the trace. */
struct side {
  enum cul_run_role role;
  const char *name;
  char *dir; /* of the scripts; heap */
  struct cul_stand_ins stand_ins;
  struct list argv; /* the command with them, NULL behind it */
  /* the words of the tools, program first */
  struct list words[2];
  struct cul_trace trace;
  struct cul_buf flow; /* the module at phase "flow" */
};
enum { COMPILE = CUL_IREE_COMPILE, RUN = CUL_IREE_RUN_MODULE };
static const char *const *const tools = cul_stood_in_names;

static void side_release(struct side *side) {
  free(side->dir);
  cul_stand_ins_release(&side->stand_ins);
  list_release(&side->argv);
  for (int i = 0; i < 2; i++)
    list_release(&side->words[i]);
  cul_trace_release(&side->trace);
  cul_buf_release(&side->flow);
}

static const struct cul_command *command_of(struct cul_divergence_job *job,
                                            enum cul_run_role role) {
  return role == CUL_ROLE_SUSPECT ? cul_target_command(job->target)
                                  : &job->target->roles.of[role].command;
}

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || (c && strchr("_-./+", c));
}

/* Is this the option of a shell before its text: -c, -ec? */
static bool is_before_text(const char *word) {
  size_t n = strlen(word);
  return n > 1 && *word == '-' && word[1] != '-' && word[n - 1] == 'c' &&
         strspn(word + 1, "abcdefghijklmnopqrstuvwxyz") == n - 1;
}

/* Append the script that stands for a tool. */
static void add_script(const char *tool, struct cul_buf *out) {
  size_t n = strlen(tool);
  for (size_t i = 0; i < cul_n_trace_scripts; i++) {
    const struct cul_embedded *script = &cul_trace_scripts[i];
    if (strncmp(script->name, tool, n) == 0 && script->name[n] == '.')
      cul_buf_add(out, script->data, script->len);
  }
}

/* Write the scripts that stand for the tools; head: what they set first. */
static int write_tools(struct cul_divergence_job *job, const struct side *side,
                       const char *head, struct cul_err *err) {
  int rc = cul_held_ready(&job->target->place.held, side->dir, 0700, err);
  for (int i = 0; i < 2 && rc == 0; i++) {
    char *path = cul_xasprintf("%s/%s", side->dir, tools[i]);
    struct cul_buf text = {0};
    cul_buf_adds(&text, "#!/bin/bash\nmine=");
    cul_shell_quote(side->dir, &text);
    cul_buf_adds(&text, ":\nPATH=${PATH//\"$mine\"/}\nreal=");
    if (side->stand_ins.real[i])
      cul_shell_quote(side->stand_ins.real[i], &text);
    else
      cul_buf_addf(&text, "$(command -v %s) || exit 127", tools[i]);
    cul_buf_addf(&text, "\n%s", head);
    add_script(tools[i], &text);
    rc = cul_held_put(&job->target->place.held, path, cul_buf_bytes(&text),
                      0700, err);
    cul_buf_release(&text);
    free(path);
  }
  return rc;
}

/* The words that a tool received, from the line that its script printed. */
static bool read_words(const char *log, const char *tool, struct list *out) {
  char *mark = cul_xasprintf("\n@%s ", tool);
  const char *at = strstr(log, mark);
  struct cul_shell_words words = {0};
  char *line = NULL;
  bool good = false;
  if (at) {
    at += strlen(mark);
    line = cul_xstrndup(at, strcspn(at, "\n"));
    good = cul_shell_words(line, &words);
    for (size_t i = 0; i < words.n && good; i++)
      list_add(out, cul_shell_unquote(line + words.items[i].from,
                                      words.items[i].to - words.items[i].from));
    cul_shell_words_release(&words);
  }
  free(line);
  free(mark);
  return good && out->n > 0;
}

/* The message of a run that failed: a line of its own, not of the trace. */
static void add_message(const char *log, struct cul_buf *out) {
  const char *found = NULL;
  size_t len = 0;
  for (const char *at = log; *at && !found; at += len + (at[len] == '\n')) {
    len = strcspn(at, "\n");
    for (const char *p = at; p < at + len && !found; p++)
      if (strncmp(p, "error: ", 7) == 0 ||
          (strncmp(p, ".c:", 3) == 0 && memchr(p, ';', len - (size_t)(p - at))))
        found = at;
  }
  if (!found)
    for (const char *at = log; *at; at += len + (at[len] == '\n')) {
      len = strcspn(at, "\n");
      found = len && *at != '@' && *at != '=' ? at : found;
    }
  if (found)
    cul_buf_add(out, found,
                strcspn(found, "\n") < 300 ? strcspn(found, "\n") : 300);
}

static int run_command(struct cul_divergence_job *job,
                       const struct cul_command *command,
                       const struct cul_buf *text, enum cul_run_role role,
                       struct cul_record *record, struct cul_err *err) {
  struct cul_target *target = job->target;
  struct cul_request request = target->probe.request;
  struct cul_placed placed;
  char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_OTHER);
  int rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, cul_buf_bytes(text), err);
  request.cmd = command;
  request.out_bytes = most_printed;
  request.flags |= CUL_RUN_NO_CACHE;
  job->runs[role]++;
  if (rc == 0)
    rc = cul_probe_run_apart(&target->probe, &placed.art, &request, tmp, record,
                             err);
  if (rc == 0 && record->end == CUL_MACHINE)
    rc = cul_record_fail(record, err);
  cul_placed_release(&placed);
  free(tmp);
  return rc;
}

/* A run that was killed ended its trace early; by a shell's exit status, too.
 */
static void note_end(const struct cul_record *record, struct cul_trace *trace) {
  bool exited = record->end == CUL_EXITED;
  char *old = trace->ended;
  char how[40];
  if (exited && record->status <= 128)
    return;
  if (record->end == CUL_DEADLINE)
    snprintf(how, sizeof how, "the time limit");
  else
    snprintf(how, sizeof how, "%s %d", exited ? "exit status" : "signal",
             record->status);
  trace->ended = old ? cul_xasprintf("%s (%s)", old, how) : cul_xstrdup(how);
  free(old);
}

static int read_trace(struct cul_divergence_job *job, struct side *side,
                      const struct cul_record *record, struct cul_err *err) {
  char *path = cul_xasprintf("%s/trace.log", side->dir);
  struct cul_buf message = {0};
  bool found = false, good = true;
  const struct cul_patience patience = cul_probe_patience(&job->target->probe);
  int rc = cul_held_put(&job->target->place.held, path,
                        cul_buf_bytes(&record->err), 0600, err);
  if (rc == 0 && record->truncated)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the %s prints a trace of more than %llu MiB", side->name,
                  (unsigned long long)(most_printed >> 20));
  if (rc == 0)
    rc = cul_trace_load(path, &patience, &side->trace, &found, err);
  if (rc == 0 && found)
    note_end(record, &side->trace);
  for (int i = 0; i < 2; i++)
    good = read_words(cul_buf_str(&record->err), tools[i], &side->words[i]) &&
           good;
  if (rc == 0 && !found && (record->end != CUL_EXITED || record->status)) {
    add_message(cul_buf_str(&record->err), &message);
    rc = cul_fail(err, CUL_EUSAGE, "", "the %s fails with a trace: %.300s",
                  side->name, cul_buf_str(&message));
  } else if (rc == 0 && !good) {
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the %s starts no iree-compile and iree-run-module by their "
                  "names, or by paths that are part of it",
                  side->name);
  } else if (rc == 0 && !found) {
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the %s prints no trace of dispatches; its standard error "
                  "must be printed",
                  side->name);
  }
  cul_buf_release(&message);
  free(path);
  return rc;
}

/* Run the command of the side's role with the scripts, which set `head`
 * first. */
static int run_stood_in(struct cul_divergence_job *job, struct side *side,
                        const char *head, struct cul_record *record,
                        struct cul_err *err) {
  const struct cul_command *given = command_of(job, side->role);
  struct cul_command command = *given;
  struct cul_buf text = {0}, path = {0};
  const char *old = cul_environment_get(given->environment, "PATH");
  const char *env[] = {NULL, NULL};
  struct cul_bytes subject = job->target->subject.text.bytes;
  int rc;
  if (!side->dir) {
    side->dir = cul_xasprintf("%s/tools-%s", job->target->dir, side->name);
    side->stand_ins.dir = side->dir;
    for (const char *const *word = given->argv; *word; word++)
      list_add(&side->argv, cul_stand_ins_word(&side->stand_ins, *word,
                                               word > given->argv &&
                                                   is_before_text(word[-1])));
    list_add(&side->argv, NULL);
  }
  cul_buf_addf(&path, "PATH=%s:%s", side->dir, old ? old : "/usr/bin:/bin");
  env[0] = cul_buf_str(&path);
  command.argv = (const char *const *)side->argv.items;
  command.env = env;
  cul_buf_add(&text, subject.data, subject.len);
  rc = write_tools(job, side, head, err);
  if (rc == 0)
    rc = run_command(job, &command, &text, side->role, record, err);
  cul_buf_release(&text);
  cul_buf_release(&path);
  return rc;
}

/* Run the command of the side's role with the trace. */
static int trace_side(struct cul_divergence_job *job, struct side *side,
                      struct cul_err *err) {
  struct cul_record record = {0};
  int rc = run_stood_in(job, side, "", &record, err);
  if (rc == 0)
    rc = read_trace(job, side, &record, err);
  cul_record_release(&record);
  return rc;
}

/* ---- calls of the tools ---- */

static bool begins(const char *word, const char *with) {
  return strncmp(word, with, strlen(with)) == 0;
}

/* Append the words of the side's iree-compile without input and output. */
static void add_compile(const struct side *side, struct cul_buf *out) {
  const struct list *words = &side->words[COMPILE];
  cul_shell_quote(words->items[0], out);
  for (size_t i = 1; i < words->n; i++) {
    const char *word = words->items[i];
    if (strcmp(word, "-o") == 0)
      i++;
    else if (*word == '-' && word[1] && !begins(word, "-o=") &&
             !begins(word, "--o=")) {
      cul_buf_addc(out, ' ');
      cul_shell_quote(word, out);
    }
  }
}

/* Append the words of its iree-run-module without the module and what is
 * printed; inputs: with its function and inputs. */
static void add_run(const struct side *side, bool inputs, struct cul_buf *out) {
  static const char *const left[] = {"--module=", "--output=", "--expected"};
  const struct list *words = &side->words[RUN];
  cul_shell_quote(words->items[0], out);
  for (size_t i = 1; i < words->n; i++) {
    const char *word = words->items[i];
    bool leave =
        !inputs && (begins(word, "--input=") || begins(word, "--function="));
    for (size_t k = 0; k < CUL_ARRAY_SIZE(left); k++)
      leave = leave || begins(word, left[k]);
    if (leave)
      continue;
    cul_buf_addc(out, ' ');
    cul_shell_quote(word, out);
  }
}

/* Run a script; "$1" is a file that holds module. */
static int run_script(struct cul_divergence_job *job, const struct side *side,
                      const struct cul_buf *script,
                      const struct cul_buf *module, struct cul_record *record,
                      struct cul_err *err) {
  const char *argv[] = {"bash",    "-c", cul_buf_str(script),
                        "culprit", "@@", NULL};
  const struct cul_command *given = command_of(job, side->role);
  struct cul_command command = {
      .argv = argv, .cwd = given->cwd, .environment = given->environment};
  int rc = run_command(job, &command, module, side->role, record, err);
  struct cul_buf message = {0};
  if (rc == 0 && (record->end != CUL_EXITED || record->status)) {
    add_message(cul_buf_str(&record->err), &message);
    rc = cul_fail(err, CUL_EUSAGE, "", "the %s's tools fail on a part: %.300s",
                  side->name, cul_buf_str(&message));
  }
  cul_buf_release(&message);
  return rc;
}

/* Append what the side's iree-compile prints of the input at a phase. */
static int print_phase(struct cul_divergence_job *job, const struct side *side,
                       const char *flags, struct cul_buf *out,
                       struct cul_err *err) {
  struct cul_bytes subject = job->target->subject.text.bytes;
  struct cul_buf script = {0}, text = {0};
  struct cul_record record = {0};
  int rc;
  cul_buf_add(&text, subject.data, subject.len);
  add_compile(side, &script);
  cul_buf_addf(&script, " %s \"$1\" -o -", flags);
  rc = run_script(job, side, &script, &text, &record, err);
  if (rc == 0)
    cul_buf_add(out, record.out.data, record.out.len);
  cul_record_release(&record);
  cul_buf_release(&script);
  cul_buf_release(&text);
  return rc;
}

/* Read "@npy SIZE", a line, and that many bytes, n times. */
static int read_npy(struct cul_bytes text, size_t n, struct cul_tensors *out,
                    struct cul_err *err) {
  static const char mark[] = "@npy ";
  for (size_t i = 0; i < n; i++) {
    struct cul_tensors one = {0};
    char name[32], *end = NULL;
    size_t size = 0;
    if (cul_bytes_start(text, mark))
      size = strtoul(text.data + strlen(mark), &end, 10);
    if (!end || *end != '\n' || size > text.len - (size_t)(end + 1 - text.data))
      return cul_fail(err, CUL_EUSAGE, "", "result %zu is missing", i);
    snprintf(name, sizeof name, "%03zu.npy", i);
    if (cul_tensors_parse((struct cul_bytes){end + 1, size}, name,
                          &(struct cul_tensor_hint){0}, &one, err) < 0)
      return err->code;
    name[3] = '\0';
    cul_tensors_move(out, &one, name);
    cul_tensors_release(&one);
    text = (struct cul_bytes){end + 1 + size,
                              text.len - size - (size_t)(end + 1 - text.data)};
  }
  return 0;
}

/* A module to compile and run; arguments: NULL = the side's own inputs. */
struct request {
  const struct side *side;
  const char *from; /* the flag that names its phase; "" = the first */
  const struct cul_buf *module;
  const char *arguments;
  size_t n; /* of its results */
};

/* Compile module from a phase (or from its beginning: "") and run its function
 * @main on the arguments or, if they are NULL, its own function on the inputs
 * of the side; out: its n results, in order. */
static int call(struct cul_divergence_job *job, const struct request *of,
                struct cul_tensors *out, struct cul_err *err) {
  struct cul_buf script = {0};
  struct cul_record record = {0};
  int rc;
  add_compile(of->side, &script);
  cul_buf_addf(&script, " %s \"$1\" -o \"$TMPDIR/part.vmfb\" && ", of->from);
  add_run(of->side, !of->arguments, &script);
  cul_buf_adds(&script, " --module=\"$TMPDIR/part.vmfb\"");
  if (of->arguments)
    cul_buf_addf(&script, " --function=main%s", of->arguments);
  for (size_t i = 0; i < of->n; i++)
    cul_buf_addf(&script, " --output=@\"$TMPDIR/%03zu.npy\"", i);
  cul_buf_adds(&script, " >/dev/null && for i in \"$TMPDIR\"/*.npy; do "
                        "echo \"@npy $(stat -c %s \"$i\")\"; cat \"$i\"; done");
  rc = run_script(job, of->side, &script, of->module, &record, err);
  if (rc == 0)
    rc = read_npy(cul_buf_bytes(&record.out), of->n, out, err);
  cul_record_release(&record);
  cul_buf_release(&script);
  return rc;
}

/* ---- the text of a module at phase "flow" ---- */

/* A flow.dispatch, and what it needs. */
struct site {
  const char *line; /* in the flow */
  char *symbol, *workload;
  struct list operands, types, results;
  char *value; /* "%5" */
};

static void site_release(struct site *site) {
  free(site->symbol);
  free(site->workload);
  free(site->value);
  list_release(&site->operands);
  list_release(&site->types);
  list_release(&site->results);
}

static const char *line_start(const char *text, const char *at) {
  while (at > text && at[-1] != '\n')
    at--;
  return at;
}

/* The type of a result: of "%a as T" it is T, of "%a" that of the operand. */
static const char *result_type(const struct site *site, size_t i) {
  const char *text = site->results.items[i], *as = strstr(text, " as ");
  if (*text != '%')
    return text;
  for (size_t k = 0; !as && k < site->operands.n; k++)
    if (strcmp(site->operands.items[k], text) == 0)
      return site->types.items[k];
  return as ? as + 4 : text;
}

static bool is_tensor(const char *type) { return begins(type, "tensor<"); }

/* Read the operation; at: behind "flow.dispatch ".  False: it has a form that
 * is not known. */
static bool read_site(const char *at, struct site *out) {
  const char *end = at + strcspn(at, "[( \n"), *eq;
  if (*at != '@')
    return false;
  out->symbol = cul_xstrndup(at, (size_t)(end - at));
  at = end;
  end = *at == '[' ? behind_brackets(at) : at;
  out->workload = cul_xstrndup(at, (size_t)(end - at));
  if (*end != '(')
    return false;
  at = end + 1;
  end = behind_brackets(end);
  split(at, end - 1, &out->operands);
  at = strstr(end, " : (");
  if (!at || memchr(end, '\n', (size_t)(at - end)))
    return false;
  end = behind_brackets(at + 3);
  split(at + 4, end - 1, &out->types);
  if (!begins(end, " -> "))
    return false;
  at = end + 4;
  end = at + strcspn(at, "\n");
  if (*at == '(') {
    end = behind_brackets(at) - 1;
    at++;
  }
  split(at, end, &out->results);
  eq = strstr(out->line, " = ");
  out->value = cul_xstrndup(out->line + strspn(out->line, " "),
                            strcspn(out->line + strspn(out->line, " "), " :="));
  return eq && out->operands.n == out->types.n && out->results.n > 0;
}

/* Find the n-th (from 0) dispatch of an event's name, or the last one. */
static int find_site(const struct cul_buf *flow, const char *event, size_t nth,
                     struct site *out, struct cul_err *err) {
  const char *text = cul_buf_str(flow), *colons = strstr(event, "::"), *at;
  char *mark = cul_xasprintf("flow.dispatch @%.*s::@%s",
                             (int)(colons ? colons - event : 0), event,
                             colons ? colons + 2 : event);
  const char *found = NULL;
  for (at = text; (at = strstr(at, mark)); at += strlen(mark))
    if (!is_name_char(at[strlen(mark)])) {
      found = at;
      if (nth-- == 0)
        break;
    }
  free(mark);
  *out = (struct site){0};
  if (!found)
    return cul_fail(err, CUL_EUSAGE, "", "phase flow has no dispatch %.200s",
                    event);
  out->line = line_start(text, found);
  if (!read_site(found + strlen("flow.dispatch "), out))
    return cul_fail(err, CUL_EUSAGE, "",
                    "the form of its dispatch %.200s is not known", event);
  return 0;
}

/* Append the text of the module before its first operation. */
static const char *add_head(const char *text, struct cul_buf *out) {
  const char *at = begins(text, "module") ? text : strstr(text, "\nmodule");
  const char *end = at ? strchr(at + 1, '\n') : NULL;
  if (!end)
    return NULL;
  cul_buf_add(out, text, (size_t)(end + 1 - text));
  return end + 1;
}

/* Append the resources behind the module, if the part uses some. */
static void add_tail(const char *text, struct cul_buf *out) {
  const char *at = strstr(text, "\n{-#");
  if (at && strstr(cul_buf_str(out), "dense_resource<"))
    cul_buf_adds(out, at);
}

static void add_value(const struct site *site, size_t i, struct cul_buf *out) {
  cul_buf_adds(out, site->value);
  if (site->results.n > 1)
    cul_buf_addf(out, "#%zu", i);
}

static void add_views(size_t n, const char *before, struct cul_buf *out) {
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(out, "%s%s!hal.buffer_view", i ? ", " : "", before);
}

/* Append the exports of values, and the function's end. */
static void add_exports(const struct list *values, const struct list *types,
                        struct cul_buf *out) {
  for (size_t i = 0; i < values->n; i++)
    cul_buf_addf(out,
                 "    %%culprit_out%zu = hal.tensor.export %s \"output%zu\" : "
                 "%s -> !hal.buffer_view\n",
                 i, values->items[i], i, types->items[i]);
  cul_buf_adds(out, "    util.return");
  for (size_t i = 0; i < values->n; i++)
    cul_buf_addf(out, "%s%%culprit_out%zu", i ? ", " : " ", i);
  cul_buf_adds(out, " : ");
  add_views(values->n, "", out);
  cul_buf_adds(out, "\n  }\n");
}

static char *value_name(const struct site *site, size_t i) {
  struct cul_buf out = {0};
  add_value(site, i, &out);
  return cul_buf_take(&out);
}

/* Append the whole module with a function that returns the tensors that the
 * dispatch reads, then those that it writes. */
static int add_looking(const struct cul_buf *flow, const struct site *site,
                       struct cul_buf *out, struct cul_err *err) {
  const char *text = cul_buf_str(flow), *head = NULL, *ret, *end, *at;
  struct list values = {0}, types = {0};
  for (at = text; (at = strstr(at, "\n  util.func ")) && at < site->line; at++)
    head = at + 1;
  ret = strstr(site->line, "\n    util.return");
  end = strstr(site->line, "\n  }\n");
  at = head ? strpbrk(head, "(\n") : NULL;
  at = at && *at == '(' ? behind_brackets(at) : NULL;
  if (!at || !ret || !end || at > ret || ret > end ||
      !begins(site->line, "    %"))
    return cul_fail(err, CUL_EUSAGE, "",
                    "the dispatch is inside control flow, or an initializer");
  cul_buf_add(out, text, (size_t)(at - text));
  cul_buf_adds(out, " -> (");
  for (size_t i = 0; i < site->types.n; i++)
    if (is_tensor(site->types.items[i])) {
      list_add(&values, cul_xstrdup(site->operands.items[i]));
      list_add(&types, cul_xstrdup(site->types.items[i]));
    }
  for (size_t i = 0; i < site->results.n; i++) {
    list_add(&values, value_name(site, i));
    list_add(&types, cul_xstrdup(result_type(site, i)));
  }
  add_views(values.n, "", out);
  cul_buf_adds(out, ") {\n");
  at = strchr(at, '\n') + 1;
  cul_buf_add(out, at, (size_t)(ret + 1 - at));
  add_exports(&values, &types, out);
  cul_buf_adds(out, end + strlen("\n  }\n"));
  list_release(&values);
  list_release(&types);
  return 0;
}

static bool is_in(const struct list *list, const char *name) {
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->items[i], name) == 0)
      return true;
  return false;
}

/* Where the name of a value that begins at `at` ends. */
static size_t name_length(const char *at) {
  return 1 + strspn(at + 1, "0123456789abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ_$.-");
}

/* Append the sizes that a type names, "tensor<?x8xf32>{%n}", as constants:
 * those of the tensor.  known: those that have been appended; it gets these. */
static int add_sizes(const char *type, const struct cul_tensor *tensor,
                     struct list *known, struct cul_buf *out,
                     struct cul_err *err) {
  const char *end = behind_brackets(type + strlen("tensor")), *name = end;
  unsigned dim = 0;
  for (const char *at = type; at < end; at++) {
    char *copy;
    dim += *at == 'x' && (isdigit((unsigned char)at[-1]) || at[-1] == '?');
    if (*at != '?')
      continue;
    name = *name ? strchr(name + 1, '%') : NULL;
    if (!name || dim >= tensor->rank)
      return cul_fail(err, CUL_EUSAGE, "", "its type %.100s has other sizes",
                      type);
    copy = cul_xstrndup(name, name_length(name));
    if (is_in(known, copy)) {
      free(copy);
      continue;
    }
    cul_buf_addf(out, "    %s = arith.constant %llu : index\n", copy,
                 (unsigned long long)tensor->dims[dim]);
    list_add(known, copy);
  }
  return 0;
}

/* Append the sizes that the types of a dispatch name, as the event has them. */
static int add_event_sizes(const struct site *site,
                           const struct cul_trace_event *event,
                           struct list *known, struct cul_buf *out,
                           struct cul_err *err) {
  size_t n = 0;
  int rc = 0;
  for (size_t i = 0; i < site->types.n && rc == 0; i++)
    if (is_tensor(site->types.items[i])) {
      if (n < event->inputs.n)
        rc = add_sizes(site->types.items[i], &event->inputs.items[n], known,
                       out, err);
      n++;
    }
  for (size_t i = 0; i < site->results.n && i < event->outputs.n && rc == 0;
       i++)
    rc = add_sizes(result_type(site, i), &event->outputs.items[i], known, out,
                   err);
  return rc;
}

/* Append the constants that a dispatch of this text names: "[%c4, %c8]".
 * known: those that have been appended; it gets these. */
static int add_constants(const char *text, const char *names,
                         struct list *known, struct cul_buf *out,
                         struct cul_err *err) {
  for (const char *at = names; (at = strchr(at, '%')); at++) {
    char *name = cul_xstrndup(at, name_length(at));
    char *mark = cul_xasprintf("\n    %s = arith.constant", name);
    const char *found = strstr(text, mark);
    int rc = 0;
    if (!is_in(known, name)) {
      if (found)
        cul_buf_add(out, found + 1, strcspn(found + 1, "\n") + 1);
      else
        rc = cul_fail(err, CUL_EUSAGE, "", "its operand %s is no constant",
                      name);
      list_add(known, cul_xstrdup(name));
    }
    free(name);
    free(mark);
    if (rc < 0)
      return rc;
  }
  return 0;
}

/* The bytes of an element of a tensor type: "tensor<4x8xf32>"; 0: unknown. */
static unsigned element_bytes(const char *type) {
  const char *end = strrchr(type, '>'), *at = end;
  unsigned bits;
  while (at && at > type && (isalnum((unsigned char)at[-1])))
    at--;
  if (!end || at == end)
    return 0;
  for (const char *x = at; x < end; x++)
    if (*x == 'x')
      at = x + 1;
  at += begins(at, "bf");
  bits = *at == 'f' || *at == 'i' ? (unsigned)strtoul(at + 1, NULL, 10) : 0;
  return bits % 8 ? 0 : bits / 8;
}

/* Append the operation on the arguments of its module. */
static void add_dispatch(const struct site *site, struct cul_buf *out) {
  cul_buf_addf(out, "    %s", site->value);
  if (site->results.n > 1)
    cul_buf_addf(out, ":%zu", site->results.n);
  cul_buf_addf(out, " = flow.dispatch %s%s(", site->symbol, site->workload);
  for (size_t i = 0; i < site->operands.n; i++) {
    cul_buf_adds(out, i ? ", " : "");
    if (is_tensor(site->types.items[i]))
      cul_buf_addf(out, "%%culprit_in%zu", i);
    else
      cul_buf_adds(out, site->operands.items[i]);
  }
  cul_buf_adds(out, ") : (");
  for (size_t i = 0; i < site->types.n; i++)
    cul_buf_addf(out, "%s%s", i ? ", " : "", site->types.items[i]);
  cul_buf_adds(out, ") -> (");
  for (size_t i = 0; i < site->results.n; i++) {
    const char *text = site->results.items[i];
    size_t name = strcspn(text, " ");
    cul_buf_adds(out, i ? ", " : "");
    for (size_t k = 0; *text == '%' && k < site->operands.n; k++)
      if (strlen(site->operands.items[k]) == name &&
          strncmp(site->operands.items[k], text, name) == 0) {
        cul_buf_addf(out, "%%culprit_in%zu", k);
        text += name;
      }
    cul_buf_adds(out, text);
  }
  cul_buf_adds(out, ")\n");
}

/* Append the globals that hold devices. */
static void add_devices(const char *at, struct cul_buf *out) {
  while (*at) {
    size_t n = strcspn(at, "\n");
    if (begins(at, "  util.global ") && memmem(at, n, "device", 6))
      cul_buf_add(out, at, n + 1);
    at += n + (at[n] == '\n');
  }
}

/* Append a module with the dispatch alone, as a function of its tensors, whose
 * sizes are those of the event. */
static int add_alone(const struct cul_buf *flow, const struct site *site,
                     const struct cul_trace_event *event, struct cul_buf *out,
                     struct cul_err *err) {
  const char *text = cul_buf_str(flow), *at = add_head(text, out), *end;
  char *mark = cul_xasprintf("  flow.executable private %.*s {\n",
                             (int)(strstr(site->symbol, "::") - site->symbol),
                             site->symbol);
  const char *executable = strstr(text, mark);
  struct list values = {0}, types = {0}, known = {0};
  const char *comma = "";
  int rc = 0;
  end = executable ? strstr(executable, "\n  }\n") : NULL;
  free(mark);
  if (!at || !end)
    return cul_fail(err, CUL_EUSAGE, "", "phase flow has no %s", site->symbol);
  add_devices(at, out);
  cul_buf_add(out, executable, (size_t)(end + strlen("\n  }\n") - executable));
  cul_buf_adds(out, "  util.func public @main(");
  for (size_t i = 0; i < site->types.n; i++)
    if (is_tensor(site->types.items[i])) {
      cul_buf_addf(out, "%s%%culprit_view%zu: !hal.buffer_view", comma, i);
      comma = ", ";
    }
  cul_buf_adds(out, ") -> (");
  add_views(site->results.n, "", out);
  cul_buf_adds(out, ") {\n");
  rc = add_event_sizes(site, event, &known, out, err);
  if (rc == 0)
    rc = add_constants(text, site->workload, &known, out, err);
  for (size_t i = 0; i < site->types.n && rc == 0; i++)
    if (is_tensor(site->types.items[i]))
      cul_buf_addf(out,
                   "    %%culprit_in%zu = hal.tensor.import %%culprit_view%zu "
                   "\"input%zu\" : !hal.buffer_view -> %s\n",
                   i, i, i, site->types.items[i]);
    else
      rc = add_constants(text, site->operands.items[i], &known, out, err);
  add_dispatch(site, out);
  for (size_t i = 0; i < site->results.n; i++) {
    list_add(&values, value_name(site, i));
    list_add(&types, cul_xstrdup(result_type(site, i)));
  }
  add_exports(&values, &types, out);
  cul_buf_adds(out, "}\n");
  add_tail(text, out);
  list_release(&values);
  list_release(&types);
  list_release(&known);
  return rc;
}

/* Append the formats of executables that a module is compiled to, each once:
 * "llvm-cpu", "embedded-elf-x86_64" and a line's end. */
static void add_formats(const struct cul_buf *flow, struct cul_buf *out) {
  static const char mark[] = "#hal.executable.target<";
  const char *at = cul_buf_str(flow);
  while ((at = strstr(at, mark))) {
    struct cul_buf one = {0};
    at += strlen(mark);
    cul_buf_addf(&one, "%.*s\n",
                 (int)(strcspn(at, ",>") +
                       (at[strcspn(at, ",>")] == ','
                            ? 1 + strcspn(at + strcspn(at, ",>") + 1, ",>")
                            : 0)),
                 at);
    if (!strstr(cul_buf_str(out), cul_buf_str(&one)))
      cul_buf_adds(out, cul_buf_str(&one));
    cul_buf_release(&one);
  }
}

/* Append a module for the target of another one: its lines that name targets
 * are the other's. */
static void add_for_target(const struct cul_buf *flow,
                           const struct cul_buf *other, struct cul_buf *out) {
  for (const char *at = cul_buf_str(flow); *at;) {
    size_t n = strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    const char *from = at, *eq = memmem(at, n, " = ", 3);
    if (eq && (*at == '#' || begins(at, "  util.global ")) &&
        memmem(at, n, "target<", 7)) {
      char *mark = cul_xasprintf("\n%.*s = ", (int)(eq - at), at);
      const char *found = strstr(cul_buf_str(other), mark);
      from = found ? found + 1 : at;
      free(mark);
    }
    cul_buf_add(out, from,
                strcspn(from, "\n") + (from[strcspn(from, "\n")] == '\n'));
    at += n;
  }
}

/* ---- inside a dispatch ---- */

/* An operation of the dispatch's function that computes a tensor. */
struct inner_op {
  char *value, *type, *name, *location, *text; /* heap */
  bool behind; /* some before it are not compared */
};
struct body {
  struct inner_op *ops; /* heap */
  size_t n, cap;
  struct cul_buf module; /* a function that returns the values of all */
};

static void body_release(struct body *body) {
  for (size_t i = 0; i < body->n; i++) {
    struct inner_op *op = &body->ops[i];
    free(op->value), free(op->type), free(op->name);
    free(op->location), free(op->text);
  }
  free(body->ops);
  cul_buf_release(&body->module);
  *body = (struct body){0};
}

/* The first FILE:LINE:COLUMN of a location; heap, "" = none. */
static char *place_of(const struct cul_divergence_job *job, const char *at) {
  const char *input = job->conf->target.input;
  for (; (at = strchr(at, '"')); at++) {
    const char *end = strchr(at + 1, '"');
    char *file, *out;
    if (!end)
      break;
    if (end[1] != ':' || !isdigit((unsigned char)end[2])) {
      at = end;
      continue;
    }
    file = cul_xstrndup(at + 1, (size_t)(end - at - 1));
    out = cul_xasprintf("%s:%.*s",
                        strcmp(cul_basename(file), cul_basename(input)) == 0 ||
                                strcmp(file, "-") == 0
                            ? input
                            : file,
                        (int)strspn(end + 2, "0123456789:"), end + 2);
    free(file);
    return out;
  }
  return cul_xstrdup("");
}

/* Where the location of the operation that ends at `end` begins. */
static const char *location_of(const char *text, const char *end) {
  const char *found = end;
  for (const char *at = text; (at = strstr(at, " loc(")) && at < end; at++)
    found = at;
  return found;
}

/* The type of the last result, as the operation's text ends: heap; NULL: it is
 * no tensor. */
static char *last_type(const char *text, const char *end) {
  static const char *const before[] = {" -> ", " into ", " to ", " : "};
  const char *found = NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(before); i++)
    for (const char *at = text; (at = strstr(at, before[i])) && at < end; at++)
      if (at + strlen(before[i]) > found)
        found = at + strlen(before[i]);
  return found && begins(found, "tensor<") &&
                 !memchr(found, '?', (size_t)(end - found))
             ? cul_xstrndup(found, (size_t)(end - found))
             : NULL;
}

/* Append a load of the dispatch as a slice of the function's argument. */
static void add_load(const char *text, const char *end, struct cul_buf *out) {
  const char *load = strstr(text, "dispatch.tensor.load "), *at, *type, *inner;
  const char *eq = strstr(text, " = ");
  cul_buf_add(out, text, (size_t)(eq + 3 - text));
  cul_buf_adds(out, "tensor.extract_slice ");
  at = load + strlen("dispatch.tensor.load ");
  cul_buf_add(out, at, strcspn(at, ","));
  for (at = strchr(at, '['); at && at < end; at = strchr(at, '[')) {
    const char *close = behind_brackets(at);
    cul_buf_add(out, at, (size_t)(close - at));
    at = close;
    if (!begins(at, ", "))
      break;
  }
  type = at ? strstr(at, " : ") : NULL;
  inner = type ? strstr(type, "tensor<tensor") : NULL;
  inner = inner ? inner : type ? strstr(type, ":tensor<") : NULL;
  at = type ? strstr(type, " -> ") : NULL;
  if (!inner || !at)
    return;
  inner = strstr(inner, "tensor<");
  cul_buf_adds(out, " : ");
  cul_buf_add(out, inner, (size_t)(behind_brackets(inner + 6) - inner));
  cul_buf_adds(out, " to ");
  cul_buf_add(out, at + 4, (size_t)(end - at - 4));
  cul_buf_addc(out, '\n');
}

/* One operation of the function, with all its lines. */
static void take_op(const struct cul_divergence_job *job, struct body *body,
                    const char *text, size_t len, struct cul_buf *out) {
  const char *end = text + len, *loc, *eq, *name;
  struct inner_op op = {0};
  static const char *const plain[] = {"tensor.empty", "arith.constant",
                                      "linalg.fill", "tensor.extract_slice",
                                      NULL};
  bool dull = false;
  char *copy = cul_xstrndup(text, len);
  text = copy, end = copy + len;
  loc = location_of(text, end);
  eq = strstr(text, " = ");
  name = text + strspn(text, " ");
  if (strstr(text, "dispatch.tensor.load ") && eq) {
    add_load(text, loc, out);
  } else if (!strstr(text, "dispatch.tensor.store ") &&
             !begins(name, "return")) {
    cul_buf_adds(out, text);
    cul_buf_addc(out, '\n');
    for (size_t i = 0; eq && plain[i]; i++)
      dull = dull || begins(eq + 3, plain[i]);
    op.type = eq && *name == '%' && !dull ? last_type(text, loc) : NULL;
    if (op.type && eq < strchrnul(text, '\n')) {
      op.value = cul_xstrndup(name, (size_t)(eq - name));
      op.name = cul_xstrndup(eq + 3, strcspn(eq + 3, " (\n"));
      op.location = place_of(job, loc);
      op.text = cul_xstrndup(name, (size_t)(loc - name));
      if (!strchr(op.value, ':'))
        CUL_XADD(body->ops, body->n, body->cap) = op;
      else
        free(op.value), free(op.name), free(op.location), free(op.text),
            free(op.type);
    } else {
      free(op.type);
    }
  }
  free(copy);
}

/* The arguments of the dispatch's function that hold what it reads; false: it
 * has others than tensors. */
static bool add_arguments(const char *at, struct cul_buf *out) {
  const char *end = behind_brackets(at), *comma = "";
  struct list items = {0};
  bool good = true;
  split(at + 1, end - 1, &items);
  for (size_t i = 0; i < items.n && good; i++) {
    const char *item = items.items[i], *inner = strstr(item, ":tensor<");
    if (strstr(item, "writeonly"))
      continue;
    good = inner != NULL;
    if (!good)
      break;
    cul_buf_addf(out, "%s%.*s: %.*s", comma, (int)strcspn(item, ":"), item,
                 (int)(behind_brackets(inner + 7) - inner - 1), inner + 1);
    comma = ", ";
  }
  list_release(&items);
  return good;
}

/* Make the module of the function of an event: flow is printed with locations
 * and without aliases. */
static int read_body(const struct cul_divergence_job *job,
                     const struct cul_buf *flow, const char *event,
                     struct body *out, struct cul_err *err) {
  const char *colons = strstr(event, "::"), *at, *end, *from = NULL;
  char *mark =
      cul_xasprintf("      func.func @%s(", colons ? colons + 2 : event);
  struct cul_buf body = {0};
  at = strstr(cul_buf_str(flow), mark);
  cul_buf_adds(&out->module, "func.func @main(");
  if (!at || !(end = strstr(at, "\n      }")) ||
      !add_arguments(at + strlen(mark) - 1, &out->module)) {
    free(mark);
    return cul_fail(err, CUL_EUSAGE, "",
                    "its function reads other things than tensors");
  }
  free(mark);
  for (at = strchr(at, '\n') + 1; at <= end; at += strcspn(at, "\n") + 1) {
    bool begin =
        begins(at, "        ") && at[8] != ' ' && at[8] != '}' && at[8] != '^';
    if (begin && from)
      take_op(job, out, from, (size_t)(at - 1 - from), &body);
    from = begin ? at : from;
  }
  if (from)
    take_op(job, out, from, (size_t)(end - from), &body);
  cul_buf_adds(&out->module, ") -> (");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].type);
  cul_buf_addf(&out->module, ") {\n%s        return ", cul_buf_str(&body));
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].value);
  cul_buf_adds(&out->module, " : ");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].type);
  cul_buf_adds(&out->module, "\n}\n");
  cul_buf_release(&body);
  return 0;
}

/* ---- inside a linalg.generic ---- */

/* One whose operations are scalar, and whose values are tensors of its shape.
 */
struct generic {
  const char *head; /* from its name on to its outputs */
  size_t head_n;
  const char *shape; /* "4x8x" */
  size_t shape_n;
  const char *body, *end; /* of its operations, before the yield */
  struct list arguments;  /* of its block; the last is its output's */
};

/* Does the text name the value? */
static bool names(const char *text, const char *end, const char *value) {
  size_t n = strlen(value);
  for (const char *at = text; (at = strstr(at, value)) && at < end; at++)
    if (name_length(at) == n)
      return true;
  return false;
}

/* Read the operation; false: it has another form, its iterations are not the
 * elements of its result, or depend on each other. */
static bool read_generic(const struct inner_op *op, struct generic *out) {
  const char *begin = strstr(op->text, "linalg.generic ");
  const char *outs = begin ? strstr(begin, " outs(") : NULL;
  const char *block = outs ? strstr(outs, "\n        ^bb0(") : NULL;
  const char *close = block ? behind_brackets(strchr(block, '(')) : NULL;
  const char *last = strrchr(op->type, 'x'), *shape = strchr(op->type, '<') + 1;
  const char *output;
  char *name;
  bool good;
  *out = (struct generic){.head = begin};
  if (!close || !begins(close, ":\n") || strchr(op->type, ',') ||
      memmem(begin, (size_t)(outs - begin), "\"reduction\"", 11))
    return false;
  out->head_n = (size_t)(outs - begin);
  out->shape = shape;
  out->shape_n = last ? (size_t)(last + 1 - shape) : 0;
  out->body = close + 2;
  out->end = strstr(close, "\n          linalg.yield ");
  split(strchr(block, '(') + 1, close - 1, &out->arguments);
  if (!out->end || out->arguments.n == 0)
    return false;
  output = out->arguments.items[out->arguments.n - 1];
  name = cul_xstrndup(output, strcspn(output, ":"));
  good = !names(out->body, out->end, name);
  free(name);
  return good;
}

/* The type of a scalar operation's value, as its text ends, as a tensor of the
 * generic's shape; heap; NULL: another one.  A word before the operands, as of
 * comparisons, says that the type is that of the operands. */
static char *scalar_type(const struct generic *generic, const char *text,
                         const char *end) {
  static const char *const before[] = {" : ", " to "};
  const char *eq = strstr(text, " = "), *found = NULL;
  const char *operand = eq && eq < end ? strchr(eq + 3, ' ') : NULL;
  char *type;
  if (!operand || operand[1] != '%')
    return NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(before); i++)
    for (const char *at = text; (at = strstr(at, before[i])) && at < end; at++)
      if (!found || at + strlen(before[i]) > found)
        found = at + strlen(before[i]);
  if (!found)
    return NULL;
  for (const char *at = found; at < end; at++)
    if (!isalnum((unsigned char)*at))
      return NULL;
  type = cul_xasprintf("tensor<%.*s%.*s>", (int)generic->shape_n,
                       generic->shape, (int)(end - found), found);
  if (element_bytes(type))
    return type;
  free(type);
  return NULL;
}

/* Append a copy of the generic that returns the value of an operation that ends
 * at `end`. */
static void add_until(const struct generic *generic, const struct inner_op *op,
                      size_t number, const char *end, struct cul_buf *out) {
  const struct list *arguments = &generic->arguments;
  const char *output = arguments->items[arguments->n - 1];
  const char *element = op->type + strlen("tensor<") + generic->shape_n;
  int n = (int)strcspn(element, ">");
  cul_buf_addf(out, "        %%culprit_empty%zu = tensor.empty() : %s\n",
               number, op->type);
  cul_buf_addf(out, "        %%culprit_value%zu = ", number);
  cul_buf_add(out, generic->head, generic->head_n);
  cul_buf_addf(out, " outs(%%culprit_empty%zu : %s) {\n        ^bb0(", number,
               op->type);
  for (size_t i = 0; i + 1 < arguments->n; i++)
    cul_buf_addf(out, "%s, ", arguments->items[i]);
  cul_buf_addf(out, "%.*s: %.*s):\n", (int)strcspn(output, ":"), output, n,
               element);
  cul_buf_add(out, generic->body, (size_t)(end - generic->body));
  cul_buf_addf(out, "\n          linalg.yield %s : %.*s\n        } -> %s\n",
               op->value, n, element, op->type);
}

/* List the operations inside whose values can be returned, and make the module
 * that returns them; of: the function around it.  *n: of all operations. */
static void read_scalars(const struct cul_divergence_job *job,
                         const struct body *of, const struct generic *generic,
                         struct body *out, size_t *n) {
  const char *text = cul_buf_str(&of->module), *returns = text, *from, *next;
  const char *args = strstr(text, ") -> ("), *ops = strstr(text, ") {\n");
  struct cul_buf copies = {0};
  for (const char *at = text; (at = strstr(at, "\n        return ")); at++)
    returns = at + 1;
  *n = 0;
  for (from = generic->body; from < generic->end; from = next) {
    const char *loc;
    struct inner_op op = {0};
    next = from;
    do
      next = strchrnul(next, '\n') + 1;
    while (next < generic->end && !begins(next, "          %"));
    next = next > generic->end ? generic->end + 1 : next;
    (*n)++;
    loc = location_of(from, next - 1);
    op.type = scalar_type(generic, from, loc);
    if (!op.type)
      continue;
    from += strspn(from, " ");
    op.behind = *n - 1 > out->n;
    op.value = cul_xstrndup(from, name_length(from));
    op.name = cul_xstrndup(strstr(from, " = ") + 3,
                           strcspn(strstr(from, " = ") + 3, " \n"));
    op.location = place_of(job, loc);
    op.text = cul_xstrndup(from, (size_t)(loc - from));
    add_until(generic, &op, out->n, next - 1, &copies);
    CUL_XADD(out->ops, out->n, out->cap) = op;
  }
  cul_buf_add(&out->module, text, (size_t)(args - text));
  cul_buf_adds(&out->module, ") -> (");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].type);
  cul_buf_add(&out->module, ops, (size_t)(returns - ops));
  cul_buf_adds(&out->module, cul_buf_str(&copies));
  cul_buf_adds(&out->module, "        return ");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%%culprit_value%zu", i ? ", " : "", i);
  cul_buf_adds(&out->module, " : ");
  for (size_t i = 0; i < out->n; i++)
    cul_buf_addf(&out->module, "%s%s", i ? ", " : "", out->ops[i].type);
  cul_buf_adds(&out->module, "\n}\n");
  cul_buf_release(&copies);
}

/* ---- values ---- */

/* The largest finite value. */
static double largest(const struct cul_tensor *tensor) {
  unsigned parts = cul_tensor_parts(tensor);
  double most = 0;
  for (uint64_t i = 0; i < tensor->n * parts; i++) {
    double x = fabs((double)cul_tensor_get(tensor, i / parts, i % parts));
    most = isfinite(x) && x > most ? x : most;
  }
  return most;
}

/* What rounding explains, as the steps of traces are paired (trace.h): relative
 * to the largest value, and exact for integers. */
static struct cul_tolerance by_rounding(const struct cul_tensor *got,
                                        const struct cul_tensor *want) {
  struct cul_tolerance_conf conf = {.rtol = 0, .atol = 0, .ulps = -1};
  struct cul_tolerance out;
  double u = fmax(cul_dtype_roundoff(cul_dtype_info(got->dtype)->part),
                  cul_dtype_roundoff(cul_dtype_info(want->dtype)->part));
  if (cul_dtype_info(want->dtype)->kind != CUL_IS_INT)
    conf.atol = fmax(64 * u, 2e-5) * largest(want);
  out = cul_tolerance_of(&conf, got, want);
  out.nan_equal = out.inf_equal = true;
  return out;
}

/* Give a tensor the shape of another one, if it has as many elements: levels of
 * optimization collapse dimensions. */
static void reshape(struct cul_tensor *tensor, const struct cul_tensor *as) {
  if (tensor->n != as->n)
    return;
  tensor->rank = as->rank;
  memcpy(tensor->dims, as->dims, sizeof tensor->dims);
}

/* Compare the values of two tensors by this tolerance or, if it is not given,
 * by what rounding explains.  what: how they differ. */
static bool differ_by(const struct cul_tolerance_conf *own,
                      const struct cul_tensor *got,
                      const struct cul_tensor *want, char *what, size_t room) {
  struct cul_tolerance tolerance;
  struct cul_difference difference;
  struct cul_buf pattern = {0};
  struct cul_tensor same = *want; /* borrows its data */
  bool off;
  reshape(&same, got);
  tolerance = own->preset || own->ulps >= 0 || own->rtol >= 0 || own->atol >= 0
                  ? cul_tolerance_of(own, got, &same)
                  : by_rounding(got, &same);
  cul_tensor_compare(got, &same, &tolerance, &difference);
  off = difference.class != CUL_ERR_NONE;
  if (difference.class == CUL_ERR_SHAPE) {
    snprintf(what, room, "%.190s", difference.why);
  } else {
    if (off)
      cul_tensor_pattern(got, &same, &difference, &pattern);
    snprintf(what, room, "%llu of %llu are off%s%.140s",
             (unsigned long long)difference.n_fail,
             (unsigned long long)difference.n, pattern.len ? ", " : "",
             cul_buf_str(&pattern));
  }
  cul_buf_release(&pattern);
  cul_difference_release(&difference);
  return off;
}

/* The same by the job's tolerance. */
static bool differ(const struct cul_divergence_job *job,
                   const struct cul_tensor *got, const struct cul_tensor *want,
                   char *what, size_t room) {
  return differ_by(&job->target->oracle_conf.mismatch.tolerance, got, want,
                   what, room);
}

static int copy_tensor(const struct cul_tensor *from, const char *name,
                       struct cul_tensors *to, struct cul_err *err) {
  struct cul_tensor *out;
  if (cul_tensors_add(to, name, from->dtype, from->rank, from->dims, &out,
                      err) < 0)
    return err->code;
  memcpy(out->data, from->data, from->n * cul_dtype_info(from->dtype)->size);
  return 0;
}

/* ---- the part ---- */

struct work {
  struct cul_divergence_job *job;
  struct side suspect, reference;
  struct cul_trace_pairs pairs;
  uint32_t to_dispatch; /* runs until a dispatch was named */
};

/* A dispatch that is cut out. */
struct part {
  size_t step;           /* of the suspect's trace */
  struct cul_buf module; /* it alone */
  struct cul_tensors inputs, want, got;
  struct cul_tensors mended; /* by the reference's tools, from its text */
  bool alone, exact; /* it is wrong by itself; values are not those printed */
  /* the reference's tools compute the suspect's values from its text */
  bool agreed;
  /* it is run on its own inputs, and want is what the reference's tools compute
   * from its text */
  bool own;
  char what[200];
  char *fault;     /* why it is not cut out, heap; NULL: it is */
  char *arguments; /* heap: the inputs, as words */
  /* the wrong operation inside; in body; SIZE_MAX: not found */
  struct body body;
  size_t inner;
  char inner_what[200];
  char *stop; /* why none is named, heap */
  /* the same of the scalar operation inside that one */
  struct body scalars;
  size_t scalar;
  char scalar_what[200];
};

static void part_release(struct part *part) {
  cul_buf_release(&part->module);
  cul_tensors_release(&part->inputs);
  cul_tensors_release(&part->want);
  cul_tensors_release(&part->got);
  cul_tensors_release(&part->mended);
  body_release(&part->body);
  body_release(&part->scalars);
  free(part->fault);
  free(part->arguments);
  free(part->stop);
}

/* The number of earlier steps of that name. */
static size_t nth_of(const struct cul_trace *trace, size_t step) {
  size_t n = 0;
  for (size_t i = 0; i < step; i++)
    n += strcmp(trace->events[i].name, trace->events[step].name) == 0;
  return n;
}

/* The number of the reference's input that is the suspect's input k, k itself
 * if it is; SIZE_MAX: none is alike. */
static size_t same_input(const struct work *work,
                         const struct cul_trace_event *got,
                         const struct cul_trace_event *want, size_t k) {
  const struct cul_tensor *input = &got->inputs.items[k];
  size_t found = SIZE_MAX;
  char what[200];
  for (size_t i = 0; i < want->inputs.n && found != k; i++)
    if ((found == SIZE_MAX || i == k) && input->n == want->inputs.items[i].n &&
        !differ(work->job, input, &want->inputs.items[i], what, sizeof what))
      found = i;
  return found;
}

/* Are these the values that the trace printed?  If not, they are those of
 * another dispatch of the same name, as in a loop. */
static bool is_printed(const struct cul_trace_event *event,
                       const struct cul_tensors *exact) {
  const struct cul_tolerance_conf none = {.rtol = -1, .atol = -1, .ulps = -1};
  size_t n = event->inputs.n;
  bool same = exact->n == n + event->outputs.n;
  char what[200];
  for (size_t i = 0; i < exact->n && same; i++) {
    const struct cul_tensor *printed =
        i < n ? &event->inputs.items[i] : &event->outputs.items[i - n];
    same = exact->items[i].n == printed->n &&
           !differ_by(&none, &exact->items[i], printed, what, sizeof what);
  }
  return same;
}

/* The values of the reference's dispatch, bit for bit; n of them are read. */
static int look_at_reference(struct work *work, size_t step,
                             struct cul_tensors *out, size_t *n,
                             struct cul_err *err) {
  struct side *side = &work->reference;
  struct cul_buf module = {0};
  struct site site = {0};
  int rc = 0;
  if (!side->flow.len)
    rc = print_phase(work->job, side, "--compile-to=flow", &side->flow, err);
  if (rc == 0)
    rc = find_site(&side->flow, side->trace.events[step].name,
                   nth_of(&side->trace, step), &site, err);
  if (rc == 0)
    rc = add_looking(&side->flow, &site, &module, err);
  *n = 0;
  for (size_t i = 0; i < site.types.n; i++)
    *n += is_tensor(site.types.items[i]);
  if (rc == 0)
    rc = call(work->job,
              &(struct request){side, "--compile-from=flow", &module, NULL,
                                *n + site.results.n},
              out, err);
  site_release(&site);
  cul_buf_release(&module);
  return rc;
}

/* Take the inputs in the suspect's order and shapes; exact: the values of the
 * reference's dispatch, or NULL: those of its trace. */
static int take_inputs(struct work *work, struct part *part,
                       const struct cul_tensors *exact, struct cul_err *err) {
  const struct cul_step *step = &work->pairs.steps[part->step];
  const struct cul_trace_event *got = &work->suspect.trace.events[part->step];
  const struct cul_trace_event *want =
      &work->reference.trace.events[step->want];
  int rc = 0;
  for (size_t i = 0; i < got->inputs.n && rc == 0; i++) {
    const struct cul_tensor *own = &got->inputs.items[i], *from;
    size_t k = same_input(work, got, want, i);
    char name[24];
    if (k == SIZE_MAX)
      return cul_fail(err, CUL_EUSAGE, "",
                      "its input %zu is none of the reference's", i);
    from = exact ? &exact->items[k] : &want->inputs.items[k];
    if (from->dtype != own->dtype) {
      /* printed integers are exact */
      part->exact =
          part->exact && cul_dtype_info(own->dtype)->kind == CUL_IS_INT;
      from = own;
    }
    snprintf(name, sizeof name, "%03zu", i);
    rc = copy_tensor(from, name, &part->inputs, err);
    if (rc == 0)
      reshape(&part->inputs.items[i], own);
  }
  return rc;
}

/* Take the values of the reference's dispatch: exact ones or, where its text
 * cannot be cut, those of the trace. */
static int take_values(struct work *work, struct part *part,
                       struct cul_err *err) {
  const struct cul_step *step = &work->pairs.steps[part->step];
  const struct cul_trace_event *got = &work->suspect.trace.events[part->step];
  const struct cul_trace_event *want =
      &work->reference.trace.events[step->want];
  struct cul_tensors exact = {0};
  size_t n = 0;
  bool good;
  int rc = look_at_reference(work, step->want, &exact, &n, err);
  good = rc == 0 && n == want->inputs.n && is_printed(want, &exact);
  part->exact = good;
  if (rc == CUL_EUSAGE) {
    *err = (struct cul_err){0};
    rc = 0;
  }
  if (rc == 0)
    rc = take_inputs(work, part, good ? &exact : NULL, err);
  for (size_t i = 0; i < want->outputs.n && rc == 0; i++) {
    char name[24];
    snprintf(name, sizeof name, "%03zu", i);
    rc = copy_tensor(good ? &exact.items[n + i] : &want->outputs.items[i], name,
                     &part->want, err);
    if (rc == 0 && i < got->outputs.n)
      reshape(&part->want.items[i], &got->outputs.items[i]);
  }
  cul_tensors_release(&exact);
  return rc;
}

/* Write the tensors to a directory, and remove those that an earlier candidate
 * left there. */
static int put_tensors(struct cul_divergence_job *job, const char *name,
                       const struct cul_tensors *tensors, struct cul_err *err) {
  char *dir = cul_xasprintf("%s/%s", job->conf->out, name);
  int rc = cul_held_ready(&job->out, dir, 0777, err);
  for (size_t i = 0; i < tensors->n && rc == 0; i++) {
    char *path = cul_xasprintf("%s/%03zu.npy", dir, i);
    struct cul_buf npy = {0};
    cul_tensor_write_npy(&tensors->items[i], &npy);
    rc = cul_held_replace(&job->out, path, cul_buf_bytes(&npy), 0666, err);
    cul_buf_release(&npy);
    free(path);
  }
  for (size_t i = tensors->n, left = rc == 0; left; i++) {
    char *path = cul_xasprintf("%s/%03zu.npy", dir, i);
    left = cul_held_unlink(&job->out, path);
    free(path);
  }
  free(dir);
  return rc;
}

/* The inputs as words of iree-run-module; dir: as the shell sees it. */
static char *arguments_of(const struct part *part, const char *dir) {
  struct cul_buf out = {0};
  for (size_t i = 0; i < part->inputs.n; i++)
    cul_buf_addf(&out, " --input=@\"%s/inputs/%03zu.npy\"", dir, i);
  return cul_buf_take(&out);
}

/* Run the dispatch on its inputs by the reference's tools, for their target. */
static int call_reference(struct work *work, const struct part *part,
                          struct cul_tensors *out, struct cul_err *err) {
  struct cul_buf module = {0};
  int rc;
  add_for_target(&part->module, &work->reference.flow, &module);
  rc = call(work->job,
            &(struct request){&work->reference, "--compile-from=flow", &module,
                              part->arguments, part->got.n},
            out, err);
  cul_buf_release(&module);
  return rc;
}

/* Run the dispatch that is wrong alone by the reference's tools, too: a pair of
 * dispatches that divide the work differently has other values though nothing
 * is wrong.  What they refuse, another version's text, says nothing. */
static int ask_reference(struct work *work, struct part *part,
                         struct cul_err *err) {
  char what[200];
  int rc = call_reference(work, part, &part->mended, err);
  part->agreed = rc == 0;
  for (size_t i = 0; i < part->mended.n && part->agreed; i++)
    part->agreed = !differ(work->job, &part->got.items[i],
                           &part->mended.items[i], what, sizeof what);
  if (rc != CUL_EUSAGE)
    return rc;
  *err = (struct cul_err){0};
  return 0;
}

/* Take the inputs that its own trace has. */
static int take_own_inputs(struct work *work, struct part *part,
                           struct cul_err *err) {
  const struct cul_trace_event *got = &work->suspect.trace.events[part->step];
  int rc = 0;
  for (size_t i = 0; i < got->inputs.n && rc == 0; i++) {
    char name[24];
    snprintf(name, sizeof name, "%03zu", i);
    rc = copy_tensor(&got->inputs.items[i], name, &part->inputs, err);
  }
  return rc;
}

/* Cut the dispatch out and run it alone on the reference's values. */
static int cut(struct work *work, struct part *part, struct cul_err *err) {
  struct side *side = &work->suspect;
  const char *name = side->trace.events[part->step].name;
  struct site site = {0};
  int rc = 0;
  if (!side->flow.len)
    rc = print_phase(work->job, side, "--compile-to=flow", &side->flow, err);
  if (rc == 0)
    rc = find_site(&side->flow, name, nth_of(&side->trace, part->step), &site,
                   err);
  if (rc == 0)
    rc = add_alone(&side->flow, &site, &side->trace.events[part->step],
                   &part->module, err);
  if (rc == 0)
    rc = part->own ? take_own_inputs(work, part, err)
                   : take_values(work, part, err);
  if (rc == 0)
    rc = put_tensors(work->job, "inputs", &part->inputs, err);
  if (rc == 0) {
    char *dir = realpath(work->job->conf->out, NULL);
    part->arguments = arguments_of(part, dir ? dir : work->job->conf->out);
    free(dir);
    rc = call(work->job,
              &(struct request){side, "--compile-from=flow", &part->module,
                                part->arguments, site.results.n},
              &part->got, err);
  }
  if (rc == 0 && part->own)
    rc = call_reference(work, part, &part->want, err);
  for (size_t i = 0;
       rc == 0 && i < part->got.n && i < part->want.n && !part->alone; i++)
    part->alone = differ(work->job, &part->got.items[i], &part->want.items[i],
                         part->what, sizeof part->what);
  if (rc == 0 && part->alone && !part->own)
    rc = ask_reference(work, part, err);
  site_release(&site);
  return rc;
}

/* An optional step: what it cannot do is kept as a reason. */
static int excuse(int rc, char **why, struct cul_err *err) {
  if (rc != CUL_EUSAGE)
    return rc;
  free(*why);
  *why = cul_xstrdup(err->what);
  *err = (struct cul_err){0};
  return 0;
}

/* Find the first operation of a body whose value differs where both sides
 * return the values of all; *found: SIZE_MAX, if all agree. */
static int compare_body(struct work *work, const struct part *part,
                        const struct body *body, size_t *found, char *what,
                        size_t room, struct cul_err *err) {
  struct cul_tensors got = {0}, want = {0};
  int rc = call(work->job,
                &(struct request){&work->reference, "", &body->module,
                                  part->arguments, body->n},
                &want, err);
  if (rc == 0)
    rc = call(work->job,
              &(struct request){&work->suspect, "", &body->module,
                                part->arguments, body->n},
              &got, err);
  *found = SIZE_MAX;
  for (size_t i = 0; rc == 0 && i < body->n && *found == SIZE_MAX; i++)
    if (differ(work->job, &got.items[i], &want.items[i], what, room))
      *found = i;
  cul_tensors_release(&got);
  cul_tensors_release(&want);
  return rc;
}

/* Find the scalar operation inside a linalg.generic that is wrong; where this
 * cannot be told, none. */
static int enter_generic(struct work *work, struct part *part,
                         struct cul_err *err) {
  struct generic generic;
  char *ignored = NULL;
  size_t n = 0;
  int rc = 0;
  if (read_generic(&part->body.ops[part->inner], &generic))
    read_scalars(work->job, &part->body, &generic, &part->scalars, &n);
  if (n == 1 && part->scalars.n == 1) {
    part->scalar = 0;
    snprintf(part->scalar_what, sizeof part->scalar_what, "%s",
             part->inner_what);
  } else if (part->scalars.n) {
    rc = excuse(compare_body(work, part, &part->scalars, &part->scalar,
                             part->scalar_what, sizeof part->scalar_what, err),
                &ignored, err);
  }
  list_release(&generic.arguments);
  free(ignored);
  return rc;
}

/* Find the first operation inside whose value differs, where the function
 * returns the values of all. */
static int enter(struct work *work, struct part *part, struct cul_err *err) {
  struct cul_buf flow = {0};
  struct body *body = &part->body;
  int rc = print_phase(
      work->job, &work->suspect,
      "--compile-to=flow --mlir-print-local-scope --mlir-print-debuginfo",
      &flow, err);
  if (rc == 0)
    rc = read_body(work->job, &flow,
                   work->suspect.trace.events[part->step].name, body, err);
  if (rc == 0 && body->n == 0)
    rc = cul_fail(err, CUL_EUSAGE, "", "no operation of it computes a tensor");
  if (rc == 0)
    rc = compare_body(work, part, body, &part->inner, part->inner_what,
                      sizeof part->inner_what, err);
  if (rc == 0 && part->inner == SIZE_MAX)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "its operations agree where each value is returned");
  if (rc == 0)
    rc = enter_generic(work, part, err);
  cul_buf_release(&flow);
  return rc;
}

/* Candidates at most that are cut out and run alone. */
enum { MOST_CUTS = 4 };

static bool reads(const struct cul_trace_event *event,
                  const struct cul_tensors *values) {
  bool found = false;
  for (size_t i = 0; i < event->inputs.n && !found; i++)
    for (size_t k = 0; k < values->n && !found; k++) {
      const struct cul_tensor *a = &event->inputs.items[i];
      const struct cul_tensor *b = &values->items[k];
      found =
          a->dtype == b->dtype && a->n == b->n &&
          memcmp(a->data, b->data, a->n * cul_dtype_info(a->dtype)->size) == 0;
    }
  return found;
}

/* A dispatch that divides the work differently hides those that read it: their
 * inputs are no values of the reference.  The first of them that the
 * reference's tools compute otherwise takes the part's place. */
static int find_reader(struct work *work, struct part *part,
                       struct cul_err *err) {
  const struct cul_trace *trace = &work->suspect.trace;
  unsigned tries = 0;
  for (size_t i = part->step + 1; i < trace->n && tries < MOST_CUTS; i++) {
    struct part reader = {
        .step = i, .inner = SIZE_MAX, .scalar = SIZE_MAX, .own = true};
    int rc;
    if (work->pairs.steps[i].state == CUL_STEP_SAME ||
        !reads(&trace->events[i], &trace->events[part->step].outputs))
      continue;
    tries++;
    rc = excuse(cut(work, &reader, err), &reader.fault, err);
    if (rc < 0 || reader.alone) {
      work->pairs.steps[part->step].state = CUL_STEP_SAME;
      work->pairs.steps[i].state = CUL_STEP_WRONG;
      part_release(part);
      *part = reader;
      return rc;
    }
    part_release(&reader);
  }
  return tries ? put_tensors(work->job, "inputs", &part->inputs, err) : 0;
}

/* Cut out the first divergent dispatch that is wrong by itself and by the
 * suspect's tools alone; if there is none, the first that is wrong by itself
 * or, if there is none, the first one. */
static int find_part(struct work *work, struct part *out, struct cul_err *err) {
  size_t first = work->pairs.first, wrong = SIZE_MAX;
  int rc = 0;
  unsigned tries = 0;
  for (size_t i = first; i < work->pairs.n && tries < MOST_CUTS; i++) {
    const struct cul_step *step = &work->pairs.steps[i];
    if (step->state != CUL_STEP_WRONG || step->want == SIZE_MAX)
      continue;
    tries++;
    part_release(out);
    *out = (struct part){.step = i, .inner = SIZE_MAX, .scalar = SIZE_MAX};
    rc = excuse(cut(work, out, err), &out->fault, err);
    if (rc < 0 || (out->alone && !out->agreed))
      return rc;
    if (out->alone && wrong == SIZE_MAX)
      wrong = i;
  }
  first = wrong == SIZE_MAX ? first : wrong;
  if (tries != 1) {
    part_release(out);
    *out = (struct part){.step = first, .inner = SIZE_MAX, .scalar = SIZE_MAX};
    if (work->pairs.steps[first].want == SIZE_MAX)
      out->fault = cul_xstrdup("no dispatch of the reference has these "
                               "inputs: it divides its work differently");
    else
      rc = excuse(cut(work, out, err), &out->fault, err);
  }
  if (rc == 0 && out->agreed)
    rc = find_reader(work, out, err);
  return rc;
}

/* ---- the bundle ---- */

static int put(struct cul_divergence_job *job, const char *name,
               const struct cul_buf *text, mode_t mode, struct cul_err *err) {
  char *path = cul_xasprintf("%s/%s", job->conf->out, name);
  int rc = cul_held_replace(&job->out, path, cul_buf_bytes(text), mode, err);
  free(path);
  return rc;
}

/* The executable's name in that of an event, "EXECUTABLE::EXPORT"; heap. */
static char *executable_of(const char *event) {
  const char *colons = strstr(event, "::");
  return cul_xstrndup(event, colons ? (size_t)(colons - event) : strlen(event));
}

/* Write the executable's source as iree-compile dumps it. */
static int put_source(struct work *work, const struct part *part,
                      struct cul_err *err) {
  const char *name = work->suspect.trace.events[part->step].name;
  struct cul_bytes subject = work->job->target->subject.text.bytes;
  struct cul_buf script = {0}, text = {0}, out = {0};
  struct cul_record record = {0};
  char *executable = executable_of(name);
  int rc;
  cul_buf_add(&text, subject.data, subject.len);
  cul_buf_adds(&script, "mkdir -p \"$TMPDIR/sources\" && ");
  add_compile(&work->suspect, &script);
  cul_buf_adds(&script, " --compile-to=executable-sources "
                        "--iree-hal-dump-executable-sources-to="
                        "\"$TMPDIR/sources\" \"$1\" -o /dev/null && "
                        "cat \"$TMPDIR/sources/\"*");
  cul_shell_quote(executable, &script);
  cul_buf_adds(&script, ".mlir");
  rc = run_script(work->job, &work->suspect, &script, &text, &record, err);
  if (rc == 0) {
    cul_buf_add(&out, record.out.data, record.out.len);
    rc = put(work->job, "source.mlir", &out, 0666, err);
  }
  cul_record_release(&record);
  cul_buf_release(&script);
  cul_buf_release(&text);
  cul_buf_release(&out);
  free(executable);
  return rc == CUL_EUSAGE ? (*err = (struct cul_err){0}, 0) : rc;
}

static void add_repro(const struct work *work, const struct part *part,
                      struct cul_buf *out) {
  char *arguments = arguments_of(part, "$here");
  cul_buf_adds(out, "#!/bin/bash\n# Exits with 0 if the dispatch, run on "
                    "inputs/, does not return the\n# reference's values, "
                    "want/; with 1 if it does; with 2 if it fails.\n# ");
  cul_shell_comment(work->job->target->original.verdict.sig.title, out);
  cul_buf_adds(out, "\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\n"
                    "work=$(mktemp -d) || exit 2\n"
                    "trap 'rm -rf \"$work\"' EXIT\n");
  add_compile(&work->suspect, out);
  cul_buf_adds(out, " --compile-from=flow \"$here/repro.mlir\" -o "
                    "\"$work/part.vmfb\" && ");
  add_run(&work->suspect, false, out);
  cul_buf_addf(out, " --module=\"$work/part.vmfb\" --function=main%s",
               arguments);
  for (size_t i = 0; i < part->want.n; i++)
    cul_buf_addf(out, " --expected_output=@\"$here/want/%03zu.npy\"", i);
  cul_buf_adds(out, " | tee \"$work/said\" | head -c 2000\n"
                    "grep -q '\\[FAILED\\]' \"$work/said\" && exit 0\n"
                    "grep -q '\\[SUCCESS\\]' \"$work/said\" && exit 1\n"
                    "exit 2\n");
  free(arguments);
}

/* Write what is cut out.  *shows: repro.sh, run afterwards, shows it. */
static int bundle(struct work *work, const struct part *part, bool *shows,
                  struct cul_err *err) {
  struct cul_divergence_job *job = work->job;
  char *dir = realpath(job->conf->out, NULL);
  char *path = cul_xasprintf("%s/repro.sh", dir ? dir : job->conf->out);
  const char *argv[] = {"bash", path, NULL};
  struct cul_command command = *command_of(job, CUL_ROLE_SUSPECT);
  struct cul_record record = {0};
  struct cul_buf script = {0};
  int rc = put(job, "repro.mlir", &part->module, 0666, err);
  add_repro(work, part, &script);
  command.argv = argv;
  if (rc == 0)
    rc = put(job, "repro.sh", &script, 0777, err);
  if (rc == 0)
    rc = put_tensors(job, "want", &part->want, err);
  if (rc == 0)
    rc = put_tensors(job, "got", &part->got, err);
  if (rc == 0)
    rc = put_source(work, part, err);
  if (rc == 0)
    rc = run_command(job, &command, &part->module, CUL_ROLE_SUSPECT, &record,
                     err);
  *shows = rc == 0 && record.end == CUL_EXITED && record.status == 0;
  cul_record_release(&record);
  cul_buf_release(&script);
  free(path);
  free(dir);
  return rc;
}

/* ---- confirmation ---- */

/* What the command prints when the dispatch is the reference's. */
struct proof {
  bool tried; /* a run ended with numbers */
  bool right; /* they are the reference's */
  /* the reference's results are in the module, not its executable */
  bool values;
  bool all;         /* all that diverge are the reference's */
  uint32_t runs;    /* at most 3, and those that print phase "flow" */
  char *executable; /* why its executable cannot stand in, heap; NULL: it can */
  char *why;        /* why its values cannot, heap; NULL: they can */
  struct cul_buf text; /* the reference's executables */
};

static void proof_release(struct proof *proof) {
  free(proof->executable);
  free(proof->why);
  cul_buf_release(&proof->text);
}

/* Have two runs printed the same numbers, but for rounding? */
static bool prints_alike(const struct cul_divergence_job *job,
                         const struct cul_record *a,
                         const struct cul_record *b) {
  struct cul_numbers got = {0}, want = {0};
  struct cul_err ignored = {0};
  char what[200];
  bool alike = cul_numbers_read(a, &got, &ignored) == 0 &&
               cul_numbers_read(b, &want, &ignored) == 0 && got.tensors.n > 0 &&
               got.tensors.n == want.tensors.n;
  for (size_t i = 0; i < got.tensors.n && alike; i++)
    alike = !differ(job, &got.tensors.items[i], &want.tensors.items[i], what,
                    sizeof what);
  cul_numbers_release(&got);
  cul_numbers_release(&want);
  return alike;
}

/* Compare what a run of the command prints with what the reference printed when
 * the failure was classified. */
static int judge_output(const struct cul_divergence_job *job,
                        const struct cul_record *record, bool *right,
                        struct cul_err *err) {
  const struct cul_judged *original = &job->target->original;
  const struct cul_record *want = NULL;
  struct cul_buf message = {0};
  const char *said;
  bool told = false;
  int rc = 0;
  for (size_t i = 0; i < original->n && !want; i++)
    if (original->records[i].role == CUL_ROLE_REFERENCE)
      want = &original->records[i];
  for (size_t i = 0; i < original->n && want && !told; i++)
    told = original->records[i].role == CUL_ROLE_SUSPECT &&
           !prints_alike(job, &original->records[i], want);
  if (record->end != CUL_EXITED || record->status) {
    add_message(cul_buf_str(&record->err), &message);
    said = strstr(cul_buf_str(&message), "error: ");
    said = said ? said : cul_buf_str(&message);
    rc = cul_fail(err, CUL_EUSAGE, "", "the command fails with it%s%.300s",
                  *said ? ": " : "", said);
    cul_buf_release(&message);
  } else if (!told) {
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "rounding explains what differs in the output");
  } else {
    *right = prints_alike(job, record, want);
  }
  return rc;
}

/* Other dispatches that diverge. */
static size_t count_others(const struct work *work, const struct part *part) {
  size_t n = 0;
  for (size_t i = 0; i < work->pairs.n; i++)
    n += i != part->step && work->pairs.steps[i].state == CUL_STEP_WRONG;
  return n;
}

/* Add a flag that puts an executable of the file into the command's module. */
static void add_substitution(const struct work *work, size_t step,
                             const char *path, struct list *names,
                             struct cul_buf *out) {
  char *name = executable_of(work->suspect.trace.events[step].name);
  char *flag = cul_xasprintf("--iree-hal-substitute-executable-object=%s=%s",
                             name, path);
  if (is_in(names, name)) {
    free(name);
  } else {
    cul_buf_addc(out, ' ');
    cul_shell_quote(flag, out);
    list_add(names, name);
  }
  free(flag);
}

/* Has iree-compile replaced all of these? */
static bool all_replaced(const struct list *names, const char *log) {
  bool all = true;
  for (size_t i = 0; i < names->n && all; i++) {
    char *mark = cul_xasprintf("`%s` substituted with", names->items[i]);
    all = strstr(log, mark) != NULL;
    free(mark);
  }
  return all;
}

/* Run the command with the reference's executables of the part or (proof->all)
 * of all that diverge; path: the file that holds them. */
static int run_replaced(struct work *work, const struct part *part,
                        const char *path, struct proof *proof,
                        struct cul_err *err) {
  static const char unlinked[] = "--iree-hal-link-executables";
  struct side *side = &work->suspect;
  bool linked = false; /* the command says whether */
  struct cul_buf head = {0};
  struct list names = {0};
  struct cul_record record = {0};
  int rc;
  cul_buf_adds(&head, "more=(");
  add_substitution(work, part->step, path, &names, &head);
  for (size_t i = 0; i < work->pairs.n && proof->all; i++)
    if (work->pairs.steps[i].state == CUL_STEP_WRONG)
      add_substitution(work, i, path, &names, &head);
  /* executables of different targets are linked to libraries apart, where the
   * module does not look for them */
  for (size_t i = 0; i < side->words[COMPILE].n; i++)
    linked = linked || begins(side->words[COMPILE].items[i], unlinked);
  cul_buf_addf(&head, "%s )\n",
               linked ? "" : " --iree-hal-link-executables=false");
  proof->runs++;
  rc =
      run_stood_in(work->job, &work->suspect, cul_buf_str(&head), &record, err);
  if (rc == 0)
    rc = judge_output(work->job, &record, &proof->right, err);
  if (rc == 0 && !all_replaced(&names, cul_buf_str(&record.err)))
    rc = cul_fail(err, CUL_EUSAGE, "", "iree-compile replaces no %s",
                  names.items[0]);
  proof->tried = rc == 0;
  cul_record_release(&record);
  cul_buf_release(&head);
  list_release(&names);
  return rc;
}

/* Have the reference's tools compile the command's module at phase "flow" up to
 * its executables, for the reference's target. */
static int make_executables(struct work *work, const struct part *part,
                            struct proof *proof, struct cul_err *err) {
  struct side *got = &work->suspect, *want = &work->reference;
  struct cul_buf module = {0}, script = {0}, a = {0}, b = {0};
  struct cul_record record = {0};
  int rc = 0;
  if (!got->flow.len)
    rc = print_phase(work->job, got, "--compile-to=flow", &got->flow, err);
  if (rc == 0 && !want->flow.len)
    rc = print_phase(work->job, want, "--compile-to=flow", &want->flow, err);
  if (rc < 0)
    return rc;
  add_formats(&got->flow, &a);
  add_formats(&want->flow, &b);
  add_for_target(&got->flow, &want->flow, &module);
  if (strcmp(cul_buf_str(&a), cul_buf_str(&b)) != 0)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the back ends differ: %.*s, and %.*s of the reference",
                  (int)strcspn(cul_buf_str(&a), "\n"), cul_buf_str(&a),
                  (int)strcspn(cul_buf_str(&b), "\n"), cul_buf_str(&b));
  else if (part->agreed &&
           strcmp(cul_buf_str(&module), cul_buf_str(&got->flow)) == 0)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the reference's tools compute the same from its text");
  add_compile(want, &script);
  cul_buf_adds(&script, " --compile-from=flow --compile-to=executable-targets "
                        "\"$1\" -o -");
  if (rc == 0) {
    proof->runs++;
    rc = run_script(work->job, want, &script, &module, &record, err);
  }
  if (rc == 0 && record.truncated)
    rc = cul_fail(err, CUL_EUSAGE, "", "its text is longer than %llu MiB",
                  (unsigned long long)(most_printed >> 20));
  if (rc == 0)
    cul_buf_add(&proof->text, record.out.data, record.out.len);
  cul_record_release(&record);
  cul_buf_release(&module);
  cul_buf_release(&script);
  cul_buf_release(&a);
  cul_buf_release(&b);
  return rc;
}

/* Confirm by the reference's executable. */
static int confirm_by_executable(struct work *work, const struct part *part,
                                 struct proof *proof, struct cul_err *err) {
  char *path;
  int rc = make_executables(work, part, proof, err);
  if (rc < 0)
    return rc;
  path = cul_xasprintf("%s/executables.mlir", work->suspect.dir);
  rc = cul_held_put(&work->job->target->place.held, path,
                    cul_buf_bytes(&proof->text), 0600, err);
  if (rc == 0)
    rc = run_replaced(work, part, path, proof, err);
  if (rc == 0 && !proof->right && count_others(work, part)) {
    char *ignored = NULL;
    proof->all = true;
    rc = excuse(run_replaced(work, part, path, proof, err), &ignored, err);
    proof->all = proof->right;
    proof->tried = true;
    free(ignored);
  }
  free(path);
  return rc;
}

/* Append the type of a tensor with its own sizes: of "tensor<?x8xf32>{%n}"
 * "tensor<4x8xf32>". */
static void add_static(const struct cul_tensor *tensor, const char *type,
                       struct cul_buf *out) {
  unsigned dim = 0;
  const char *end = behind_brackets(type + strlen("tensor"));
  for (const char *at = type; at < end; at++) {
    dim += *at == 'x' && (isdigit((unsigned char)at[-1]) || at[-1] == '?');
    if (*at == '?')
      cul_buf_addf(out, "%llu",
                   dim < tensor->rank ? (unsigned long long)tensor->dims[dim]
                                      : 0ULL);
    else
      cul_buf_addc(out, *at);
  }
}

/* Append a constant of a tensor, with its sizes. */
static void add_constant(const struct cul_tensor *tensor, const char *type,
                         struct cul_buf *out) {
  const unsigned char *at = tensor->data;
  size_t n = tensor->n * cul_dtype_info(tensor->dtype)->size;
  cul_buf_adds(out, "arith.constant dense<\"0x");
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(out, "%02X", at[i]);
  cul_buf_adds(out, "\"> : ");
  add_static(tensor, type, out);
  cul_buf_addc(out, '\n');
}

/* What the dispatch should compute: the reference's values or, as the reference
 * may divide the work differently, what its tools compute from the text. */
static const struct cul_tensors *right_values(const struct part *part) {
  return part->mended.n == part->got.n && part->mended.n && !part->agreed
             ? &part->mended
             : &part->want;
}

/* Append the command's module at phase "flow" with values in the place of the
 * dispatch. */
static int add_with_values(const struct work *work,
                           const struct cul_tensors *values,
                           const struct site *site, struct cul_buf *out,
                           struct cul_err *err) {
  const char *text = cul_buf_str(&work->suspect.flow);
  const char *end = strchrnul(site->line, '\n');
  struct cul_buf names = {0}, types = {0};
  int rc = 0;
  cul_buf_add(out, text, (size_t)(site->line - text));
  for (size_t i = 0; i < site->results.n && rc == 0; i++) {
    const char *type = result_type(site, i);
    const struct cul_tensor *value = &values->items[i];
    const char *comma = i ? ", " : "";
    if (cul_dtype_info(value->dtype)->size != element_bytes(type)) {
      rc = cul_fail(err, CUL_EUSAGE, "", "its result is a %.100s", type);
      break;
    }
    cul_buf_addf(out, "    %%culprit_value%zu = ", i);
    add_constant(value, type, out);
    if (strchr(type, '?')) {
      cul_buf_addf(out,
                   "    %%culprit_sized%zu = flow.tensor.reshape "
                   "%%culprit_value%zu : ",
                   i, i);
      add_static(value, type, out);
      cul_buf_addf(out, " -> %s\n", type);
    }
    cul_buf_addf(&names, "%s%%culprit_%s%zu", comma,
                 strchr(type, '?') ? "sized" : "value", i);
    cul_buf_addf(&types, "%s%.*s", comma,
                 (int)(behind_brackets(type + strlen("tensor")) - type), type);
  }
  cul_buf_addf(out, "    %s", site->value);
  if (site->results.n > 1)
    cul_buf_addf(out, ":%zu", site->results.n);
  cul_buf_addf(out, " = util.optimization_barrier %s : %s", cul_buf_str(&names),
               cul_buf_str(&types));
  cul_buf_adds(out, end);
  cul_buf_release(&names);
  cul_buf_release(&types);
  return rc;
}

/* Does the dispatch run once, in the function's own block? */
static bool runs_once(const struct side *side, size_t step,
                      const struct site *site) {
  const char *name = side->trace.events[step].name, *at;
  const char *text = cul_buf_str(&side->flow), *function = text;
  struct site next = {0};
  struct cul_err ignored = {0};
  size_t n = 0;
  bool once;
  for (size_t i = 0; i < side->trace.n; i++)
    n += strcmp(side->trace.events[i].name, name) == 0;
  for (at = text; (at = strstr(at, "\n  util.")) && at < site->line; at++)
    function = at + 1;
  /* the last of that name is found for each number behind its own */
  once = find_site(&side->flow, name, n - 1, &next, &ignored) == 0;
  if (once && n > 1) {
    struct site before = {0};
    once = find_site(&side->flow, name, n - 2, &before, &ignored) == 0 &&
           before.line != next.line;
    site_release(&before);
  }
  site_release(&next);
  return once && begins(site->line, "    %") &&
         begins(function, "  util.func ");
}

/* Confirm by the reference's values in the dispatch's place. */
static int confirm_by_values(struct work *work, const struct part *part,
                             struct proof *proof, struct cul_err *err) {
  /* a text of twice as many bytes */
  static const size_t most_bytes = (size_t)64 << 20;
  const struct cul_tensors *values = right_values(part);
  struct side *side = &work->suspect;
  struct cul_buf module = {0}, head = {0};
  struct cul_record record = {0};
  struct site site = {0};
  char *path = NULL;
  size_t bytes = 0;
  int rc = 0;
  for (size_t i = 0; i < values->n; i++)
    bytes += values->items[i].n * cul_dtype_info(values->items[i].dtype)->size;
  if (part->fault || values->n == 0 || bytes > most_bytes)
    return cul_fail(err, CUL_EUSAGE, "", "%s",
                    bytes > most_bytes ? "its values are more than 64 MiB"
                                       : "its values are not known");
  if (!side->flow.len)
    rc = print_phase(work->job, side, "--compile-to=flow", &side->flow, err);
  if (rc == 0)
    rc = find_site(&side->flow, side->trace.events[part->step].name,
                   nth_of(&side->trace, part->step), &site, err);
  if (rc == 0 && !runs_once(side, part->step, &site))
    rc =
        cul_fail(err, CUL_EUSAGE, "", "it runs more than once, or in a region");
  if (rc == 0 && site.results.n != values->n)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the reference has another number of "
                  "results");
  if (rc == 0)
    rc = add_with_values(work, values, &site, &module, err);
  path = cul_xasprintf("%s/values.mlir", side->dir);
  if (rc == 0)
    rc = cul_held_put(&work->job->target->place.held, path,
                      cul_buf_bytes(&module), 0600, err);
  cul_buf_adds(&head, "more=(--compile-from=flow)\ninstead=");
  cul_shell_quote(path, &head);
  cul_buf_addc(&head, '\n');
  if (rc == 0) {
    proof->runs++;
    rc = run_stood_in(work->job, side, cul_buf_str(&head), &record, err);
  }
  if (rc == 0)
    rc = judge_output(work->job, &record, &proof->right, err);
  if (rc == 0)
    proof->tried = proof->values = true;
  cul_record_release(&record);
  cul_buf_release(&module);
  cul_buf_release(&head);
  site_release(&site);
  free(path);
  return rc;
}

/* Is the command's output right when the dispatch is the reference's?  Its
 * executable stands in where both sides compile to one format; where it cannot,
 * or changes nothing, its values do. */
static int confirm(struct work *work, const struct part *part,
                   struct proof *proof, struct cul_err *err) {
  int rc = excuse(confirm_by_executable(work, part, proof, err),
                  &proof->executable, err);
  if (proof->tried && !proof->right)
    proof->executable = cul_xstrdup("the output is still wrong with it");
  if (rc == 0 && !proof->right && proof->runs < 3)
    rc = excuse(confirm_by_values(work, part, proof, err), &proof->why, err);
  /* the answer stands without it */
  if (rc == CUL_EBUDGET || rc == CUL_EENV) {
    proof->why = proof->why ? proof->why : cul_xstrdup(err->what);
    *err = (struct cul_err){0};
    rc = 0;
  }
  return rc;
}

/* Write the reference's executables that make the output right. */
static int put_executables(struct work *work, const struct part *part,
                           const struct proof *proof, struct cul_err *err) {
  struct cul_divergence_job *job = work->job;
  struct cul_buf text = {0};
  char *name = executable_of(work->suspect.trace.events[part->step].name);
  int rc = 0;
  if (proof->right && !proof->values) {
    cul_buf_adds(&text, "// The output is right with iree-compile "
                        "--iree-hal-link-executables=false "
                        "--iree-hal-substitute-executable-object=");
    cul_shell_comment(name, &text);
    cul_buf_addf(&text, "=FILE%s\n",
                 proof->all ? ", and the same of all that diverge" : "");
    cul_buf_add(&text, proof->text.data, proof->text.len);
    rc = put(job, "executables.mlir", &text, 0666, err);
  } else {
    char *path = cul_xasprintf("%s/executables.mlir", job->conf->out);
    (void)cul_held_unlink(&job->out, path);
    free(path);
  }
  free(name);
  cul_buf_release(&text);
  return rc;
}

/* ---- the report ---- */

static uint32_t count_all(const struct cul_divergence_job *job) {
  uint32_t n = (uint32_t)job->target->probe.counts.by_phase[CUL_RUNS_CLASSIFY];
  for (size_t i = 0; i < CUL_N_ROLES; i++)
    n += job->runs[i];
  return n;
}

/* How the values of a step's outputs differ in the traces. */
static void say_values(const struct work *work, size_t step, char *what,
                       size_t room) {
  const struct cul_trace_event *got = &work->suspect.trace.events[step];
  size_t k = work->pairs.steps[step].want;
  const struct cul_trace_event *want =
      k == SIZE_MAX ? NULL : &work->reference.trace.events[k];
  for (size_t i = 0; want && i < got->outputs.n && i < want->outputs.n; i++)
    if (differ(work->job, &got->outputs.items[i], &want->outputs.items[i], what,
               room))
      return;
  snprintf(what, room, "its outputs are no values of the reference");
}

static void say_ended(const struct side *side, FILE *text) {
  if (side->trace.ended)
    cul_say(text, "note: the trace of the %s ends after %zu dispatches: %s\n",
            side->name, side->trace.n, side->trace.ended);
}

static void say_inner(const struct part *part, FILE *text) {
  const struct inner_op *op;
  if (part->inner == SIZE_MAX) {
    if (part->stop)
      cul_say(text, "  not entered: %s\n", part->stop);
    return;
  }
  op = &part->body.ops[part->inner];
  cul_say(text, "inside: %s%s%s\n  %.*s\n  %s; its inputs agree\n", op->name,
          *op->location ? " at " : "", op->location,
          (int)strcspn(op->text, "\n"), op->text, part->inner_what);
  if (part->scalar == SIZE_MAX)
    return;
  op = &part->scalars.ops[part->scalar];
  cul_say(text, "in its body: %s%s%s\n  %.*s\n  %s; %s\n", op->name,
          *op->location ? " at " : "", op->location,
          (int)strcspn(op->text, "\n"), op->text, part->scalar_what,
          op->behind ? "some before it, as comparisons, are not compared"
                     : "its inputs agree");
}

/* Name steps of the reference that the command lacks. */
static void say_lacking(const struct work *work, FILE *text) {
  enum { NAMED = 4 };
  const struct cul_trace *want = &work->reference.trace;
  size_t n = 0;
  for (size_t i = 0; i < want->n; i++)
    if (work->pairs.lacks[i] && n++ < NAMED)
      cul_say(text, "%s dispatch %zu, %s",
              n == 1 ? "only in the reference:" : ";", i + 1,
              want->events[i].name);
  if (n > NAMED)
    cul_say(text, "; and %zu more", n - NAMED);
  if (n)
    cul_say(text, "\n");
}

static json_t *lacking_of(const struct work *work) {
  json_t *out = json_array();
  for (size_t i = 0; i < work->reference.trace.n; i++)
    if (work->pairs.lacks[i])
      json_array_append_new(
          out, cul_report_string(work->reference.trace.events[i].name));
  return out;
}

static void say_proof(const struct work *work, const struct part *part,
                      const struct proof *proof, FILE *text) {
  const char *of = proof->values ? "values of " : "";
  size_t others = count_others(work, part);
  char *name = executable_of(work->suspect.trace.events[part->step].name);
  if (!proof->tried)
    cul_say(text, "not confirmed: %s%s%s\n",
            proof->executable ? proof->executable : "",
            proof->executable && proof->why ? "; " : "",
            proof->why ? proof->why : "");
  else if (!proof->right)
    cul_say(text,
            "not confirmed: with the reference's %s%s the output is still "
            "wrong\n",
            of, name);
  else
    cul_say(text,
            "confirmed: with the reference's %s%s%s the output is right\n", of,
            name,
            proof->all ? " and the others that diverge, and not without them,"
                       : "");
  if (proof->tried && proof->values && proof->executable)
    cul_say(text, "  not by its executable: %s\n", proof->executable);
  if (proof->tried && !proof->all && others)
    cul_say(text, "  %zu other dispatch%s diverge%s\n", others,
            others == 1 ? "" : "es", others == 1 ? "s" : "");
  free(name);
}

static void say(const struct work *work, const struct part *part, bool shows,
                const struct proof *proof, FILE *text) {
  const struct cul_divergence_job *job = work->job;
  const struct cul_trace *got = &work->suspect.trace;
  char what[200];
  cul_status_make_way();
  cul_say(text, "failure: %s\n", job->target->original.verdict.sig.title);
  say_ended(&work->suspect, text);
  say_ended(&work->reference, text);
  if (part->own)
    snprintf(what, sizeof what, "%s", part->what);
  else
    say_values(work, part->step, what, sizeof what);
  cul_say(text, "first divergence: dispatch %zu of %zu, %s\n  %s; %s\n",
          part->step + 1, got->n, got->events[part->step].name, what,
          part->own ? "the reference's tools compute other values"
                    : "its inputs agree");
  say_inner(part, text);
  for (size_t i = 0; i < work->pairs.n; i++)
    if (i != part->step && work->pairs.steps[i].state == CUL_STEP_WRONG)
      cul_say(text, "diverges, too: dispatch %zu, %s\n", i + 1,
              got->events[i].name);
  say_lacking(work, text);
  cul_say(text, "runs: %u to the dispatch, %u in all, %u of them to classify\n",
          work->to_dispatch, count_all(job),
          (unsigned)job->target->probe.counts.by_phase[CUL_RUNS_CLASSIFY]);
  if (part->fault)
    cul_say(text, "not cut out: %s\n", part->fault);
  else if (part->alone)
    cul_say(text, "alone: %s, on %s inputs%s: %s\n", part->what,
            part->own ? "its own" : "the reference's",
            part->exact ? "" : " as printed",
            shows ? "repro.sh shows it" : "repro.sh does not show it");
  else
    cul_say(text, "alone: right, on the reference's inputs\n");
  if (!part->fault && part->agreed)
    cul_say(text, "note: the reference's tools compute the same from its text: "
                  "either the work is divided differently, or the text is "
                  "wrong\n");
  say_proof(work, part, proof, text);
  cul_say(text, "written: %s\n", job->conf->out);
}

static json_t *steps_of(const struct work *work) {
  json_t *out = json_array();
  for (size_t i = 0; i < work->pairs.n; i++) {
    const struct cul_step *step = &work->pairs.steps[i];
    json_t *one;
    if (step->state != CUL_STEP_WRONG)
      continue;
    one = json_pack("{s:I, s:o}", "number", (json_int_t)i, "name",
                    cul_report_string(work->suspect.trace.events[i].name));
    json_object_set_new(
        one, "reference",
        step->want == SIZE_MAX
            ? json_null()
            : cul_report_string(work->reference.trace.events[step->want].name));
    json_array_append_new(out, one);
  }
  return out;
}

static json_t *proof_of(const struct work *work, const struct part *part,
                        const struct proof *proof) {
  static const char *const by[] = {"executable", "values"};
  json_t *out = json_pack(
      "{s:o, s:o, s:b, s:I, s:I}", "right",
      proof->tried ? json_boolean(proof->right) : json_null(), "by",
      proof->tried ? json_string(by[proof->values]) : json_null(), "all",
      proof->all, "others", (json_int_t)count_others(work, part), "runs",
      (json_int_t)proof->runs);
  json_object_set_new(out, "no_executable",
                      proof->executable ? cul_report_string(proof->executable)
                                        : json_null());
  json_object_set_new(out, "no_values",
                      proof->why ? cul_report_string(proof->why) : json_null());
  return out;
}

static json_t *op_of(const struct inner_op *op, const char *what) {
  return json_pack("{s:o, s:o, s:o, s:s}", "operation",
                   cul_report_string(op->name), "location",
                   cul_report_string(op->location), "text",
                   cul_report_string(op->text), "what", what);
}

static json_t *report_of(const struct work *work, const struct part *part,
                         bool shows, const struct proof *proof) {
  const struct cul_divergence_job *job = work->job;
  const struct cul_trace_event *event = &work->suspect.trace.events[part->step];
  char what[200];
  json_t *out;
  if (part->own)
    snprintf(what, sizeof what, "%s", part->what);
  else
    say_values(work, part->step, what, sizeof what);
  out = json_pack(
      "{s:s, s:s, s:o, s:{s:I, s:o, s:s}, s:o, s:b, s:b, s:{s:I, s:I, s:I}}",
      "culprit_version", CULPRIT_VERSION, "job", "extract", "title",
      cul_report_string(job->target->original.verdict.sig.title), "dispatch",
      "number", (json_int_t)part->step, "name", cul_report_string(event->name),
      "what", what, "divergent", steps_of(work), "alone", part->alone, "repro",
      shows, "runs", "dispatch", (json_int_t)work->to_dispatch, "all",
      (json_int_t)count_all(job), "classify",
      (json_int_t)job->target->probe.counts.by_phase[CUL_RUNS_CLASSIFY]);
  json_object_set_new(out, "reference_agrees", json_boolean(part->agreed));
  json_object_set_new(out, "only_reference", lacking_of(work));
  json_object_set_new(out, "confirmed", proof_of(work, part, proof));
  if (part->inner != SIZE_MAX) {
    json_t *inside = op_of(&part->body.ops[part->inner], part->inner_what);
    json_object_set_new(
        inside, "body",
        part->scalar == SIZE_MAX
            ? json_null()
            : op_of(&part->scalars.ops[part->scalar], part->scalar_what));
    json_object_set_new(out, "inside", inside);
  } else {
    json_object_set_new(out, "inside", json_null());
  }
  return out;
}

static int write_report(const struct cul_divergence_job *job,
                        const json_t *report, struct cul_err *err) {
  char *path = cul_xasprintf("%s/report.json", job->conf->out);
  char *text = cul_report_text(report);
  int rc = cul_held_replace((struct cul_held *)&job->out, path,
                            (struct cul_bytes){text, strlen(text)}, 0666, err);
  free(path);
  free(text);
  return rc;
}

/* ---- the job ---- */

/* Does the suspect run iree-compile? */
static bool is_mine(const struct cul_divergence_job *job) {
  const struct cul_command *command = command_of((void *)job, CUL_ROLE_SUSPECT);
  struct cul_bytes files = cul_buf_bytes(&job->target->tool.identity.files);
  bool mine =
      files.len && memmem(files.data, files.len, "/iree-compile\n", 14) != NULL;
  for (const char *const *word = command->argv; *word && !mine; word++)
    mine = strstr(*word, "iree-compile") != NULL;
  return mine && job->target->roles.of[CUL_ROLE_REFERENCE].command.argv;
}

static int pair(struct work *work, struct cul_err *err) {
  struct cul_tolerance_conf conf =
      work->job->target->oracle_conf.mismatch.tolerance;
  const struct cul_patience patience =
      cul_probe_patience(&work->job->target->probe);
  const struct side *ended;
  int rc = trace_side(work->job, &work->suspect, err);
  if (rc == 0)
    rc = trace_side(work->job, &work->reference, err);
  if (rc < 0)
    return rc;
  conf.rounding = true;
  rc = cul_trace_pair(&work->suspect.trace, &work->reference.trace, &conf,
                      &patience, &work->pairs, err);
  if (rc < 0)
    return rc;
  work->to_dispatch = count_all(work->job);
  if (work->pairs.n_wrong)
    return 0;
  ended = work->suspect.trace.ended     ? &work->suspect
          : work->reference.trace.ended ? &work->reference
                                        : NULL;
  return cul_fail(
      err, CUL_EUSAGE, "",
      "%s dispatch of %zu diverges by more than rounding%s%s%s%.200s",
      work->pairs.first == SIZE_MAX ? "no" : "no single", work->pairs.n,
      ended ? "; the trace of the " : "", ended ? ended->name : "",
      ended ? " ends there: " : "", ended ? ended->trace.ended : "");
}

int cul_dispatches(struct cul_divergence_job *job, FILE *text, json_t **report,
                   bool *mine, struct cul_err *err) {
  struct work work = {
      .job = job,
      .suspect = {.role = CUL_ROLE_SUSPECT, .name = "command"},
      .reference = {.role = CUL_ROLE_REFERENCE, .name = "reference"}};
  struct part part = {.inner = SIZE_MAX, .scalar = SIZE_MAX};
  struct proof proof = {0};
  bool shows = false;
  int rc = 0;
  *mine = is_mine(job);
  if (!*mine)
    return 0;
  rc = pair(&work, err);
  if (rc == 0)
    rc = find_part(&work, &part, err);
  if (rc == 0 && !part.fault)
    rc = bundle(&work, &part, &shows, err);
  if (rc == 0 && !part.fault)
    rc = excuse(enter(&work, &part, err), &part.stop, err);
  if (rc == 0)
    rc = confirm(&work, &part, &proof, err);
  if (rc == 0)
    rc = put_executables(&work, &part, &proof, err);
  if (rc == 0) {
    say(&work, &part, shows, &proof, text);
    *report = report_of(&work, &part, shows, &proof);
    rc = write_report(job, *report, err);
  }
  part_release(&part);
  proof_release(&proof);
  side_release(&work.suspect);
  side_release(&work.reference);
  cul_trace_pairs_release(&work.pairs);
  return rc;
}
