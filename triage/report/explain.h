/* Explains every step from the raw text of a log to the keys of its
 * failures. */
#ifndef CUL_TRIAGE_REPORT_EXPLAIN_H
#define CUL_TRIAGE_REPORT_EXPLAIN_H

#include "../../base/buf.h"

/* Append the steps for people.  Errors: EUSAGE (the log cannot be read). */
CUL_MUST_CHECK int cul_triage_explain(const char *path, struct cul_buf *out,
                                      struct cul_err *err);

#endif
