/* The files a program loads at its start, where it cannot be traced. */
#ifndef CUL_RUNNERS_IDENTITY_CLOSURE_H
#define CUL_RUNNERS_IDENTITY_CLOSURE_H

#include "../../base/run.h"

/* Append the program, its loader, the shared libraries of its DT_NEEDED
 * closure and the files its arguments name, one path per line.  Returns NULL,
 * or why that is not the whole tool (static text). */
const char *cul_closure_list(const struct cul_command *cmd, const char *program,
                             struct cul_buf *out);

#endif
