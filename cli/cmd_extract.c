/* culprit extract: the repros that a log carries. */
#include <stdio.h>

#include "../reducer/extract_log.h"
#include "command.h"

static const struct cul_opt opts[] = {
    {.name = "output",
     .letter = 'o',
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_extract_log_conf, out),
     .value = "DIR",
     .help = "where to write (default: repro)"},
    {.name = NULL}};

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct cul_extract_log_conf conf = {.out = "repro"};
  struct cul_operands operands = {.items = &conf.log, .max = 1};
  int rc = cul_opt_parse(opts, &conf, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n == 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  "culprit extract LOG -o DIR; - is standard input",
                  "no log given");
  return rc != 0 ? rc : cul_extract_log(&conf, stdout, err);
}

const struct cul_cli_command cul_cli_extract = {
    .name = "extract",
    .usage = "LOG [-o DIR]",
    .summary = "the repro that a log carries: MLIR, Triton, nvFuser, PTX",
    .opts = opts,
    .run = run};
