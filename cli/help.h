/* Help of culprit: overview, help of a command, version. */
#ifndef CUL_CLI_HELP_H
#define CUL_CLI_HELP_H

#include <stdio.h>

#include "command.h"

/* The command that words[0..n) name; *used: number of words in its name.  NULL:
 * none. */
const struct cul_cli_command *cul_command_find(char *const *words, int n,
                                               int *used);
/* ": did you mean culprit NAME?" for the command of the list, or a subcommand,
 * with the name nearest to word; "" if none is near.  The caller frees it. */
char *cul_command_meant(const struct cul_cli_command *const *list,
                        const char *word);
/* Report EUSAGE for an unknown command, with the nearest one. */
int cul_command_unknown(const char *word, struct cul_err *err);

/* Print the commands in groups, with one example each, on one screen. */
void cul_help_overview(FILE *out);
void cul_help_command(const struct cul_cli_command *command, FILE *out);
/* The exit statuses, one per line. */
extern const char cul_help_statuses[];

/* Print the versions of culprit, its commit, MLIR and LLVM, and of CUDA and HIP
 * if found. */
void cul_version(FILE *out);

/* Print a page on standard output; what: "man:NAME" ("culprit" or a command
 * with "-" between its words), "completion:SHELL", "script:NAME" (one for the
 * user's Python), or "list", the names of all pages.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_page(const char *what, struct cul_err *err);

#endif
