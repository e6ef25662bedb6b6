/* culprit matrix: judges every cell of a grid, and finds what is to blame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../base/visible.h"
#include "../../bisect/install/installed.h"
#include "../../bisect/matrix/matrix.h"
#include "../space.h"

struct options {
  struct cul_space_options space;
  const char *markdown;
};

static const struct cul_opt opts[] = {
    {.name = "axis", .type = CUL_OPT_TABLE, .table = cul_axis_opts},
    {.name = "target", .type = CUL_OPT_TABLE, .table = cul_target_opts},
    {.name = "space", .type = CUL_OPT_TABLE, .table = cul_space_opts},
    {.name = "markdown",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, markdown),
     .writes = true,
     .value = "FILE",
     .help = "write the table as Markdown; - is standard output"},
    {.name = NULL}};

static const struct cul_space_form form = {
    .opts = opts,
    .example =
        "culprit matrix --axis opt=O0,O3 --axis target=cpu,cuda FILE -- CMD "
        "-@{opt} --target=@{target} @@"};

static int write_page(const char *path, const json_t *report,
                      struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = 0;
  if (!path || !report)
    return 0;
  cul_matrix_page(report, &text);
  if (strcmp(path, "-") == 0)
    cul_say_text(stdout, cul_buf_str(&text));
  else
    rc = cul_file_write_through(path, text.data, text.len, 0666, err);
  cul_buf_release(&text);
  return rc;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.markdown = NULL};
  struct cul_matrix_conf conf = {.runs = 0};
  struct cul_installed_axes axes = {0};
  json_t *report = NULL;
  struct cul_err later = {0};
  int written = 0, rc = cul_space_parse(&form, line, &options.space,
                                        &conf.cells.target, err);
  if (rc == 0)
    rc = cul_installed_find(options.space.axes.items, options.space.axes.n,
                            options.space.versions.items,
                            options.space.versions.n, &axes, err);
  conf.cells.axes = (const char *const *)axes.specs;
  conf.cells.n_axes = axes.n;
  conf.runs = conf.cells.target.oracle.repeat.runs;
  conf.bundle = options.space.bundle;
  if (rc == 0)
    rc = cul_matrix_run(&conf, &report, err);
  if (options.markdown && strcmp(options.markdown, "-") == 0)
    options.space.quiet = true;
  if (report)
    written = write_page(options.markdown, report, rc ? &later : err);
  rc = rc ? rc : written;
  cul_installed_release(&axes);
  return cul_space_finish(&options.space, report, cul_matrix_say, rc, err);
}

const struct cul_cli_command cul_cli_matrix = {
    .name = "matrix",
    .usage = "--axis A=X,Y --axis B=1,2,3 FILE -- CMD --a=@{A} --b=@{B} @@",
    .group = "The cause of a failure",
    .summary =
        "run every combination, and find the component that causes the failure",
    .brief = "every combination of values",
    .examples =
        {{"culprit matrix --axis v=1,2 m -- t-@{v} @@", "run t-1 and t-2 on m"},
         {"culprit matrix --axis o=O0,O3 --axis t=cpu,cuda m.mlir -- ./run "
          "@{o} @{t} @@",
          "find whether an optimization level or a target causes the failure"},
         {"culprit matrix --axis opt=O0,O3 --markdown table.md m.c -- cc "
          "-@{opt} @@",
          "write the table as Markdown"}},
    .takes_tool = true,
    .opts = opts,
    .run = run};
