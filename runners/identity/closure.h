/* The files that a program loads when it starts, for systems without
 * tracing. */
#ifndef CUL_RUNNERS_IDENTITY_CLOSURE_H
#define CUL_RUNNERS_IDENTITY_CLOSURE_H

#include "../../base/run.h"

/* Append the program, its loader, the shared libraries of its DT_NEEDED closure
 * and the files that its arguments name, one path per line.  Returns NULL, or
 * the reason why this is not the whole tool (static text). */
const char *cul_closure_list(const struct cul_command *cmd, const char *program,
                             struct cul_buf *out);

#endif
