/* culprit bisect passes: finds the pass of a command that makes it fail. */
#include "../../bisect/passes/passes.h"
#include "../space.h"

struct options {
  struct cul_space_options space;
  const char *lower;
  bool all;
};

#define FIELD(name) offsetof(struct options, name)

static const struct cul_opt opts[] = {
    {.name = "lower",
     .group = "The passes",
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(lower),
     .value = "'CMD @@'",
     .help = "for wrong output: the shell command CMD runs the IR after some "
             "of the passes and shows the failure (or use --script FILE)"},
    {.name = "all",
     .group = "The passes",
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(all),
     .help = "with --lower or --script: judge the IR after every pass "
             "(default: if there are at most 8)"},
    {.name = "target", .type = CUL_OPT_TABLE, .table = cul_target_opts},
    {.name = "space", .type = CUL_OPT_TABLE, .table = cul_space_opts},
    {.name = NULL}};

static const struct cul_space_form form = {
    .opts = opts,
    .passes = true,
    .example = "culprit bisect passes FILE -- mlir-opt --pass-pipeline=... @@"};

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.lower = NULL};
  struct cul_passes_conf conf = {.search = CUL_LINE_DEFAULTS};
  json_t *report = NULL;
  int rc = cul_space_parse(&form, line, &options.space, &conf.target, err);
  if (rc == 0) {
    conf.lower = options.lower;
    conf.all = options.all;
    conf.bundle = options.space.bundle;
    if (conf.target.oracle.repeat.runs)
      conf.search.confirm = conf.target.oracle.repeat.runs;
    rc = cul_passes_run(&conf, &report, err);
  }
  return cul_space_finish(&options.space, report, cul_passes_say, rc, err);
}

const struct cul_cli_command cul_cli_bisect_passes = {
    .name = "bisect passes",
    .usage = "FILE [--lower 'CMD @@'] -- mlir-opt --pass-pipeline=... @@",
    .summary = "find the pass that fails or makes the output wrong",
    .brief = "the pass that fails",
    .examples =
        {{"culprit bisect passes m.ll -- opt -O2 @@",
          "find the pass that crashes, and write the IR before it"},
         {"culprit bisect passes m.mlir -- mlir-opt --cse --canonicalize @@",
          "the same for a list of passes"},
         {"culprit bisect passes m.mlir --lower './run.sh @@' -- ./opt -a -b "
          "@@",
          "find the pass after which run.sh shows a wrong result"}},
    .takes_tool = true,
    .opts = opts,
    .run = run};
