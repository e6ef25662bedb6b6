/* culprit show: the issue text of a bundle, on a terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/visible.h"
#include "command.h"
#include "help.h"
#include "issue_text.h"
#include "options.h"

enum { MOST_COLUMNS = 100, MOST_BUNDLES = 16 };

struct options {
  bool steps;
};

static const struct cul_opt opts[] = {
    {.name = "steps",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, steps),
     .help = "the steps of a reduction instead: run, mutation, size before and "
             "after"},
    {.name = NULL}};

/* Lines that are longer are hard to read. */
static size_t columns(void) {
  size_t n = cul_columns(STDOUT_FILENO);
  return n < MOST_COLUMNS ? n : MOST_COLUMNS;
}

static bool wants_bold(void) {
  const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(STDOUT_FILENO) && !(none && *none) && terminal &&
         strcmp(terminal, "dumb") != 0;
}

/* Foreign text holds no control sequence; those around headings are ours. */
static void print(const struct cul_page *page) {
  const char *text = cul_buf_str(&page->out);
  bool bold = wants_bold();
  size_t at = 0;
  for (size_t i = 0; bold && i < page->n_headings; i++) {
    const struct cul_page_range *range = &page->headings[i];
    cul_say(stdout, "%.*s", (int)(range->from - at), text + at);
    fputs("\033[1m", stdout);
    cul_say(stdout, "%.*s", (int)(range->to - range->from), text + range->from);
    fputs("\033[0m", stdout);
    at = range->to;
  }
  cul_say_text(stdout, text + at);
}

static int show_steps(const char *dir, struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = cul_steps_of_bundle(dir, &text, err);
  if (rc == 0)
    cul_say_text(stdout, cul_buf_str(&text));
  cul_buf_release(&text);
  return rc;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {0};
  const char *dirs[MOST_BUNDLES] = {NULL};
  struct cul_operands operands = {.items = dirs, .max = MOST_BUNDLES};
  struct cul_page page;
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n < 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit show BUNDLE", "no bundle is given");
  if (rc == 0 && options.steps && operands.n > 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit show BUNDLE --steps",
                  "--steps shows one reduction");
  if (rc < 0)
    return rc;
  if (options.steps)
    return show_steps(dirs[0], err);
  cul_page_init(&page, CUL_PAGE_TERMINAL, columns());
  rc = cul_issue_of_bundle(dirs, operands.n, &page, err);
  if (rc == 0)
    print(&page);
  cul_page_release(&page);
  return rc;
}

const struct cul_cli_command cul_cli_show = {
    .name = "show",
    .usage = "BUNDLE [BISECTION...] [options]",
    .group = "Results",
    .summary = "show on a terminal what a bundle holds",
    .brief = "what a bundle holds",
    .examples = {{"culprit show bundle",
                  "the case, its command, the stack, what is known"},
                 {"culprit show bundle versions",
                  "the same with what a bisection (its bundle) found"},
                 {"culprit show bundle --steps", "how a reduction went"}},
    .opts = opts,
    .run = run};
