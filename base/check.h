/* Invariants that docs/architecture.md and docs/conventions.md state, as far as
 * a running program can look: in builds with -DCULPRIT_CHECK=ON, and Debug.
 * What could only be broken by an input is no invariant. */
#ifndef CUL_BASE_CHECK_H
#define CUL_BASE_CHECK_H

#include "err.h"

/* It holds, or the process ends as cul_bug has it.  The condition has no
 * effects: other builds do not compute it. */
#ifdef CULPRIT_CHECK
#define cul_check(holds)                                                       \
  ((holds) ? (void)0 : cul_bug("%s:%d: not so: %s", __FILE__, __LINE__, #holds))
#else
#define cul_check(holds) ((void)sizeof((holds) ? 1 : 0))
#endif

#endif
