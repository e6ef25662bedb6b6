/* A lock file: who holds it is alone.  It is gone once it is given back. */
#ifndef CUL_BASE_FILES_LOCK_H
#define CUL_BASE_FILES_LOCK_H

#include "../err.h"

/* Take the lock at path (made where it is missing) for this process; the kernel
 * gives it back where the process dies.  Returns a descriptor, or -1 with
 * errno: EWOULDBLOCK where another process holds it, else that of open(2).
 * what: as in cul_lock_hold. */
CUL_MUST_CHECK int cul_lock_take(const char *path, const char *what);

/* The same together with others who share it: nobody takes it alone meanwhile.
 * Close the descriptor to give it back; the file stays. */
CUL_MUST_CHECK int cul_lock_share(const char *path, const char *what);

/* Does a process hold the lock at path alone?  Makes no file; false also where
 * that cannot be told. */
bool cul_lock_is_held(const char *path);

/* cul_lock_take with a file that is open: 0, or -1 with errno.  Some file
 * systems have no locks (NFS whose lock service is not there): then that is
 * said once, what: the file that is to be written, and the lock counts as
 * taken. */
CUL_MUST_CHECK int cul_lock_hold(int fd, const char *what);

/* Remove the file, then give the lock back.  fd: of cul_lock_take. */
void cul_lock_drop(const char *path, int fd);

#endif
