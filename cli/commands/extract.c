/* culprit extract: extracts the failing part of a module unchanged, or the
 * repros in a log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../probe/repro_lines.h"
#include "../../reducer/extract_log.h"
#include "../../reducer/numbers/divergence.h"
#include "../../reducer/space/each_op.h"
#include "../command.h"
#include "../options.h"
#include "../summary.h"

struct options {
  struct cul_target_options target;
  const char *output, *json;
  bool each_op, quiet;
  const struct cul_command_line *line;
};

static const struct cul_opt opts[] = {
    {.name = "output",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .letter = 'o',
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, output),
     .value = "DIR",
     .help = "the directory to write (default: repro)"},
    {.name = "json",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, json),
     .value = "FILE",
     .help = "for a module: write the report as JSON; - is standard output"},
    {.name = "each-op",
     .group = CUL_GROUP_SEARCH,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, each_op),
     .help = "for a module: run every distinct operation alone, and keep those "
             "that fail"},
    {.name = "target",
     .type = CUL_OPT_TABLE,
     .offset = offsetof(struct options, target),
     .table = cul_target_opts},
    {.name = "form",
     .type = CUL_OPT_TABLE,
     .offset = offsetof(struct options, target),
     .table = cul_form_opts},
    {.name = NULL}};

/* What is left of --max-time, more than 0; 0: none is given. */
static double time_left_s(const struct cul_target_conf *conf) {
  uint64_t now = cul_now_us();
  if (!conf->deadline_us)
    return 0;
  return conf->deadline_us > now ? (double)(conf->deadline_us - now) / 1e6
                                 : 1e-6;
}

/* Extract the failing part; the job writes the bundle, with its result from the
 * first step on. */
static int extract_part(struct options *options, const char *input,
                        char *const *argv, struct cul_err *err) {
  struct cul_reduce_conf conf = {.bundle = options->output, .extract = true};
  char *output = cul_xasprintf("%s/repro%s", options->output,
                               cul_repro_case_extension(input));
  int rc = cul_target_options_apply(&options->target, input, argv, &conf.target,
                                    &conf.form, err);
  conf.output = output;
  conf.max_time_s = time_left_s(&conf.target);
  if (rc == 0)
    rc = cul_mkdirs(options->output, 0777, err);
  if (rc == 0)
    rc = cul_run_reduction(&conf,
                           &(struct cul_reduction){.line = options->line,
                                                   .json = options->json,
                                                   .quiet = options->quiet},
                           err);
  free(output);
  return rc;
}

static int extract_ops(struct options *options, const char *input,
                       char *const *argv, struct cul_err *err) {
  struct cul_each_op_conf conf = {.out = options->output};
  FILE *out = cul_text_stream(options->json, options->quiet);
  struct cul_err later = {0};
  json_t *report = NULL;
  int written = 0;
  int rc = cul_target_options_apply(&options->target, input, argv, &conf.target,
                                    &conf.form, err);
  if (rc == 0)
    rc = cul_options_demand_single(&options->target, err);
  if (rc == 0)
    rc = cul_each_op(&conf, out, &report, err);
  cul_text_close(out);
  if (report)
    written = cul_write_json(options->json, report, rc ? &later : err);
  else
    rc = cul_options_in_vain(rc, err);
  json_decref(report);
  return rc ? rc : written;
}

/* For wrong numbers, extract the first operation that computes them.  If the
 * values cannot be followed, extract as for any other failure. */
static int extract_divergence(struct options *options, const char *input,
                              char *const *argv, struct cul_err *err) {
  struct cul_divergence_conf conf = {.out = options->output};
  struct cul_form_conf form;
  FILE *out = cul_text_stream(options->json, options->quiet);
  bool followed = true;
  json_t *report = NULL;
  int rc = cul_target_options_apply(&options->target, input, argv, &conf.target,
                                    &form, err);
  if (rc == 0)
    rc = cul_divergence(&conf, out, &report, &followed, err);
  cul_text_close(out);
  if (rc == 0)
    rc = cul_write_json(options->json, report, err);
  if (!report)
    rc = cul_options_in_vain(rc, err);
  json_decref(report);
  if (followed)
    return rc;
  cul_status_make_way();
  cul_say(stderr, "note: the first divergence is not found: %s\n", err->what);
  *err = (struct cul_err){0};
  return extract_part(options, input, argv, err);
}

/* FILE is a module or a log, depending on the options. */
static int extract(struct options *options, const char *input,
                   char *const *argv, struct cul_err *err) {
  const struct cul_target_options *target = &options->target;
  FILE *out;
  int rc;
  if (argv[0] || target->script || target->passes || target->device)
    return (options->each_op   ? extract_ops
            : target->mismatch ? extract_divergence
                               : extract_part)(options, input, argv, err);
  if (options->each_op)
    return cul_fail(err, CUL_EUSAGE, "culprit extract FILE --each-op -- CMD @@",
                    "--each-op: no command is given");
  out = cul_text_stream(NULL, options->quiet);
  rc = cul_extract_log(
      &(struct cul_extract_log_conf){.log = input, .out = options->output}, out,
      err);
  cul_text_close(out);
  return rc;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {
      .output = "repro", .quiet = line->quiet, .line = line};
  const char *input = NULL;
  struct cul_operands operands = {.items = &input, .max = 1};
  int rc;
  cul_target_options_init(&options.target);
  rc = cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n == 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  "culprit extract LOG -o DIR (- is standard input), or "
                  "culprit extract FILE -o DIR -- CMD @@",
                  "no log and no module given");
  if (rc == 0)
    rc = extract(&options, input, line->argv + operands.after, err);
  cul_run_options_release(&options.target.workers.run);
  return rc;
}

const struct cul_cli_command cul_cli_extract = {
    .name = "extract",
    .usage = "FILE [-o DIR] -- CMD @@ | LOG [-o DIR]",
    .group = "One failure",
    .summary =
        "cut out the failing part of a module, or the reproducer in a log",
    .brief = "the reproducer in a log",
    .examples = {{"culprit extract build.log -o repro",
                  "write the reproducer in a log into a directory"},
                 {"culprit extract m.mlir -o repro -- mlir-opt --cse @@",
                  "cut the function that fails out of a module"},
                 {"culprit extract m.mlir --each-op -- mlir-opt --cse @@",
                  "run every distinct operation alone"}},
    .opts = opts,
    .run = run};
