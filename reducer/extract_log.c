/* Write the repros of a log to files: see extract_log.h. */
#include "extract_log.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/files/file.h"
#include "../base/status.h"
#include "../base/visible.h"
#include "../oracles/signature/signature.h"
#include "../pipeline/shell_text.h"
#include "../systems/log.h"
#include "finish/repro.h"

#define MAX_LOG (1u << 30)

struct job {
  const struct cul_extract_log_conf *conf;
  struct cul_log log;
  struct cul_signature sig; /* of the log */
  FILE *text;
};

static int read_log(const char *path, struct cul_buf *out,
                    struct cul_err *err) {
  char chunk[1 << 16];
  size_t n;
  if (strcmp(path, "-") != 0)
    return cul_file_read(path, MAX_LOG, out, err);
  while (!cul_status_interrupted() && out->len <= MAX_LOG &&
         (n = fread(chunk, 1, sizeof chunk, stdin)) > 0)
    cul_buf_add(out, chunk, n);
  if (cul_status_interrupted())
    return cul_fail(err, CUL_EINTR, "", "interrupted while reading");
  if (ferror(stdin))
    return cul_fail(err, CUL_EENV, "try it with cat",
                    "cannot read standard input: %s", strerror(errno));
  if (out->len > MAX_LOG)
    return cul_fail(err, CUL_EUSAGE, "give the relevant part",
                    "the log on standard input is larger than %u MiB, the most "
                    "that is read of it",
                    MAX_LOG >> 20);
  return 0;
}

static bool ends_in(struct cul_bytes line, struct cul_bytes end) {
  return line.len >= end.len &&
         (end.len == 0 ||
          memcmp(line.data + line.len - end.len, end.data, end.len) == 0);
}

/* Mark the lines of the log that contain the repro; none if it was read from
 * another file. */
static void mark_lines(const struct cul_log *log,
                       const struct cul_log_repro *repro, bool *marks) {
  const char *at = cul_buf_str(&repro->text);
  for (size_t i = repro->line - 1; *at && i < log->n; i++) {
    size_t n = strcspn(at, "\n");
    if (!ends_in(log->lines[i], (struct cul_bytes){at, n}))
      return;
    marks[i] = true;
    at += n + (at[n] == '\n');
  }
}

/* Append the lines of the log that belong to no repro: the text of a repro is
 * no message.  Returns whether one of them is not blank. */
static bool other_lines(const struct cul_log *log,
                        const struct cul_log_repros *repros,
                        struct cul_buf *out) {
  bool *marks = cul_xcalloc(log->n + 1, sizeof *marks), any = false;
  for (size_t i = 0; i < repros->n; i++)
    mark_lines(log, &repros->items[i], marks);
  for (size_t i = 0; i < log->n; i++) {
    struct cul_bytes line = log->lines[i];
    if (marks[i])
      continue;
    cul_buf_add(out, line.data, line.len);
    cul_buf_addc(out, '\n');
    for (size_t k = 0; k < line.len; k++)
      any |= !isspace((unsigned char)line.data[k]);
  }
  free(marks);
  return any;
}

static int read_signature(struct job *job, const struct cul_log_repros *repros,
                          struct cul_err *err) {
  struct cul_rules *rules;
  struct cul_record record = {.end = CUL_EXITED, .status = 1};
  int rc = 0;
  if (other_lines(&job->log, repros, &record.err)) {
    rc = cul_rules_new(&rules, err);
    if (rc == 0) {
      cul_signature_read(rules, &record, &job->sig);
      cul_rules_free(rules);
    }
  }
  cul_buf_release(&record.err);
  return rc;
}

/* Does the repro's tool itself print the log's message?  Other runs may lack
 * messages that a pass manager or Python adds. */
static bool is_own_message(const struct cul_signature *sig,
                           const struct cul_log_repro *repro) {
  switch (sig->kind) {
  case CUL_KIND_ASSERTION:
  case CUL_KIND_FATAL:
  case CUL_KIND_ABORT:
  case CUL_KIND_UNREACHABLE:
  case CUL_KIND_VERIFIER:
    return true;
  case CUL_KIND_DIAGNOSTIC:
    return !strstr(sig->raw, "Failures have been detected while processing") &&
           !strstr(sig->raw, "Pipeline failed while executing");
  case CUL_KIND_EXCEPTION:
    return strcmp(repro->argv[0], "python3") == 0;
  default:
    return false;
  }
}

/* Append the text of NAME.sh, which runs NAME.EXT like the repro.sh of a
 * bundle. */
static void add_script(const struct job *job, const struct cul_log_repro *repro,
                       struct cul_buf *out) {
  cul_buf_adds(out, "#!/bin/sh\n# Exits 0 if the failure of the log shows, 1 "
                    "if it does not, 2 if the tool is missing.\n");
  cul_buf_addf(out, "# From line %zu of ", repro->line);
  cul_shell_comment(cul_basename(job->conf->log), out);
  cul_buf_adds(out, ": ");
  cul_shell_comment(repro->kind, out);
  cul_buf_adds(out, ".\n");
  cul_buf_adds(out, "tool=");
  cul_shell_quote(repro->argv[0], out);
  cul_buf_adds(out, "\ntool=${TOOL:-$tool} # another one: TOOL=PATH\n"
                    "repro=$(cd \"$(dirname \"$0\")\" && pwd)/");
  cul_shell_quote(repro->name, out);
  cul_buf_adds(
      out, "\ncommand -v \"$tool\" >/dev/null || {\n"
           "  echo \"$tool is not there; name it: TOOL=PATH $0\" >&2\n"
           "  exit 2\n}\n"
           "log=$(mktemp) || exit 2\ntrap 'rm -f \"$log\"' EXIT\n\"$tool\"");
  if (repro->helper)
    cul_buf_addf(out, " \"$(dirname \"$repro\")\"/%s", repro->helper);
  cul_shell_arguments(
      (const char *const *)repro->argv + (repro->helper ? 2 : 1), out);
  cul_buf_adds(out, " >\"$log\" 2>&1\nstatus=$?\ncat \"$log\"\n"
                    "[ $status -ne 0 ] || exit 1\n");
  if (is_own_message(&job->sig, repro))
    cul_repro_message_test(&job->sig, out);
  cul_buf_adds(out, "exit 0\n");
}

static int write_beside(const struct job *job, const char *name,
                        const struct cul_buf *text, mode_t mode,
                        struct cul_err *err) {
  char *path = cul_xasprintf("%s/%s", job->conf->out, name);
  int rc = cul_file_replace(path, cul_buf_str(text), text->len, mode, err);
  free(path);
  return rc;
}

/* Copy the file of culprit that the command runs. */
static int copy_helper(const struct job *job, const char *name,
                       struct cul_err *err) {
  struct cul_buf text = {0};
  char *dir = cul_program_dir(), *path = cul_own_file(dir, name, R_OK);
  int rc = path ? cul_file_read(path, MAX_LOG, &text, err)
                : cul_fail(err, CUL_EENV, "install culprit again",
                           "%s is missing from culprit's own files", name);
  if (rc == 0)
    rc = write_beside(job, name, &text, 0777, err);
  cul_buf_release(&text);
  free(path);
  free(dir);
  return rc;
}

static int write_repro(const struct job *job, const struct cul_log_repro *repro,
                       struct cul_err *err) {
  struct cul_buf script = {0};
  const char *dot = strrchr(repro->name, '.');
  char *name = cul_xasprintf("%.*s.sh", (int)(dot - repro->name), repro->name);
  int rc = write_beside(job, repro->name, &repro->text, 0666, err);
  if (rc == 0 && !repro->fault) {
    add_script(job, repro, &script);
    rc = write_beside(job, name, &script, 0777, err);
    if (rc == 0 && repro->helper)
      rc = copy_helper(job, repro->helper, err);
  }
  cul_buf_release(&script);
  free(name);
  return rc;
}

/* Append DIR/STEM with another ending, as a word of a shell. */
static void add_path(const char *dir, const char *name, const char *ending,
                     struct cul_buf *out) {
  int stem = (int)(strrchr(name, '.') - name);
  char *path = cul_xasprintf("%s%s/%.*s%s", *dir == '-' ? "./" : "", dir, stem,
                             name, ending);
  cul_shell_quote(path, out);
  free(path);
}

static void print_repro(const struct job *job,
                        const struct cul_log_repro *repro) {
  struct cul_buf words = {0};
  const char *directory;
  cul_say(job->text, "%s:\n  file:    %s/%s, from line %zu of the log\n",
          repro->kind, job->conf->out, repro->name, repro->line);
  if (*repro->why)
    cul_say(job->text, "  log:     %.300s\n", repro->why);
  if (repro->fault) {
    cul_say(job->text, "  broken:  %s\n", repro->fault);
    return;
  }
  directory = job->conf->out;
  cul_buf_adds(&words, "  run:     ");
  add_path(directory, repro->name, ".sh", &words);
  cul_buf_adds(&words, "\n  reduce:  culprit reduce ");
  add_path(directory, repro->name, strrchr(repro->name, '.'), &words);
  cul_buf_adds(&words, " -- ");
  cul_shell_quote(repro->argv[0], &words);
  cul_buf_addc(&words, ' ');
  if (repro->helper) {
    add_path(directory, repro->helper, strrchr(repro->helper, '.'), &words);
    cul_buf_addc(&words, ' ');
  }
  cul_shell_words_of((const char *const *)repro->argv + (repro->helper ? 2 : 1),
                     &words);
  cul_buf_addc(&words, '\n');
  cul_say_text(job->text, cul_buf_str(&words));
  cul_buf_release(&words);
}

static int none(const struct job *job, const struct cul_log_repros *repros,
                struct cul_err *err) {
  struct cul_buf advice = {0};
  int rc;
  if (repros->n > 0)
    return cul_fail(err, CUL_ENOFAIL,
                    "get the log of a single run, with its complete output",
                    "%s: no reproducer in it is complete", job->conf->log);
  cul_log_advice(&advice);
  rc = cul_fail(err, CUL_ENOFAIL, "",
                "%s: the log contains no reproducer; culprit reads:\n%s",
                job->conf->log, cul_buf_str(&advice));
  cul_buf_release(&advice);
  return rc;
}

static int write_all(struct job *job, const struct cul_log_repros *repros,
                     struct cul_err *err) {
  size_t whole = 0;
  int rc = repros->n ? cul_mkdirs(job->conf->out, 0777, err) : 0;
  if (rc == 0)
    rc = read_signature(job, repros, err);
  if (rc == 0 && repros->n && *job->sig.title)
    cul_say(job->text, "failure: %s\n", job->sig.title);
  for (size_t i = 0; rc == 0 && i < repros->n; i++) {
    /* The text of an input that is not on this machine is empty. */
    if (repros->items[i].text.len)
      rc = write_repro(job, &repros->items[i], err);
    if (rc == 0)
      print_repro(job, &repros->items[i]);
    whole += !repros->items[i].fault;
  }
  if (rc == 0 && whole == 0)
    rc = none(job, repros, err);
  return rc;
}

int cul_extract_log(const struct cul_extract_log_conf *conf, FILE *text,
                    struct cul_err *err) {
  struct job job = {.conf = conf, .text = text};
  struct cul_log_repros repros;
  struct cul_buf raw = {0};
  const char *base = cul_basename(conf->log);
  char *dir = base == conf->log
                  ? cul_xstrdup(".")
                  : cul_xstrndup(conf->log, (size_t)(base - conf->log));
  int rc = read_log(conf->log, &raw, err);
  if (rc == 0) {
    cul_log_read(cul_buf_bytes(&raw), dir, &job.log);
    cul_log_find(&job.log, &repros);
    rc = write_all(&job, &repros, err);
    cul_log_repros_release(&repros);
    cul_log_release(&job.log);
  }
  cul_buf_release(&raw);
  free(dir);
  return rc;
}
