/* The traces of both sides: see dispatch_sides.h. */
#include "dispatch_sides.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../pipeline/shell_text.h"
#include "../../pipeline/shell_words.h"
#include "trace_scripts.h"

/* ---- the command with the scripts ---- */

/* Append the script that is run in place of a tool. */
static void add_script(const char *tool, struct cul_buf *out) {
  size_t n = strlen(tool);
  for (size_t i = 0; i < cul_n_trace_scripts; i++) {
    const struct cul_embedded *script = &cul_trace_scripts[i];
    if (strncmp(script->name, tool, n) == 0 && script->name[n] == '.')
      cul_buf_add(out, script->data, script->len);
  }
}

/* Write the scripts that are run in place of the tools.  head: lines of shell
 * that they execute first. */
static int write_tools(struct cul_divergence_job *job,
                       const struct cul_dispatch_side *side, const char *head,
                       struct cul_err *err) {
  int rc = cul_held_ready(&job->target->place.held, side->dir, 0700, err);
  for (int i = 0; i < CUL_N_STOOD_IN && rc == 0; i++) {
    CUL_HEAP char *path =
        cul_xasprintf("%s/%s", side->dir, cul_stood_in_names[i]);
    CUL_OWNED(cul_buf) text = {0};
    cul_buf_adds(&text, "#!/bin/bash\nmine=");
    cul_shell_quote(side->dir, &text);
    cul_buf_addf(
        &text,
        ":\nPATH=${PATH//\"$mine\"/}\n"
        "real=${" CUL_STOOD_IN_VARIABLE ":-$(command -v %s)} || exit 127\n"
        "unset " CUL_STAND_INS_VARIABLE " " CUL_STOOD_IN_VARIABLE "\n%s",
        cul_stood_in_names[i], head);
    add_script(cul_stood_in_names[i], &text);
    rc = cul_held_put(&job->target->place.held, path, cul_buf_bytes(&text),
                      0700, err);
  }
  return rc;
}

int cul_dispatch_run_stood_in(struct cul_divergence_job *job,
                              struct cul_dispatch_side *side, const char *head,
                              struct cul_record *record, struct cul_err *err) {
  const struct cul_command *given = cul_dispatch_command(job, side->role);
  struct cul_command command = *given;
  CUL_OWNED(cul_buf) text = {0}, path = {0}, dir = {0}, preload = {0};
  const char *old = cul_environment_get(given->environment, "PATH");
  const char *loaded = cul_environment_get(given->environment, "LD_PRELOAD");
  const char *env[] = {NULL, NULL, NULL, NULL};
  CUL_HEAP char *library = cul_stand_ins_library();
  struct cul_bytes subject = job->target->subject.text.bytes;
  if (!side->dir)
    side->dir = cul_xasprintf("%s/tools-%s", job->target->dir, side->name);
  cul_buf_addf(&path, "PATH=%s:%s", side->dir, old ? old : "/usr/bin:/bin");
  cul_buf_addf(&dir, CUL_STAND_INS_VARIABLE "=%s", side->dir);
  env[0] = cul_buf_str(&path);
  env[1] = cul_buf_str(&dir);
  if (library) {
    cul_buf_addf(&preload, "LD_PRELOAD=%s%s%s", library, loaded ? ":" : "",
                 loaded ? loaded : "");
    env[2] = cul_buf_str(&preload);
  }
  command.env = env;
  cul_buf_add(&text, subject.data, subject.len);
  if (write_tools(job, side, head, err) < 0)
    return err->code;
  return cul_dispatch_run(job, &command, &text, side->role, record, err);
}

/* ---- its trace ---- */

/* Read the words that a tool received from the line that its script printed. */
static bool read_words(const char *log, const char *tool,
                       struct cul_mlir_words *out) {
  CUL_HEAP char *mark = cul_xasprintf("\n@%s ", tool);
  const char *at = strstr(log, mark);
  struct cul_shell_words words = {0};
  CUL_HEAP char *line = NULL;
  bool good = false;
  if (at) {
    at += strlen(mark);
    line = cul_xstrndup(at, strcspn(at, "\n"));
    good = cul_shell_words(line, &words);
    for (size_t i = 0; i < words.n && good; i++)
      cul_mlir_words_add(
          out, cul_shell_unquote(line + words.items[i].from,
                                 words.items[i].to - words.items[i].from));
    cul_shell_words_release(&words);
  }
  return good && out->n > 0;
}

/* Note in trace->ended that a killed run ended its trace early.  A shell that
 * runs the killed program exits with a status above 128. */
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

static int read_trace(struct cul_divergence_job *job,
                      struct cul_dispatch_side *side,
                      const struct cul_record *record, struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/trace.log", side->dir);
  CUL_OWNED(cul_buf) message = {0};
  bool found = false, good = true;
  const struct cul_patience patience = cul_probe_patience(&job->target->probe);
  int rc = cul_held_put(&job->target->place.held, path,
                        cul_buf_bytes(&record->err), 0600, err);
  if (rc == 0 && record->truncated)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the %s prints a trace of more than %d MiB", side->name,
                  CUL_DISPATCH_MOST_MIB);
  if (rc == 0)
    rc = cul_trace_load(path, &patience, &side->trace, &found, err);
  if (rc == 0 && found)
    note_end(record, &side->trace);
  side->untraced = strstr(cul_buf_str(&record->err), "\n@untraced\n") != NULL;
  for (int i = 0; i < CUL_N_STOOD_IN; i++)
    good = read_words(cul_buf_str(&record->err), cul_stood_in_names[i],
                      &side->words[i]) &&
           good;
  if (rc == 0 && !found && (record->end != CUL_EXITED || record->status)) {
    cul_dispatch_add_message(record, &message);
    rc = cul_fail(err, CUL_EUSAGE, "", "the %s fails with a trace: %.300s",
                  side->name, cul_buf_str(&message));
  } else if (rc == 0 && !good) {
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "no program of the %s that loads libraries starts "
                  "iree-compile and iree-run-module",
                  side->name);
  } else if (rc == 0 && !found && !side->untraced) {
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "the %s prints no trace of dispatches; its standard error "
                  "must be printed",
                  side->name);
  }
  return rc;
}

/* Forget the trace of a side. */
static void forget(struct cul_dispatch_side *side) {
  for (int i = 0; i < CUL_N_STOOD_IN; i++)
    cul_mlir_words_release(&side->words[i]);
  cul_trace_release(&side->trace);
}

/* Run the command of the side's role with the trace.  head: lines for the
 * scripts. */
static int trace_side(struct cul_divergence_job *job,
                      struct cul_dispatch_side *side, const char *head,
                      struct cul_err *err) {
  CUL_OWNED(cul_record) record = {0};
  int rc;
  forget(side);
  rc = cul_dispatch_run_stood_in(job, side, head, &record, err);
  return rc ? rc : read_trace(job, side, &record, err);
}

/* ---- both traces ---- */

static int trace_both(struct cul_dispatch_sides *sides, const char *head,
                      struct cul_err *err) {
  struct cul_tolerance_conf conf =
      sides->job->target->oracle_conf.mismatch.tolerance;
  const struct cul_patience patience =
      cul_probe_patience(&sides->job->target->probe);
  int rc = trace_side(sides->job, &sides->suspect, head, err);
  if (rc == 0)
    rc = trace_side(sides->job, &sides->reference, head, err);
  if (rc < 0)
    return rc;
  conf.rounding = true;
  cul_trace_pairs_release(&sides->pairs);
  return cul_trace_pair(&sides->suspect.trace, &sides->reference.trace, &conf,
                        &patience, &sides->pairs, err);
}

/* The side whose trace ended early; NULL: none did. */
static const struct cul_dispatch_side *
find_ended(const struct cul_dispatch_sides *sides) {
  return sides->suspect.trace.ended     ? &sides->suspect
         : sides->reference.trace.ended ? &sides->reference
                                        : NULL;
}

int cul_dispatch_sides_trace(struct cul_dispatch_sides *sides,
                             struct cul_err *err) {
  const struct cul_dispatch_side *ended;
  int rc = trace_both(sides, "loops=\n", err);
  if (rc == 0 && sides->pairs.n_wrong == 0 && !find_ended(sides) &&
      (sides->suspect.untraced || sides->reference.untraced))
    rc = trace_both(sides, "loops=1\n", err);
  if (rc < 0 || sides->pairs.n_wrong)
    return rc;
  ended = find_ended(sides);
  return cul_fail(
      err, CUL_EUSAGE, "",
      "%s dispatch of %zu diverges by more than rounding%s%s%s%s%.200s",
      sides->pairs.first == SIZE_MAX ? "no" : "no single", sides->pairs.n,
      sides->suspect.untraced || sides->reference.untraced
          ? "; those inside control flow are not traced"
          : "",
      ended ? "; the trace of the " : "", ended ? ended->name : "",
      ended ? " ends there: " : "", ended ? ended->trace.ended : "");
}

static void side_release(struct cul_dispatch_side *side) {
  free(side->dir);
  forget(side);
  cul_buf_release(&side->flow);
}

void cul_dispatch_sides_release(struct cul_dispatch_sides *sides) {
  side_release(&sides->suspect);
  side_release(&sides->reference);
  cul_trace_pairs_release(&sides->pairs);
}

size_t cul_dispatch_nth(const struct cul_trace *trace, size_t step) {
  size_t n = 0;
  for (size_t i = 0; i < step; i++)
    n += strcmp(trace->events[i].name, trace->events[step].name) == 0;
  return n;
}

char *cul_dispatch_executable(const char *event) {
  const char *colons = strstr(event, "::");
  return cul_xstrndup(event, colons ? (size_t)(colons - event) : strlen(event));
}
