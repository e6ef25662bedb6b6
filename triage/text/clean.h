/* A log's bytes as text that can be read and printed. */
#ifndef CUL_TRIAGE_TEXT_CLEAN_H
#define CUL_TRIAGE_TEXT_CLEAN_H

#include "../../base/buf.h"

/* Append raw to out as UTF-8 without byte order mark, colours and other
 * sequences of a terminal, carriage returns (alone they end a line) and control
 * characters.  UTF-16 is known by its mark or its zeros; a byte that is no
 * UTF-8 is read as Latin-1.  Linear. */
void cul_clean(struct cul_bytes raw, struct cul_buf *out);

/* Is raw something else than text? */
bool cul_is_binary(struct cul_bytes raw);

#endif
