/* culprit bisect SPACE: finds the point of a space that is to blame.  Each
 * space is a separate file. */
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../help.h"

#define COMMAND(name)
#define SPACE(name) extern const struct cul_cli_command cul_cli_##name;
#include "../list.h"
#undef SPACE

static const struct cul_cli_command *const spaces[] = {
#define SPACE(name) &cul_cli_##name,
#include "../list.h"
#undef SPACE
    NULL};
#undef COMMAND

/* Runs only if no space is named. */
static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct cul_buf known = {0};
  const char *given = line->argc > 1 ? line->argv[1] : NULL;
  char *meant = given ? cul_command_meant(spaces, given) : NULL;
  int rc;
  for (const struct cul_cli_command *const *s = spaces; *s; s++)
    cul_buf_addf(&known, "%s%s", s == spaces ? "" : ", ",
                 strchr((*s)->name, ' ') + 1);
  if (given)
    rc = cul_fail(err, CUL_EUSAGE, "give one of them first, then its options",
                  "culprit bisect: \"%s\" is unknown; known are: %s%s", given,
                  cul_buf_str(&known), meant);
  else
    rc = cul_fail(err, CUL_EUSAGE,
                  "culprit bisect commits --good REV --bad REV -- CMD",
                  "the kind of bisection is missing: give one of %s",
                  cul_buf_str(&known));
  free(meant);
  cul_buf_release(&known);
  return rc;
}

static const struct cul_opt no_opts[] = {{.name = NULL}};

const struct cul_cli_command cul_cli_bisect = {
    .name = "bisect",
    .usage = "commits|passes|flags|versions|packages ...",
    .group = "The cause of a failure",
    .summary = "find the commit, pass, flag, version or package to blame",
    .family = true,
    .examples = {{"culprit bisect commits --good v1 -- ./t.sh",
                  "find the first commit after v1 at which t.sh fails"},
                 {"culprit bisect passes m.ll -- opt -O2 @@",
                  "find the pass that fails"},
                 {"culprit bisect flags m.c -- cc -a -b @@",
                  "find which of -a and -b the failure needs"}},
    .opts = no_opts,
    .subs = spaces,
    .run = run};
