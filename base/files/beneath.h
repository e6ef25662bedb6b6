/* Files and directories below a directory that is held open.
 *
 * Tools write wherever they like: while culprit works they may put a link, a
 * pipe or another directory in the place of any name.  A directory that is held
 * by its descriptor stays the same one, and each name below it is looked up
 * without following a link: whatever is swapped between two calls, nothing
 * outside that directory is read, written or removed.
 *
 * Rule: working, temporary, output and candidate directories are reached so.
 * What the user named (an input, -o OUT) is looked up as the user wrote it, by
 * way of links too; then the file is replaced in the directory it leads to
 * (cul_file_write, cul_file_write_through).
 *
 * Paths are relative to dir; links in them and at their end are refused (ELOOP,
 * ENOTDIR), and so are "..", "/..." (EXDEV) and "" (ENOENT).  Functions return
 * -1 with errno; descriptors are close-on-exec and the caller's. */
#ifndef CUL_BASE_FILES_BENEATH_H
#define CUL_BASE_FILES_BENEATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Hold a directory of this user's by its full name; links above it are
 * followed, itself must not be one.  Errors: EPERM where it belongs to another
 * user (but root), ELOOP or ENOTDIR, those of open(2). */
int cul_beneath_hold(const char *path);

/* A descriptor of a plain file, as open(2) with flags: O_RDONLY, O_WRONLY or
 * O_RDWR with O_CREAT, O_EXCL, O_TRUNC, O_APPEND; mode: of a new one.  It never
 * waits.  Errors: EISDIR; ENXIO: a pipe, socket or device; EMLINK: to be
 * written, but the file has a second name, which may be anywhere; EAGAIN:
 * somebody holds a lease on it. */
int cul_beneath_open(int dir, const char *path, int flags, mode_t mode);
/* The same step by step, for kernels without openat2, or where it is filtered;
 * any flags of open(2), nothing is checked but links. */
int cul_beneath_steps(int dir, const char *path, int flags, mode_t mode);

/* A descriptor of a directory that is there. */
int cul_beneath_dir(int dir, const char *path);
/* Of the one that path's last component stands in, which name becomes; what
 * else there is at it (symlinkat, fstatat) is the caller's to ask for. */
int cul_beneath_parent(int dir, const char *path, const char **name);
/* mkdir -p; mode: of each that is made.  A descriptor of the last. */
int cul_beneath_mkdirs(int dir, const char *path, mode_t mode);
/* A descriptor of the directory name, in which a tool may have done what it
 * likes: where a link or file stands in its place, that is removed, where it
 * is missing, it is made (0700), where its owner locked himself out, it is
 * opened again.  name: one component. */
int cul_beneath_claim(int dir, const char *name);

/* Replace path by data (base/files/beneath.h); lasting: on the disk when this
 * returns. What stood there goes, be it a link or pipe; a directory does not
 * (EISDIR). */
int cul_beneath_replace(int dir, const char *path, const void *data, size_t len,
                        mode_t mode, bool lasting);
/* A descriptor of a new file, to be written; what stood there goes, be it a
 * directory with all that is in it. */
int cul_beneath_create(int dir, const char *path, mode_t mode);
/* The same with data in it, closed. */
int cul_beneath_put(int dir, const char *path, const void *data, size_t len,
                    mode_t mode);

/* rm -rf; missing is fine.  Directories that their owner made unreadable are
 * opened, mounted file systems are left alone, depth and number of files are
 * not bounded.  Errors: the first that something was left for. */
int cul_beneath_remove(int dir, const char *path);
/* Remove all inside dir but the entry keep (NULL: all). */
int cul_beneath_empty(int dir, const char *keep);

#endif
