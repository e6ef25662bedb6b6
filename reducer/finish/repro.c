/* repro.sh: see repro.h. */
#include "repro.h"

#include <inttypes.h>
#include <nettle/sha2.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../oracles/numbers/measured.h"
#include "../../oracles/numbers/nondeterminism.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/target/scripts.h"
#include "../../probe/target/start_lines.h"
#include "../../probe/target/variables.h"
#include "../plan/heap.h"

static void repro_whole(const struct cul_reduce *job, struct cul_buf *out);

static bool has_delivery(const struct cul_command *command,
                         enum cul_delivery one) {
  return command->delivery == one || command->delivery == CUL_BY_ALL;
}

void cul_repro_role(const struct cul_command *command,
                    const char *const *scripts, struct cul_buf *out) {
  cul_shell_program(command->argv, scripts, out);
  if (has_delivery(command, CUL_BY_STDIN))
    cul_buf_adds(out, " <\"$repro\"");
}

static void repro_command(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_command *command = cul_target_command(&job->target);
  if (job->target.script.contract) {
    cul_buf_adds(out, " CULPRIT_CANDIDATE=\"$repro\" CULPRIT_ORIGINAL="
                      "\"$repro\" CULPRIT_WORKDIR=\"${repro%/*}\" "
                      "\"$interesting\"");
    cul_shell_arguments(job->conf->target.argv, out);
  } else {
    char **copied = cul_scripts_named(&job->target, NULL);
    cul_shell_program(command->argv, (const char *const *)copied, out);
    cul_scripts_free(copied);
  }
  if (has_delivery(command, CUL_BY_ARGUMENT))
    cul_buf_adds(out, " \"$repro\"");
  if (has_delivery(command, CUL_BY_STDIN))
    cul_buf_adds(out, " <\"$repro\"");
}

static void add_role(const struct cul_reduce *job,
                     const struct cul_command *command, struct cul_buf *out) {
  char **copied = cul_scripts_named(&job->target, NULL);
  cul_repro_role(command, (const char *const *)copied, out);
  cul_scripts_free(copied);
}

/* Does the command put the candidate's path into the text of a shell? */
static bool read_by_shell(const struct cul_command *command) {
  for (size_t i = 0; command->argv && command->argv[i]; i++)
    if (i && strcmp(command->argv[i - 1], "-c") == 0 &&
        strpbrk(command->argv[i], " \t;|&<>") &&
        (strstr(command->argv[i], "@@") || strstr(command->argv[i], "@{")))
      return true;
  return false;
}

/* If a shell reads the path, it may contain no blank and no quote: let a script
 * at another path run itself again through a link to the bundle. */
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

/* Give the candidate its own name in the directory where the contract's script
 * expects it. */
static void add_directory(const struct cul_reduce *job, struct cul_buf *out) {
  if (cul_contract_shares(job->target.script.contract)) {
    cul_buf_adds(out, "file=");
    cul_shell_quote(job->target.subject.file, out);
    cul_buf_adds(out, "\nln -s \"$repro\" \"./$file\" || exit 2\n"
                      "trap 'rm -f \"$log\" \"./$file\"' EXIT\n");
  }
  if (!job->target.script.contract || !job->target.script.contract->fresh)
    return;
  cul_buf_adds(out, "work=$(mktemp -d) || exit 2\n"
                    "trap 'rm -rf \"$log\" \"$work\"' EXIT\n");
  cul_buf_adds(out, "file=");
  cul_shell_quote(job->target.subject.file, out);
  cul_buf_adds(out, "\ncp \"$repro\" \"$work/$file\"\n"
                    "repro=$work/$file\ncd \"$work\" || exit 2\n");
}

/* Does the result fail at another place than the input? */
static bool shows_elsewhere(const struct cul_reduce *job) {
  return job->target.places.n > 0 &&
         job->outcome.named.kind == CUL_KIND_SIGNAL &&
         !cul_signature_same(&job->target.original.verdict.sig,
                             &job->outcome.named, NULL, 0);
}

static void add_missing(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_judged *original = &job->target.original;
  cul_repro_missing(&job->target.oracle_conf, &original->verdict.sig,
                    original->records, original->n, out);
}

/* ---- crashes with a stack without names ---- */

enum { MOST_FRAMES = 4, PAGE_MASK = 0xfff };

/* Append an extended regular expression for a frame as LLVM prints it: the
 * offset in its module, or the last digits of the address, which do not change
 * because modules are loaded at whole pages. */
static void add_frame_pattern(const struct cul_frame *frame,
                              struct cul_buf *out) {
  for (const char *at = frame->module; *at; at++)
    cul_buf_addf(out, strchr("\\.[](){}*+?^$|", *at) ? "\\%c" : "%c", *at);
  if (frame->relative)
    cul_buf_addf(out, "\\+0x0*%" PRIx64, frame->offset);
  else
    cul_buf_addf(out, " +0x[0-9a-f]*%03" PRIx64, frame->offset & PAGE_MASK);
  cul_buf_adds(out, "([^0-9a-f]|$)");
}

static bool shows(const struct cul_record *record, const char *pattern) {
  regex_t regex;
  bool found;
  if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0)
    return false;
  found = regexec(&regex, cul_buf_str(&record->err), 0, NULL, 0) == 0 ||
          regexec(&regex, cul_buf_str(&record->out), 0, NULL, 0) == 0;
  regfree(&regex);
  return found;
}

/* Does the run of the result with the symbolizer have this frame? */
static bool stays(const struct cul_signature *named,
                  const struct cul_frame *frame) {
  for (size_t i = 0; i < named->n_frames; i++)
    if (strcmp(named->frames[i].module, frame->module) == 0 &&
        ((named->frames[i].offset ^ frame->offset) & PAGE_MASK) == 0)
      return true;
  return named->n_frames == 0;
}

/* The path of a file that the tool read, by its base name; heap, or NULL. */
static char *path_of_module(const struct cul_identity *identity,
                            const char *module) {
  const char *at = cul_buf_str(&identity->files);
  for (; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    size_t n = strcspn(at, "\n"), digest = strcspn(at, " ");
    char *path = digest < n ? cul_xstrndup(at + digest + 1, n - digest - 1)
                            : cul_xstrdup("");
    if (strcmp(cul_basename(path), module) == 0)
      return path;
    free(path);
  }
  return NULL;
}

/* Write the SHA-256 of a file, in hex. */
static bool sum_of(const char *path, struct cul_buf *out) {
  uint8_t sum[SHA256_DIGEST_SIZE], part[1 << 16];
  struct sha256_ctx sha;
  FILE *file = fopen(path, "re");
  size_t n;
  bool whole;
  if (!file)
    return false;
  sha256_init(&sha);
  while ((n = fread(part, 1, sizeof part, file)) > 0)
    sha256_update(&sha, n, part);
  whole = !ferror(file);
  fclose(file);
  sha256_digest(&sha, sizeof sum, sum);
  for (size_t i = 0; i < sizeof sum; i++)
    cul_buf_addf(out, "%02x", sum[i]);
  return whole;
}

static bool by_signal_alone(const struct cul_reduce *job,
                            const struct cul_signature *sig) {
  const struct cul_oracle_conf *conf = &job->target.oracle_conf;
  if (sig->kind != CUL_KIND_SIGNAL || !sig->signal || conf->match ||
      conf->signal || conf->any_crash || conf->exit_code >= 0 ||
      conf->script.wanted || job->target.places.n > 0 ||
      job->target.original.n == 0)
    return false;
  for (size_t i = 0; i < sig->n_frames; i++)
    if (sig->frames[i].role == CUL_FRAME_RELEVANT && sig->frames[i].name[0])
      return false;
  return true;
}

/* If only the signal identifies the crash, test its stack too, as long as the
 * file in which it crashes is unchanged. */
static void add_stack_test(const struct cul_reduce *job,
                           const struct cul_signature *sig,
                           struct cul_buf *out) {
  const struct cul_frame *first = NULL;
  CUL_OWNED(cul_buf) tests = {0}, sum = {0};
  CUL_HEAP char *path = NULL;
  for (size_t i = 0, n = 0; i < sig->n_frames && n < MOST_FRAMES; i++) {
    const struct cul_frame *frame = &sig->frames[i];
    CUL_OWNED(cul_buf) pattern = {0};
    if (frame->role != CUL_FRAME_RELEVANT || !frame->offset ||
        !frame->module[0] || (first && strcmp(first->module, frame->module)) ||
        !stays(&job->outcome.named, frame))
      continue;
    add_frame_pattern(frame, &pattern);
    if (shows(&job->target.original.records[0], cul_buf_str(&pattern))) {
      first = first ? first : frame;
      cul_buf_adds(&tests, "  grep -qE -- ");
      cul_shell_quote(cul_buf_str(&pattern), &tests);
      cul_buf_adds(&tests, " \"$log\" || exit 1\n");
      n++;
    }
  }
  if (first)
    path = path_of_module(&job->target.tool.identity, first->module);
  if (path && sum_of(path, &sum)) {
    cul_buf_adds(out, "file=");
    cul_shell_quote(path, out);
    cul_buf_addf(out,
                 "\nsum=$(sha256sum <\"$file\" 2>/dev/null)\n"
                 "if [ \"${sum%%%% *}\" = %s ]; then\n%selse\n"
                 "  echo \"$file is another file here: only the signal was "
                 "compared, not the place of the crash\" >&2\nfi\n",
                 cul_buf_str(&sum), cul_buf_str(&tests));
  }
}

static void add_tests(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_oracle_conf *conf = &job->target.oracle_conf;
  const struct cul_judged *original = &job->target.original;
  struct cul_signature said = original->verdict.sig;
  const struct cul_signature *sig = &said;
  struct cul_repro_end end =
      cul_repro_end_of(sig, original->records, original->n);
  if (shows_elsewhere(job)) {
    sig = &job->outcome.named;
    end = (struct cul_repro_end){.signal = sig->signal};
  }
  if (conf->plugin) {
    cul_buf_adds(out, "echo 'a plugin judges this run: culprit replay' "
                      "\"$here\" >&2\nexit 2\n");
    return;
  }
  if (job->target.probe.request.flags & CUL_RUN_WHERE)
    said.n_frames = 0; /* only a run with CUL_RUN_WHERE prints them */
  cul_repro_tests(conf, sig, &end, out);
  if (by_signal_alone(job, sig))
    add_stack_test(job, sig, out);
  cul_buf_adds(out, "exit 0\n");
}

/* The number of runs within which a flaky failure shows with 99 % probability;
 * 1 for a certain failure. */
static uint32_t tries(const struct cul_reduce *job) {
  struct cul_sprt test;
  struct cul_rate rate = job->outcome.confirmed.rate;
  if (!cul_target_flaky(&job->target, NULL) || rate.fails == 0 ||
      job->target.oracle_conf.plugin)
    return 1;
  cul_sprt_init(&test, rate);
  return test.silent;
}

/* The failure in one line: for a mismatch, the numbers of the result; for a
 * script without a title, what the oracle preserves. */
static void add_title(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_target *target = &job->target;
  if (job->outcome.named.kind == CUL_KIND_MISMATCH)
    cul_buf_adds(out, job->outcome.named.title);
  else if (*target->original.verdict.sig.title || !target->script.contract)
    cul_buf_adds(out, target->original.verdict.sig.title);
  else
    target->probe.oracle->describe(target->probe.oracle_self, out);
}

/* If the command ends with an error, leave out the lines and files of the
 * reference that the command may not have reached. */
static void add_heads(const struct cul_oracle_conf *conf, struct cul_buf *out) {
  if ((conf->exit_code <= 0 && !conf->signal) || conf->mismatch.silent)
    return;
  cul_buf_adds(out, "# What the command does not print before its end is not "
                    "compared.\nn=$(wc -l <\"$work/suspect/.printed\")\n"
                    "[ $n -gt 0 ] || [ ! -s \"$work/suspect/.printed\" ] || "
                    "n=1\n"
                    "for file in \"$work/reference\"/*; do\n"
                    "  [ -e \"$work/suspect/${file##*/}\" ] || rm -f "
                    "\"$file\"\ndone\n"
                    "for who in suspect reference; do\n"
                    "  head -n \"$n\" \"$work/$who/.printed\" "
                    ">\"$work/printed\"\n"
                    "  mv \"$work/printed\" \"$work/$who/.printed\"\n"
                    "done\n");
}

/* Run both commands on the repro; what they print, without addresses, and what
 * they write must differ. */
static void add_mismatch(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_oracle_conf *conf = &job->target.oracle_conf;
  int status = conf->signal          ? 128 + conf->signal
               : conf->exit_code > 0 ? conf->exit_code
                                     : 0;
  cul_buf_adds(out, "work=$(mktemp -d) || exit 2\n"
                    "trap 'rm -rf \"$log\" \"$work\"' EXIT\n"
                    "suspect() {\n  env");
  repro_command(job, out);
  cul_buf_adds(out, "\n}\nreference() {\n  env");
  add_role(job, &job->target.roles.of[CUL_ROLE_REFERENCE].command, out);
  cul_buf_adds(out, "\n}\nfor who in suspect reference; do\n"
                    "  out=$work/$who\n  rm -rf \"$out\"\n"
                    "  mkdir \"$out\"\n  $who >\"$work/printed\" 2>\"$log\"\n"
                    "  status=$?\n  cat \"$log\" >&2\n");
  add_missing(job, out);
  if (status)
    cul_buf_addf(out,
                 "  want=0\n  [ $who = suspect ] && want=%d\n"
                 "  [ $status -eq $want ] || exit 1\n",
                 status);
  else
    cul_buf_adds(out, "  [ $status -eq 0 ] || exit 1\n");
  cul_buf_adds(out, "  mv \"$work/printed\" "
                    "\"$log\"\n  echo \"$who:\"\n  cat \"$log\"\n"
                    "  sed 's/0x[0-9a-f]*//g' \"$log\" >\"$out/.printed\"\n"
                    "done\n");
  add_heads(conf, out);
  cul_buf_adds(out, "diff -r \"$work/suspect\" \"$work/reference\" "
                    ">/dev/null && exit 1\nexit 0\n");
}

/* Run the command once and test its output. */
static void add_single(const struct cul_reduce *job, struct cul_buf *out) {
  if (job->target.original.verdict.sig.kind == CUL_KIND_TIMEOUT)
    cul_buf_addf(out, "timeout -k 1 %.3f",
                 (double)job->target.probe.request.wall_ms / 1000);
  else
    cul_buf_adds(out, "env");
  cul_heap_env(job, out);
  repro_command(job, out);
  cul_buf_adds(out, " >\"$log\" 2>&1\nstatus=$?\ncat \"$log\"\n");
  add_missing(job, out);
  add_tests(job, out);
}

void cul_repro_script(const struct cul_reduce *job, struct cul_buf *out) {
  uint32_t most = tries(job);
  CUL_OWNED(cul_buf) title = {0};
  cul_buf_adds(out, "#!/bin/sh\n# Exits 0 if the failure shows, 1 if it does "
                    "not, 2 if that is\n# unknown.\n# ");
  add_title(job, &title);
  cul_shell_comment(cul_buf_str(&title), out);
  cul_buf_adds(out, "\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\n");
  add_plain_path(job, out);
  cul_start_lines(&job->target, NULL, out);
  cul_buf_addf(out,
               "repro=$here/repro%s\nlog=$(mktemp) || exit 2\ntrap 'rm -f "
               "\"$log\"' EXIT\n"
               "export LLVM_DISABLE_CRASH_REPORT=1 "
               "LLVM_DISABLE_SYMBOLIZATION=1\n",
               cul_repro_case_extension(job->conf->target.input));
  cul_variables_lines(&job->target, &job->outcome.variables, out);
  add_directory(job, out);
  if (most > 1)
    cul_buf_adds(out, "# One run; it does not show the failure each time.\n"
                      "attempt() (\n");
  if (job->target.oracle_conf.mismatch.wanted)
    add_mismatch(job, out);
  else if (cul_target_whole(&job->target))
    repro_whole(job, out);
  else
    add_single(job, out);
  if (most > 1)
    cul_buf_addf(
        out,
        ")\nn=0\nwhile [ $n -lt %u ]; do\n  attempt\n  status=$?\n"
        "  [ $status -eq 1 ] || exit $status\n  n=$((n + 1))\ndone\nexit 1\n",
        most);
}

/* ---- failures that many runs show together ---- */

enum { PAIRS = 7, RUNS = 60 };

static void add_functions(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_command *reference =
      job->target.probe.roles[CUL_ROLE_REFERENCE].cmd;
  cul_buf_adds(out, "work=$(mktemp -d) || exit 2\n"
                    "trap 'rm -rf \"$log\" \"$work\"' EXIT\n"
                    "suspect() {\n  $with env");
  repro_command(job, out);
  cul_buf_adds(out, "\n}\nreference() {\n");
  if (reference) {
    cul_buf_adds(out, "  $with env");
    add_role(job, reference, out);
    cul_buf_adds(out, "\n}\n");
  } else {
    cul_buf_adds(out, "  :\n}\n");
  }
  cul_buf_adds(out, "ran() {\n  status=$1\n");
  add_missing(job, out);
  cul_buf_adds(out, "}\n");
}

static void add_need(const char *program, struct cul_buf *out) {
  cul_buf_addf(out,
               "command -v %s >/dev/null || {\n"
               "  echo 'this needs %s, or: culprit replay' \"$here\" >&2\n"
               "  exit 2\n}\n",
               program, program);
}

/* A filter that replaces the parts of the output that may differ. */
static void add_filter(const char *ignore, struct cul_buf *out) {
  const char *pattern;
  if (ignore)
    add_need("perl", out);
  cul_buf_adds(out, "filter() {\n  cat \"$1\"");
  for (size_t i = 0; (pattern = cul_varied_ignored(ignore, i)); i++) {
    cul_buf_adds(out, " |\n    perl -pe 'BEGIN { $r = shift } s/$r/?/g' ");
    cul_shell_quote(pattern, out);
  }
  cul_buf_adds(out, "\n}\n");
}

/* Run the command until two runs differ. */
static void add_varied(const struct cul_reduce *job, struct cul_buf *out) {
  add_filter(job->target.oracle_conf.nondeterminism.ignore, out);
  cul_buf_addf(out,
               "with=\nn=0\nwhile [ $n -lt %d ]; do\n"
               "  out=$work/out\n  seen=$work/seen$n\n"
               "  rm -rf \"$out\"\n  mkdir \"$out\" \"$seen\"\n"
               "  suspect >\"$work/printed\" 2>\"$log\"\n  ran $?\n"
               "  filter \"$work/printed\" >\"$seen/.printed\"\n"
               "  for file in \"$out\"/*; do\n"
               "    [ -f \"$file\" ] && filter \"$file\" "
               ">\"$seen/${file##*/}\"\n  done\n"
               "  diff -r \"$work/seen0\" \"$seen\" || exit 0\n"
               "  n=$((n + 1))\ndone\nexit 1\n",
               RUNS);
}

/* Print the number of the call path in the profile $file. */
static void add_profile(const struct cul_measured_by *by, const char *metric,
                        struct cul_buf *out) {
  if (strcmp(by->file, "-") == 0) {
    cul_buf_adds(
        out, "  file=$work/profile\n  $1 >\"$file\" 2>\"$log\"\n  status=$?\n");
  } else {
    cul_buf_adds(out, "  $1 >\"$log\" 2>&1\n  status=$?\n"
                      "  file=$(find \"$out\" -maxdepth 1 -type f -name ");
    cul_shell_quote(by->file, out);
    cul_buf_adds(out, " | LC_ALL=C sort | tail -n 1)\n");
  }
  cul_buf_adds(out, "  culprit compare -q \"$file\" \"$file\" --metric ");
  cul_shell_quote(by->metric ? by->metric : metric, out);
  if (*by->path) {
    cul_buf_adds(out, " --under ");
    cul_shell_quote(by->path, out);
  }
  cul_buf_addf(out,
               " --json - |\n"
               "    awk '$1 == \"\\\"after\\\":\" { print $2 / %g; exit }'\n",
               by->size);
}

/* A shell function: "measure COMMAND" prints the measured number. */
static void add_gauge(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_oracle_conf *conf = &job->target.oracle_conf;
  const char *by = conf->measured.by       ? conf->measured.by
                   : conf->measured.memory ? "rss"
                                           : "cpu";
  const struct cul_measured_by *in =
      cul_measured_by(cul_repeat_inner(job->target.probe.oracle_self));
  const char *printed = in->printed;
  if (printed)
    add_need("perl", out);
  else if (in->file)
    add_need("culprit", out);
  else if (strcmp(by, "rss") == 0)
    add_need("/usr/bin/time", out);
  cul_buf_adds(out, "out=$work/out\nwith=\nmeasure() {\n  rm -rf \"$out\"\n"
                    "  mkdir \"$out\"\n");
  if (printed) {
    cul_buf_adds(
        out, "  $1 >\"$log\" 2>&1\n  status=$?\n  perl -0777 -ne 'BEGIN { $r = "
             "shift } /$r/m and print $1 // $&' ");
    cul_shell_quote(printed, out);
    cul_buf_adds(out, " \"$log\"\n");
  } else if (in->file) {
    add_profile(in, conf->measured.memory ? "bytes" : "time", out);
  } else if (strcmp(by, "rss") == 0) {
    cul_buf_adds(out, "  with=\"/usr/bin/time -f %M -o $work/rss\"\n"
                      "  $1 >\"$log\" 2>&1\n  status=$?\n"
                      "  awk 'END { print $1 * 1024 + 0 }' \"$work/rss\"\n");
  } else if (strcmp(by, "wall") == 0) {
    cul_buf_adds(out, "  from=$(date +%s%N)\n  $1 >\"$log\" 2>&1\n  status=$?\n"
                      "  echo $((($(date +%s%N) - from) / 1000))\n");
  } else {
    cul_buf_adds(out,
                 "  times >\"$work/from\"\n  $1 >\"$log\" 2>&1\n  status=$?\n"
                 "  times >\"$work/to\"\n"
                 "  awk 'function s(x, p) { split(x, p, \"m\"); "
                 "return p[1] * 60 + p[2] }\n"
                 "    FNR == 2 { n = s($1) + s($2) - n }\n"
                 "    END { print n * 1e6 }' \"$work/from\" \"$work/to\"\n");
  }
  cul_buf_adds(out, "  ran $status\n}\n");
}

static void add_measured(const struct cul_reduce *job, struct cul_buf *out) {
  const struct cul_target *target = &job->target;
  double factor, more;
  cul_measured_line(cul_repeat_inner(target->probe.oracle_self), &factor,
                    &more);
  add_gauge(job, out);
  cul_buf_addf(out,
               "n=0\nabove=0\nwhile [ $n -lt %d ]; do\n"
               "  a=$(measure suspect) || exit\n  b=%s\n"
               "  echo \"$a against $b\"\n"
               "  above=$((above + $(awk \"BEGIN { print ($a > %g * $b + "
               "%g) }\")))\n  n=$((n + 1))\ndone\n"
               "[ $above -gt %d ]\n",
               PAIRS,
               target->probe.roles[CUL_ROLE_REFERENCE].name
                   ? "$(measure reference) || exit"
                   : "0",
               factor, more, PAIRS / 2);
}

static void repro_whole(const struct cul_reduce *job, struct cul_buf *out) {
  add_functions(job, out);
  if (job->target.oracle_conf.nondeterminism.wanted)
    add_varied(job, out);
  else
    add_measured(job, out);
}
