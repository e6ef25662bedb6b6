/* The line diff of two texts. */
#ifndef CUL_BASE_PAGE_DIFF_H
#define CUL_BASE_PAGE_DIFF_H

#include "../buf.h"

/* Append b against a, line by line: "-" only in a, "+" only in b, " " in both,
 * with two lines of context around every change and "@" where lines are left
 * out.  Appends nothing if the texts are equal.  No change is missed, but in
 * large parts more lines than necessary may be marked as changed.  Method:
 * longest common subsequence; parts of more than 400 lines are first split at
 * lines that occur once on both sides (patience diff, B. Cohen). */
void cul_diff(const char *a, const char *b, struct cul_buf *out);

#endif
