/* Assertions of the invariants in docs/architecture.md and docs/conventions.md
 * that a running program can check.  They are enabled in Debug builds and by
 * -DCULPRIT_CHECK=ON. A condition that an input can break is not an
 * invariant. */
#ifndef CUL_BASE_CHECK_H
#define CUL_BASE_CHECK_H

#include "err.h"

/* End the process by cul_bug if the condition is false.  It must have no side
 * effects: other builds do not evaluate it. */
#ifdef CULPRIT_CHECK
#define cul_check(holds)                                                       \
  ((holds) ? (void)0 : cul_bug("%s:%d: not so: %s", __FILE__, __LINE__, #holds))
#else
#define cul_check(holds) ((void)sizeof((holds) ? 1 : 0))
#endif

#endif
