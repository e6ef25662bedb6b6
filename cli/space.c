/* Code shared by the commands of spaces: see space.h. */
#include "space.h"
#include "../base/files/file.h"
#include "../base/status.h"
#include "../base/visible.h"
#include "../probe/repro_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(struct cul_space_options, name)

const struct cul_opt cul_space_opts[] = {
    {.name = "json",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(json),
     .writes = true,
     .value = "FILE",
     .help = "write the report as JSON; - is standard output"},
    {.name = "bundle",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(bundle),
     .value = "DIR",
     .help = "write a directory with the input, repro.sh and the report "
             "(default: FILE.pass for bisect passes, none for others)"},
    {.name = NULL}};

const struct cul_opt cul_axis_opts[] = {
    {.name = "axis",
     .group = "The versions or combinations",
     .main = true,
     .type = CUL_OPT_LIST,
     .offset = FIELD(axes),
     .value = "NAME=V1,V2,...",
     .help = "the values of @{NAME} in the command; LABEL:=VALUE is shown as "
             "LABEL; NAME=@FILE reads the values from a file, one per line; "
             "@FILE reads complete axes, and @SYSTEM uses built-in ones "
             "(--print axes:SYSTEM prints them, --print list names them); may "
             "be given more than once"},
    {.name = "versions",
     .group = "The versions or combinations",
     .type = CUL_OPT_LIST,
     .offset = FIELD(versions),
     .value = "PACKAGE=DIR,...",
     .help = "an axis of the environments below DIR that have PACKAGE, oldest "
             "version first; @{PACKAGE} is their Python, and their label is "
             "the version of PACKAGE"},
    {.name = NULL}};

/* Open the directory of the bundle. */
static int open_outdir(const struct cul_space_form *space,
                       const struct cul_command_line *line,
                       const struct cul_target_conf *conf,
                       struct cul_space_options *options, struct cul_err *err) {
  const char *ext =
      cul_repro_case_extension(conf->name ? conf->name : conf->input);
  CUL_HEAP char *repro = cul_xasprintf("repro%s", ext);
  CUL_HEAP char *before = cul_xasprintf("before%s", ext);
  CUL_HEAP char *after = cul_xasprintf("after%s", ext);
  CUL_HEAP char *input = cul_xasprintf("input%s", ext);
  const char *const names[] = {"repro.sh",
                               "script-@",
                               "report.json",
                               "report.md",
                               "report.html",
                               space->passes ? before : repro,
                               space->passes ? after : NULL,
                               input,
                               NULL};
  return cul_outdir_open(&options->outdir,
                         &(struct cul_outdir_conf){.dir = options->bundle,
                                                   .option = "--bundle",
                                                   .names = names,
                                                   .words = line->argv},
                         err);
}

int cul_space_parse(const struct cul_space_form *space,
                    const struct cul_command_line *line,
                    struct cul_space_options *options,
                    struct cul_target_conf *conf, struct cul_err *err) {
  const char *input = NULL;
  struct cul_operands operands = {.items = &input, .max = 1};
  struct cul_form_conf form;
  int rc;
  options->quiet = line->quiet;
  cul_target_options_init(&options->target);
  rc = cul_opt_parse(space->opts, options, line->argc, line->argv, &operands,
                     err);
  if (rc == 0 && operands.n < 1)
    rc = cul_fail(err, CUL_EUSAGE, space->example, "no input file is given");
  if (rc == 0)
    rc = space->check ? space->check(options, err) : 0;
  if (rc == 0)
    rc = cul_target_options_apply(
        &options->target, input, line->argv + operands.after, conf, &form, err);
  if (rc == 0)
    rc = cul_options_demand_single(&options->target, err);
  if (rc == 0 && space->passes && !options->bundle)
    options->bundle = options->own_bundle =
        cul_xasprintf("%s.pass", cul_basename(conf->input));
  conf->cache.results[0] = options->json;
  conf->cache.results[1] = options->bundle;
  return rc ? rc : open_outdir(space, line, conf, options, err);
}

static void close_outdir(struct cul_space_options *options) {
  cul_outdir_close(options->outdir);
  free(options->own_bundle);
}

int cul_space_finish(struct cul_space_options *options, json_t *report,
                     void (*say)(const json_t *report, struct cul_buf *out),
                     int rc, struct cul_err *err) {
  bool to_stdout = options->json && strcmp(options->json, "-") == 0;
  struct cul_buf text = {0};
  struct cul_err later = {0};
  int written;
  cul_run_options_release(&options->target.workers.run);
  free(options->axes.items);
  free(options->versions.items);
  /* No directory is named that is not there. */
  if (json_object_get(report, "bundle") && !cul_outdir_has_new(options->outdir))
    json_object_set_new(report, "bundle", json_null());
  if (!report) {
    close_outdir(options);
    return cul_options_in_vain(rc, err);
  }
  cul_status_make_way();
  if (!options->quiet) {
    say(report, &text);
    cul_say_text(to_stdout ? stderr : stdout, cul_buf_str(&text));
  }
  cul_buf_release(&text);
  written = cul_write_json(options->json, report, &later);
  close_outdir(options); /* --json may name a file in it */
  json_decref(report);
  if (rc == 0 && written < 0)
    *err = later;
  return rc ? rc : written;
}
