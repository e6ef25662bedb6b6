/* Calls into a shared object of the user's: a crash in it is an error, and so
 * is that it does not return. */
#ifndef CUL_ORACLES_PLUGIN_CALL_H
#define CUL_ORACLES_PLUGIN_CALL_H

#include <stdint.h>

#include "../base/err.h"
#include "oracle.h"

/* body(what), and returns 0; or the signal that it died of, SIGALRM where it
 * has not returned after wall_ms milliseconds (0: no limit): it was left in the
 * middle, and what it worked on is not to be touched again.  The deadly signals
 * are caught meanwhile, on a stack of their own: an endless recursion counts,
 * too. */
int cul_plugin_call(void (*body)(void *what), void *what, uint64_t wall_ms);

/* What a plugin gives back: makes sense of it for others.  rc: what it
 * returned.  Returns rc where all is well; else EENV, and says what is wrong.
 * path: of the shared object; call: its function. */
int cul_plugin_check(const char *path, const char *call, int rc,
                     const struct cul_wants *more,
                     const struct cul_verdict *verdict, struct cul_err *err);

#endif
