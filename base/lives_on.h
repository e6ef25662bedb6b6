/* What lives as long as its process, on purpose, is not a leak. */
#ifndef CUL_BASE_LIVES_ON_H
#define CUL_BASE_LIVES_ON_H

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

/* object: of the heap, or NULL.  It and all that it leads to are in use until
 * the process ends, even if no variable leads to it any more.  Without this, a
 * leak checker names thousands of MLIR's objects, which takes longer than the
 * run, and stops before it names one of culprit's own. */
static inline void cul_lives_on(const void *object) {
#ifdef __SANITIZE_ADDRESS__
  if (object)
    __lsan_ignore_object(object);
#else
  (void)object;
#endif
}

#endif
