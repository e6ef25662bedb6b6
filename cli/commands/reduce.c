/* culprit reduce: turns a failing input into a minimal one. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../base/digest.h"
#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "../../probe/json_word.h"
#include "../../reducer/mutations/plugin/load.h"
#include "../../reducer/plan/pass_through.h"
#include "../../reducer/plan/recipe.h"
#include "../../reducer/search/search.h"
#include "../command.h"
#include "../options.h"
#include "../several.h"
#include "../summary.h"

enum { MOST_INPUTS = 1 << 16 };

struct options {
  struct cul_target_options target;
  const char *output, *bundle, *out_dir, *json;
  const char *keep, *watch_best;
  const char *search, *without, *plugin, *recipe, *start, *pass_through;
  const char *engine;
  int64_t keep_most, max_runs, stop_at_ops, seed;
  bool quiet, reduce_command, no_hang_early;
};

#define FIELD(name) offsetof(struct options, name)

static const struct cul_opt opts[] = {
    {.name = "output",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .letter = 'o',
     .type = CUL_OPT_STRING,
     .offset = FIELD(output),
     .writes = true,
     .value = "OUT",
     .help = "the reduced file, rewritten at every step (default: "
             "FILE.reduced.EXT in the current directory)"},
    {.name = "bundle",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(bundle),
     .value = "DIR",
     .help = "write a directory that reproduces the failure without culprit"},
    {.name = "out-dir",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(out_dir),
     .value = "DIR",
     .help = "reduce several inputs separately: FILE becomes DIR/FILE, with "
             "DIR/FILE.bundle; limits apply to each of them"},
    {.name = "json",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(json),
     .writes = true,
     .value = "FILE",
     .help = "write the report as JSON; - is standard output"},
    {.name = "keep-candidates",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(keep),
     .value = "[all:]DIR",
     .help = "keep each candidate that shows the failure, numbered, in DIR; "
             "all: keep every judged candidate, with its verdict in the name"},
    {.name = "keep-candidates-max",
     .shared = true,
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_INT,
     .offset = FIELD(keep_most),
     .min = 1,
     .max = INT64_MAX,
     .value = "N",
     .help = "keep no more than N (default 10000)"},
    {.name = "watch-best",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(watch_best),
     .value = "COMMAND",
     .help = "run this command with sh, outside the sandbox, each time the "
             "result improves; the path of the result is the last argument; "
             "only one runs at a time"},
    {.name = "max-runs",
     .shared = true,
     .group = CUL_GROUP_LIMITS,
     .type = CUL_OPT_INT,
     .offset = FIELD(max_runs),
     .min = 1,
     .max = INT64_MAX,
     .value = "N",
     .help = "stop after N runs of the command"},
    {.name = "stop-at-ops",
     .shared = true,
     .group = CUL_GROUP_LIMITS,
     .type = CUL_OPT_INT,
     .offset = FIELD(stop_at_ops),
     .min = 1,
     .max = INT64_MAX,
     .value = "N",
     .help = "stop when N operations or fewer are left"},
    {.name = "seed",
     .shared = true,
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_INT,
     .offset = FIELD(seed),
     .value = "N",
     .help = "seed of the random choices (default 0)"},
    {.name = "search",
     .shared = true,
     .words = "halve sweep cdd ddmin minimal",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(search),
     .value = "RULE",
     .help =
         "the search over subsets of edits (default: halve; sweep for text):"},
    {.name = "no-hang-early",
     .group = CUL_GROUP_LIMITS,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(no_hang_early),
     .help = "wait for the deadline of each run that hangs; by default, "
             "culprit recognises a hang earlier by samples of its stacks, and "
             "proves it later"},
    {.name = "without",
     .shared = true,
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(without),
     .value = "EDIT,...",
     .help = "disable these mutations, by their names in the report, to see "
             "their effect on the result"},
    {.name = "mutation",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(plugin),
     .value = "FILE.so",
     .help = "edit the input as text (--form text), also with this plugin "
             "(mutations/plugin.h)"},
    {.name = "pass-through",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(pass_through),
     .value = "'COMMAND'",
     .help =
         "when culprit's own mutations find nothing more, run another reducer, "
         "which reduces the file @@ in place with the test @{test}"},
    {.name = "recipe",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(recipe),
     .value = "REPORT",
     .help = "first repeat the steps of an earlier reduction (the file of its "
             "--json); this saves runs if the input fails for the same reason, "
             "and otherwise costs a few runs"},
    {.name = "start",
     .shared = true,
     .words = "own shared",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(start),
     .value = "own|shared",
     .help =
         "how to start the tool for candidates: own: once for each run; "
         "shared: once for many runs, each of which continues in a fork from "
         "the point where the tool first opens its input; some of these runs "
         "are compared with ordinary runs, and the result must fail in three "
         "ordinary runs (default: shared for tools that start slowly and can "
         "wait there: Python programs, and programs with 64 MB of code if a "
         "small input takes longer to start than to compile)"},
    {.name = "engine",
     .shared = true,
     .words = "auto exec",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(engine),
     .value = "auto|exec",
     .help = "how to run mlir-opt and mlir-runner of the release that culprit "
             "is linked with, for candidates: auto (default): in-process, on "
             "the module in memory, if this shows the same as the command; "
             "exec: always with the command"},
    {.name = "reduce-command",
     .shared = true,
     .group = CUL_GROUP_SEARCH,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(reduce_command),
     .help = "also reduce the command: first find the failing pass and the IR "
             "before it, then remove arguments, passes and options that are "
             "not needed; the program, @@ and -o stay"},
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

static int check_command(const struct options *options, struct cul_err *err) {
  if (options->reduce_command && cul_options_whole(&options->target))
    return cul_fail(err, CUL_EUSAGE, "leave --reduce-command out",
                    "--reduce-command searches the pass that fails, which "
                    "--nondeterminism, --slower and --memory do not have");
  if (!options->reduce_command || !options->target.script)
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "give the command itself after \"--\", or leave "
                  "--reduce-command out",
                  "--reduce-command: a script cannot be made shorter");
}

static bool is_stdout(const char *path) {
  return path && strcmp(path, "-") == 0;
}

static int check_search(const char *name, struct cul_err *err) {
  const struct cul_search_rule *rule = name ? cul_search_rule_find(name) : NULL;
  if (!name || (rule && !rule->ranges))
    return 0;
  return cul_fail(err, CUL_EUSAGE, "one of halve, sweep, cdd, ddmin, minimal",
                  "--search: \"%s\" does not search subsets", name);
}

static int parse_start(const char *word, enum cul_start *out,
                       struct cul_err *err) {
  *out = !word                      ? CUL_START_AUTO
         : strcmp(word, "own") == 0 ? CUL_START_OWN
                                    : CUL_START_SHARED;
  if (*out != CUL_START_SHARED || strcmp(word, "shared") == 0)
    return 0;
  return cul_fail(err, CUL_EUSAGE, "give own or shared",
                  "--start: \"%s\" is not a way to start a tool", word);
}

/* With --start the command is never run in-process anyhow. */
static int parse_engine(const char *word, enum cul_start *start,
                        struct cul_err *err) {
  bool exec = word && strcmp(word, "exec") == 0;
  if (exec && *start == CUL_START_AUTO)
    *start = CUL_START_EXEC;
  if (!word || exec || strcmp(word, "auto") == 0)
    return 0;
  return cul_fail(err, CUL_EUSAGE, "give auto or exec",
                  "--engine: unknown engine \"%s\"", word);
}

static int read_recipe(const char *file, json_t **out, struct cul_err *err) {
  struct cul_buf text = {0};
  json_error_t wrong;
  int rc = file ? cul_file_read(file, 0, &text, err) : 0;
  if (rc == 0 && file)
    *out = json_loadb(text.data, text.len, 0, &wrong);
  cul_buf_release(&text);
  if (rc < 0 || !file)
    return rc;
  if (!*out)
    return cul_fail(err, CUL_EUSAGE,
                    "give the report of an earlier reduction: reduce --json",
                    "--recipe: %s cannot be read: %s", file, wrong.text);
  return cul_recipe_check(*out, file, err);
}

/* Use a plugin of mutations: the form is text, because only that edits
 * bytes. */
static int take_plugin(const char *file, struct cul_reduce_conf *conf,
                       struct cul_err *err) {
  const struct cul_mutation_plugin *plugin = NULL;
  if (!file)
    return 0;
  if (conf->form.forced && conf->form.form != CUL_FORM_TEXT)
    return cul_fail(err, CUL_EUSAGE, "leave out --form, or give --form text",
                    "--mutation edits texts, --form %s is none",
                    cul_form_name(conf->form.form));
  conf->form.forced = true;
  conf->form.form = CUL_FORM_TEXT;
  conf->plugin = file;
  return cul_mutation_plugin_load(file, &plugin, err);
}

static int check_outputs(const struct options *options, int n,
                         struct cul_err *err) {
  if (options->out_dir && (options->output || options->bundle))
    return cul_fail(err, CUL_EUSAGE,
                    "leave --out-dir out, or the other; results and bundles "
                    "are below it",
                    "--out-dir and %s both set the place of results",
                    options->output ? "-o" : "--bundle");
  if (n > 1 && !options->out_dir)
    return cul_fail(err, CUL_EUSAGE,
                    "give --out-dir DIR, for the results; or put the command "
                    "to run after \"--\": ... -- CMD @@",
                    "%d inputs are given", n);
  return 0;
}

static int check(const struct options *options, int n, struct cul_err *err) {
  int rc = 0;
  if (n < 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit reduce FILE -o OUT -- CMD @@",
                  "no input file is given");
  if (rc == 0)
    rc = check_outputs(options, n, err);
  if (rc == 0)
    rc = check_search(options->search, err);
  return rc ? rc : check_command(options, err);
}

/* A parsed command line. */
struct call {
  const struct cul_command_line *line;
  struct options *options;
  char *const *argv; /* the words after "--" */
  const json_t *recipe;
};

/* Reduce one input; conf has its output. */
static int reduce(const struct call *call, const char *input,
                  struct cul_reduce_conf *conf, struct cul_reduction *how,
                  struct cul_err *err) {
  struct options *options = call->options;
  int rc = cul_target_options_apply(&options->target, input, call->argv,
                                    &conf->target, &conf->form, err);
  if (rc == 0)
    rc = parse_start(options->start, &conf->target.start, err);
  if (rc == 0)
    rc = parse_engine(options->engine, &conf->target.start, err);
  if (rc == 0)
    rc = take_plugin(options->plugin, conf, err);
  if (rc == 0)
    rc = cul_pass_through_check(options->pass_through, err);
  if (rc < 0)
    return rc;
  conf->target.cache.results[0] = options->json;
  conf->target.cache.results[1] = options->out_dir;
  conf->target.cache.results[2] = how->keep.dir;
  conf->pass_through = options->pass_through;
  conf->recipe = call->recipe;
  conf->target.with_command = options->reduce_command;
  conf->target.oracle.hang.whole = options->no_hang_early;
  conf->max_runs = (uint64_t)options->max_runs;
  conf->max_time_s = options->target.workers.run.max_time;
  conf->stop_at_ops = (uint64_t)options->stop_at_ops;
  conf->seed = (uint64_t)options->seed;
  conf->search = options->search;
  conf->reduce_command = options->reduce_command;
  conf->without = options->without;
  how->watch_best = options->watch_best;
  conf->anew = options->keep != NULL; /* a stored job has no candidates */
  return cul_run_reduction(conf, how, err);
}

/* ---- a file that the user did not name ---- */

/* Without -o, culprit chooses the name, and replaces only what it wrote itself,
 * as in directories of results (probe/outdir.h).  The file "outputs" beside the
 * store, and not one beside the user's, has a line for each file that is about
 * to be written, and one with the digest of what was written last. */
struct own_output {
  struct cul_beneath_notice notice;
  char *path; /* absolute, its directory without links; NULL: none is noted */
  char *list; /* the path of "outputs"; NULL: there is no place for it */
};

enum { MOST_LIST = 1 << 20 };

static int64_t time_of(const struct stat *st) {
  return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* Open the list, and lock it: one process adds a line, or writes it anew. */
static int open_list(const struct own_output *own) {
  enum { TRIES = 100 };
  const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
  for (int i = 0; own->list && i < TRIES; i++) {
    struct stat here, named;
    int fd = TEMP_FAILURE_RETRY(open(
        own->list, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd < 0)
      return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &here) == 0 &&
        stat(own->list, &named) == 0 && here.st_ino == named.st_ino)
      return fd;
    close(fd);
    nanosleep(&pause, NULL);
  }
  return -1;
}

/* Takes over line. */
static void add_line(const struct own_output *own, json_t *line) {
  CUL_HEAP char *json = NULL, *text = NULL;
  int fd = open_list(own);
  json_object_set_new(line, "path", cul_json_word(own->path));
  json = json_dumps(line, JSON_COMPACT);
  text = cul_xasprintf("\n%s\n", json);
  if (fd >= 0) {
    (void)!cul_write_all(fd, text, strlen(text));
    close(fd);
  }
  json_decref(line);
}

static int note_write(void *self, int above, const char *name,
                      const struct stat *st) {
  const struct own_output *own = self;
  CUL_HEAP char *dir = cul_xstrdup(own->path);
  struct stat here, there;
  *strrchr(dir, '/') = '\0';
  if (strcmp(name, cul_basename(own->path)) == 0 && fstat(above, &here) == 0 &&
      stat(*dir ? dir : "/", &there) == 0 && here.st_ino == there.st_ino &&
      here.st_dev == there.st_dev)
    add_line(own, json_pack("{s:I, s:I, s:I}", "inode", (json_int_t)st->st_ino,
                            "size", (json_int_t)st->st_size, "time",
                            (json_int_t)time_of(st)));
  return 0; /* where there is no place for the list, the message says why */
}

static bool is_of(const json_t *line, const char *path) {
  CUL_HEAP char *of = cul_json_word_take(json_object_get(line, "path"));
  return of && strcmp(of, path) == 0;
}

/* Is the line about the file as it is? */
static bool tells(const json_t *line, const struct stat *st,
                  const char *digest) {
  const char *listed = json_string_value(json_object_get(line, "digest"));
  if (listed)
    return strcmp(listed, digest) == 0;
  return json_integer_value(json_object_get(line, "inode")) ==
             (json_int_t)st->st_ino &&
         json_integer_value(json_object_get(line, "size")) == st->st_size &&
         json_integer_value(json_object_get(line, "time")) == time_of(st);
}

/* Find the file in the list: *listed, as some file, and as it is. */
static bool find_own(const struct own_output *own, const struct stat *st,
                     bool *listed) {
  CUL_OWNED(cul_buf) text = {0};
  struct cul_err unread = {0};
  struct cul_digest digest;
  char hex[CUL_DIGEST_HEX] = "";
  bool found = false;
  *listed = false;
  if (!own->list || cul_file_read_own(own->list, 0, &text, &unread) < 0)
    return false;
  if (cul_file_digest(own->path, &digest, &unread) == 0)
    cul_digest_hex(&digest, hex);
  for (char *at = NULL, *line = strtok_r(text.data, "\n", &at); line && !found;
       line = strtok_r(NULL, "\n", &at)) {
    json_t *json = json_loads(line, 0, NULL);
    if (json && is_of(json, own->path))
      *listed = true, found = tells(json, st, hex);
    json_decref(json);
  }
  return found;
}

/* Keep the second half of a long list: what was written last. */
static void shorten_list(const struct own_output *own) {
  CUL_OWNED(cul_buf) text = {0};
  struct cul_err ignored = {0};
  int fd = open_list(own);
  const char *half;
  if (fd >= 0 && cul_file_read_own(own->list, 0, &text, &ignored) == 0 &&
      text.len > MOST_LIST && (half = strchr(text.data + text.len / 2, '\n')))
    (void)!cul_file_replace_step(own->list, half, strlen(half), 0600, &ignored);
  if (fd >= 0)
    close(fd);
}

/* Note the file from now on.  named: by the user; else it must be culprit's
 * own. Errors: EUSAGE. */
static int own_output_open(struct own_output *own, const char *output,
                           bool named, struct cul_err *err) {
  CUL_HEAP char *followed = cul_file_follow(output), *dir = NULL;
  CUL_HEAP char *parent = NULL;
  struct cul_err ignored = {0};
  struct stat st;
  bool listed = false;
  parent = strrchr(followed, '/')
               ? cul_xstrndup(followed,
                              (size_t)(strrchr(followed, '/') - followed) + 1)
               : cul_xstrdup(".");
  dir = realpath(parent, NULL);
  if (!dir)
    return 0;
  own->path = cul_xasprintf("%s/%s", strcmp(dir, "/") == 0 ? "" : dir,
                            cul_basename(followed));
  if (cul_cache_dir_make(&own->list, &ignored) == 0) {
    CUL_HEAP char *place = own->list;
    own->list = cul_xasprintf("%s/outputs", place);
  }
  if (!named && stat(own->path, &st) == 0 && S_ISREG(st.st_mode) &&
      st.st_size && !find_own(own, &st, &listed))
    return cul_fail(err, CUL_EUSAGE,
                    "move it away, or name the file: -o FILE replaces any",
                    "%s would be replaced, which %s", output,
                    listed      ? "was changed since culprit wrote it"
                    : own->list ? "culprit did not write"
                                : "may be yours: culprit has no place for the "
                                  "list of its results (XDG_CACHE_HOME)");
  shorten_list(own);
  own->notice = (struct cul_beneath_notice){.tell = note_write, .self = own};
  cul_beneath_watch(&own->notice, true);
  return 0;
}

static void own_output_close(struct own_output *own) {
  struct cul_err unread = {0};
  struct cul_digest digest;
  struct stat st;
  char hex[CUL_DIGEST_HEX];
  bool listed;
  cul_beneath_watch(&own->notice, false);
  if (own->path && stat(own->path, &st) == 0 && find_own(own, &st, &listed) &&
      cul_file_digest(own->path, &digest, &unread) == 0)
    add_line(own, json_pack("{s:s}", "digest", cul_digest_hex(&digest, hex)));
  free(own->path);
  free(own->list);
}

static int reduce_one(const struct call *call, const char *input,
                      struct cul_err *err) {
  const struct options *options = call->options;
  CUL_HEAP char *own_name = default_output(input);
  char *output = cul_xstrdup(options->output ? options->output : own_name);
  struct cul_reduce_conf conf = {.output = output, .bundle = options->bundle};
  struct cul_reduction how = {
      .line = call->line, .json = options->json, .quiet = options->quiet};
  struct own_output own = {0};
  int rc = 0;
  if (strcmp(cul_basename(output), own_name) == 0)
    rc = own_output_open(&own, output, options->output != NULL, err);
  if (rc == 0)
    rc = cul_keep_open(&how.keep, options->keep, (uint64_t)options->keep_most,
                       err);
  if (rc == 0)
    rc = reduce(call, input, &conf, &how, err);
  cul_outdir_close(how.keep.outdir);
  own_output_close(&own);
  free(output);
  return rc;
}

static void reduce_job(void *self, struct cul_several_job *job) {
  const struct call *call = self;
  struct cul_reduce_conf conf = {.output = job->output, .bundle = job->bundle};
  struct cul_reduction how = {.line = call->line,
                              .quiet = call->options->quiet,
                              .to_stderr = is_stdout(call->options->json),
                              .report = &job->report};
  const struct options *options = call->options;
  char *keep = options->keep ? cul_xasprintf("%s/%s", options->keep,
                                             cul_basename(job->output))
                             : NULL;
  int rc =
      cul_keep_open(&how.keep, keep, (uint64_t)options->keep_most, &job->err);
  if (rc == 0)
    rc = reduce(call, job->input, &conf, &how, &job->err);
  cul_outdir_close(how.keep.outdir);
  if (rc == 0) /* what was tried and left is no error */
    job->err = (struct cul_err){0};
  free(keep);
}

static int reduce_all(struct call *call, const struct cul_operands *inputs,
                      struct cul_err *err) {
  const struct options *options = call->options;
  const struct cul_several_conf conf = {.inputs = inputs->items,
                                        .n = (size_t)inputs->n,
                                        .dir = options->out_dir,
                                        .json = options->json,
                                        .quiet = options->quiet,
                                        .reduce = reduce_job,
                                        .self = call};
  return options->out_dir ? cul_several_run(&conf, err)
                          : reduce_one(call, inputs->items[0], err);
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.quiet = line->quiet, .keep_most = 10000};
  struct cul_operands operands = {
      .items = cul_xcalloc(MOST_INPUTS, sizeof *operands.items),
      .max = MOST_INPUTS};
  struct call call = {.line = line, .options = &options};
  json_t *recipe = NULL;
  int rc;
  cul_target_options_init(&options.target);
  rc = cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0)
    rc = check(&options, operands.n, err);
  if (rc == 0)
    rc = read_recipe(options.recipe, &recipe, err);
  call.argv = line->argv + operands.after;
  call.recipe = recipe;
  if (rc == 0)
    rc = reduce_all(&call, &operands, err);
  json_decref(recipe);
  free(operands.items);
  cul_run_options_release(&options.target.workers.run);
  return rc;
}

const struct cul_cli_command cul_cli_reduce = {
    .name = "reduce",
    .usage = "FILE [-o OUT] [options] -- CMD @@\n"
             "reduce FILE... --out-dir DIR [options] -- CMD @@",
    .group = "One failure",
    .summary = "shrink a failing input to a minimal one",
    .brief = "a minimal input",
    .examples =
        {{"culprit reduce m.mlir -- mlir-opt --cse @@",
          "write m.reduced.mlir, the smallest file that fails in the same way"},
         {"culprit reduce m.mlir -o small.mlir --bundle bug -- mlir-opt --cse "
          "@@",
          "write small.mlir, and a directory to attach to a bug report"},
         {"culprit reduce m.mlir --script ./interesting.sh",
          "preserve what a script finds interesting"}},
    .takes_tool = true,
    .opts = opts,
    .run = run};
