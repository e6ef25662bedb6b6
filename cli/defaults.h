/* Options that files give: .culprit in the input's directory and those above it
 * up to the repository's root or the home directory, and culprit/config in
 * $XDG_CONFIG_HOME, the user's own.
 *
 * [reduce] holds options of a command, [bisect "commits"] those of one of two
 * words, [tool "iree-compile"] those of any command that runs this program and
 * has them.  Later ones win: the user's own file comes first, then from the
 * outermost to the input's directory; the command line wins over all.
 *
 * A file of a project comes with it, from others: it may set what a row says is
 * `shared` (base/options/opt.h).  Files of another owner, or that others may
 * write, or in a directory that they may, are not read. */
#ifndef CUL_CLI_DEFAULTS_H
#define CUL_CLI_DEFAULTS_H

#include "command.h"

struct cul_default {
  char *word;  /* "--timeout=20" */
  char *file;  /* absolute */
  size_t line; /* from 1 */
  const struct cul_opt *opt;
};

struct cul_defaults {
  struct cul_default *items;
  size_t n;
  char **argv; /* of the line with them: its words are borrowed */
};

/* The defaults of a command line; line->argv is replaced by one that has them
 * before its own words.  What is not read, and why, is said on standard error
 * unless line->quiet.  Errors: EUSAGE (file and line, the nearest name), EENV.
 */
CUL_MUST_CHECK int cul_defaults_read(struct cul_defaults *defaults,
                                     const struct cul_cli_command *command,
                                     struct cul_command_line *line,
                                     struct cul_err *err);
void cul_defaults_release(struct cul_defaults *defaults);

#endif
