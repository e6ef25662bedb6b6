/* What differs between two texts. */
#ifndef CUL_BASE_DIFF_H
#define CUL_BASE_DIFF_H

#include "buf.h"

/* Append b against a, line by line: "-" only in a, "+" only in b, " " in both,
 * with two lines around every change and "@" where others are left out.  Lines
 * that both begin and end with count as such; of more than 400 between them the
 * first 400 are compared.  Nothing where they
 * are equal.  Method: longest common subsequence. */
void cul_diff(const char *a, const char *b, struct cul_buf *out);

#endif
