/* Options from files: .culprit in the input's directory and those above it up
 * to the repository's root or the home directory, and the user's own
 * culprit/config in $XDG_CONFIG_HOME.
 *
 * [reduce] has options of a command, [bisect "commits"] those of a command of
 * two words, [tool "iree-compile"] those of any command that runs this program
 * and has these options.  Later settings override earlier ones: the user's own
 * file comes first, then files from the outermost to the input's directory; the
 * command line overrides all.
 *
 * A project's file comes from others, so it may set only options that are
 * `shared` (base/options/opt.h).  Files are not read if they have another
 * owner, or if others may write the file or its directory. */
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
  char **argv; /* arguments including the defaults; the line's words are
                  borrowed */
};

/* Read the defaults of a command line; line->argv is replaced by one with the
 * defaults before its own words.  Files that are not read are reported with the
 * reason on standard error unless line->quiet.  Errors: EUSAGE (file and line,
 * the nearest name), EENV. */
CUL_MUST_CHECK int cul_defaults_read(struct cul_defaults *defaults,
                                     const struct cul_cli_command *command,
                                     struct cul_command_line *line,
                                     struct cul_err *err);
void cul_defaults_release(struct cul_defaults *defaults);

#endif
