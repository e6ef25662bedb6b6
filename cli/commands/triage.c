/* culprit triage: failure logs go in, a short list of bugs comes out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../probe/outdir.h"
#include "../../triage/read/suite.h"
#include "../../triage/report/explain.h"
#include "../../triage/report/report.h"
#include "../../triage/work/work.h"
#include "../command.h"
#include "../options.h"

enum { MOST_INPUTS = 4096, MOST_PROBLEMS = 10 };

/* --bisect and what belongs to it. */
struct blame {
  const char *repo, *bad, *build, *tool, *work;
  struct cul_strings good;
};

#define BLAME(name) offsetof(struct blame, name)

static const struct cul_opt blame_opts[] = {
    {.name = "bisect",
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = BLAME(repo),
     .value = "REPO",
     .help = "find the commit of this repository that introduced each bucket, "
             "with its reduced case: see culprit bisect commits"},
    {.name = "good",
     .type = CUL_OPT_LIST,
     .offset = BLAME(good),
     .value = "REV",
     .help = "a commit that passes (default: search for one)"},
    {.name = "bad",
     .type = CUL_OPT_STRING,
     .offset = BLAME(bad),
     .value = "REV",
     .help = "a commit that fails (default HEAD)"},
    {.name = "build",
     .type = CUL_OPT_STRING,
     .offset = BLAME(build),
     .value = "CMD",
     .help = "a shell command that builds a commit, in its build directory"},
    {.name = "tool",
     .type = CUL_OPT_STRING,
     .offset = BLAME(tool),
     .value = "PATH",
     .help = "the program that the build makes there; it replaces the program "
             "in each command (without --tool, commands may use @{dir})"},
    {.name = "work",
     .type = CUL_OPT_STRING,
     .offset = BLAME(work),
     .value = "DIR",
     .help = "the directory for the builds (default: in the cache directory)"},
    {.name = NULL}};

struct options {
  const char *output, *json, *db, *run, *fail_on, *owners;
  struct cul_worker_options workers;
  int64_t max_runs;
  double budget;
  struct blame blame;
  bool quiet, check, reduce, confirm;
};

#define FIELD(name) offsetof(struct options, name)

static const struct cul_opt opts[] = {
    {.name = "output",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .letter = 'o',
     .type = CUL_OPT_STRING,
     .offset = FIELD(output),
     .value = "DIR",
     .help = "write the reports into this directory"},
    {.name = "json",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(json),
     .writes = true,
     .value = "FILE",
     .help = "write the buckets with their failures as JSON; - is standard "
             "output"},
    {.name = "db",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(db),
     .value = "FILE",
     .help = "store the buckets in this file: they keep their numbers and "
             "manual changes from run to run"},
    {.name = "fail-on",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(fail_on),
     .value = "new|new-or-returned|any",
     .help = "exit with status 8 if the report has such a bug, except for "
             "ignored bugs and infrastructure"},
    {.name = "owners",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(owners),
     .value = "FILE",
     .help =
         "a CODEOWNERS file, also with pass:, component:, tool: and test:; the "
         "reports name the owner of each bug, by its source file or test"},
    {.name = "run",
     .group = CUL_GROUP_RUNS,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(run),
     .value = "'CMD @@'",
     .help = "run this command on each input as a test, and sort the failures"},
    {.name = "check",
     .group = "Handling of failures",
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(check),
     .help =
         "run again every failure with a module and a command; like --reduce "
         "and --confirm, this runs the commands of a list (.jsonl)"},
    {.name = "reduce",
     .group = "Handling of failures",
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(reduce),
     .help = "reduce one failure of each bucket: the smallest one that always "
             "fails in the same way"},
    {.name = "confirm",
     .group = "Handling of failures",
     .type = CUL_OPT_FLAG,
     .offset = FIELD(confirm),
     .help = "run reduced cases with the other commands of their bucket, and "
             "with those of other buckets; buckets whose cases fail with each "
             "other's command become one"},
    {.name = "blame",
     .group = "First bad commit",
     .type = CUL_OPT_TABLE,
     .offset = FIELD(blame),
     .table = blame_opts},
    {.name = "budget",
     .group = CUL_GROUP_LIMITS,
     .type = CUL_OPT_SECONDS,
     .offset = FIELD(budget),
     .value = "TIME",
     .help = "the time for the reduction of a bucket: seconds, 5m, 2h"},
    {.name = "max-runs",
     .group = CUL_GROUP_LIMITS,
     .type = CUL_OPT_INT,
     .offset = FIELD(max_runs),
     .min = 1,
     .max = INT64_MAX,
     .value = "N",
     .help = "the number of runs for the reduction of a bucket"},
    {.name = "workers",
     .type = CUL_OPT_TABLE,
     .offset = FIELD(workers),
     .table = cul_worker_opts},
    {.name = NULL}};

static void print_problems(const struct cul_triage *t) {
  cul_status_make_way();
  for (size_t i = 0; i < t->n_problems && i < MOST_PROBLEMS; i++)
    cul_say(stderr, "culprit: not read: %s: %s\n", t->problems[i].name,
            t->problems[i].why);
  if (t->n_problems > MOST_PROBLEMS)
    cul_say(stderr, "culprit: not read: %zu more\n",
            t->n_problems - MOST_PROBLEMS);
}

static void print_summary(const struct cul_triage *t, FILE *out) {
  struct cul_buf text = {0};
  cul_triage_summary(t, &text);
  cul_say_text(out, cul_buf_str(&text));
  if (t->conf->output)
    cul_say(out, "report: %s\n", t->conf->output);
  fflush(out);
  cul_buf_release(&text);
}

/* The reports and the JSON. */
static int write_reports(const struct cul_triage *t, const char *json,
                         struct cul_err *err) {
  int rc = cul_triage_write(t, err);
  json_t *report = rc == 0 && json ? cul_triage_json(t) : NULL;
  if (report)
    rc = cul_write_json(json, report, err);
  json_decref(report);
  return rc;
}

/* Where the time is up before all tests are run, those that were are sorted:
 * EBUDGET or EINTR then.  The database stays as it was, for it would take the
 * others' bugs for gone. */
static int sort_failures(struct cul_triage *t, struct cul_state *state,
                         const struct cul_triage_say *say,
                         struct cul_err *err) {
  int rc = t->conf->run ? cul_triage_suite(t, err) : cul_triage_read(t, err);
  int cut = 0, part = t->n_unrun ? rc : 0;
  struct cul_err later = {0};
  print_problems(t);
  if (rc == 0 && t->conf->confirm)
    cut = cul_triage_settle(t, say, err);
  if (cut == CUL_EBUDGET) /* the logs are believed */
    rc = 0;
  else if (cut)
    rc = cut;
  if (rc < 0 && !part)
    return cul_options_in_vain(rc, err);
  cul_triage_guess(t);
  cul_triage_group(t, state->known, state->n_known);
  rc = cul_state_fill(state, t, &later);
  if (rc == 0) {
    cul_triage_order(t, state->next_id);
    rc = part ? 0 : cul_state_save(state, t, &later);
  }
  if (rc < 0)
    *err = later;
  return rc ? rc : part;
}

static void said(void *self, const char *line) {
  cul_status_make_way();
  cul_say(self, "%s\n", line);
  fflush(self);
}

/* Bugs that fail a job of CI. */
static bool counts(const struct cul_triage *t,
                   const struct cul_bucket *bucket) {
  enum cul_fail_on on = t->conf->fail_on;
  if (bucket->ignored || bucket->infrastructure || !bucket->n_members)
    return false;
  return on == CUL_FAIL_ANY ||
         (on != CUL_FAIL_NEVER && bucket->state == CUL_BUCKET_NEW) ||
         (on == CUL_FAIL_RETURNED && bucket->state == CUL_BUCKET_RETURNED);
}

static const char *const fail_on_names[] = {[CUL_FAIL_NEW] = "new",
                                            [CUL_FAIL_RETURNED] =
                                                "new-or-returned",
                                            [CUL_FAIL_ANY] = "any"};

static int fail_on(const struct cul_triage *t, struct cul_err *err) {
  size_t n = 0;
  for (size_t i = 0; i < t->n_buckets; i++)
    n += counts(t, &t->buckets[i]);
  if (!n)
    return 0;
  return cul_fail(err, CUL_EFOUND,
                  "the report has them; \"culprit triage ignore\" "
                  "takes one out that is known",
                  "--fail-on %s: %zu bug%s", fail_on_names[t->conf->fail_on], n,
                  cul_s(n));
}

/* Open the directory of the reports and cases. */
static int open_outdir(const char *dir, struct cul_outdir **out,
                       struct cul_err *err) {
  CUL_HEAP const char **names = NULL;
  size_t n = 0;
  while (cul_triage_reports[n])
    n++;
  names = cul_xcalloc(n + 3, sizeof *names);
  for (size_t i = 0; i < n; i++)
    names[i] = cul_triage_reports[i]->file;
  names[n] = "B#";
  names[n + 1] = "B#.%";
  return cul_outdir_open(
      out,
      &(struct cul_outdir_conf){
          .dir = dir, .option = "-o", .names = names, .stays = true},
      err);
}

static int triage(const struct options *options,
                  const struct cul_triage_conf *conf, struct cul_err *err) {
  struct cul_triage t;
  struct cul_state state = {0};
  FILE *out = cul_text_stream(options->json, options->quiet);
  const struct cul_triage_say loud = {said, out};
  const struct cul_triage_say *say = options->quiet ? NULL : &loud;
  struct cul_err later = {0};
  struct cul_outdir *outdir = NULL;
  bool whole;
  int written, rc = cul_triage_open(&t, conf, err);
  if (rc == 0)
    rc = open_outdir(conf->output, &outdir, err);
  if (rc == 0)
    rc = cul_state_open(&state, conf->db, t.rules, err);
  if (rc == 0)
    rc = sort_failures(&t, &state, say, err);
  if (t.n_unrun && cul_is_cut(rc)) {
    if (write_reports(&t, options->json, &later) == 0)
      print_summary(&t, out);
  } else if (rc == 0) {
    rc = cul_triage_work(&t, &state, say, err);
    written = write_reports(&t, options->json, rc ? &later : err);
    rc = rc ? rc : written;
    /* What is new is told before the database knows it: killed in between, it
     * is told twice. */
    whole = (rc == 0 || rc == CUL_EBUDGET) && written == 0;
    if (whole)
      print_summary(&t, out);
    if (whole)
      written = cul_state_finish(&state, &t, rc ? &later : err);
    rc = rc ? rc : written;
    rc = rc ? rc : fail_on(&t, err);
  }
  cul_text_close(out);
  cul_state_close(&state);
  cul_triage_release(&t);
  cul_outdir_close(outdir);
  return rc;
}

/* ---- actions beside sorting ---- */

struct hand_options {
  const char *db;
};

static const struct cul_opt hand_opts[] = {
    {.name = "db",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct hand_options, db),
     .value = "FILE",
     .main = true,
     .group = CUL_GROUP_OUTPUT,
     .help = "the file of culprit triage --db"},
    {.name = NULL}};

static const struct cul_opt no_opts[] = {{.name = NULL}};

static int explain(const struct cul_command_line *line, struct cul_err *err) {
  const char **words = cul_xcalloc(MOST_INPUTS, sizeof *words);
  struct cul_operands operands = {.items = words, .max = MOST_INPUTS};
  struct cul_buf text = {0};
  int rc = cul_opt_parse(no_opts, NULL, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n < 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit triage explain LOG",
                  "no log is given");
  for (int i = 0; i < operands.n && rc == 0; i++)
    rc = cul_triage_explain(words[i], &text, err);
  cul_say_text(stdout, cul_buf_str(&text));
  cul_buf_release(&text);
  free(words);
  return rc;
}

static const struct {
  const char *word;
  enum cul_hand what;
} hands[] = {{"merge", CUL_HAND_MERGE},     {"split", CUL_HAND_SPLIT},
             {"unmerge", CUL_HAND_UNMERGE}, {"rename", CUL_HAND_RENAME},
             {"ignore", CUL_HAND_IGNORE},   {"unignore", CUL_HAND_UNIGNORE},
             {"link", CUL_HAND_LINK}};

/* The row of hands that a word names; CUL_ARRAY_SIZE: none. */
static size_t hand_of(const char *word) {
  size_t i = 0;
  while (i < CUL_ARRAY_SIZE(hands) && strcmp(word, hands[i].word) != 0)
    i++;
  return i;
}

static int by_hand(const struct cul_command_line *line, struct cul_err *err) {
  const char **words = cul_xcalloc(MOST_INPUTS, sizeof *words);
  struct cul_operands operands = {.items = words, .max = MOST_INPUTS};
  struct hand_options options = {0};
  struct cul_buf text = {0};
  int rc = cul_opt_parse(hand_opts, &options, line->argc, line->argv, &operands,
                         err);
  if (rc == 0 && !options.db)
    rc = cul_fail(err, CUL_EUSAGE,
                  "name the file that was given to culprit triage --db",
                  "%s: --db is missing", line->argv[0]);
  if (rc == 0)
    rc = cul_state_by_hand(options.db, hands[hand_of(line->argv[0])].what,
                           words, (size_t)operands.n, &text, err);
  if (rc == 0 && !line->quiet)
    cul_say_text(stdout, cul_buf_str(&text));
  cul_buf_release(&text);
  free(words);
  return rc;
}

static int read_fail_on(const char *word, enum cul_fail_on *out,
                        struct cul_err *err) {
  for (size_t i = CUL_FAIL_NEW; word && i < CUL_ARRAY_SIZE(fail_on_names); i++)
    if (!strcmp(word, fail_on_names[i]))
      return *out = (enum cul_fail_on)i, 0;
  return word ? cul_fail(err, CUL_EUSAGE, "give new, new-or-returned or any",
                         "--fail-on: \"%s\" is unknown", word)
              : 0;
}

static int act(struct options *options, const char *const *good,
               const struct cul_operands *words, struct cul_err *err) {
  size_t part[2] = {0, 1};
  struct cul_triage_conf conf = {
      .interrupted = &cul_interrupted,
      .inputs = words->items,
      .n_inputs = (size_t)words->n,
      .output = options->output,
      .db = options->db,
      .owners = options->owners,
      .run = options->run,
      .check = options->check,
      .reduce = options->reduce,
      .confirm = options->confirm,
      .budget_s = options->budget,
      .max_runs = (uint64_t)options->max_runs,
      .timeout_s = options->workers.run.timeout,
      .deadline_us = cul_run_options_deadline(&options->workers.run),
      .workers = (int)options->workers.n,
      .cache = {.path = options->workers.run.cache,
                .off = options->workers.run.no_cache,
                .results = {options->json, options->output, options->db}},
      .blame = {.repo = options->blame.repo,
                .good = good,
                .bad = options->blame.bad ? options->blame.bad : "HEAD",
                .build = options->blame.build,
                .tool = options->blame.tool,
                .work = options->blame.work}};
  if (read_fail_on(options->fail_on, &conf.fail_on, err) < 0)
    return err->code;
  if (cul_run_options_environment(&options->workers.run, &conf.environment,
                                  err) < 0)
    return err->code;
  if (words->n < 1)
    return cul_fail(err, CUL_EUSAGE,
                    "culprit triage DIR|LOG|LIST.jsonl... -o REPORT",
                    "no log is given");
  if (hand_of(words->items[0]) < CUL_ARRAY_SIZE(hands) ||
      !strcmp(words->items[0], "explain"))
    return cul_fail(err, CUL_EUSAGE, "options follow the action",
                    "%s must precede options: culprit triage %s ...",
                    words->items[0], words->items[0]);
  if ((conf.reduce || conf.confirm) && !conf.output)
    return cul_fail(err, CUL_EUSAGE, "add -o DIR",
                    "--%s writes files, and -o is missing",
                    conf.reduce ? "reduce" : "confirm");
  if (cul_run_options_allocate(&options->workers.run, &conf.environment, err) <
      0)
    return err->code;
  conf.environment.part = conf.part = part;
  return triage(options, &conf, err);
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.quiet = line->quiet};
  const char **words = cul_xcalloc(MOST_INPUTS, sizeof *words);
  struct cul_operands operands = {.items = words, .max = MOST_INPUTS};
  const char **good;
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  good = cul_xcalloc(options.blame.good.n + 1, sizeof *good);
  if (options.blame.good.n)
    memcpy(good, options.blame.good.items, options.blame.good.n * sizeof *good);
  if (rc == 0)
    rc = act(&options, good, &operands, err);
  free(good);
  cul_run_options_release(&options.workers.run);
  free(options.blame.good.items);
  free(words);
  return rc;
}

static const struct cul_cli_command triage_explain = {
    .name = "triage explain",
    .usage = "LOG...",
    .summary = "show how a log is read, and why it is in its bucket",
    .examples = {{"culprit triage explain build.log",
                  "list the failures in a log, and the rules that found them"},
                 {"culprit triage explain a.log b.log",
                  "compare the keys of two logs"},
                 {"culprit triage explain night/*.log",
                  "the same for all logs of a night"}},
    .opts = no_opts,
    .run = explain};
static const struct cul_cli_command triage_merge = {
    .name = "triage merge",
    .usage = "--db FILE BUCKET BUCKET...",
    .summary = "merge two buckets",
    .examples = {{"culprit triage merge --db bugs.db B1 B2",
                  "B2 becomes part of B1"},
                 {"culprit triage merge --db bugs.db B1 B2 B3",
                  "so do B2 and B3"},
                 {"culprit triage merge -q --db bugs.db B1 B2", "say nothing"}},
    .opts = hand_opts,
    .run = by_hand};
static const struct cul_cli_command triage_unmerge = {
    .name = "triage unmerge",
    .usage = "--db FILE BUCKET...",
    .summary = "separate a bucket that was merged",
    .examples = {{"culprit triage unmerge --db bugs.db B2",
                  "B2 is a separate bucket again"},
                 {"culprit triage unmerge --db bugs.db B2 B3", "nor is B3"},
                 {"culprit triage unmerge -q --db bugs.db B2", "say nothing"}},
    .opts = hand_opts,
    .run = by_hand};
static const struct cul_cli_command triage_split = {
    .name = "triage split",
    .usage = "--db FILE BUCKET PATTERN...",
    .summary = "move logs of a bucket into a new bucket",
    .examples = {{"culprit triage split --db bugs.db B3 '*gpu*'",
                  "move logs of B3 whose names match into a new bucket"},
                 {"culprit triage split --db bugs.db B3 night/a.log",
                  "move one log"},
                 {"culprit triage split --db bugs.db B3 '*cuda*' '*hip*'",
                  "move logs that match either pattern"}},
    .opts = hand_opts,
    .run = by_hand};
static const struct cul_cli_command triage_rename = {
    .name = "triage rename",
    .usage = "--db FILE BUCKET NAME",
    .summary = "give a bucket another name",
    .examples = {{"culprit triage rename --db bugs.db B1 'rank of pad'",
                  "use this name in reports"},
                 {"culprit triage rename --db bugs.db 1 'rank of pad'",
                  "the B may be left out"},
                 {"culprit triage rename --db bugs.db B1 ''",
                  "remove the name"}},
    .opts = hand_opts,
    .run = by_hand};
static const struct cul_cli_command triage_ignore = {
    .name = "triage ignore",
    .usage = "--db FILE BUCKET...",
    .summary = "exclude a bucket from reports",
    .examples = {{"culprit triage ignore --db bugs.db B4",
                  "do not report B4 any more"},
                 {"culprit triage ignore --db bugs.db B4 B5", "so is B5"},
                 {"culprit triage ignore -q --db bugs.db B4", "say nothing"}},
    .opts = hand_opts,
    .run = by_hand};
static const struct cul_cli_command triage_unignore = {
    .name = "triage unignore",
    .usage = "--db FILE BUCKET...",
    .summary = "report an ignored bucket again",
    .examples = {{"culprit triage unignore --db bugs.db B4",
                  "B4 is reported again"},
                 {"culprit triage unignore --db bugs.db B4 B5", "so is B5"},
                 {"culprit triage unignore -q --db bugs.db B4", "say nothing"}},
    .opts = hand_opts,
    .run = by_hand};
static const struct cul_cli_command triage_link = {
    .name = "triage link",
    .usage = "--db FILE BUCKET URL",
    .summary = "link a bucket to its issue",
    .examples = {{"culprit triage link --db bugs.db B1 https://example.org/7",
                  "link to this issue in reports"},
                 {"culprit triage link --db bugs.db 1 https://example.org/7",
                  "the B may be left out"},
                 {"culprit triage link --db bugs.db B1 ''", "remove the link"}},
    .opts = hand_opts,
    .run = by_hand};

static const struct cul_cli_command *const subs[] = {
    &triage_explain,  &triage_merge,  &triage_unmerge,
    &triage_split,    &triage_rename, &triage_ignore,
    &triage_unignore, &triage_link,   NULL};

const struct cul_cli_command cul_cli_triage = {
    .name = "triage",
    .group = "Many failures, numbers",
    .usage = "DIR|LOG|LIST.jsonl... [-o REPORT] [--db FILE]\n"
             "triage explain LOG\n"
             "triage merge|unmerge|split|rename|ignore|unignore|link --db FILE "
             "BUCKET ...",
    .summary = "group the failures in logs into bugs",
    .brief = "failure logs become few bugs",
    .examples = {{"culprit triage logs -o report",
                  "group the failures in all logs of a directory into bugs"},
                 {"culprit triage logs --db bugs.db -o report --reduce",
                  "recognise them tomorrow, and reduce one failure of each"},
                 {"culprit triage tests/*.mlir --run 'mlir-opt --cse @@'",
                  "run the tests, and group the failures"}},
    .opts = opts,
    .subs = subs,
    .run = run};
