/* Invariants that docs/architecture.md and docs/conventions.md state, as far as
 * a running program can check them: in builds with -DCULPRIT_CHECK=ON, and in
 * Debug builds.  A condition that an input can break is no invariant. */
#ifndef CUL_BASE_CHECK_H
#define CUL_BASE_CHECK_H

#include "err.h"

/* Assert that the condition holds; else end the process by cul_bug.  The
 * condition must have no side effects: other builds do not evaluate it. */
#ifdef CULPRIT_CHECK
#define cul_check(holds)                                                       \
  ((holds) ? (void)0 : cul_bug("%s:%d: not so: %s", __FILE__, __LINE__, #holds))
#else
#define cul_check(holds) ((void)sizeof((holds) ? 1 : 0))
#endif

#endif
