/* culprit bisect commits: finds the commit that is to blame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../bisect/commits/commits.h"
#include "../../bisect/commits/page.h"
#include "../../bisect/report/fields.h"
#include "../../probe/outdir.h"
#include "../command.h"
#include "../options.h"

/* ---- the result, for people ---- */

static const char *text_at(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static void print_runs(const json_t *runs, const char *who, FILE *out) {
  cul_say(out, "           %s %.12s fails %lld of %lld\n", who,
          text_at(runs, "commit"),
          (long long)json_integer_value(json_object_get(runs, "fails")),
          (long long)json_integer_value(json_object_get(runs, "runs")));
}

static void print_boundary(const json_t *boundary, FILE *out) {
  const json_t *parent;
  size_t i;
  cul_say(out, "verified:\n");
  print_runs(json_object_get(boundary, "culprit"), "it    ", out);
  json_array_foreach(json_object_get(boundary, "parents"), i, parent)
      print_runs(parent, "parent", out);
}

/* Print what to do to distinguish the suspects. */
static void print_fix_up(const json_t *fix, FILE *out) {
  long long untried = json_integer_value(json_object_get(fix, "untried"));
  if (!json_is_object(fix))
    return;
  cul_say(out,
          "fix:      first %s\n           %s\n           %s\n           "
          "tested, it leaves at most %lld of the %lld; to apply a patch that "
          "fixes it:\n           --build '%s'\n",
          text_at(fix, "commit"), text_at(fix, "title"), text_at(fix, "why"),
          (long long)json_integer_value(json_object_get(fix, "left")),
          (long long)json_integer_value(json_object_get(fix, "suspects")),
          cul_commits_patch_build);
  if (untried > 0 && !json_is_true(json_object_get(fix, "exhaust")))
    cul_say(out, "           %lld of them were never tried: --exhaust does\n",
            untried);
}

static void print_inner(const json_t *inner, FILE *out) {
  const json_t *id;
  size_t i;
  if (!json_is_object(inner))
    return;
  if (json_is_string(json_object_get(inner, "culprit"))) {
    cul_say(out, "inside %s: %s\n           %s\n           %s, %s\n",
            text_at(inner, "path"), text_at(inner, "culprit"),
            text_at(inner, "title"), text_at(inner, "author"),
            text_at(inner, "date"));
    return;
  }
  cul_say(out, "inside %s: one of\n", text_at(inner, "path"));
  json_array_foreach(json_object_get(inner, "suspects"), i, id)
      cul_say(out, "           %s\n", json_string_value(id));
  print_fix_up(json_object_get(inner, "fix"), out);
}

static void print_culprit(const json_t *report, FILE *out) {
  cul_say(
      out, "%s%s: %s\n           %s\n           %s, %s\n",
      json_is_true(json_object_get(report, "doubtful")) ? "perhaps the " : "",
      json_is_true(json_object_get(report, "find_fix")) ? "first good commit"
                                                        : "first bad commit",
      text_at(report, "culprit"), text_at(report, "title"),
      text_at(report, "author"), text_at(report, "date"));
  cul_say_text(out, text_at(report, "diffstat"));
  if (json_is_object(json_object_get(report, "moved")))
    cul_say(out, "moves:     %s\n",
            text_at(json_object_get(report, "moved"), "says"));
  print_inner(json_object_get(report, "inner"), out);
  print_boundary(json_object_get(report, "boundary"), out);
}

static void print_suspects(const json_t *report, FILE *out) {
  const json_t *suspects = json_object_get(report, "suspects"), *id;
  size_t i;
  size_t n = json_array_size(suspects), most = 20;
  cul_say(out, "it is one of %zu commits, which cannot be told apart:\n", n);
  json_array_foreach(suspects, i, id) if (i < most)
      cul_say(out, "           %s\n", json_string_value(id));
  if (n > most)
    cul_say(out, "           and %zu more (see --json)\n", n - most);
  print_fix_up(json_object_get(report, "fix"), out);
}

static void print_others(const json_t *others, FILE *out) {
  const json_t *one;
  size_t i;
  json_array_foreach(others, i, one)
      cul_say(out, "%s%.12s %s\n",
              i ? "           " : "otherwise: ", text_at(one, "commit"),
              text_at(one, "why"));
}

static void print_missing(const json_t *missing, FILE *out) {
  const json_t *one;
  size_t i;
  json_array_foreach(missing, i, one)
      cul_say(out, "missing:   submodule %s was left empty (URL %s)\n",
              text_at(one, "path"),
              json_is_string(json_object_get(one, "url")) ? text_at(one, "url")
                                                          : "unknown");
}

static void print_result(const json_t *report, FILE *out) {
  const json_t *builds = json_object_get(report, "builds"), *line;
  struct cul_buf text = {0};
  size_t i;
  if (json_is_string(json_object_get(report, "culprit")))
    print_culprit(report, out);
  else
    print_suspects(report, out);
  cul_field_posterior(report, report, &text);
  cul_say_text(out, cul_buf_str(&text));
  cul_buf_release(&text);
  cul_say(out, "range:     %s\n           %s\n",
          text_at(json_object_get(report, "plot"), "bars"),
          text_at(json_object_get(report, "plot"), "seen"));
  cul_say(out, "builds:    %lld done, %lld failed, %lld cached; %lld run%s\n",
          (long long)json_integer_value(json_object_get(builds, "done")),
          (long long)json_integer_value(json_object_get(builds, "failed")),
          (long long)json_integer_value(json_object_get(builds, "cached")),
          (long long)json_integer_value(json_object_get(report, "runs")),
          cul_s((uint64_t)json_integer_value(json_object_get(report, "runs"))));
  print_missing(json_object_get(report, "missing"), out);
  json_array_foreach(json_object_get(report, "warnings"), i, line)
      cul_say(out, "warning:   %s\n", json_string_value(line));
  if (json_array_size(json_object_get(report, "unchanged")))
    cul_say(out,
            "unchanged: %zu of the commits built %s no binary: never "
            "named\n",
            json_array_size(json_object_get(report, "unchanged")),
            json_array_size(json_object_get(report, "unchanged")) == 1
                ? "changes"
                : "change");
  if (json_is_true(json_object_get(report, "flaky")))
    cul_say(out, "flaky:     equal runs ended differently\n");
  if (json_array_size(json_object_get(report, "others")))
    print_others(json_object_get(report, "others"), out);
}

struct options {
  const char *repo, *bad, *build, *work, *json, *bundle, *markdown, *script;
  struct cul_failure_options failure;
  struct cul_run_options run;
  struct cul_strings good, paths, pins, pin_repos;
  double confidence, retry_pause;
  int64_t builds, confirm, max_runs, max_builds, retries;
  bool find_fix, first_parent, exhaust, quiet;
};

#define FIELD(name) offsetof(struct options, name)

static const struct cul_opt opts[] = {
    {.name = "repo",
     .group = "The history",
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(repo),
     .value = "DIR",
     .help =
         "the repository, which is only read (default: $GIT_DIR, or the one "
         "of the current directory)"},
    {.name = "good",
     .group = "The history",
     .main = true,
     .type = CUL_OPT_LIST,
     .offset = FIELD(good),
     .value = "REV",
     .help = "a commit that passes; may be given more than once (default: "
             "search ever older commits for one)"},
    {.name = "bad",
     .group = "The history",
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(bad),
     .value = "REV",
     .help = "a commit that fails (default HEAD)"},
    {.name = "find-fix",
     .group = "The history",
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(find_fix),
     .help = "find the first commit that passes again: --bad is the older "
             "one, --good the newer one"},
    {.name = "paths",
     .group = "The history",
     .type = CUL_OPT_LIST,
     .offset = FIELD(paths),
     .value = "PATH",
     .help = "first try commits that change this file or directory; may be "
             "given more than once"},
    {.name = "pin",
     .group = "The history",
     .type = CUL_OPT_LIST,
     .offset = FIELD(pins),
     .value = "FILE:REGEX",
     .help =
         "a file in the repository that names a commit of another repository; "
         "the first group of the extended regular expression matches it"},
    {.name = "pin-repo",
     .group = "The history",
     .type = CUL_OPT_LIST,
     .offset = FIELD(pin_repos),
     .value = "DIR",
     .help = "the other repository, one for each --pin; if the first bad "
             "commit moves pins or submodules and these are the cause, the "
             "bisection continues inside"},
    {.name = "build",
     .group = "How commits are built",
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(build),
     .value = "CMD",
     .help =
         "a shell command that builds a commit, in its build directory; @{dir} "
         "is the directory, @{commit} and $CULPRIT_COMMIT the commit"},
    {.name = "jobs",
     .group = "How commits are built",
     .letter = 'j',
     .type = CUL_OPT_INT,
     .offset = FIELD(builds),
     .min = 1,
     .max = CUL_MAX_WORKERS,
     .value = "N",
     .help = "builds at a time (default 1: a build uses all cores; with --on, "
             "one for each worker)"},
    {.name = "first-parent",
     .group = "The history",
     .type = CUL_OPT_FLAG,
     .offset = FIELD(first_parent),
     .help = "follow only the first parent of merges"},
    {.name = "work",
     .group = "How commits are built",
     .type = CUL_OPT_STRING,
     .offset = FIELD(work),
     .value = "DIR",
     .help = "the directory for the builds (default: in the cache directory)"},
    {.name = "confidence",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_SECONDS,
     .offset = FIELD(confidence),
     .value = "P",
     .help = "the required probability of the answer (default 0.95)"},
    {.name = "confirm",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_INT,
     .offset = FIELD(confirm),
     .min = 1,
     .max = 1000,
     .value = "N",
     .help = "the number of final runs of the first bad commit and of each of "
             "its parents (default 10)"},
    {.name = "exhaust",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(exhaust),
     .help = "also try commits that are probably broken"},
    {.name = "max-runs",
     .group = CUL_GROUP_LIMITS,
     .type = CUL_OPT_INT,
     .offset = FIELD(max_runs),
     .min = 1,
     .value = "N",
     .help = "stop after N runs and report the results so far"},
    {.name = "max-builds",
     .group = CUL_GROUP_LIMITS,
     .type = CUL_OPT_INT,
     .offset = FIELD(max_builds),
     .min = 1,
     .value = "N",
     .help = "stop after N builds"},
    {.name = "retries",
     .group = "How commits are built",
     .type = CUL_OPT_INT,
     .offset = FIELD(retries),
     .max = 1000,
     .value = "N",
     .help = "the number of retries if the machine failed and not the commit: "
             "no space, no memory, no such tool (default 3)"},
    {.name = "retry-pause",
     .group = "How commits are built",
     .type = CUL_OPT_SECONDS,
     .offset = FIELD(retry_pause),
     .value = "SECONDS",
     .help = "wait this time before each retry (default 5)"},
    {.name = "failure",
     .group = "Definition of a bad commit",
     .type = CUL_OPT_TABLE,
     .offset = FIELD(failure),
     .table = cul_failure_opts},
    {.name = "script",
     .group = "Definition of a bad commit",
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(script),
     .value = "FILE",
     .help = "instead of -- CMD: a script of git bisect run (0: good, 125: "
             "cannot be tested, other up to 127: bad)"},
    {.name = "run",
     .type = CUL_OPT_TABLE,
     .offset = FIELD(run),
     .table = cul_run_opts},
    {.name = "json",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(json),
     .writes = true,
     .value = "FILE",
     .help = "write the report as JSON; - is standard output"},
    {.name = "markdown",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(markdown),
     .writes = true,
     .value = "FILE",
     .help = "write the report as Markdown; - is standard output"},
    {.name = "bundle",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(bundle),
     .value = "DIR",
     .help =
         "write report.json, report.md, report.html, posterior.svg, the logs "
         "of all builds and runs, and repro.sh, which reproduces the result"},
    {.name = NULL}};

static void said(void *self, const char *line) {
  cul_status_make_way();
  cul_say(self, "%s\n", line);
  fflush(self);
}

/* As for git, $GIT_DIR is the repository, before one around the working
 * directory. */
static const char *repo_of(const struct options *options) {
  const char *dir = getenv("GIT_DIR");
  return options->repo ? options->repo : dir && *dir ? dir : ".";
}

static int fill(const struct options *options, struct cul_commits_conf *conf,
                struct cul_err *err) {
  *conf = (struct cul_commits_conf){
      .repo = repo_of(options),
      .bad = options->bad ? options->bad : "HEAD",
      .find_fix = options->find_fix,
      .first_parent = options->first_parent,
      .build = options->build,
      .work = options->work,
      .bundle = options->bundle,
      .builds = (int)options->builds,
      .timeout_s = options->run.timeout,
      .max_time_s = options->run.max_time,
      .retries = options->retries,
      .retry_pause_s = options->retry_pause,
      .cache = {.path = options->run.cache,
                .off = options->run.no_cache,
                .results = {options->json, options->bundle, options->markdown}},
      .search = CUL_BISECT_DEFAULTS,
      .interrupted = &cul_interrupted};
  if (cul_run_options_environment(&options->run, &conf->environment, err) < 0)
    return err->code;
  conf->oracle =
      (struct cul_oracle_conf){.match = options->failure.match,
                               .exit_code = (int)options->failure.exit_code,
                               .any_crash = options->failure.any_crash,
                               .script.wanted = options->script != NULL};
  if (options->failure.signal &&
      !(conf->oracle.signal = cul_signal_number(options->failure.signal)))
    return cul_fail(
        err, CUL_EUSAGE, "give a name such as SIGSEGV or ABRT, or a number",
        "--signal: \"%s\" is not a signal", options->failure.signal);
  if (options->confidence > 0)
    conf->search.confidence = options->confidence;
  if (!(conf->search.confidence >= 0.5 && conf->search.confidence <= 0.9999))
    return cul_fail(err, CUL_EUSAGE, "give a number of 0.5 to 0.9999",
                    "--confidence %g is not possible", conf->search.confidence);
  if (options->confirm)
    conf->search.confirm = (uint32_t)options->confirm;
  conf->search.exhaust = options->exhaust;
  conf->search.max_runs = (uint32_t)options->max_runs;
  conf->search.max_builds = (uint32_t)options->max_builds;
  return 0;
}

/* Find the test: the words after "--", or the script as given. */
static int find_test(const struct options *options, char *const *words,
                     const char **script, struct cul_commits_conf *conf,
                     struct cul_err *err) {
  char *real;
  conf->argv = (const char *const *)words;
  if (options->script && words[0])
    return cul_fail(err, CUL_EUSAGE, "give one of them",
                    "--script excludes -- CMD");
  if (!options->script && !words[0])
    return cul_fail(err, CUL_EUSAGE,
                    "put it after \"--\"; it runs in the build directory: -- "
                    "./build/opt --canonicalize /full/path/to/model.mlir",
                    "no command to run is given");
  if (!options->script)
    return 0;
  real = realpath(options->script, NULL);
  if (!real)
    return cul_fail(err, CUL_EUSAGE, "give the name of a file",
                    "--script %s: the file does not exist", options->script);
  script[0] = real;
  conf->argv = script;
  return 0;
}

static int write_markdown(const char *path, const json_t *report,
                          struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = 0;
  cul_commits_page(report, &text);
  if (strcmp(path, "-") == 0)
    cul_say_text(stdout, cul_buf_str(&text));
  else
    rc = cul_file_write_through(path, text.data, text.len, 0666, err);
  cul_buf_release(&text);
  return rc;
}

/* The strings as a NULL-terminated list; the strings are borrowed. */
static const char **list_of(const struct cul_strings *strings) {
  const char **out = cul_xcalloc(strings->n + 1, sizeof *out);
  if (strings->n)
    memcpy(out, strings->items, strings->n * sizeof *out);
  return out;
}

/* Read each "FILE:REGEX" and the repository given at the same position. */
static int read_pins(const struct options *options,
                     struct cul_commits_pins *out, struct cul_err *err) {
  size_t n = options->pins.n;
  if (n != options->pin_repos.n)
    return cul_fail(err, CUL_EUSAGE,
                    "give each --pin FILE:REGEX its own --pin-repo DIR",
                    "%zu --pin, %zu --pin-repo", n, options->pin_repos.n);
  out->items = cul_xcalloc(n + 1, sizeof *out->items);
  for (size_t i = 0; i < n; i++) {
    const char *text = options->pins.items[i], *colon = strchr(text, ':');
    if (!colon || colon == text || !colon[1])
      return cul_fail(err, CUL_EUSAGE,
                      "for example llvm.txt:commit=([0-9a-f]{40})",
                      "--pin %s is not of the form FILE:REGEX", text);
    out->items[out->n++] = (struct cul_commits_pin){
        .file = cul_xstrndup(text, (size_t)(colon - text)),
        .pattern = colon + 1,
        .repo = options->pin_repos.items[i]};
  }
  return 0;
}

static int bisect_commits(struct options *options, char *const *words,
                          struct cul_err *err) {
  struct cul_commits_conf conf;
  bool to_stdout = (options->json && strcmp(options->json, "-") == 0) ||
                   (options->markdown && strcmp(options->markdown, "-") == 0);
  FILE *out = to_stdout ? stderr : stdout;
  struct cul_commits_watcher watcher = {.self = out, .said = said};
  static const char *const names[] = {
      "report.json",   "report.md",        "report.html",      "repro.sh",
      "posterior.svg", "logs/build-%.log", "logs/run-%-#.log", NULL};
  struct cul_outdir *outdir = NULL;
  const char *script[2] = {NULL, NULL};
  const char **goods = list_of(&options->good);
  const char **paths = list_of(&options->paths);
  json_t *report = NULL;
  struct cul_err later = {0}; /* only the first error is reported */
  int rc = fill(options, &conf, err), written = 0;
  conf.good = goods;
  conf.paths = paths;
  if (rc == 0)
    rc = read_pins(options, &conf.pins, err);
  if (rc == 0)
    rc = find_test(options, words, script, &conf, err);
  if (rc == 0)
    rc = cul_run_options_allocate(&options->run, &conf.environment, err);
  if (rc == 0)
    rc = cul_outdir_open(&outdir,
                         &(struct cul_outdir_conf){.dir = options->bundle,
                                                   .option = "--bundle",
                                                   .names = names},
                         err);
  if (rc == 0) {
    cul_status_task("%.60s on commits", cul_basename(conf.argv[0]));
    rc = cul_commits_run(&conf, options->quiet ? NULL : &watcher, &report, err);
    cul_status_make_way();
  }
  if (report && !options->quiet)
    print_result(report, out);
  if (report && options->markdown)
    written = write_markdown(options->markdown, report, rc ? &later : err);
  if (report && written == 0)
    written = cul_write_json(options->json, report, rc ? &later : err);
  cul_outdir_close(outdir); /* --json may name a file in it */
  json_decref(report);
  free((void *)script[0]);
  free(goods);
  free(paths);
  for (size_t i = 0; i < conf.pins.n; i++)
    free((void *)conf.pins.items[i].file);
  free(conf.pins.items);
  return rc ? rc : written;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.failure = {.exit_code = -1},
                            .retries = 3,
                            .retry_pause = 5,
                            .quiet = line->quiet};
  struct cul_operands operands = {.items = NULL, .max = 0};
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0)
    rc = bisect_commits(&options, line->argv + operands.after, err);
  cul_run_options_release(&options.run);
  free(options.good.items);
  free(options.paths.items);
  free(options.pins.items);
  free(options.pin_repos.items);
  return rc;
}

const struct cul_cli_command cul_cli_bisect_commits = {
    .name = "bisect commits",
    .usage = "[--repo DIR] --good REV --bad REV [--build CMD] -- CMD",
    .summary = "find the first bad commit",
    .brief = "the first bad commit",
    .examples =
        {{"culprit bisect commits --good v1 -- ./t.sh",
          "find the first commit of this repository after v1 at which "
          "t.sh fails"},
         {"culprit bisect commits --good v1 --build 'make opt' -- ./opt "
          "/tmp/m.ll",
          "build each commit that is tried"},
         {"culprit bisect commits --find-fix --bad v1 --good main -- "
          "./t.sh",
          "find the first commit at which it passes again"}},
    .opts = opts,
    .run = run};
