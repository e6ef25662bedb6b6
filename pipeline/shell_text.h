/* Shell text: the one place that writes words, comments and file names of
 * others into scripts and commands for a POSIX shell.
 *
 * Whatever bytes come in, the shell gets the same words, runs nothing in them,
 * and the text holds no control character, no C1, no bidirectional override:
 * these stand as "$(printf '\033')". */
#ifndef CUL_PIPELINE_SHELL_TEXT_H
#define CUL_PIPELINE_SHELL_TEXT_H

#include "../base/buf.h"
#include "../base/environment.h"

/* Append text as one word. */
void cul_shell_quote(const char *text, struct cul_buf *out);
/* Append argv (NULL terminated) as words with blanks between. */
void cul_shell_words_of(const char *const *argv, struct cul_buf *out);
/* Append text as the rest of a comment: one line, whatever it holds. */
void cul_shell_comment(const char *text, struct cul_buf *out);
/* Append the words of a command template (NULL terminated, or NULL), each
 * behind a blank and quoted, with "$repro" in the place of @@, "$out" of
 * @{out} and "$here/inputs" of @{inputs}. */
void cul_shell_arguments(const char *const *argv, struct cul_buf *out);
/* The same where the first names a program, which a shell, env or timeout would
 * take for a variable or an option of theirs. */
void cul_shell_program(const char *const *argv, struct cul_buf *out);
/* Append the lines, unset and export, that make of a usual environment the one
 * that conf asked for; passed: what came of it. */
void cul_shell_environment(const struct cul_environment_conf *conf,
                           const struct cul_environment *passed,
                           struct cul_buf *out);

/* May text be a part of a file's name that is made here: 1 to 32 letters,
 * digits, '_', '+', '-' and '.', without a leading '-'? */
bool cul_is_plain_name(const char *text);

#endif
