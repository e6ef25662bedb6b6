/* culprit extract: extracts the failing part of a module unchanged, or the
 * repros in a log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../probe/outdir.h"
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
     .writes = true,
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
  conf.target.cache.results[0] = options->json;
  conf.output = output;
  conf.max_time_s = time_left_s(&conf.target);
  if (rc == 0)
    rc = cul_run_reduction(&conf,
                           &(struct cul_reduction){.line = options->line,
                                                   .json = options->json,
                                                   .quiet = options->quiet},
                           err);
  free(output);
  return rc;
}

/* Open the directory of the results, other than that of a bundle. */
static int open_outdir(const struct options *options, const char *const *names,
                       struct cul_outdir **out, struct cul_err *err) {
  return cul_outdir_open(
      out,
      &(struct cul_outdir_conf){.dir = options->output,
                                .option = "-o",
                                .names = names,
                                .words = options->line->argv},
      err);
}

static int extract_ops(struct options *options, const char *input,
                       char *const *argv, struct cul_err *err) {
  struct cul_each_op_conf conf = {.out = options->output};
  FILE *out = cul_text_stream(options->json, options->quiet);
  struct cul_err later = {0};
  CUL_HEAP char *name =
      cul_xasprintf("op-#%s", cul_repro_case_extension(input));
  const char *const names[] = {name, NULL};
  struct cul_outdir *outdir = NULL;
  json_t *report = NULL;
  int written = 0;
  int rc = cul_target_options_apply(&options->target, input, argv, &conf.target,
                                    &conf.form, err);
  conf.target.cache.results[0] = options->json;
  conf.target.cache.results[1] = options->output;
  if (rc == 0)
    rc = cul_options_demand_single(&options->target, err);
  if (rc == 0)
    rc = open_outdir(options, names, &outdir, err);
  if (rc == 0)
    rc = cul_each_op(&conf, out, &report, err);
  cul_text_close(out);
  if (report)
    written = cul_write_json(options->json, report, rc ? &later : err);
  else
    rc = cul_options_in_vain(rc, err);
  cul_outdir_close(outdir); /* --json may name a file in it */
  json_decref(report);
  return rc ? rc : written;
}

/* For wrong numbers, extract the first operation that computes them.  If the
 * values cannot be followed, extract as for any other failure. */
static int extract_divergence(struct options *options, const char *input,
                              char *const *argv, struct cul_err *err) {
  struct cul_divergence_conf conf = {.out = options->output};
  static const char *const names[] = {"repro.mlir",
                                      "repro.sh",
                                      "report.json",
                                      "source.mlir",
                                      "executables.mlir",
                                      "inputs/*",
                                      "want/*",
                                      "got/*",
                                      NULL};
  struct cul_outdir *outdir = NULL;
  struct cul_form_conf form;
  FILE *out = cul_text_stream(options->json, options->quiet);
  bool followed = true;
  json_t *report = NULL;
  int rc = cul_target_options_apply(&options->target, input, argv, &conf.target,
                                    &form, err);
  conf.target.cache.results[0] = options->json;
  conf.target.cache.results[1] = options->output;
  if (rc == 0)
    rc = open_outdir(options, names, &outdir, err);
  if (rc == 0)
    rc = cul_divergence(&conf, out, &report, &followed, err);
  cul_text_close(out);
  if (rc == 0)
    rc = cul_write_json(options->json, report, err);
  if (!report)
    rc = cul_options_in_vain(rc, err);
  cul_outdir_close(outdir); /* --json may name a file in it */
  json_decref(report);
  if (followed)
    return rc;
  cul_status_make_way();
  cul_say(stderr, "note: the first divergence is not found: %s\n", err->what);
  *err = (struct cul_err){0};
  return extract_part(options, input, argv, err);
}

/* Does the input lie in the directory of the results, under a name that one of
 * them may have? */
static bool may_be_replaced(const struct options *options, const char *input) {
  static const char *const stems[] = {"repro.", "source.", "executables."};
  const char *name = cul_basename(input);
  CUL_HEAP char *dir = cul_xstrndup(input, (size_t)(name - input));
  struct stat of_input, of_results;
  bool named = options->each_op && strncmp(name, "op-", 3) == 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(stems) && !options->each_op; i++)
    named = named || strncmp(name, stems[i], strlen(stems[i])) == 0;
  return named && stat(*dir ? dir : ".", &of_input) == 0 &&
         stat(options->output, &of_results) == 0 &&
         of_input.st_dev == of_results.st_dev &&
         of_input.st_ino == of_results.st_ino;
}

static int extract_log(const struct options *options, const char *log,
                       struct cul_err *err) {
  static const char *const names[] = {"repro.%",       "repro-#.%",
                                      "segment-#.%",   "segment-#-#.%",
                                      "run_triton.py", NULL};
  const struct cul_extract_log_conf conf = {.log = log, .out = options->output};
  struct cul_outdir *outdir;
  FILE *out;
  int rc = open_outdir(options, names, &outdir, err);
  if (rc < 0)
    return rc;
  out = cul_text_stream(NULL, options->quiet);
  rc = cul_extract_log(&conf, out, err);
  cul_text_close(out);
  cul_outdir_close(outdir);
  return rc;
}

/* FILE is a module or a log, depending on the options. */
static int extract(struct options *options, const char *input,
                   char *const *argv, struct cul_err *err) {
  const struct cul_target_options *target = &options->target;
  bool runs = argv[0] || target->script || target->passes || target->device;
  if (runs && may_be_replaced(options, input))
    return cul_fail(err, CUL_EUSAGE, "name another directory: -o DIR",
                    "%s is the input itself, which a result could replace",
                    input);
  if (runs)
    return (options->each_op   ? extract_ops
            : target->mismatch ? extract_divergence
                               : extract_part)(options, input, argv, err);
  if (options->each_op)
    return cul_fail(err, CUL_EUSAGE, "culprit extract FILE --each-op -- CMD @@",
                    "--each-op: no command is given");
  return extract_log(options, input, err);
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
    .takes_tool = true,
    .opts = opts,
    .run = run};
