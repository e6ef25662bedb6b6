/* repro.sh and report.md: see repro.h. */
#include "repro.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "../base/markup.h"
#include "../base/visible.h"
#include "../pipeline/shell_text.h"
#include "heap.h"
#include "input_data.h"
#include "origins.h"

static bool has_delivery(const struct cul_command *command,
                         enum cul_delivery one) {
  return command->delivery == one || command->delivery == CUL_BY_ALL;
}

/* The command of a role beside the suspect's. */
void cul_repro_role(const struct cul_command *command, struct cul_buf *out) {
  cul_shell_program(command->argv, out);
  if (has_delivery(command, CUL_BY_STDIN))
    cul_buf_adds(out, " <\"$repro\"");
}

void cul_repro_command(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_command *command = cul_target_command(&job->target);
  if (job->target.contract) {
    cul_buf_adds(out, " CULPRIT_CANDIDATE=\"$repro\" CULPRIT_ORIGINAL="
                      "\"$repro\" CULPRIT_WORKDIR=\"${repro%/*}\" "
                      "\"$here/interesting\"");
    cul_shell_arguments(job->conf->target.argv, out);
  } else {
    cul_shell_program(command->argv, out);
  }
  if (has_delivery(command, CUL_BY_ARGUMENT))
    cul_buf_adds(out, " \"$repro\"");
  if (has_delivery(command, CUL_BY_STDIN))
    cul_buf_adds(out, " <\"$repro\"");
}

/* Does a shell read the candidate's path as text of its own? */
static bool read_by_shell(const struct cul_command *command) {
  for (size_t i = 0; command->argv && command->argv[i]; i++)
    if (i && strcmp(command->argv[i - 1], "-c") == 0 &&
        strpbrk(command->argv[i], " \t;|&<>") &&
        (strstr(command->argv[i], "@@") || strstr(command->argv[i], "@{")))
      return true;
  return false;
}

/* Then no blank and no quote may stand in it: the bundle gets another path. */
static void add_plain_path(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_command *reference =
      job->target.probe.roles[CUL_ROLE_REFERENCE].cmd;
  if (!read_by_shell(cul_target_command(&job->target)) &&
      !(reference && read_by_shell(reference)))
    return;
  cul_buf_adds(out, "case $here in\n*[!A-Za-z0-9_./+,:@%=-]*)\n"
                    "  # a shell reads the path as text\n"
                    "  hold=$(mktemp -d /tmp/repro.XXXXXX) || exit 2\n  trap "
                    "'rm -rf \"$hold\"' EXIT\n"
                    "  ln -s \"$here\" \"$hold/bundle\" || exit 2\n"
                    "  sh \"$hold/bundle/repro.sh\"\n  exit\n  ;;\nesac\n");
}

/* Does it name a file, or a program, by where it was started? */
static bool is_nearby(const char *const *argv) {
  for (size_t i = 0; argv && argv[i]; i++) {
    bool path = strchr(argv[i], '/') != NULL;
    if (strncmp(argv[i], "./", 2) == 0 || strstr(argv[i], " ./") ||
        strstr(argv[i], "../"))
      return true;
    if (argv[i][0] != '/' && (path || i > 0) && access(argv[i], F_OK) == 0)
      return true;
  }
  return false;
}

static void add_start(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_command *reference =
      job->target.probe.roles[CUL_ROLE_REFERENCE].cmd;
  char *here;
  if (job->target.contract ||
      !(is_nearby(cul_target_command(&job->target)->argv) ||
        (reference && is_nearby(reference->argv))))
    return;
  here = getcwd(NULL, 0);
  if (!here)
    return;
  cul_buf_adds(out, "# The command names files by where it was started.\ncd ");
  cul_shell_quote(here, out);
  cul_buf_adds(out, " || exit 2\n");
  free(here);
}

/* A script that runs beside the candidate finds it under its own name. */
static void add_directory(const struct cul_reduce *job, struct cul_buf *out) {
  if (cul_contract_shares(job->target.contract)) {
    cul_buf_adds(out, "file=");
    cul_shell_quote(job->target.file, out);
    cul_buf_adds(out, "\nln -s \"$repro\" \"./$file\" || exit 2\n"
                      "trap 'rm -f \"$log\" \"./$file\"' EXIT\n");
  }
  if (!job->target.contract || !job->target.contract->fresh)
    return;
  cul_buf_adds(out, "work=$(mktemp -d) || exit 2\n"
                    "trap 'rm -rf \"$log\" \"$work\"' EXIT\n");
  cul_buf_adds(out, "file=");
  cul_shell_quote(job->target.file, out);
  cul_buf_adds(out, "\ncp \"$repro\" \"$work/$file\"\n"
                    "repro=$work/$file\ncd \"$work\" || exit 2\n");
}

/* Does the result show the failure in another place than the input? */
static bool shows_elsewhere(const struct cul_reduce *job) {
  return job->target.n_places > 0 && job->named.kind == CUL_KIND_SIGNAL &&
         !cul_signature_same(&job->target.original.verdict.sig, &job->named,
                             NULL, 0);
}

static void add_tests(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_oracle_conf *conf = &job->target.oracle_conf;
  const struct cul_judged *original = &job->target.original;
  struct cul_signature said = original->verdict.sig;
  const struct cul_signature *sig = &said;
  struct cul_repro_end end =
      cul_repro_end_of(sig, original->records, original->n);
  if (shows_elsewhere(job)) {
    sig = &job->named;
    end = (struct cul_repro_end){.signal = sig->signal};
  }
  if (conf->plugin) {
    cul_buf_adds(out, "echo 'a plugin judges this run: culprit replay' "
                      "\"$here\" >&2\nexit 125\n");
    return;
  }
  if (job->target.probe.request.flags & CUL_RUN_WHERE)
    said.n_frames = 0; /* the tool alone does not print them */
  cul_repro_tests(conf, sig, &end, out);
  cul_buf_adds(out, "exit 0\n");
}

const char *cul_repro_extension(const struct cul_reduce *job) {
  return cul_repro_case_extension(job->conf->target.input);
}

/* Runs after which a flaky failure has shown itself with 99 %; 1 where it is
 * certain. */
static uint32_t tries(const struct cul_reduce *job) {
  struct cul_sprt test;
  struct cul_rate rate = job->confirmed;
  if (!cul_target_flaky(&job->target, NULL) || rate.fails == 0 ||
      job->target.oracle_conf.plugin)
    return 1;
  cul_sprt_init(&test, rate);
  return test.silent;
}

/* The failure in one line; of a script only what it preserves is known. */
static void add_title(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_target *target = &job->target;
  if (*target->original.verdict.sig.title || !target->contract)
    cul_buf_adds(out, target->original.verdict.sig.title);
  else
    target->probe.oracle->describe(target->probe.oracle_self, out);
}

/* Both commands on the repro: what they print, addresses aside, and what they
 * write has to differ. */
static void add_mismatch(const struct cul_reduce *job, struct cul_buf *out) {
  cul_buf_adds(out, "work=$(mktemp -d) || exit 2\n"
                    "trap 'rm -rf \"$log\" \"$work\"' EXIT\n"
                    "suspect() {\n  env");
  cul_repro_command(job, out);
  cul_buf_adds(out, "\n}\nreference() {\n  env");
  cul_repro_role(&job->target.roles[CUL_ROLE_REFERENCE].command, out);
  cul_buf_adds(out, "\n}\nfor who in suspect reference; do\n"
                    "  out=$work/$who\n  rm -rf \"$out\"\n"
                    "  mkdir \"$out\"\n  $who >\"$log\" || exit 1\n"
                    "  echo \"$who:\"\n  cat \"$log\"\n"
                    "  sed 's/0x[0-9a-f]*//g' \"$log\" >\"$out/.printed\"\n"
                    "done\n"
                    "diff -r \"$work/suspect\" \"$work/reference\" "
                    ">/dev/null && exit 1\nexit 0\n");
}

/* The command once, and what its output has to show. */
static void add_single(const struct cul_reduce *job, struct cul_buf *out) {
  if (job->target.original.verdict.sig.kind == CUL_KIND_TIMEOUT)
    cul_buf_addf(out, "timeout -k 1 %.3f",
                 (double)job->target.probe.request.wall_ms / 1000);
  else
    cul_buf_adds(out, "env");
  cul_heap_env(job, out);
  cul_repro_command(job, out);
  cul_buf_adds(out, " >\"$log\" 2>&1\nstatus=$?\ncat \"$log\"\n");
  add_tests(job, out);
}

void cul_repro_script(const struct cul_reduce *job, struct cul_buf *out) {
  uint32_t most = tries(job);
  struct cul_buf title = {0};
  cul_buf_adds(out, "#!/bin/sh\n# Exits 0 when the failure shows, 1 when it "
                    "does not.\n# ");
  add_title(job, &title);
  cul_shell_comment(cul_buf_str(&title), out);
  cul_buf_release(&title);
  cul_buf_adds(out, "\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\n");
  add_plain_path(job, out);
  add_start(job, out);
  cul_buf_addf(out,
               "repro=$here/repro%s\nlog=$(mktemp) || exit 2\ntrap 'rm -f "
               "\"$log\"' EXIT\n"
               "export LLVM_DISABLE_CRASH_REPORT=1 "
               "LLVM_DISABLE_SYMBOLIZATION=1\n",
               cul_repro_extension(job));
  cul_shell_environment(&job->conf->target.environment, job->target.environment,
                        out);
  add_directory(job, out);
  if (most > 1)
    cul_buf_adds(out, "# One run; it does not show the failure each time.\n"
                      "attempt() (\n");
  if (job->target.oracle_conf.mismatch)
    add_mismatch(job, out);
  else if (cul_target_whole(&job->target))
    cul_repro_whole(job, out);
  else
    add_single(job, out);
  if (most > 1)
    cul_buf_addf(out,
                 ")\nn=0\nwhile [ $n -lt %u ]; do\n  attempt && exit 0\n"
                 "  n=$((n + 1))\ndone\nexit 1\n",
                 most);
}

static void add_fenced(const char *tag, const struct cul_buf *text,
                       struct cul_buf *out) {
  cul_markdown_lines(tag, cul_buf_bytes(text), out);
}

static void add_numbers(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_counts *counts = &job->target.probe.counts;
  cul_buf_addf(out,
               "| | before | after |\n|---|---|---|\n"
               "| %s | %llu | %llu |\n| bytes | %llu | %llu |\n\n"
               "%llu run%s of the tool, %llu answer%s from the cache; shown "
               "again in %d of %d fresh run%s%s.\n",
               cul_form_unit(job->form.form, 0),
               (unsigned long long)job->initial.ops,
               (unsigned long long)job->final.ops,
               (unsigned long long)job->initial.bytes,
               (unsigned long long)job->final.bytes,
               (unsigned long long)counts->executed, cul_s(counts->executed),
               (unsigned long long)counts->cached, cul_s(counts->cached),
               (int)job->confirmed.fails, (int)job->confirmed.runs,
               cul_s(job->confirmed.runs),
               job->cut ? ", then `--max-time` was reached" : "");
}

static void add_neighbour(const struct cul_reduce *job, struct cul_buf *out) {
  if (job->passing.len == 0)
    return;
  if (job->difference.len)
    cul_buf_addf(out, "\nIt passes when %s.\n", cul_buf_str(&job->difference));
  cul_buf_addf(out,
               "\n`passing%s` is the nearest module that passes: one "
               "edit (%s) away.\n",
               cul_repro_extension(job), job->passing_edit);
}

/* The same as a crash reproducer, where that is offered. */
static void add_reproducer(const struct cul_reduce *job, struct cul_buf *out) {
  struct cul_buf command = {0};
  if (job->reproducer.len == 0)
    return;
  cul_buf_adds(&command, "repro=reproducer.mlir;");
  cul_shell_program((const char *const *)job->reproducer_argv, &command);
  cul_buf_adds(out, "Or, with the pipeline in the file itself:\n\n");
  add_fenced("sh", &command, out);
  cul_buf_adds(out, "\n");
  cul_buf_release(&command);
}

static void add_divergence(const struct cul_reduce *job, struct cul_buf *out) {
  if (!job->divergence_taken)
    return;
  cul_buf_adds(out, "\nThe numbers of the input are wrong first in ");
  cul_markdown_code(job->divergence.operation, out);
  cul_buf_adds(out, " at ");
  cul_markdown_words(job->divergence.location, out);
  cul_buf_adds(out, ": what is left is of it.\n");
}

/* The failure as a heading, and what is known of it, a paragraph. */
static void add_failure(const struct cul_reduce *job, struct cul_buf *out) {
  struct cul_buf words = {0};
  const char *line;
  cul_buf_adds(out, "# ");
  add_title(job, &words);
  cul_markdown_words(cul_buf_str(&words), out);
  cul_buf_adds(out, "\n\n");
  cul_buf_clear(&words);
  if (!job->target.contract)
    cul_signature_describe(&job->target.original.verdict.sig, &words);
  for (line = cul_buf_str(&words); *line; line += strspn(line, "\n")) {
    size_t n = strcspn(line, "\n");
    char *one = cul_xstrndup(line, n);
    cul_markdown_words(one, out);
    cul_buf_addc(out, '\n');
    free(one);
    line += n;
  }
  cul_buf_release(&words);
}

void cul_repro_page(const struct cul_reduce *job, struct cul_buf *out) {
  struct cul_buf command = {0};
  add_failure(job, out);
  cul_buf_adds(out, "\n## Reproduce\n\n");
  if (job->target.contract || job->target.oracle_conf.mismatch ||
      cul_target_whole(&job->target)) {
    cul_buf_adds(&command, "sh repro.sh");
  } else {
    cul_shell_environment(&job->conf->target.environment,
                          job->target.environment, &command);
    cul_buf_addf(&command, "repro=repro%s;", cul_repro_extension(job));
    cul_repro_command(job, &command);
  }
  add_fenced("sh", &command, out);
  cul_buf_adds(out, "\n");
  add_reproducer(job, out);
  add_fenced("mlir", &job->text, out);
  cul_input_data_page(job, out);
  cul_buf_adds(out, "\n## Reduction\n\n");
  add_numbers(job, out);
  add_neighbour(job, out);
  add_divergence(job, out);
  cul_heap_page(job, out);
  cul_origins_page(job, out);
  cul_buf_release(&command);
  cul_visible_make(out);
}
