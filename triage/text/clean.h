/* Converts a log's bytes to text that can be read and printed. */
#ifndef CUL_TRIAGE_TEXT_CLEAN_H
#define CUL_TRIAGE_TEXT_CLEAN_H

#include "../../base/buf.h"

/* Append raw to out as UTF-8 without byte order marks, colours and other
 * sequences of a terminal, carriage returns (a lone one ends a line) and
 * control characters.  UTF-16 is recognized by its mark or its zeros; bytes
 * that are not UTF-8 are read as Latin-1.  Linear. */
void cul_clean(struct cul_bytes raw, struct cul_buf *out);

/* Is raw something other than text? */
bool cul_is_binary(struct cul_bytes raw);

#endif
