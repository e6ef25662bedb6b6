/* A directory of ours that is held open (beneath.h), and its name, by which
 * tools are told of it.  Paths begin with its name; what lies elsewhere is
 * refused (EXDEV). */
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
/* The same of a directory of the user's, made with those above it where it is
 * missing: the user's links lead to it.  What stands in it is none of theirs:
 * below it no link is followed. */
CUL_MUST_CHECK int cul_held_make(struct cul_held *held, const char *path,
                                 struct cul_err *err);
void cul_held_close(struct cul_held *held);

/* path as seen from the directory; borrowed.  NULL: it is elsewhere. */
const char *cul_held_name(const struct cul_held *held, const char *path);

/* A descriptor of a directory directly in it, in which a tool may have done
 * what it likes (cul_beneath_claim); the caller's.  Where a tool has removed
 * the held directory itself, it is made anew.  Errors: EENV. */
CUL_MUST_CHECK int cul_held_claim(const struct cul_held *held, const char *path,
                                  int *fd, struct cul_err *err);
/* The same where only its being there matters. */
CUL_MUST_CHECK int cul_held_ready(const struct cul_held *held, const char *path,
                                  struct cul_err *err);
/* Write a file; what a tool left in its place goes.  Nothing of it need survive
 * the machine's end.  Errors: EENV. */
CUL_MUST_CHECK int cul_held_put(const struct cul_held *held, const char *path,
                                struct cul_bytes bytes, mode_t mode,
                                struct cul_err *err);
/* Replace a file (base/files/beneath.h), on the disk when this returns;
 * directories on the way to it are made.  Errors: EENV. */
CUL_MUST_CHECK int cul_held_replace(const struct cul_held *held,
                                    const char *path, struct cul_bytes bytes,
                                    mode_t mode, struct cul_err *err);
/* Remove a file or link; was there one? */
bool cul_held_unlink(const struct cul_held *held, const char *path);
/* Append a plain file.  max: bytes, 0 = no limit.  Errors: EENV. */
CUL_MUST_CHECK int cul_held_read(const struct cul_held *held, const char *path,
                                 size_t max, struct cul_buf *out,
                                 struct cul_err *err);

#endif
