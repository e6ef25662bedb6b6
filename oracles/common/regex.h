/* Regular expressions of rules and of the user: PCRE2, with its JIT if there is
 * one. */
#ifndef CUL_ORACLES_COMMON_REGEX_H
#define CUL_ORACLES_COMMON_REGEX_H

#include <stddef.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Compile text; ^ and $ match at lines.  Owned by the caller
 * (pcre2_code_free).  NULL: an error of the text, with PCRE2's *number and its
 * *offset.  A process without memory ends (cul_no_memory). */
pcre2_code *cul_regex_compile(const char *text, int *number, size_t *offset);
/* The same expression as machine code: call it before each match.  Of hundreds
 * of rules a job needs a few, and each takes as long as ten matches. */
pcre2_code *cul_regex_ready(pcre2_code *code);

/* An expression that is compiled when it is first used: most rules are not, and
 * to compile all takes a tenth of a short job's processor time. */
struct cul_regex {
  const char *text; /* borrowed */
  pcre2_code *code; /* owned; NULL: not compiled yet */
};
/* The compiled expression, owned by regex.  A text that is no expression is a
 * broken invariant (cul_bug): compile what users write beforehand. */
pcre2_code *cul_regex_code(struct cul_regex *regex);

#endif
