/* Commands of the program: one file each, one line in list.h. */
#ifndef CUL_CLI_COMMAND_H
#define CUL_CLI_COMMAND_H

#include "../base/options/opt.h"
#include "../base/terminal/terminal.h"

struct cul_command_line {
  int argc; /* argv[0] is the command's name */
  char **argv;
  bool quiet;               /* print nothing but errors */
  enum cul_display display; /* ignored if quiet, except JSON */
  /* options in argv that come from files (defaults.h) */
  const struct cul_defaults *defaults;
};

struct cul_cli_example {
  const char *line; /* as typed */
  const char *says; /* what it does, one sentence without a final dot */
};

/* One command.  Help, man page and completions are made from it. */
struct cul_cli_command {
  const char *name;
  /* its heading in the overview; NULL for a member of `subs` */
  const char *group;
  const char *usage;   /* arguments, as in the first line of the help; further
                          forms are on lines of their own */
  const char *summary; /* one line */
  const char *brief;   /* the same in the overview: at most 34 characters; NULL:
                          not shown there */
  struct cul_cli_example examples[3]; /* the first one is shown in the overview
                                         and has at most 42 characters */
  const char *operands; /* completion of operands: words separated by blanks;
                           NULL: files */
  const struct cul_opt *opts;
  bool takes_tool; /* its line is FILE ... -- CMD @@, and may be the line of the
                      tool itself (pasted.h) */
  /* Subcommands, called by the words of their names ("bisect commits"); NULL
   * terminated.  NULL: none. */
  const struct cul_cli_command *const *subs;
  bool family; /* the overview shows subs instead of it */
  /* Returns 0 or a negative cul_code (err filled). */
  int (*run)(const struct cul_command_line *line, struct cul_err *err);
};

extern const struct cul_cli_command *const cul_cli_commands[];

/* Options of every command. */
struct cul_common_options {
  bool help, version, verbose, quiet;
  const char *progress; /* NULL: not given */
};
extern const struct cul_opt cul_common_opts[];

/* Non-zero after SIGINT or SIGTERM (the second one ends the process at
 * once). */
extern volatile int cul_interrupted;

#endif
