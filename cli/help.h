/* What culprit says of itself: overview, help of a command, version. */
#ifndef CUL_CLI_HELP_H
#define CUL_CLI_HELP_H

#include <stdio.h>

#include "command.h"

/* The command that words[0..n) name: the words that were used are counted in
 * *used.  NULL: none. */
const struct cul_cli_command *cul_command_find(char *const *words, int n,
                                               int *used);
/* ": did you mean culprit NAME?" of the command of the list, or within one of
 * them, whose word is nearest; "" where none is.  The caller frees it. */
char *cul_command_meant(const struct cul_cli_command *const *list,
                        const char *word);
/* EUSAGE: there is no such command; the nearest one is named. */
int cul_command_unknown(const char *word, struct cul_err *err);

/* The verbs in groups, one example each: a screen. */
void cul_help_overview(FILE *out);
void cul_help_command(const struct cul_cli_command *command, FILE *out);
/* Exit statuses, a line each. */
extern const char cul_help_statuses[];

/* culprit, its commit, MLIR and LLVM, and what is found here of CUDA and HIP.
 */
void cul_version(FILE *out);

/* What WHAT names, on standard output: "man:NAME" ("culprit" or a command with
 * "-" between its words), "completion:SHELL", or "list", the names of all of
 * these.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_page(const char *what, struct cul_err *err);

#endif
