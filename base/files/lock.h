/* Lock files.  A lock file is removed when its lock is released. */
#ifndef CUL_BASE_FILES_LOCK_H
#define CUL_BASE_FILES_LOCK_H

#include "../buf.h"

/* Take the exclusive lock at path, made where missing, for this process.  The
 * kernel releases it when the process dies.  Returns a descriptor, or -1 with
 * errno: EWOULDBLOCK where another process holds it, EEXIST where the file is
 * not empty, so that it is no lock, else that of open(2). what: as in
 * cul_lock_hold. */
CUL_MUST_CHECK int cul_lock_take(const char *path, const char *what);

/* Take the lock shared: no process can take it exclusively meanwhile.  Close
 * the descriptor to release it; the file stays. */
CUL_MUST_CHECK int cul_lock_share(const char *path, const char *what);

/* Does a process hold the lock at path exclusively?  Makes no file; false also
 * where this cannot be determined. */
bool cul_lock_is_held(const char *path);

/* Append the process that holds a lock of the file or directory at path, with
 * its command: ": process 123 (culprit reduce a.mlir)"; nothing where that is
 * unknown. */
void cul_lock_holder(const char *path, struct cul_buf *out);

/* cul_lock_take on an open file: 0, or -1 with errno.  On a file system without
 * locks (NFS without its lock service) the user is warned once, and the lock
 * counts as taken.  what: the file to be written, for the warning. */
CUL_MUST_CHECK int cul_lock_hold(int fd, const char *what);

/* Remove the file, then release the lock.  fd: from cul_lock_take. */
void cul_lock_drop(const char *path, int fd);

#endif
