/* Undoes changes that were made to a text before it became part of a log. */
#ifndef CUL_TRIAGE_TEXT_UNDO_H
#define CUL_TRIAGE_TEXT_UNDO_H

#include "../../base/buf.h"
#include "../../oracles/signature/signature.h"

/* Append text, with XML's character references replaced by the characters. */
void cul_unescape(struct cul_bytes text, struct cul_buf *out);

/* Undo, where more is understood then: references of XML, line ends written as
 * "\n", what tables wrap in their last cells, and lines cut at one width, as a
 * terminal does.  Linear. */
void cul_undo(const struct cul_rules *rules, struct cul_buf *text);

#endif
