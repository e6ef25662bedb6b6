/* culprit reduce: a failing input goes in, a minimal one comes out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "../reducer/repro.h"
#include "../reducer/search/search.h"
#include "command.h"
#include "options.h"
#include "progress.h"

struct options {
  struct cul_target_options target;
  const char *output, *bundle, *json, *search, *without;
  int64_t max_runs, stop_at_ops, seed;
  double max_time;
  bool quiet, reduce_command;
};

#define FIELD(name) offsetof(struct options, name)

static const struct cul_opt opts[] = {
    {.name = "output",
     .letter = 'o',
     .type = CUL_OPT_STRING,
     .offset = FIELD(output),
     .value = "OUT",
     .help = "the reduced file, rewritten at every step (default: "
             "FILE.reduced.EXT in the current directory)"},
    {.name = "bundle",
     .type = CUL_OPT_STRING,
     .offset = FIELD(bundle),
     .value = "DIR",
     .help = "write a directory that reproduces the failure without culprit"},
    {.name = "json",
     .type = CUL_OPT_STRING,
     .offset = FIELD(json),
     .value = "FILE",
     .help = "write the report as JSON; - is standard output"},
    {.name = "max-runs",
     .type = CUL_OPT_INT,
     .offset = FIELD(max_runs),
     .min = 1,
     .max = INT64_MAX,
     .value = "N",
     .help = "stop after N runs of the command"},
    {.name = "max-time",
     .type = CUL_OPT_SECONDS,
     .offset = FIELD(max_time),
     .value = "TIME",
     .help = "stop after this time: seconds, 5m, 2h"},
    {.name = "stop-at-ops",
     .type = CUL_OPT_INT,
     .offset = FIELD(stop_at_ops),
     .min = 1,
     .max = INT64_MAX,
     .value = "N",
     .help = "stop when N operations or fewer are left"},
    {.name = "seed",
     .type = CUL_OPT_INT,
     .offset = FIELD(seed),
     .value = "N",
     .help = "seed of everything that is chosen by chance (default 0)"},
    {.name = "search",
     .type = CUL_OPT_STRING,
     .offset = FIELD(search),
     .value = "RULE",
     .help = "how subsets of edits are searched: halve, sweep, cdd or ddmin "
             "(default: halve; sweep for text)"},
    {.name = "without",
     .type = CUL_OPT_STRING,
     .offset = FIELD(without),
     .value = "EDIT,...",
     .help = "leave out these mutations, as the report names them: what does "
             "the result owe to them?"},
    {.name = "reduce-command",
     .type = CUL_OPT_FLAG,
     .offset = FIELD(reduce_command),
     .help = "the command is reduced too: first the failing pass and the IR "
             "right before it are found, then arguments, passes and options "
             "that do not matter are dropped; the program, @@ and -o stay"},
    {.name = "quiet",
     .letter = 'q',
     .type = CUL_OPT_FLAG,
     .offset = FIELD(quiet),
     .help = "print nothing but errors"},
    {.name = "target",
     .type = CUL_OPT_TABLE,
     .offset = FIELD(target),
     .table = cul_target_opts},
    {.name = "form",
     .type = CUL_OPT_TABLE,
     .offset = FIELD(target),
     .table = cul_form_opts},
    {.name = NULL}};

/* model.mlir -> model.reduced.mlir in the current directory. */
static char *default_output(const char *input) {
  const char *base = cul_basename(input);
  const char *dot = strrchr(base, '.');
  size_t stem = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  return cul_xasprintf("%.*s.reduced%s", (int)stem, base, base + stem);
}

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
  const json_t *report = job->report;
  if (job->stored) {
    fprintf(out,
            "stored:    this job was done before (%lld runs, %.1f s); "
            "nothing was run again\n",
            integer_at(report, "runs", "executed"),
            real_at(report, "seconds", "wall"));
    return;
  }
  fprintf(out,
          "runs:      %lld executed, %lld cached, %lld candidates, "
          "%.1f s\n",
          integer_at(report, "runs", "executed"),
          integer_at(report, "runs", "cached"),
          integer_at(report, "runs", "asked"),
          real_at(report, "seconds", "wall"));
}

/* What failed, in one line; of a script only what it preserves is known. */
static const char *title_of(const json_t *report) {
  const char *title = string_at(report, "signature", "title");
  return *title ? title : string_at(report, "oracle", "preserves");
}

static long long count_in(const json_t *rate, const char *key) {
  return (long long)json_integer_value(json_object_get(rate, key));
}

static double percent_in(const json_t *rate, const char *key) {
  return 100 * json_number_value(json_object_get(rate, key));
}

static void print_rate(const json_t *flake, FILE *out) {
  const json_t *input = json_object_get(flake, "input");
  fprintf(out, "confirmed: in %lld of %lld fresh runs\n",
          count_in(flake, "fails"), count_in(flake, "runs"));
  if (json_is_true(json_object_get(flake, "flaky")))
    fprintf(out,
            "flaky:     the result fails in %.0f to %.0f %% of its runs, the "
            "input (%lld of %lld) in %.0f to %.0f %%, at 95 %% confidence\n",
            percent_in(flake, "low"), percent_in(flake, "high"),
            count_in(input, "fails"), count_in(input, "runs"),
            percent_in(input, "low"), percent_in(input, "high"));
}

/* What the report's sizes count. */
static const char *unit_of(const json_t *report) {
  const char *name = json_string_value(json_object_get(report, "form"));
  enum cul_form form = CUL_FORM_NATIVE;
  return cul_form_unit(name && cul_form_parse(name, &form) ? form
                                                           : CUL_FORM_NATIVE);
}

static void print_command(const json_t *command, FILE *out) {
  struct cul_buf text = {0};
  const json_t *arg;
  size_t i;
  json_array_foreach(command, i, arg) {
    cul_buf_adds(&text, i ? " " : "");
    cul_shell_quote(json_string_value(arg), &text);
  }
  fprintf(out, "command:   %s\n", cul_buf_str(&text));
  cul_buf_release(&text);
}

/* What became of the command, where it was reduced too. */
static void print_reduced_command(const json_t *report, FILE *out) {
  const json_t *pass = json_object_get(report, "pass");
  if (!json_is_object(pass))
    return;
  print_command(json_object_get(report, "command"), out);
  if (!json_is_true(json_object_get(pass, "given_fails")))
    fprintf(out,
            "note:      the file as it was given does not fail under this "
            "command%s\n",
            json_is_true(json_object_get(pass, "ir_before"))
                ? ": the passes before made of it what does"
                : "");
}

/* The last lines, the same for a job just done and one done before. */
static void print_summary(const struct cul_reduce *job, FILE *out) {
  const json_t *report = job->report;
  const char *neighbour = string_at(report, "passing", "edit");
  const char *unit = unit_of(report);
  fprintf(out, "failure:   %s\n", title_of(report));
  fprintf(out, "before:    %lld %s, %lld bytes\n",
          integer_at(report, "initial", "ops"), unit,
          integer_at(report, "initial", "bytes"));
  fprintf(out, "after:     %lld %s, %lld bytes: %s\n",
          integer_at(report, "final", "ops"), unit,
          integer_at(report, "final", "bytes"), job->conf->output);
  print_counts(job, out);
  if (integer_at(report, "flake", "runs"))
    print_rate(json_object_get(report, "flake"), out);
  if (*string_at(report, "passing", "when"))
    fprintf(out, "passes:    when %s (%s)\n",
            string_at(report, "passing", "when"), neighbour);
  else if (*neighbour)
    fprintf(out,
            "passes:    the nearest module that passes is one edit (%s) "
            "away\n",
            neighbour);
  if (job->n_leads)
    fprintf(out, "leads:     %zu other failure%s met on the way%s\n",
            job->n_leads, job->n_leads == 1 ? "" : "s",
            job->conf->bundle ? ", kept in the bundle" : "");
  print_reduced_command(report, out);
  if (job->conf->bundle)
    fprintf(out, "bundle:    %s\n", job->conf->bundle);
}

static void print_result_text(const struct cul_reduce *job, FILE *out) {
  enum { most_lines = 40 };
  const char *text = cul_buf_str(&job->text);
  size_t lines = 0;
  for (const char *at = text; *at; at++)
    lines += *at == '\n';
  if (lines <= most_lines)
    fprintf(out, "\n%s", text);
}

static int reduce(const struct options *options,
                  const struct cul_reduce_conf *conf, struct cul_err *err) {
  struct cul_progress progress;
  struct cul_reduce_watcher watcher;
  struct cul_reduce job;
  bool to_stdout = options->json && options->json[0] == '-';
  FILE *out = to_stdout ? stderr : stdout;
  int rc, written = 0;
  cul_progress_init(&progress, out, options->quiet);
  watcher = cul_progress_watcher(&progress);
  rc = cul_reduce_run(&job, conf, &watcher, err);
  if (!options->quiet)
    cul_progress_end(&progress);
  if (job.report && !options->quiet) {
    print_summary(&job, out);
    print_result_text(&job, out);
    fflush(out);
  }
  if (job.report)
    written = cul_write_json(options->json, job.report,
                             rc ? &(struct cul_err){0} : err);
  cul_reduce_release(&job);
  return rc ? rc : written;
}

static int check_command(const struct options *options, struct cul_err *err) {
  if (!options->reduce_command || !options->target.script)
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "give the command itself behind \"--\", or leave "
                  "--reduce-command out",
                  "--reduce-command: a script cannot be made shorter");
}

static int check_search(const char *name, struct cul_err *err) {
  const struct cul_rule *rule = name ? cul_rule_find(name) : NULL;
  if (!name || (rule && !rule->ranges))
    return 0;
  return cul_fail(err, CUL_EUSAGE, "one of halve, sweep, cdd, ddmin, minimal",
                  "--search: \"%s\" does not search subsets", name);
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {0};
  struct cul_reduce_conf conf = {0};
  const char *input = NULL;
  struct cul_operands operands = {.items = &input, .max = 1};
  char *output = NULL;
  int rc;
  cul_target_options_init(&options.target);
  rc = cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n < 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit reduce FILE -o OUT -- CMD @@",
                  "no input file is given");
  if (rc == 0)
    rc = cul_target_options_apply(&options.target, input,
                                  line->argv + operands.after, &conf.target,
                                  &conf.form, err);
  if (rc == 0)
    rc = check_search(options.search, err);
  if (rc == 0)
    rc = check_command(&options, err);
  if (rc < 0)
    return rc;
  output = options.output ? cul_xstrdup(options.output) : default_output(input);
  conf.output = output;
  conf.bundle = options.bundle;
  conf.max_runs = (uint64_t)options.max_runs;
  conf.max_time_s = options.max_time;
  conf.stop_at_ops = (uint64_t)options.stop_at_ops;
  conf.seed = (uint64_t)options.seed;
  conf.search = options.search;
  conf.reduce_command = options.reduce_command;
  conf.without = options.without;
  rc = reduce(&options, &conf, err);
  free(output);
  return rc;
}

const struct cul_cli_command cul_cli_reduce = {
    .name = "reduce",
    .usage = "FILE [-o OUT] [options] -- CMD @@",
    .summary = "shrink a failing input to a minimal one",
    .opts = opts,
    .run = run};
