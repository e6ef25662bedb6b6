/* Man pages and completions, made from the commands' descriptors. */
#ifndef CUL_CLI_PAGES_H
#define CUL_CLI_PAGES_H

#include "command.h"

/* Every command; those within one behind it. */
struct cul_commands {
  const struct cul_cli_command **items; /* heap */
  size_t n;
};

/* A command's name with another character for its blanks: "bisect-commits"; the
 * caller frees it. */
char *cul_page_name(const char *name, char by);
/* The rows of a command, and behind them those of all commands; heap. */
struct cul_opt_row *cul_page_rows(const struct cul_cli_command *command,
                                  size_t *n);

/* culprit(1), and the page of a command. */
void cul_man_whole(const struct cul_commands *all, struct cul_buf *out);
void cul_man_command(const struct cul_cli_command *command,
                     struct cul_buf *out);

/* What the shells read. */
void cul_complete_bash(const struct cul_commands *all, struct cul_buf *out);
void cul_complete_zsh(const struct cul_commands *all, struct cul_buf *out);
void cul_complete_fish(const struct cul_commands *all, struct cul_buf *out);

#endif
