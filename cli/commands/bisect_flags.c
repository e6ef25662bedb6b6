/* culprit bisect flags: finds the flags that the failure needs. */
#include "../../bisect/flags/flags.h"
#include "../space.h"

struct options {
  struct cul_space_options space;
  const char *good;
  int64_t counter, most;
};

#define FIELD(name) offsetof(struct options, name)

static const struct cul_opt opts[] = {
    {.name = "good",
     .group = "The flags",
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(good),
     .value = "'CMD'",
     .help = "a command that passes: examine only the differences from it, "
             "including other values and missing flags"},
    {.name = "counter",
     .group = "The flags",
     .main = true,
     .type = CUL_OPT_INT,
     .offset = FIELD(counter),
     .min = 1,
     .max = 1 << 20,
     .value = "N",
     .help = "@{n} in the command is a limit of 0 to N (-opt-bisect-limit), "
             "@{set} a set of numbers below N such as 0-3:7 (-debug-counter)"},
    {.name = "most",
     .group = "The flags",
     .type = CUL_OPT_INT,
     .offset = FIELD(most),
     .min = 1,
     .max = 1000,
     .value = "N",
     .help = "stop after N sets (default: all)"},
    {.name = "target", .type = CUL_OPT_TABLE, .table = cul_target_opts},
    {.name = "space", .type = CUL_OPT_TABLE, .table = cul_space_opts},
    {.name = NULL}};

static const struct cul_space_form form = {
    .opts = opts,
    .example = "culprit bisect flags FILE -- CMD --flag-a --flag-b @@"};

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.good = NULL};
  struct cul_flags_conf conf = {.search = CUL_LINE_DEFAULTS};
  json_t *report = NULL;
  int rc = cul_space_parse(&form, line, &options.space, &conf.target, err);
  conf.good = options.good;
  conf.counter = (uint64_t)options.counter;
  conf.bundle = options.space.bundle;
  conf.most = (size_t)options.most;
  if (rc == 0)
    rc = cul_flags_run(&conf, &report, err);
  return cul_space_finish(&options.space, report, cul_flags_say, rc, err);
}

const struct cul_cli_command cul_cli_bisect_flags = {
    .name = "bisect flags",
    .usage = "FILE [--good 'CMD'] -- CMD --flag-a --flag-b @@",
    .summary = "find the smallest sets of flags that the failure needs",
    .brief = "the flags that the failure needs",
    .examples =
        {{"culprit bisect flags m.c -- cc -a -b @@",
          "find which of -a and -b the failure needs"},
         {"culprit bisect flags m.c --good 'cc -O0 @@' -- cc -O2 -fx @@",
          "examine only the differences from a command that passes"},
         {"culprit bisect flags m.ll --counter 500 -- opt -O2 "
          "-opt-bisect-limit=@{n} @@",
          "find the first limit with which it fails"}},
    .takes_tool = true,
    .opts = opts,
    .run = run};
