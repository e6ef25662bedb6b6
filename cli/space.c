/* Code shared by the commands of spaces: see space.h. */
#include "space.h"
#include "../base/status.h"
#include "../base/visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(struct cul_space_options, name)

const struct cul_opt cul_space_opts[] = {
    {.name = "json",
     .group = CUL_GROUP_OUTPUT,
     .type = CUL_OPT_STRING,
     .offset = FIELD(json),
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
  return rc ? rc : cul_options_demand_single(&options->target, err);
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
  if (!report)
    return cul_options_in_vain(rc, err);
  cul_status_make_way();
  if (!options->quiet) {
    say(report, &text);
    cul_say_text(to_stdout ? stderr : stdout, cul_buf_str(&text));
  }
  cul_buf_release(&text);
  written = cul_write_json(options->json, report, &later);
  json_decref(report);
  if (rc == 0 && written < 0)
    *err = later;
  return rc ? rc : written;
}
