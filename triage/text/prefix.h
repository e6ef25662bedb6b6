/* Finds and removes the prefix that a CI system, a launcher or a logger writes
 * before every line of a log.
 *
 * A prefix is learnt from the log alone: it is a shape at the start of a line
 * that consecutive lines share.  In a shape a time is T, a number 0 and a word
 * in capitals L; all else counts as printed.  No system is named. */
#ifndef CUL_TRIAGE_TEXT_PREFIX_H
#define CUL_TRIAGE_TEXT_PREFIX_H

#include "../../base/buf.h"
#include "../../oracles/signature/signature.h"

/* Remove the prefixes of text's lines, and the text that a harness writes
 * before them according to harness.rules.  Lines that several ranks or workers
 * wrote in turn are grouped by writer.  In a log of JSON objects, one per line,
 * the member with the most words replaces each object.  Then the changes that
 * undo.h lists are undone.  False if no prefix was found.  Linear. */
bool cul_unwrap(const struct cul_rules *rules, struct cul_buf *text);

enum { CUL_MOST_CUTS = 14 };

#endif
