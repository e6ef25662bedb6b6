/* IR as HTML, its words marked by what they are. */
#ifndef CUL_TRIAGE_REPORT_HIGHLIGHT_H
#define CUL_TRIAGE_REPORT_HIGHLIGHT_H

#include "../../base/buf.h"

/* Append text, escaped, with <span class="X"> around values (v), symbols (s),
 * strings (q), comments (c), operations (o), types and attributes (t), numbers
 * (n). */
void cul_highlight(const char *text, struct cul_buf *out);

#endif
