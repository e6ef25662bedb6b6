/* Shell text: the only code that writes foreign words, comments and file names
 * into scripts and commands for a POSIX shell.
 *
 * For any bytes, the shell receives the same words and executes nothing in
 * them.  The text contains no control character, C1 character or bidirectional
 * override: these are written as "$(printf '\033')". */
#ifndef CUL_PIPELINE_SHELL_TEXT_H
#define CUL_PIPELINE_SHELL_TEXT_H

#include "../base/buf.h"
#include "../base/environment.h"

/* Append text as one word. */
void cul_shell_quote(const char *text, struct cul_buf *out);
/* Append argv (NULL terminated) as words with blanks between. */
void cul_shell_words_of(const char *const *argv, struct cul_buf *out);
/* Append text as the rest of a comment: always one line. */
void cul_shell_comment(const char *text, struct cul_buf *out);
/* Append the words of a command template (NULL terminated, or NULL), each
 * quoted and after a blank, with "$repro" for @@, "$out" for @{out} and
 * "$here/inputs" for @{inputs}. */
void cul_shell_arguments(const char *const *argv, struct cul_buf *out);
/* The same, but with the first word, the name of a program, protected from
 * misreading as a variable or an option by a shell, env or timeout.  scripts:
 * files, named as in the template; a word that names the first one becomes
 * "$script1", and so on.  NULL terminated, or NULL: none. */
void cul_shell_program(const char *const *argv, const char *const *scripts,
                       struct cul_buf *out);
/* Append lines that exit with 2 if the variable, whose value may be a secret,
 * is not set. */
void cul_shell_demand(const char *name, struct cul_buf *out);
/* Append the unset and export lines that turn a usual environment into the one
 * that conf asks for; passed: the resulting environment.  A variable whose
 * value may be a secret is demanded. */
void cul_shell_environment(const struct cul_environment_conf *conf,
                           const struct cul_environment *passed,
                           struct cul_buf *out);

/* Is text usable as part of the name of a new file: 1 to 32 letters, digits,
 * '_', '+', '-' and '.', without a leading '-'? */
bool cul_is_plain_name(const char *text);

#endif
