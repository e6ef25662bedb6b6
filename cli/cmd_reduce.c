/* culprit reduce: a failing input goes in, a minimal one comes out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "../reducer/mutations/plugin/load.h"
#include "../reducer/plan/recipe.h"
#include "../reducer/search/search.h"
#include "command.h"
#include "options.h"
#include "summary.h"

struct options {
  struct cul_target_options target;
  const char *output, *bundle, *json, *search, *without, *plugin, *recipe,
      *start;
  int64_t max_runs, stop_at_ops, seed;
  bool quiet, reduce_command;
};

#define FIELD(name) offsetof(struct options, name)

static const struct cul_opt opts[] = {
    {.name = "output",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .letter = 'o',
     .type = CUL_OPT_STRING,
     .offset = FIELD(output),
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
    {.name = "json",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(json),
     .value = "FILE",
     .help = "write the report as JSON; - is standard output"},
    {.name = "max-runs",
     .group = CUL_GROUP_LIMITS,
     .type = CUL_OPT_INT,
     .offset = FIELD(max_runs),
     .min = 1,
     .max = INT64_MAX,
     .value = "N",
     .help = "stop after N runs of the command"},
    {.name = "stop-at-ops",
     .group = CUL_GROUP_LIMITS,
     .type = CUL_OPT_INT,
     .offset = FIELD(stop_at_ops),
     .min = 1,
     .max = INT64_MAX,
     .value = "N",
     .help = "stop when N operations or fewer are left"},
    {.name = "seed",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_INT,
     .offset = FIELD(seed),
     .value = "N",
     .help = "seed of everything that is chosen by chance (default 0)"},
    {.name = "search",
     .words = "halve sweep cdd ddmin minimal",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(search),
     .value = "RULE",
     .help = "how subsets of edits are searched (default: halve; sweep for "
             "text):"},
    {.name = "without",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(without),
     .value = "EDIT,...",
     .help = "leave out these mutations, as the report names them: what does "
             "the result owe to them?"},
    {.name = "mutation",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(plugin),
     .value = "FILE.so",
     .help = "edit the input as a text (--form text), also by this plugin "
             "(mutations/plugin.h)"},
    {.name = "recipe",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(recipe),
     .value = "REPORT",
     .help = "first try what an earlier reduction did, as its --json says: of "
             "an input that fails for the same reason it is mostly right; if "
             "not, a few runs are lost"},
    {.name = "start",
     .words = "own shared",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(start),
     .value = "own|shared",
     .help = "how the tool is started while candidates are tried: by itself "
             "for each run, or once for many, each going on from where it "
             "first looks at its input; some of these runs are compared with "
             "runs of their own, and the result has failed in three (default: "
             "shared for what starts slowly and can wait there: a Python "
             "program; one of 64 MB of code, if a small input takes it "
             "longer to start than to compile)"},
    {.name = "reduce-command",
     .group = CUL_GROUP_SEARCH,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(reduce_command),
     .help = "the command is reduced too: first the failing pass and the IR "
             "right before it are found, then arguments, passes and options "
             "that do not matter are dropped; the program, @@ and -o stay"},
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
                    "--reduce-command looks for the pass that fails: under "
                    "--nondeterminism, --slower and --memory none does");
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

static int parse_start(const char *word, enum cul_start *out,
                       struct cul_err *err) {
  *out = !word                      ? CUL_START_AUTO
         : strcmp(word, "own") == 0 ? CUL_START_OWN
                                    : CUL_START_SHARED;
  if (*out != CUL_START_SHARED || strcmp(word, "shared") == 0)
    return 0;
  return cul_fail(err, CUL_EUSAGE, "give own or shared",
                  "--start: \"%s\" is no way to start a tool", word);
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

/* The form is text then: no other knows bytes. */
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

/* With the options in conf. */
static int reduce(const struct options *options, const char *input,
                  struct cul_reduce_conf *conf, struct cul_err *err) {
  char *output =
      options->output ? cul_xstrdup(options->output) : default_output(input);
  int rc;
  conf->output = output;
  conf->bundle = options->bundle;
  conf->max_runs = (uint64_t)options->max_runs;
  conf->max_time_s = options->target.workers.run.max_time;
  conf->stop_at_ops = (uint64_t)options->stop_at_ops;
  conf->seed = (uint64_t)options->seed;
  conf->search = options->search;
  conf->reduce_command = options->reduce_command;
  conf->without = options->without;
  rc = cul_run_reduction(conf, options->json, options->quiet, err);
  free(output);
  return rc;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.quiet = line->quiet};
  struct cul_reduce_conf conf = {0};
  const char *input = NULL;
  struct cul_operands operands = {.items = &input, .max = 1};
  json_t *recipe = NULL;
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
  if (rc == 0)
    rc = parse_start(options.start, &conf.target.start, err);
  if (rc == 0)
    rc = read_recipe(options.recipe, &recipe, err);
  if (rc == 0)
    rc = take_plugin(options.plugin, &conf, err);
  conf.recipe = recipe;
  conf.target.with_command = options.reduce_command;
  if (rc == 0)
    rc = reduce(&options, input, &conf, err);
  json_decref(recipe);
  cul_run_options_release(&options.target.workers.run);
  return rc;
}

const struct cul_cli_command cul_cli_reduce = {
    .name = "reduce",
    .usage = "FILE [-o OUT] [options] -- CMD @@",
    .group = "One failure",
    .summary = "shrink a failing input to a minimal one",
    .brief = "a minimal input",
    .examples =
        {{"culprit reduce m.mlir -- mlir-opt --cse @@",
          "write m.reduced.mlir, in which the same failure is left and nothing "
          "else"},
         {"culprit reduce m.mlir -o small.mlir --bundle bug -- mlir-opt --cse "
          "@@",
          "write small.mlir, and a directory to attach to a bug report"},
         {"culprit reduce m.mlir --script ./interesting.sh",
          "keep what a script calls interesting"}},
    .opts = opts,
    .run = run};
