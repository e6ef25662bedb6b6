/* culprit report: prints the issue text of a bundle. */
#include <stdio.h>

#include "../../base/visible.h"
#include "../command.h"
#include "../issue_text.h"
#include "../options.h"

enum { MAIL_COLUMNS = 72, MOST_BUNDLES = 16 };

struct options {
  bool github, gitlab, text, html;
};

static const struct cul_opt opts[] = {
    {.name = "github",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, github),
     .help = "print the text for an issue at GitHub, like report.md of the "
             "bundle (default)"},
    {.name = "gitlab",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, gitlab),
     .help = "print the text for an issue at GitLab"},
    {.name = "text",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, text),
     .help = "print plain text of 72 columns, for a mail"},
    {.name = "html",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, html),
     .help = "print a page for a browser, like report.html of the bundle, with "
             "every step and its costs"},
    {.name = NULL}};

static enum cul_page_style style_of(const struct options *options) {
  return options->text     ? CUL_PAGE_TEXT
         : options->gitlab ? CUL_PAGE_GITLAB
         : options->html   ? CUL_PAGE_HTML
                           : CUL_PAGE_GITHUB;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {0};
  const char *dirs[MOST_BUNDLES] = {NULL};
  struct cul_operands operands = {.items = dirs, .max = MOST_BUNDLES};
  struct cul_page page;
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n < 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit report BUNDLE",
                  "no bundle is given");
  if (rc == 0 &&
      options.github + options.gitlab + options.text + options.html > 1)
    rc = cul_fail(err, CUL_EUSAGE, "give one of them",
                  "--github, --gitlab, --text and --html exclude each other");
  if (rc < 0)
    return rc;
  cul_page_init(&page, style_of(&options), MAIL_COLUMNS);
  rc = cul_issue_of_bundle(dirs, operands.n, &page, err);
  if (rc == 0)
    cul_say_text(stdout, cul_buf_str(&page.out));
  cul_page_release(&page);
  return rc;
}

const struct cul_cli_command cul_cli_report = {
    .name = "report",
    .usage = "BUNDLE [BISECTION...] [options]",
    .group = "Results",
    .summary = "print the issue text of a bundle",
    .brief = "the text of an issue",
    .examples =
        {{"culprit report bundle", "print the issue text, for GitHub"},
         {"culprit report bundle versions --text",
          "print it for a mail, with the result of a bisection (its bundle)"},
         {"culprit report bundle --gitlab", "print it for GitLab"}},
    .opts = opts,
    .run = run};
