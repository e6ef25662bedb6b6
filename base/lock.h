/* A lock file: who holds it is alone.  It is gone once it is given back. */
#ifndef CUL_BASE_LOCK_H
#define CUL_BASE_LOCK_H

#include "err.h"

/* Take the lock at path (made where it is missing) for this process; the kernel
 * gives it back where the process dies.  Returns a descriptor, or -1 with
 * errno: EWOULDBLOCK where another process holds it, else that of open(2). */
CUL_MUST_CHECK int cul_lock_take(const char *path);

/* Remove the file, then give the lock back.  fd: of cul_lock_take. */
void cul_lock_drop(const char *path, int fd);

#endif
