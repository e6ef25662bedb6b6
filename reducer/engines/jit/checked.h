/* A call of compiled code that has checks (sound.h). */
#ifndef CUL_REDUCER_ENGINES_JIT_CHECKED_H
#define CUL_REDUCER_ENGINES_JIT_CHECKED_H

#include "../../../base/err.h"

/* Run once(arg), what it writes on standard output being held back; where it
 * meets poison, again with other numbers for that: the process ends where one
 * of them is seen in what is written.  Returns what once returns. */
CUL_MUST_CHECK int cul_jit_checked(int (*once)(void *arg, struct cul_err *err),
                                   void *arg, struct cul_err *err);

#endif
