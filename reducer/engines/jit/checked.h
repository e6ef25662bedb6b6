/* Run compiled code with checks (sound.h). */
#ifndef CUL_REDUCER_ENGINES_JIT_CHECKED_H
#define CUL_REDUCER_ENGINES_JIT_CHECKED_H

#include "../../../base/err.h"

/* Run once(arg) with its standard output held back.  If it meets poison, run it
 * again with other numbers for poison, and end the process if an output
 * differs: it depends on poison.  Else print the first output.  Returns what
 * once returned.  Errors: also EENV, if the output cannot be held back. */
CUL_MUST_CHECK int cul_jit_checked(int (*once)(void *arg, struct cul_err *err),
                                   void *arg, struct cul_err *err);

#endif
