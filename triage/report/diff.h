/* What differs between two logs. */
#ifndef CUL_TRIAGE_REPORT_DIFF_H
#define CUL_TRIAGE_REPORT_DIFF_H

#include "../../base/buf.h"

/* Append b against a, line by line: "-" only in a, "+" only in b, " " in both,
 * with two lines around every change and "@" where others are left out.  Of
 * texts of more than 400 lines the first 400 are compared.  Nothing where they
 * are equal.  Method: longest common subsequence. */
void cul_diff(const char *a, const char *b, struct cul_buf *out);

#endif
