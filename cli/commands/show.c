/* culprit show: shows the content of a bundle, or the steps of a job, on a
 * terminal. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/visible.h"
#include "../../probe/json_word.h"
#include "../command.h"
#include "../help.h"
#include "../issue_text.h"
#include "../job_entry.h"
#include "../options.h"

enum { MOST_COLUMNS = 100, MOST_BUNDLES = 16 };

struct options {
  bool steps;
  const char *cache;
};

static const struct cul_opt opts[] = {
    {.name = "steps",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, steps),
     .help = "show the steps of a reduction instead: run, mutation, size "
             "before and after, and the changes"},
    {.name = "cache",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, cache),
     .value = "FILE",
     .group = "The store",
     .help = "the store with the steps of jobs (default: cache.db in "
             "$XDG_CACHE_HOME/culprit)"},
    {.name = NULL}};

/* Longer lines are hard to read. */
static size_t columns(void) {
  size_t n = cul_columns(STDOUT_FILENO);
  return n < MOST_COLUMNS ? n : MOST_COLUMNS;
}

/* Print the page.  Control sequences in foreign text are escaped; those around
 * headings are culprit's. */
static void print(const struct cul_page *page) {
  const char *text = cul_buf_str(&page->out);
  bool bold = cul_has_colour(stdout);
  size_t at = 0;
  for (size_t i = 0; bold && i < page->n_headings; i++) {
    const struct cul_page_range *range = &page->headings[i];
    cul_say(stdout, "%.*s", (int)(range->from - at), text + at);
    fputs("\033[1m", stdout);
    cul_say(stdout, "%.*s", (int)(range->to - range->from), text + range->from);
    fputs("\033[0m", stdout);
    at = range->to;
  }
  cul_say_text(stdout, text + at);
}

/* ---- steps ---- */

static long long number_of(const json_t *object, const char *key) {
  return (long long)json_integer_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

/* Were the steps made in two forms, whose operations differ?  Then the bytes
 * are shown. */
static bool is_reread(const json_t *report) {
  return json_is_true(
      json_object_get(json_object_get(report, "reread"), "kept"));
}

static const char *unit_of(const json_t *report) {
  if (is_reread(report))
    return "bytes";
  return strcmp(text_of(report, "form"), "text") == 0 ? "tokens" : "operations";
}

/* The columns for names; longer names stick out. */
static int name_columns(const json_t *steps) {
  enum { LEAST = 8, MOST = 32 };
  size_t n = LEAST, i;
  const json_t *step;
  json_array_foreach(steps, i, step) {
    size_t len = strlen(text_of(step, "mutation"));
    n = len > n && len <= MOST ? len : n;
  }
  return (int)n;
}

static void print_line(struct cul_bytes line, bool coloured) {
  bool added = *line.data == '+', removed = *line.data == '-';
  fputs("       ", stdout);
  if (coloured && added)
    fputs("\033[32m", stdout);
  if (coloured && removed)
    fputs("\033[31m", stdout);
  cul_say(stdout, "%.*s", (int)line.len, line.data);
  if (coloured && (added || removed))
    fputs("\033[0m", stdout);
  fputs("\n", stdout);
}

/* Print what the step changed, line by line, as far as it is known. */
static void print_change(const json_t *change, bool coloured) {
  const char *at = text_of(change, "text");
  long long cut = number_of(change, "cut");
  while (*at) {
    size_t n = strcspn(at, "\n");
    if (n > 0 && n <= INT_MAX)
      print_line((struct cul_bytes){at, n}, coloured);
    at += n + (at[n] == '\n');
  }
  if (cut > 0)
    cul_say(stdout, "       not kept: %lld more line%s (-%lld +%lld in all)\n",
            cut, cul_s((uint64_t)cut), number_of(change, "removed"),
            number_of(change, "added"));
}

static void print_steps(const json_t *report) {
  const json_t *steps = json_object_get(report, "steps"), *step;
  const char *key = is_reread(report) ? "bytes" : "ops";
  long long before = number_of(json_object_get(report, "initial"), key);
  int wide = name_columns(steps);
  bool coloured = cul_has_colour(stdout);
  size_t i;
  cul_say(stdout, "%5s %8s %9s  %-*s %9s %9s %9s  %s\n", "step", "run",
          "seconds", wide, "mutation", "before", "after", "removed",
          unit_of(report));
  json_array_foreach(steps, i, step) {
    long long after = number_of(step, key);
    struct cul_buf name = {0};
    if (!json_is_object(step)) {
      cul_say(stdout, "%5zu  the store does not have it any more\n", i + 1);
      continue;
    }
    cul_visible_line(text_of(step, "mutation"), &name);
    cul_say(stdout, "%5zu %8lld %9.2f  %-*s %9lld %9lld %9lld\n", i + 1,
            number_of(step, "executed"),
            json_number_value(json_object_get(step, "t")), wide,
            cul_buf_str(&name), before, after, before - after);
    print_change(json_object_get(step, "change"), coloured);
    cul_buf_release(&name);
    before = after;
  }
}

static int show_bundle(const char *dir, struct cul_err *err) {
  json_t *report = NULL;
  int rc = cul_report_of_bundle(dir, &report, err);
  if (rc == 0 && !json_is_array(json_object_get(report, "steps")))
    rc = cul_fail(
        err, CUL_EUSAGE, "name a bundle that culprit reduce wrote",
        "%s is not the bundle of a reduction: its report has no steps", dir);
  if (rc == 0)
    print_steps(report);
  json_decref(report);
  return rc;
}

/* ---- steps of a job ---- */

/* A file's path without links, as far as it exists; heap. */
static char *place_of(const char *cwd, const char *file) {
  char *path =
           *file == '/' ? cul_xstrdup(file) : cul_xasprintf("%s/%s", cwd, file),
       *real;
  real = realpath(path, NULL);
  if (!real)
    return path;
  free(path);
  return real;
}

/* Does the job name this file, by the same word or the same path? */
static bool is_called(const json_t *job, const char *key, const char *file,
                      const char *place) {
  char *cwd = cul_json_word_take(json_object_get(job, "cwd"));
  char *word = cul_json_word_take(json_object_get(job, key));
  char *own = cwd && word ? place_of(cwd, word) : NULL;
  bool same = own && (strcmp(word, file) == 0 || strcmp(own, place) == 0);
  free(cwd);
  free(word);
  free(own);
  return same;
}

/* The last job that writes this file, else the last one that reads it. */
static const struct cul_job_listed *find_job(const struct cul_job_listed *jobs,
                                             size_t n, const char *file) {
  static const char *const keys[] = {"output", "input"};
  const struct cul_job_listed *found = NULL;
  char *cwd = getcwd(NULL, 0), *place = place_of(cwd ? cwd : "", file);
  for (size_t k = 0; k < CUL_ARRAY_SIZE(keys) && !found; k++)
    for (size_t i = 0; i < n; i++)
      if (is_called(jobs[i].json, keys[k], file, place) &&
          (!found || jobs[i].updated_us > found->updated_us))
        found = &jobs[i];
  free(cwd);
  free(place);
  return found;
}

static int print_job(struct cul_cache *cache, const struct cul_job_listed *job,
                     struct cul_err *err) {
  char *input = cul_json_word_take(json_object_get(job->json, "input"));
  char *output = cul_json_word_take(json_object_get(job->json, "output"));
  json_t *report = json_copy(job->json), *steps = NULL;
  int rc = cul_job_entry_steps(cache, job->json, &steps, err);
  json_object_set_new(report, "steps", steps);
  if (rc == 0) {
    cul_say(stdout, "%s: %s to %s%s\n", cul_job_state_name(job->state),
            input ? input : "?", output ? output : "?",
            cul_job_state_is_resumable(job->state)
                ? " (culprit jobs lists the command that continues it)"
                : "");
    print_steps(report);
  }
  json_decref(report);
  free(input);
  free(output);
  return rc;
}

static int show_job(const struct options *options, const char *file,
                    struct cul_err *err) {
  const struct cul_job_listed *job;
  struct cul_job_listed *jobs = NULL;
  struct cul_cache *cache = NULL;
  char *note = NULL;
  size_t n = 0;
  int rc = cul_cache_open(options->cache, &cache, &note, err);
  if (rc == 0 && note)
    cul_say(stderr, "culprit: %s\n", note);
  if (rc == 0)
    rc = cul_job_entries(cache, &jobs, &n, err);
  job = rc == 0 ? find_job(jobs, n, file) : NULL;
  if (rc == 0 && !job)
    rc = cul_fail(
        err, CUL_EUSAGE,
        "give a bundle, or the input or output of a job that culprit "
        "jobs lists",
        "%s is neither a bundle nor the input or output of a job in the store",
        file);
  if (rc == 0)
    rc = print_job(cache, job, err);
  for (size_t i = 0; i < n; i++)
    json_decref(jobs[i].json);
  free(jobs);
  free(note);
  cul_cache_close(cache);
  return rc;
}

static int show_steps(const struct options *options, const char *what,
                      struct cul_err *err) {
  struct stat st;
  return stat(what, &st) == 0 && S_ISDIR(st.st_mode)
             ? show_bundle(what, err)
             : show_job(options, what, err);
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {0};
  const char *dirs[MOST_BUNDLES] = {NULL};
  struct cul_operands operands = {.items = dirs, .max = MOST_BUNDLES};
  struct cul_page page;
  struct stat st;
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n < 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit show BUNDLE", "no bundle is given");
  if (rc == 0 && options.steps && operands.n > 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit show BUNDLE --steps",
                  "--steps shows one reduction");
  if (rc < 0)
    return rc;
  if (options.steps)
    return show_steps(&options, dirs[0], err);
  if (stat(dirs[0], &st) == 0 && S_ISREG(st.st_mode))
    return cul_fail(err, CUL_EUSAGE,
                    "name the bundle, or add --steps for the steps of the job "
                    "that reads or writes this file",
                    "%s is a file, not a bundle", dirs[0]);
  cul_page_init(&page, CUL_PAGE_TERMINAL, columns());
  rc = cul_issue_of_bundle(dirs, operands.n, &page, err);
  if (rc == 0)
    print(&page);
  cul_page_release(&page);
  return rc;
}

const struct cul_cli_command cul_cli_show = {
    .name = "show",
    .usage = "BUNDLE [BISECTION...] [options]\n"
             "show BUNDLE|JOB --steps",
    .group = "Results",
    .summary = "show a bundle, or the steps of a job, on a terminal",
    .brief = "the content of a bundle",
    .examples = {{"culprit show bundle",
                  "show the case, its command, the stack and the findings"},
                 {"culprit show bundle versions",
                  "show the same with the result of a bisection (its bundle)"},
                 {"culprit show small.mlir --steps",
                  "show the steps of the reduction that writes small.mlir"}},
    .opts = opts,
    .run = run};
