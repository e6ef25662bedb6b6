/* Prints the result of a bisection of commits for people. */
#ifndef CUL_CLI_COMMANDS_COMMITS_PRINT_H
#define CUL_CLI_COMMANDS_COMMITS_PRINT_H

#include <jansson.h>
#include <stdio.h>

void cul_commits_print(const json_t *report, FILE *out);

#endif
