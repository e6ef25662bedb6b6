/* A directory of culprit that is held open (beneath.h), and its name, which
 * tools receive.  Paths begin with that name; any other path is refused
 * (EXDEV). */
#ifndef CUL_BASE_FILES_HELD_H
#define CUL_BASE_FILES_HELD_H

#include "../buf.h"

#include <stdbool.h>
#include <sys/types.h>

struct cul_held {
  int fd;
  char *path; /* heap; NULL: none is held */
};

/* Hold the directory at path.  Errors: EENV. */
CUL_MUST_CHECK int cul_held_open(struct cul_held *held, const char *path,
                                 struct cul_err *err);
/* The same for a directory that the user named; a missing directory is made
 * together with its parents (mode: as of cul_mkdirs).  Links on the way to it
 * are followed, links below it are not. */
CUL_MUST_CHECK int cul_held_make(struct cul_held *held, const char *path,
                                 mode_t mode, struct cul_err *err);
void cul_held_close(struct cul_held *held);

/* path as seen from the directory; borrowed.  NULL: path is not below it. */
const char *cul_held_name(const struct cul_held *held, const char *path);

/* A descriptor of a directory directly in it, which a tool may have tampered
 * with (cul_beneath_claim); the caller closes it.  If a tool removed the held
 * directory itself, it is made anew.  Errors: EENV. */
CUL_MUST_CHECK int cul_held_claim(const struct cul_held *held, const char *path,
                                  int *fd, struct cul_err *err);
/* The same without a descriptor; mode: of a missing directory, less the
 * umask. */
CUL_MUST_CHECK int cul_held_ready(const struct cul_held *held, const char *path,
                                  mode_t mode, struct cul_err *err);
/* Write a file; whatever a tool left in its place is removed.  The data may be
 * lost if the machine crashes.  Errors: EENV. */
CUL_MUST_CHECK int cul_held_put(const struct cul_held *held, const char *path,
                                struct cul_bytes bytes, mode_t mode,
                                struct cul_err *err);
/* Replace a file (base/files/beneath.h); the data is on the disk when this
 * returns.  Missing directories above it are made.  Errors: EENV. */
CUL_MUST_CHECK int cul_held_replace(const struct cul_held *held,
                                    const char *path, struct cul_bytes bytes,
                                    mode_t mode, struct cul_err *err);
/* Remove a file or link; true: there was one. */
bool cul_held_unlink(const struct cul_held *held, const char *path);
/* Append the bytes of a plain file.  max: bytes, 0 = no limit.  Errors:
 * EENV. */
CUL_MUST_CHECK int cul_held_read(const struct cul_held *held, const char *path,
                                 size_t max, struct cul_buf *out,
                                 struct cul_err *err);

#endif
