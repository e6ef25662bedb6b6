/* repro.sh and report.md: see repro.h. */
#include "repro.h"

#include <string.h>

#include "../base/file.h"

static bool is_plain(const char *text) {
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                             "WXYZ0123456789_-+=./,:@%";
  return *text && strspn(text, safe) == strlen(text);
}

void cul_shell_quote(const char *text, struct cul_buf *out) {
  if (is_plain(text)) {
    cul_buf_adds(out, text);
    return;
  }
  cul_buf_addc(out, '\'');
  for (; *text; text++)
    if (*text == '\'')
      cul_buf_adds(out, "'\\''");
    else
      cul_buf_addc(out, *text);
  cul_buf_addc(out, '\'');
}

/* One argument of the command, with the candidate as "$repro". */
static void add_argument(const char *arg, struct cul_buf *out) {
  struct cul_buf literal = {0};
  const char *at;
  cul_buf_addc(out, ' ');
  if (!strstr(arg, "@@")) {
    cul_shell_quote(arg, out);
    return;
  }
  while ((at = strstr(arg, "@@"))) {
    cul_buf_clear(&literal);
    cul_buf_add(&literal, arg, (size_t)(at - arg));
    if (literal.len)
      cul_shell_quote(cul_buf_str(&literal), out);
    if (strncmp(at, "@@@@", 4) == 0) {
      cul_shell_quote("@@", out);
      arg = at + 4;
      continue;
    }
    cul_buf_adds(out, "\"$repro\"");
    arg = at + 2;
    if (arg[0] == '.') /* "@@.ext": the file already has its extension */
      arg += strcspn(arg, " /'\";|&");
  }
  if (*arg)
    cul_shell_quote(arg, out);
  cul_buf_release(&literal);
}

static void add_command(const struct cul_reduce *job, struct cul_buf *out) {
  if (job->conf->target.script) {
    cul_buf_adds(out, " \"$here/interesting\" \"$repro\" <\"$repro\"");
    return;
  }
  for (const char *const *arg = job->target.command.argv; *arg; arg++)
    add_argument(*arg, out);
  if (job->target.command.delivery == CUL_BY_STDIN)
    cul_buf_adds(out, " <\"$repro\"");
}

/* The longest run of the message without digits, paths and quotes: stays
 * the same from run to run. */
static void stable_part(const char *text, struct cul_buf *out) {
  static const char varying[] = "0123456789/'\"%@<>()[]{}\n";
  size_t best = 0, at = 0, n;
  for (size_t i = 0; text[i]; i += n + (text[i + n] != '\0')) {
    n = strcspn(text + i, varying);
    if (n > best)
      best = n, at = i;
  }
  cul_buf_add(out, text + at, best);
}

/* grep lines for what of the signature is text: message, first frame. */
static void add_text_tests(const struct cul_signature *sig,
                           struct cul_buf *out) {
  struct cul_buf part = {0};
  stable_part(sig->raw, &part);
  if (part.len >= 8) {
    cul_buf_adds(out, "grep -qF -- ");
    cul_shell_quote(cul_buf_str(&part), out);
    cul_buf_adds(out, " \"$log\" || exit 1\n");
  }
  for (size_t i = 0; i < sig->n_frames; i++)
    if (sig->frames[i].role == CUL_FRAME_RELEVANT && sig->frames[i].name[0]) {
      cul_buf_adds(out, "grep -qF -- ");
      cul_shell_quote(sig->frames[i].name, out);
      cul_buf_adds(out, " \"$log\" || exit 1\n");
      break;
    }
  cul_buf_release(&part);
}

static void add_tests(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_oracle_conf *conf = &job->target.oracle_conf;
  const struct cul_signature *sig = &job->target.original.verdict.sig;
  const struct cul_record *record =
      job->target.original.n ? &job->target.original.records[0] : NULL;
  if (conf->script) {
    cul_buf_adds(out, "[ $status -eq 0 ]\n");
  } else if (conf->match) {
    cul_buf_adds(out, "grep -qP -- ");
    cul_shell_quote(conf->match, out);
    cul_buf_adds(out, " \"$log\"\n");
  } else if (conf->exit_code >= 0) {
    cul_buf_addf(out, "[ $status -eq %d ]\n", conf->exit_code);
  } else if (conf->signal) {
    cul_buf_addf(out, "[ $status -eq %d ]\n", 128 + conf->signal);
  } else if (conf->any_crash) {
    cul_buf_adds(out, "[ $status -gt 128 ]\n");
  } else if (sig->kind == CUL_KIND_TIMEOUT) {
    cul_buf_adds(out, "[ $status -eq 124 ] || [ $status -eq 137 ]\n");
  } else {
    if (record && record->end == CUL_SIGNALED)
      cul_buf_addf(out, "[ $status -eq %d ] || exit 1\n", 128 + record->status);
    else
      cul_buf_adds(out, "[ $status -ne 0 ] || exit 1\n");
    add_text_tests(sig, out);
    cul_buf_adds(out, "exit 0\n");
  }
}

const char *cul_repro_extension(const struct cul_reduce *job) {
  const char *dot = strrchr(cul_basename(job->conf->target.input), '.');
  return dot ? dot : "";
}

void cul_repro_script(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_signature *sig = &job->target.original.verdict.sig;
  cul_buf_adds(out, "#!/bin/sh\n# Exits 0 when the failure shows, 1 when it "
                    "does not.\n# ");
  cul_buf_adds(out, sig->title);
  cul_buf_addf(
      out,
      "\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\n"
      "repro=$here/repro%s\nlog=$(mktemp)\ntrap 'rm -f \"$log\"' EXIT\n"
      "export LLVM_DISABLE_CRASH_REPORT=1 "
      "LLVM_DISABLE_SYMBOLIZATION=1\n",
      cul_repro_extension(job));
  if (sig->kind == CUL_KIND_TIMEOUT)
    cul_buf_addf(out, "timeout -k 1 %llu",
                 (unsigned long long)job->target.probe.request.wall_ms / 1000);
  else
    cul_buf_adds(out, "env");
  add_command(job, out);
  cul_buf_adds(out, " >\"$log\" 2>&1\nstatus=$?\ncat \"$log\"\n");
  add_tests(job, out);
}

static void add_fenced(const char *tag, const char *text, size_t len,
                       struct cul_buf *out) {
  cul_buf_addf(out, "```%s\n", tag);
  cul_buf_add(out, text, len);
  if (len && text[len - 1] != '\n')
    cul_buf_addc(out, '\n');
  cul_buf_adds(out, "```\n");
}

static void add_numbers(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_counts *counts = &job->target.probe.counts;
  cul_buf_addf(
      out,
      "| | before | after |\n|---|---|---|\n"
      "| operations | %llu | %llu |\n| bytes | %llu | %llu |\n\n"
      "%llu runs of the tool, %llu answers from the cache; shown "
      "again in %d of %d fresh runs.\n",
      (unsigned long long)job->initial.ops, (unsigned long long)job->final.ops,
      (unsigned long long)job->initial.bytes,
      (unsigned long long)job->final.bytes,
      (unsigned long long)counts->executed, (unsigned long long)counts->cached,
      job->confirmed, job->confirm_runs);
}

void cul_repro_page(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_signature *sig = &job->target.original.verdict.sig;
  struct cul_buf command = {0};
  cul_buf_addf(out, "# %s\n\n", sig->title);
  cul_signature_describe(sig, out);
  cul_buf_adds(out, "\n## Reproduce\n\n");
  cul_buf_addf(&command, "repro=repro%s;", cul_repro_extension(job));
  add_command(job, &command);
  add_fenced("sh", command.data, command.len, out);
  cul_buf_adds(out, "\n");
  add_fenced("mlir", job->text.data, job->text.len, out);
  cul_buf_adds(out, "\n## Reduction\n\n");
  add_numbers(job, out);
  if (job->passing.len)
    cul_buf_addf(out,
                 "\n`passing%s` is the nearest module that passes: one "
                 "edit (%s) away.\n",
                 cul_repro_extension(job), job->passing_edit);
  cul_buf_release(&command);
}
