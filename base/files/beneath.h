/* Files and directories below a directory that is held open.
 *
 * Tools write anywhere: while culprit works they may replace any name by a
 * link, a pipe or another directory.  A directory that is held by its
 * descriptor stays the same one, and each name below it is looked up without
 * following links: whatever a tool swaps between two calls, nothing outside
 * that directory is read, written or removed.
 *
 * Rule: working, temporary, output and candidate directories are accessed by
 * these functions.  A path from the user (an input, -o OUT) is looked up as the
 * user wrote it, following links; then the file is replaced in the directory
 * that the path leads to (cul_file_write, cul_file_write_through).
 *
 * Paths are relative to dir.  Links inside and at the end of a path are refused
 * (ELOOP, ENOTDIR); so are "..", "/..." (EXDEV) and "" (ENOENT).  Functions
 * return -1 with errno; descriptors are close-on-exec and belong to the
 * caller. */
#ifndef CUL_BASE_FILES_BENEATH_H
#define CUL_BASE_FILES_BENEATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "../buf.h"
#include "../patience.h"
#include "../pieces.h"

/* Open a directory of this user by its full path.  Links above it are followed;
 * the directory itself must not be a link.  Errors: EPERM where it belongs to
 * another user (except root), ELOOP or ENOTDIR, those of open(2). */
int cul_beneath_hold(const char *path);

/* A descriptor of a plain file, as open(2) with flags: O_RDONLY, O_WRONLY or
 * O_RDWR with O_CREAT, O_EXCL, O_TRUNC, O_APPEND; mode: of a new file.  Never
 * blocks.  Errors: EISDIR; ENXIO: a pipe, socket or device; EMLINK: opened for
 * writing, but the file has a second name, which may be anywhere; EAGAIN: a
 * process holds a lease on it. */
int cul_beneath_open(int dir, const char *path, int flags, mode_t mode);
/* The same component by component, for kernels without openat2 or where it is
 * filtered.  Accepts any flags of open(2); checks only for links. */
int cul_beneath_steps(int dir, const char *path, int flags, mode_t mode);

/* A descriptor of an existing directory. */
int cul_beneath_dir(int dir, const char *path);
/* A descriptor of the directory that holds path's last component; *name becomes
 * that component, for calls such as symlinkat or fstatat. */
int cul_beneath_parent(int dir, const char *path, const char **name);
/* mkdir -p; mode: of each directory that is made.  Returns a descriptor of the
 * last. */
int cul_beneath_mkdirs(int dir, const char *path, mode_t mode);
/* A descriptor of the directory name, which a tool may have tampered with.  A
 * link or file in its place is removed; a missing directory is made (0700); one
 * whose mode locks its owner out is made accessible again.  name: one
 * component. */
int cul_beneath_claim(int dir, const char *name);

/* Tells what culprit is about to write, so that a later process knows its files
 * from those of the user, even if this one is killed between the two. */
struct cul_beneath_notice {
  /* A file is to get this name in the directory above: its inode and size, and
   * the time of its last change; a time of 0: the file is written from now on.
   * -1, with errno: it cannot be noted; then it does not get the name. */
  int (*tell)(void *self, int above, const char *name, const struct stat *st);
  void *self;                      /* borrowed */
  struct cul_beneath_notice *next; /* set by the function below */
};
/* Tell the notice of each file that this process and its forks replace or make
 * from now on, or no more.  It is borrowed meanwhile. */
void cul_beneath_watch(struct cul_beneath_notice *notice, bool watch);

/* Replace path by data.  lasting: the data is on the disk when this returns.
 * An existing file, link or pipe is removed, a directory is not (EISDIR).
 * patience: asked after each 8 MiB, or NULL; when it ends, path stays as it
 * was, errno is ECANCELED and err is filled. */
int cul_beneath_replace_pieces(int dir, const char *path,
                               const struct cul_pieces *data, mode_t mode,
                               bool lasting,
                               const struct cul_patience *patience,
                               struct cul_err *err);
/* The same of bytes. */
static inline int cul_beneath_replace(int dir, const char *path,
                                      struct cul_bytes data, mode_t mode,
                                      bool lasting,
                                      const struct cul_patience *patience,
                                      struct cul_err *err) {
  struct cul_pieces text = cul_pieces_of(data);
  return cul_beneath_replace_pieces(dir, path, &text, mode, lasting, patience,
                                    err);
}
/* A descriptor of a new file, open for writing.  Whatever had the name is
 * removed, even a directory with its contents. */
int cul_beneath_create(int dir, const char *path, mode_t mode);
/* The same; writes data and closes the file. */
int cul_beneath_put(int dir, const char *path, const void *data, size_t len,
                    mode_t mode);

/* rm -rf; a missing path is no error.  Unreadable directories of this user are
 * made readable, mounted file systems are left alone, and depth and number of
 * files are not limited.  Errors: the first that left something behind. */
int cul_beneath_remove(int dir, const char *path);
/* Remove everything in dir except the entry keep (NULL: everything). */
int cul_beneath_empty(int dir, const char *keep);

#endif
