/* Run a reduction with its progress and print its summary: see summary.h. */
#include "summary.h"
#include "../base/files/file.h"
#include "../base/status.h"
#include "../base/visible.h"

#include "../probe/json_word.h"
#include "../probe/repro_lines.h"
#include "../probe/target/findings.h"
#include "../reducer/reduce.h"
#include "job_entry.h"
#include "live/events.h"
#include "live/on_best.h"
#include "live/progress.h"
#include "options.h"

static long long integer_at(const json_t *report, const char *outer,
                            const char *inner) {
  return (long long)json_integer_value(
      json_object_get(json_object_get(report, outer), inner));
}

static double real_at(const json_t *report, const char *outer,
                      const char *inner) {
  return json_number_value(
      json_object_get(json_object_get(report, outer), inner));
}

static const char *string_at(const json_t *report, const char *outer,
                             const char *inner) {
  const char *text =
      json_string_value(json_object_get(json_object_get(report, outer), inner));
  return text ? text : "";
}

static void print_counts(const struct cul_reduce *job, FILE *out) {
  const json_t *report = job->outcome.report;
  long long runs = integer_at(report, "runs", "executed");
  long long asked = integer_at(report, "runs", "asked");
  if (job->outcome.stored) {
    uint64_t now = job->target.probe.counts.executed;
    cul_say(out, "stored:    this job was done before (%lld run%s, %.1f s); ",
            runs, cul_s((uint64_t)runs), real_at(report, "seconds", "wall"));
    if (now == 0)
      cul_say(out, "nothing was run again\n");
    else
      cul_say(out, "%llu run%s showed that the tool is the same\n",
              (unsigned long long)now, cul_s(now));
    return;
  }
  cul_say(out,
          "runs:      %lld executed, %lld cached, %lld candidate%s, "
          "%.1f s\n",
          runs, integer_at(report, "runs", "cached"), asked,
          cul_s((uint64_t)asked), real_at(report, "seconds", "wall"));
}

static long long count_in(const json_t *rate, const char *key) {
  return (long long)json_integer_value(json_object_get(rate, key));
}

/* Print how many candidates count as no failure because a write was refused. */
static void print_refused(const json_t *report, FILE *out) {
  const json_t *sandbox =
      json_object_get(json_object_get(report, "environment"), "sandbox");
  long long n = count_in(sandbox, "refused");
  const char *first =
      json_string_value(json_object_get(sandbox, "refused_first"));
  if (n > 0 && first)
    cul_say(out,
            "note:      %lld candidate%s tried to write elsewhere (%s) and did "
            "not count as failing; --writable PATH lets them write there, "
            "--sandbox=off anywhere\n",
            n, cul_s((uint64_t)n), first);
}

/* Print the mutations that the user skipped; the same command tries them. */
static void print_skipped(const json_t *report, FILE *out) {
  const json_t *skipped = json_object_get(report, "skipped"), *name;
  size_t i;
  json_array_foreach(skipped, i, name)
      cul_say(out, "%s%s", i ? ", " : "skipped:   ", json_string_value(name));
  if (json_array_size(skipped))
    cul_say_text(out, "; the result may not be minimal, and the same command "
                      "continues\n");
}

/* The failure in one line; for a script without a title, what the oracle
 * preserves. */
static const char *title_of(const json_t *report) {
  const char *title = string_at(report, "signature", "title");
  return *title ? title : string_at(report, "oracle", "preserves");
}

static double percent_in(const json_t *rate, const char *key) {
  return 100 * json_number_value(json_object_get(rate, key));
}

static void print_rate(const json_t *flake, const char *unit, FILE *out) {
  const json_t *input = json_object_get(flake, "input");
  const char *limit = json_string_value(json_object_get(flake, "ended_by"));
  cul_say(out, "confirmed: in %lld of %lld fresh %s", count_in(flake, "fails"),
          count_in(flake, "runs"), unit);
  if (limit)
    cul_say(out, "; then %s was reached", limit);
  fputc('\n', out);
  if (!json_is_true(json_object_get(flake, "flaky")))
    return;
  if (count_in(flake, "fails") == count_in(flake, "runs") &&
      count_in(input, "fails") == count_in(input, "runs"))
    cul_say(out,
            "always:    so did the input, in %lld of %lld; candidates that "
            "failed only sometimes were refused\n",
            count_in(input, "fails"), count_in(input, "runs"));
  else
    cul_say(out,
            "flaky:     the result fails in %.0f to %.0f %% of its runs, the "
            "input (%lld of %lld) in %.0f to %.0f %%, at 95 %% confidence\n",
            percent_in(flake, "low"), percent_in(flake, "high"),
            count_in(input, "fails"), count_in(input, "runs"),
            percent_in(input, "low"), percent_in(input, "high"));
}

/* The unit of the report's size: of the input, which may have been read in
 * another form, or of the result. */
static const char *unit_of(const json_t *report, const char *of, long long n) {
  const json_t *first =
      json_object_get(json_object_get(report, "reread"), "from");
  const char *name = json_string_value(first && strcmp(of, "initial") == 0
                                           ? first
                                           : json_object_get(report, "form"));
  enum cul_form form = CUL_FORM_NATIVE;
  return cul_form_unit(name && cul_form_parse(name, &form) ? form
                                                           : CUL_FORM_NATIVE,
                       (uint64_t)n);
}

void cul_print_size(const json_t *report, const char *of, FILE *out) {
  long long ops = integer_at(report, of, "ops");
  long long bytes = integer_at(report, of, "bytes");
  cul_say(out, "%lld %s, %lld byte%s", ops, unit_of(report, of, ops), bytes,
          cul_s((uint64_t)bytes));
}

static void print_command(const json_t *command, FILE *out) {
  struct cul_buf text = {0};
  cul_json_words_quote(command, &text);
  cul_say(out, "command:   %s\n", cul_buf_str(&text));
  cul_buf_release(&text);
}

/* Print how the command was reduced. */
static void print_reduced_command(const json_t *report, FILE *out) {
  const json_t *pass = json_object_get(report, "pass");
  if (!json_is_object(pass))
    return;
  print_command(json_object_get(report, "command"), out);
  if (json_is_false(json_object_get(pass, "given_fails")))
    cul_say(out,
            "note:      the file as it was given does not fail under this "
            "command%s\n",
            json_is_true(json_object_get(pass, "ir_before"))
                ? ": only the IR that the passes before it produce does"
                : "");
}

/* Print the inputs if they were simplified. */
static void print_inputs(const json_t *inputs, FILE *out) {
  const json_t *arguments = json_object_get(inputs, "arguments"), *one;
  size_t i;
  json_array_foreach(arguments, i, one)
      cul_say(out, "%s%s\n", i ? "           " : "inputs:    ",
              json_string_value(json_object_get(one, "words")));
  json_array_foreach(json_object_get(inputs, "moves"), i, one) {
    const char *suspect = json_string_value(json_object_get(one, "suspect"));
    const char *reference =
        json_string_value(json_object_get(one, "reference"));
    cul_say(out, "           %s moves %s, in the reference %s\n",
            json_string_value(json_object_get(one, "element")),
            *suspect ? suspect : "nothing", *reference ? reference : "nothing");
  }
}

/* Does the result fail at another place than the input, or with other
 * numbers? */
static bool shows_elsewhere(const json_t *report) {
  const json_t *signature = json_object_get(report, "signature");
  const char *kind = string_at(report, "named", "kind");
  return (strcmp(kind, cul_kind_name(CUL_KIND_MISMATCH)) == 0 ||
          json_array_size(json_object_get(signature, "also")) > 0) &&
         strcmp(string_at(report, "signature", "title"),
                string_at(report, "named", "title")) != 0;
}

/* With --match, only the match is preserved: does the result fail in another
 * way than the input? */
static bool fails_otherwise(const json_t *report) {
  static const char *const keys[] = {"kind", "text"};
  if (!*string_at(report, "oracle", "match"))
    return false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(keys); i++)
    if (strcmp(string_at(report, "signature", keys[i]),
               string_at(report, "named", keys[i])) != 0)
      return true;
  return false;
}

/* Print whether hangs were recognized before their deadline. */
static void print_hangs(const json_t *hangs, FILE *out) {
  if (!json_is_object(hangs))
    return;
  cul_say(out,
          "hangs:     %lld recognized early by the tool's stacks; proven with "
          "the whole deadline: %lld, taken back: %lld\n",
          count_in(hangs, "provisional"), count_in(hangs, "proven"),
          count_in(hangs, "taken_back"));
}

/* Print whether the failure depends on chance contents of memory. */
static void print_heap(const json_t *heap, FILE *out) {
  size_t n = json_array_size(json_object_get(heap, "layouts"));
  long long needs =
      (long long)json_integer_value(json_object_get(heap, "needs"));
  if (!n)
    return;
  cul_say(out,
          "memory:    judged under %zu fixed heap layout%s too; the result ", n,
          n == 1 ? "" : "s");
  if (needs)
    cul_say(out, "fails only under layout %lld (report.md describes it)\n",
            needs);
  else
    fputs("fails in a plain run\n", out);
}

/* Print the files of this directory that the command reads: they are not in
 * the bundle. */
static void print_start(const json_t *start, FILE *out) {
  const json_t *files = json_object_get(start, "files"), *file;
  size_t i;
  json_array_foreach(files, i, file) {
    char *name = cul_json_word_take(file);
    cul_say(out, "%s%s", i ? ", " : "needs:     ", name ? name : "?");
    free(name);
  }
  if (json_array_size(files))
    cul_say(out, " of this directory: the command reads %s\n",
            json_array_size(files) == 1 ? "it" : "them");
}

static void say_list(const json_t *words, FILE *out) {
  const json_t *word;
  size_t i;
  json_array_foreach(words, i, word) {
    char *text = cul_json_word_take(word);
    cul_say(out, "%s%s", i ? ", " : "", text ? text : "?");
    free(text);
  }
}

/* Print the files beside the scripts that the bundle has copies of. */
static void print_beside(const json_t *beside, FILE *out) {
  const json_t *one;
  size_t i;
  json_array_foreach(beside, i, one) {
    char *script = cul_json_word_take(json_object_get(one, "script"));
    fputs("needs:     ", out);
    say_list(json_object_get(one, "files"), out);
    cul_say(out, " beside %s: it may look there\n", script ? script : "?");
    free(script);
  }
}

static void print_variables(const json_t *needs, const char *key,
                            const char *says, FILE *out) {
  const json_t *names = json_object_get(needs, key);
  size_t n = json_array_size(names);
  if (n == 0)
    return;
  cul_say(out, "needs:     the variable%s ", cul_s(n));
  say_list(names, out);
  cul_say(out, "%s\n", says);
}

/* Print the variables of the environment that the failure needs. */
static void print_needs(const json_t *needs, FILE *out) {
  print_variables(needs, "set", "", out);
  print_variables(needs, "withheld",
                  ", whose values the bundle does not have: they may be "
                  "secrets",
                  out);
  print_variables(needs, "unknown",
                  ", perhaps (no runs or time were left to test it)", out);
}

/* Print the last lines, the same for a new and a stored outcome. */
static void print_summary(const struct cul_reduce *job, FILE *out) {
  const json_t *report = job->outcome.report;
  const char *neighbour = string_at(report, "passing", "edit");
  bool whole = json_is_object(
      json_object_get(json_object_get(report, "oracle"), "measured"));
  cul_say(out, "failure:   %s\n", title_of(report));
  fputs("before:    ", out);
  cul_print_size(report, "initial", out);
  fputs("\nafter:     ", out);
  cul_print_size(report, "final", out);
  cul_say(out, "%s: %s\n", job->output.lost ? " (not written)" : "",
          job->conf->output);
  print_counts(job, out);
  print_skipped(report, out);
  print_refused(report, out);
  print_inputs(json_object_get(report, "inputs"), out);
  if (!integer_at(report, "flake", "runs") &&
      *string_at(report, "flake", "ended_by"))
    cul_say(out, "not confirmed: %s was reached\n",
            string_at(report, "flake", "ended_by"));
  if (integer_at(report, "flake", "runs"))
    print_rate(json_object_get(report, "flake"), whole ? "tests" : "runs", out);
  print_heap(json_object_get(report, "heap"), out);
  print_hangs(json_object_get(report, "hangs"), out);
  if (whole || shows_elsewhere(report))
    cul_say(out, "result:    %s\n", string_at(report, "named", "title"));
  else if (fails_otherwise(report))
    cul_say(out,
            "result:    %s\n"
            "           this is another failure than the input's; its output "
            "matches, too\n",
            string_at(report, "named", "title"));
  if (*string_at(report, "passing", "when"))
    cul_say(out, "passes:    when %s (%s)\n",
            string_at(report, "passing", "when"), neighbour);
  else if (*neighbour)
    cul_say(out,
            "passes:    the nearest module that passes is one edit (%s) "
            "away\n",
            neighbour);
  if (job->others.n)
    cul_say(out, "others:    %zu other failure%s found during the search%s\n",
            job->others.n, job->others.n == 1 ? "" : "s",
            job->conf->bundle ? ", kept in the bundle" : "");
  print_reduced_command(report, out);
  if (!job->conf->bundle)
    return;
  cul_say(out, "bundle:    %s%s\n", job->conf->bundle,
          job->output.bundled                     ? ""
          : cul_outdir_has_new(job->conf->outdir) ? ", not complete"
                                                  : " (not written)");
  print_start(json_object_get(report, "start"), out);
  print_beside(json_object_get(report, "beside"), out);
  print_needs(json_object_get(json_object_get(report, "environment"), "needs"),
              out);
}

static void print_result_text(const struct cul_reduce *job, FILE *out) {
  enum { most_lines = 40 };
  const char *text = cul_buf_str(&job->outcome.text), *at = text;
  size_t lines = 0;
  while (lines <= most_lines && (at = strchr(at, '\n')))
    at++, lines++;
  if (lines <= most_lines)
    cul_say(out, "\n%s", text);
}

/* The watchers of the job. */
struct watchers {
  struct cul_progress progress;
  struct cul_reduce_watcher shown; /* the watcher of progress */
  struct cul_job_entry entry;
  struct cul_keep *keep;
  struct cul_on_best on_best;
};

static void entered(void *self, const struct cul_reduce *job) {
  struct watchers *watchers = self;
  cul_job_entry_begin(&watchers->entry, job);
  watchers->shown.phase(watchers->shown.self, job);
}

/* Write the cache to disk, where the command of --watch-best may look for the
 * step. */
static void write_steps(const struct cul_reduce *job) {
  struct cul_err err = {0};
  if (cul_cache_flush(job->target.cache, &err) < 0)
    cul_status_note(UINT64_MAX, "%s", err.what);
}

static void stepped(void *self, const struct cul_reduce *job) {
  struct watchers *watchers = self;
  cul_job_entry_step(&watchers->entry, job);
  if (watchers->on_best.command)
    write_steps(job);
  cul_on_best_improved(&watchers->on_best, job->output.path);
  watchers->shown.stepped(watchers->shown.self, job);
}

static void ticked(void *self, const struct cul_reduce *job) {
  struct watchers *watchers = self;
  cul_on_best_tick(&watchers->on_best);
  watchers->shown.tick(watchers->shown.self, job);
}

static void judged(void *self, struct cul_reduce *job, int slot,
                   enum cul_answer answer) {
  struct watchers *watchers = self;
  cul_keep_judged(watchers->keep, job, slot, answer);
}

static void skipped(void *self, const struct cul_reduce *job,
                    uint32_t mutation) {
  struct watchers *watchers = self;
  watchers->shown.skipped(watchers->shown.self, job, mutation);
}

/* Print the last object of --progress=json. */
static void tell_end(const struct cul_reduce *job, int rc,
                     const struct cul_err *err) {
  const char *result = job->outcome.result;
  json_t *final = json_object_get(job->outcome.report, "final");
  cul_event(json_pack(
      "{s:s, s:f, s:o, s:i, s:o, s:o, s:o}", "event", "end", "t",
      cul_reduce_seconds(job), "result",
      result ? json_string(result) : json_null(), "status", cul_exit_status(rc),
      "error", rc < 0 ? cul_report_string(err->what) : json_null(), "output",
      job->outcome.report && !job->output.lost
          ? cul_json_word(job->conf->output)
          : json_null(),
      "final", final ? json_deep_copy(final) : json_null()));
}

/* The report of a job without a result.  It replaces that of an earlier job. */
static json_t *report_of_error(int rc, const struct cul_err *err) {
  return json_pack("{s:s, s:n, s:{s:i, s:o, s:o}}", "culprit_version",
                   CULPRIT_VERSION, "result", "error", "status",
                   cul_exit_status(rc), "what", cul_report_string(err->what),
                   "advice", cul_report_string(err->advice));
}

/* Open the directory of the bundle. */
static int open_outdir(struct cul_reduce_conf *conf,
                       const struct cul_reduction *how, struct cul_err *err) {
  const char *ext = cul_repro_case_extension(conf->target.input);
  CUL_HEAP char *repro = cul_xasprintf("repro%s", ext);
  CUL_HEAP char *passing = cul_xasprintf("passing%s", ext);
  const char *const names[] = {
      repro,           passing,      "reproducer.mlir",    "repro.sh",
      "interesting",   "inputs.txt", "inputs/*",           "script-@",
      "report.json",   "report.md",  "report.html",        "env.json",
      "journal.jsonl", "seal",       "other-failures/#.*", NULL};
  return cul_outdir_open(
      &conf->outdir,
      &(struct cul_outdir_conf){.dir = conf->bundle,
                                .option = conf->extract ? "-o"
                                          : how->report ? "--out-dir"
                                                        : "--bundle",
                                .names = names,
                                .output = conf->extract ? NULL : conf->output,
                                .words = how->line->argv},
      err);
}

int cul_run_reduction(const struct cul_reduce_conf *given,
                      struct cul_reduction *how, struct cul_err *err) {
  struct cul_reduce_conf with_wishes = *given, *conf = &with_wishes;
  struct watchers watchers = {.entry.line = how->line,
                              .keep = &how->keep,
                              .on_best.command = how->watch_best};
  const struct cul_reduce_watcher watcher = {.self = &watchers,
                                             .phase = entered,
                                             .stepped = stepped,
                                             .tick = ticked,
                                             .judged = judged,
                                             .skipped = skipped};
  struct cul_reduce job;
  const char *json = how->json;
  json_t *report;
  bool quiet = how->quiet;
  struct cul_err later = {0}; /* only the first error is reported */
  FILE *out = how->to_stderr || (json && json[0] == '-') ? stderr : stdout;
  int rc, written = 0;
  if (conf->target.ref.want)
    return cul_fail(err, CUL_EUSAGE,
                    "give --ref 'CMD @@', which computes them for each "
                    "candidate; culprit compare checks that it computes these",
                    "--want: golden outputs belong to the original input, not "
                    "to candidates");
  if (cul_file_check_later(json, false, err) < 0 ||
      open_outdir(conf, how, err) < 0)
    return err->code;
  watchers.shown =
      cul_progress_begin(&watchers.progress, out, quiet, how->line->display);
  conf->wishes = &watchers.progress.wishes;
  conf->target.oracle.quotes = conf->target.oracle.match != NULL;
  rc = cul_reduce_run(&job, conf, &watcher, err);
  cul_on_best_end(&watchers.on_best);
  cul_job_entry_end(&watchers.entry, &job, rc, err);
  cul_progress_end(&watchers.progress);
  if (how->line->display == CUL_DISPLAY_JSON)
    tell_end(&job, rc, err);
  if (job.outcome.report && !quiet) {
    print_summary(&job, out);
    print_result_text(&job, out);
    fflush(out);
  }
  report = job.outcome.report ? json_incref(job.outcome.report)
                              : report_of_error(rc, err);
  written = cul_write_json(json, report, rc ? &later : err);
  json_decref(report);
  if (how->report)
    *how->report = json_incref(job.outcome.report);
  cul_job_entry_release(&watchers.entry);
  cul_reduce_release(&job);
  cul_outdir_close(conf->outdir);
  return rc ? rc : written;
}
