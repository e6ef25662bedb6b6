/* What differs between two texts. */
#ifndef CUL_BASE_PAGE_DIFF_H
#define CUL_BASE_PAGE_DIFF_H

#include "../buf.h"

/* Append b against a, line by line: "-" only in a, "+" only in b, " " in both,
 * with two lines around every change and "@" where others are left out. Nothing
 * where they are equal.  Every line is told; of large parts more may be told as
 * changed than is.  Method: longest common subsequence; of parts of more than
 * 400 lines patience diff (B. Cohen), which splits them at lines that stand
 * once on both sides. */
void cul_diff(const char *a, const char *b, struct cul_buf *out);

#endif
