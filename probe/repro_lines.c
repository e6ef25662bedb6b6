/* Shell text: see repro_lines.h. */
#include "repro_lines.h"

#include <stdio.h>
#include <string.h>

#include "../base/files/file.h"
#include "../base/visible.h"
#include "../pipeline/shell_text.h"

const char *cul_repro_case_extension(const char *name) {
  const char *dot = strrchr(cul_basename(name), '.');
  if (!dot || !cul_is_plain_name(dot + 1)) /* scripts and paths contain it */
    return "";
  return strcmp(dot, ".sh") == 0 ? ".case.sh" : dot;
}

/* The longest part of the message without digits, paths and quotes, because
 * these vary from run to run.  It has no unprintable characters: the message
 * may contain incomplete terminal sequences. */
static void stable_part(const char *text, struct cul_buf *out) {
  static const char varying[] = "0123456789/'\"%@<>()[]{}\n";
  size_t best = 0, at = 0, n;
  for (size_t i = 0; text[i]; i += n + (text[i + n] != '\0')) {
    n = strcspn(text + i, varying);
    n = cul_visible_prefix((struct cul_bytes){text + i, n});
    if (n > best)
      best = n, at = i;
  }
  cul_buf_add(out, text + at, best);
}

static void add_grep(const char *text, struct cul_buf *out) {
  cul_buf_adds(out, "grep -qF -- ");
  cul_shell_quote(text, out);
  cul_buf_adds(out, " \"$log\" || exit 1\n");
}

void cul_repro_message_test(const struct cul_signature *sig,
                            struct cul_buf *out) {
  struct cul_buf part = {0};
  static const char ptxas[] = "ptxas: "; /* added by the rule, not printed */
  char raw[sizeof sig->raw], *behind = NULL;
  bool named = strncmp(sig->raw, ptxas, sizeof ptxas - 1) == 0;
  snprintf(raw, sizeof raw, "%s", sig->raw + (named ? sizeof ptxas - 1 : 0));
  /* Rules for assertions append " (FILE, FUNCTION)" to the printed text. */
  for (char *at = raw;
       sig->kind == CUL_KIND_ASSERTION && (at = strstr(at, " (")); at++)
    behind = at;
  if (behind)
    *behind = '\0';
  stable_part(raw, &part);
  /* A rule may give a message in its own words, which grep would not find. */
  if (part.len >= 8 &&
      (!sig->printed[0] || strstr(sig->printed, cul_buf_str(&part))))
    add_grep(cul_buf_str(&part), out);
  cul_buf_release(&part);
}

/* Append grep lines for the signature's message and its first relevant frame.
 */
static void add_text_tests(const struct cul_signature *sig,
                           struct cul_buf *out) {
  cul_repro_message_test(sig, out);
  for (size_t i = 0; i < sig->n_frames; i++)
    if (sig->frames[i].role == CUL_FRAME_RELEVANT && sig->frames[i].name[0]) {
      add_grep(sig->frames[i].name, out);
      break;
    }
}

/* Add a status unless it is there already.  False: there is no room. */
static bool add_status(struct cul_repro_end *end, int status) {
  for (size_t i = 0; i < end->n; i++)
    if (end->statuses[i] == status)
      return true;
  if (end->n == CUL_REPRO_STATUSES)
    return false;
  end->statuses[end->n++] = status;
  return true;
}

struct cul_repro_end cul_repro_end_of(const struct cul_signature *sig,
                                      const struct cul_record *records,
                                      size_t n) {
  struct cul_repro_end end = {0};
  if (n && records[0].end == CUL_SIGNALED)
    return (struct cul_repro_end){.signal = records[0].status};
  if (!cul_signature_chooses_status(sig))
    return end;
  for (size_t i = 0; i < n; i++)
    if (records[i].role == CUL_ROLE_SUSPECT && records[i].end == CUL_EXITED &&
        records[i].status != 0 && !add_status(&end, records[i].status))
      return (struct cul_repro_end){0};
  return end;
}

static void add_end_test(const struct cul_repro_end *end, struct cul_buf *out) {
  if (end->signal) {
    cul_buf_addf(out, "[ $status -eq %d ] || exit 1\n", 128 + end->signal);
    return;
  }
  if (end->n == 0) {
    cul_buf_adds(out, "[ $status -ne 0 ] || exit 1\n");
    return;
  }
  for (size_t i = 0; i < end->n; i++)
    cul_buf_addf(out, "[ $status -eq %d ] || ", end->statuses[i]);
  cul_buf_adds(out, "exit 1\n");
}

/* Append tests for the failure that the signature identifies. */
static void add_signature_tests(const struct cul_signature *sig,
                                const struct cul_repro_end *end,
                                struct cul_buf *out) {
  if (sig->kind == CUL_KIND_TIMEOUT) {
    cul_buf_adds(out, "[ $status -eq 124 ] || [ $status -eq 137 ] || exit 1\n");
    return;
  }
  add_end_test(end, out);
  add_text_tests(sig, out);
}

static void add_script_tests(enum cul_sense sense, struct cul_buf *out) {
  if (sense < CUL_SENSE_NONZERO) {
    cul_buf_adds(out, "[ $status -eq 0 ] || exit 1\n");
    return;
  }
  cul_buf_adds(out, "case $status in 0|125|126|127) exit 1;; esac\n");
  if (sense == CUL_SENSE_BISECT)
    cul_buf_adds(out, "[ $status -lt 128 ] || exit 1\n");
}

/* Append tests for the failure that the options define; all must hold. */
static void add_asked_tests(const struct cul_oracle_conf *conf,
                            struct cul_buf *out) {
  if (conf->script.wanted)
    add_script_tests(conf->script.sense, out);
  if (conf->match) {
    cul_buf_adds(out, "grep -qP -- ");
    cul_shell_quote(conf->match, out);
    cul_buf_adds(out, " \"$log\" || exit 1\n");
  }
  if (conf->exit_code >= 0)
    cul_buf_addf(out, "[ $status -eq %d ] || exit 1\n", conf->exit_code);
  if (conf->signal)
    cul_buf_addf(out, "[ $status -eq %d ] || exit 1\n", 128 + conf->signal);
  if (conf->any_crash)
    cul_buf_adds(out, "[ $status -gt 128 ] || exit 1\n");
}

void cul_repro_tests(const struct cul_oracle_conf *conf,
                     const struct cul_signature *sig,
                     const struct cul_repro_end *end, struct cul_buf *out) {
  size_t before = out->len;
  add_asked_tests(conf, out);
  if (out->len == before)
    add_signature_tests(sig, end, out);
}

/* ---- missing programs ---- */

/* A shell, env and timeout exit with 126 if a program cannot be run, and with
 * 127 if it is missing. */
static bool is_missing(int status) { return status == 126 || status == 127; }

static bool ends_so(const struct cul_oracle_conf *conf,
                    const struct cul_signature *sig,
                    const struct cul_record *records, size_t n) {
  if (is_missing(conf->exit_code) ||
      (sig->kind == CUL_KIND_EXIT && is_missing(sig->status)))
    return true;
  for (size_t i = 0; i < n; i++)
    if (records[i].end == CUL_EXITED && is_missing(records[i].status))
      return true;
  return false;
}

static bool speaks_so(const struct cul_oracle_conf *conf,
                      const struct cul_signature *sig,
                      const struct cul_record *records, size_t n) {
  static const char words[] = "not found";
  if (strstr(sig->raw, words) || (conf->match && strstr(conf->match, words)))
    return true;
  for (size_t i = 0; i < n; i++)
    if (strstr(cul_buf_str(&records[i].out), words) ||
        strstr(cul_buf_str(&records[i].err), words))
      return true;
  return false;
}

void cul_repro_missing(const struct cul_oracle_conf *conf,
                       const struct cul_signature *sig,
                       const struct cul_record *records, size_t n,
                       struct cul_buf *out) {
  static const char *const tests[] = {
      "[ $status -eq 126 ] || [ $status -eq 127 ]",
      /* The exit status does not show a program missing earlier in a pipe. */
      "grep -qE '^[^ ]+: (line )?[0-9]+: .+: (command )?not found$' \"$log\""};
  bool asked[] = {!ends_so(conf, sig, records, n),
                  !speaks_so(conf, sig, records, n)};
  if (!asked[0] && !asked[1])
    return;
  cul_buf_addf(
      out,
      "if %s%s%s; then\n"
      "  echo \"cannot tell: a program of the command is missing here, "
      "or cannot be run (exit status $status)\" >&2\n"
      "  tail -n 1 \"$log\" >&2\n  exit 2\nfi\n",
      asked[0] ? tests[0] : "", asked[0] && asked[1] ? " ||\n  " : "",
      asked[1] ? tests[1] : "");
}
