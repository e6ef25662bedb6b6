/* Commands of the program: one file each, one line in list.h. */
#ifndef CUL_CLI_COMMAND_H
#define CUL_CLI_COMMAND_H

#include "../base/opt.h"

struct cul_command_line {
  int argc; /* argv[0] is the command's name */
  char **argv;
};

/* One command.  `culprit NAME --help` prints usage, summary and options. */
struct cul_cli_command {
  const char *name;
  const char *usage;   /* arguments, as in the first line of the help */
  const char *summary; /* one line */
  const struct cul_opt *opts;
  /* Commands of their own, called by the words of their names ("bisect
   * commits"); ends with NULL.  NULL: none. */
  const struct cul_cli_command *const *subs;
  /* Returns 0 or a negative cul_code (err filled). */
  int (*run)(const struct cul_command_line *line, struct cul_err *err);
};

extern const struct cul_cli_command *const cul_cli_commands[];

/* Non-zero after SIGINT or SIGTERM (the second one ends at once). */
extern volatile int cul_interrupted;

#endif
