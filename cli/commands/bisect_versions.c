/* culprit bisect versions: finds the two versions between which the failure
 * appeared or disappeared. */
#include <stdlib.h>

#include "../../bisect/install/installed.h"
#include "../../bisect/versions/versions.h"
#include "../space.h"

struct options {
  struct cul_space_options space;
  double confidence;
  bool all;
};

static const struct cul_opt opts[] = {
    {.name = "axis", .type = CUL_OPT_TABLE, .table = cul_axis_opts},
    {.name = "all",
     .group = CUL_GROUP_SEARCH,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, all),
     .help = "run every version, and report each change of the answer "
             "(default: if there are at most 8)"},
    {.name = "confidence",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_SECONDS,
     .offset = offsetof(struct options, confidence),
     .value = "P",
     .help = "the required probability of the answer (default 0.95)"},
    {.name = "target", .type = CUL_OPT_TABLE, .table = cul_target_opts},
    {.name = "space", .type = CUL_OPT_TABLE, .table = cul_space_opts},
    {.name = NULL}};

static const struct cul_space_form form = {
    .opts = opts,
    .example =
        "culprit bisect versions --axis opt=mlir-opt-19,mlir-opt-22 FILE -- "
        "@{opt} --canonicalize @@"};

static int fill(const struct options *options, struct cul_versions_conf *conf,
                struct cul_err *err) {
  conf->all = options->all;
  conf->bundle = options->space.bundle;
  if (options->confidence > 0)
    conf->search.confidence = options->confidence;
  if (conf->cells.target.oracle.repeat.runs)
    conf->search.confirm = conf->cells.target.oracle.repeat.runs;
  if (!(conf->search.confidence >= 0.5 && conf->search.confidence <= 0.9999))
    return cul_fail(err, CUL_EUSAGE, "give a number of 0.5 to 0.9999",
                    "--confidence %g is not possible", conf->search.confidence);
  return 0;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.confidence = 0};
  struct cul_versions_conf conf = {.search = CUL_LINE_DEFAULTS};
  struct cul_installed_axes axes = {0};
  json_t *report = NULL;
  int rc =
      cul_space_parse(&form, line, &options.space, &conf.cells.target, err);
  if (rc == 0)
    rc = fill(&options, &conf, err);
  if (rc == 0)
    rc = cul_installed_find(options.space.axes.items, options.space.axes.n,
                            options.space.versions.items,
                            options.space.versions.n, &axes, err);
  conf.cells.axes = (const char *const *)axes.specs;
  conf.cells.n_axes = axes.n;
  if (rc == 0)
    rc = cul_versions_run(&conf, &report, err);
  cul_installed_release(&axes);
  return cul_space_finish(&options.space, report, cul_versions_say, rc, err);
}

const struct cul_cli_command cul_cli_bisect_versions = {
    .name = "bisect versions",
    .usage = "--axis NAME=OLDEST,...,NEWEST FILE -- @{NAME} ... @@",
    .summary =
        "find the version in which the failure first appeared, or was fixed",
    .brief = "the first bad version",
    .examples =
        {{"culprit bisect versions --axis v=1,2 ...",
          "give the versions oldest first; @{v} is replaced by each of them"},
         {"culprit bisect versions --axis opt=opt-19,opt-22 m.ll -- @{opt} "
          "-O2 @@",
          "find the first opt that fails"},
         {"culprit bisect versions --axis v=@list.txt m.py -- ./in.sh @{v} @@",
          "read the versions from a file, one per line"}},
    .takes_tool = true,
    .opts = opts,
    .run = run};
