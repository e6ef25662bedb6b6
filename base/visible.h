/* Escapes foreign text (output of tools, names of files, titles and authors of
 * commits, lines of logs) so that it cannot control a terminal.  Control
 * characters (C0, DEL, C1 as a byte and as UTF-8), bytes that are not UTF-8,
 * and code points that reorder or hide text (bidirectional controls, zero
 * widths, line separators, tags) become \x1b or \u202e.  Nothing else changes.
 *
 * All text for people passes through these functions: cul_say on a terminal,
 * cul_visible_make in a file. */
#ifndef CUL_BASE_VISIBLE_H
#define CUL_BASE_VISIBLE_H

#include <stdio.h>

#include "buf.h"

/* The length of the prefix of text that needs no escape; newlines and tabs need
 * none. */
size_t cul_visible_prefix(struct cul_bytes text);
/* Append text; newlines and tabs stay. */
void cul_visible_add(struct cul_bytes text, struct cul_buf *out);
/* Append text as one line: \n and \t are escaped, too. */
void cul_visible_line(const char *text, struct cul_buf *out);
/* Escape a whole text in place: the last step before writing a file. */
void cul_visible_make(struct cul_buf *text);
/* Append a JSON text with such code points as \u escapes: the same values. */
void cul_visible_json(const char *json, struct cul_buf *out);

/* printf, for people; the format contains no control sequence.  Returns what
 * fprintf does.  Allocates for long texts only. */
int cul_say(FILE *out, const char *fmt, ...) CUL_PRINTF(2, 3);
int cul_vsay(FILE *out, const char *fmt, va_list args);
/* fputs, for people. */
int cul_say_text(FILE *out, const char *text);

#endif
