/* culprit jobs: lists earlier reductions, and how to resume them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../base/visible.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/json_word.h"
#include "../../probe/target/findings.h"
#include "../job_entry.h"
#include "../options.h"
#include "../summary.h"

struct options {
  const char *cache, *json;
  bool quiet;
};

static const struct cul_opt opts[] = {
    {.name = "json",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, json),
     .writes = true,
     .value = "FILE",
     .main = true,
     .group = CUL_GROUP_OUTPUT,
     .help = "write the list as JSON; - is standard output"},
    {.name = "cache",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, cache),
     .value = "FILE",
     .main = true,
     .group = "The store",
     .help = "the store (default: cache.db in $XDG_CACHE_HOME/culprit)"},
    {.name = NULL}};

/* The shell line "cd DIR && culprit reduce ..."; caller frees. */
static char *resume_line(const json_t *job) {
  struct cul_buf text = {0};
  char *cwd = cul_json_word_take(json_object_get(job, "cwd"));
  cul_buf_adds(&text, "cd ");
  cul_shell_quote(cwd ? cwd : ".", &text);
  cul_buf_adds(&text, " && ");
  cul_json_words_quote(json_object_get(job, "call"), &text);
  free(cwd);
  return cul_buf_take(&text);
}

/* Print an age: "3 min". */
static void print_age(int64_t seconds, FILE *out) {
  static const struct {
    int64_t seconds;
    const char *name;
  } units[] = {{24 * 3600, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
  size_t i = 0;
  if (seconds < 0)
    seconds = 0;
  while (i + 1 < CUL_ARRAY_SIZE(units) && seconds < units[i].seconds)
    i++;
  cul_say(out, "%lld %s", (long long)(seconds / units[i].seconds),
          units[i].name);
}

static void print_word(const json_t *word, FILE *out) {
  char *text = cul_json_word_take(word);
  struct cul_buf line = {0};
  cul_visible_line(text ? text : "?", &line);
  cul_say(out, "%s", cul_buf_str(&line));
  cul_buf_release(&line);
  free(text);
}

static void print_job(const struct cul_job_listed *job, FILE *out) {
  const json_t *json = job->json, *command = json_object_get(json, "command");
  const char *error = json_string_value(json_object_get(json, "error"));
  cul_say(out, "%-12s ", cul_job_state_name(job->state));
  print_word(json_object_get(json, "input"), out);
  fputs(", ", out);
  print_age(time(NULL) - job->updated_us / 1000000, out);
  fputs(" ago\n", out);
  if (json_is_array(command)) {
    struct cul_buf words = {0};
    cul_json_words_quote(command, &words);
    cul_say(out, "  command:   %s\n", cul_buf_str(&words));
    cul_buf_release(&words);
  }
  if (json_is_object(json_object_get(json, "final"))) {
    fputs("  size:      ", out);
    cul_print_size(json, "initial", out);
    fputs(" -> ", out);
    cul_print_size(json, "final", out);
    fputs(": ", out);
    print_word(json_object_get(json, "output"), out);
    fputc('\n', out);
  }
  if (error && *error)
    cul_say(out, "  ended by:  %s\n", error);
  if (cul_job_state_is_resumable(job->state)) {
    char *line = resume_line(json);
    cul_say(out, "  go on:     %s\n", line);
    free(line);
  }
}

static json_t *report_of(const struct cul_job_listed *jobs, size_t n) {
  json_t *list = json_array();
  for (size_t i = 0; i < n; i++) {
    bool resumable = cul_job_state_is_resumable(jobs[i].state);
    char *line = resume_line(jobs[i].json);
    json_t *one = json_copy(jobs[i].json);
    json_object_del(one, "lock");
    json_object_set_new(one, "state",
                        json_string(cul_job_state_name(jobs[i].state)));
    json_object_set_new(one, "resumable", json_boolean(resumable));
    json_object_set_new(one, "shell", cul_report_string(line));
    json_array_append_new(list, one);
    free(line);
  }
  return json_pack("{s:s, s:o}", "culprit_version", CULPRIT_VERSION, "jobs",
                   list);
}

static int list(const struct options *options, struct cul_cache *cache,
                struct cul_err *err) {
  struct cul_job_listed *jobs = NULL;
  size_t n = 0;
  int rc = cul_job_entries(cache, &jobs, &n, err);
  FILE *out = cul_text_stream(options->json, options->quiet);
  json_t *report = report_of(jobs, n);
  for (size_t i = 0; i < n && rc == 0; i++)
    print_job(&jobs[i], out);
  if (n == 0 && rc == 0)
    cul_say(out, "no job: the store has none\n");
  cul_text_close(out);
  if (rc == 0)
    rc = cul_write_json(options->json, report, err);
  for (size_t i = 0; i < n; i++)
    json_decref(jobs[i].json);
  json_decref(report);
  free(jobs);
  return rc;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.quiet = line->quiet};
  struct cul_operands operands = {.items = NULL, .max = 0};
  struct cul_cache *cache = NULL;
  char *note = NULL;
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc < 0)
    return rc;
  rc = cul_cache_open(options.cache, &cache, &note, err);
  if (rc == 0 && note)
    cul_say(stderr, "culprit: %s\n", note);
  if (rc == 0)
    rc = list(&options, cache, err);
  free(note);
  cul_cache_close(cache);
  return rc;
}

const struct cul_cli_command cul_cli_jobs = {
    .name = "jobs",
    .usage = "[--json FILE] [--cache FILE]",
    .group = "Results",
    .summary = "list earlier reductions, and the commands that continue them",
    .brief = "earlier reductions",
    .examples = {{"culprit jobs", "list them, unfinished ones first"},
                 {"culprit jobs --json -", "the same as JSON"},
                 {"culprit jobs --cache other.db", "use another store"}},
    .opts = opts,
    .run = run};
