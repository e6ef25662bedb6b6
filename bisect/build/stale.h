/* Stale products: builds in a directory are incremental, and what one of them
 * leaves as it was may have been made of files that have changed since. */
#ifndef CUL_BISECT_BUILD_STALE_H
#define CUL_BISECT_BUILD_STALE_H

#include <limits.h>
#include <stdbool.h>
#include <time.h>

#include "../../base/buf.h"

/* What builds in a directory, since it was empty, read in it.  {0} is empty and
 * valid. */
struct cul_reads {
  struct cul_buf files;   /* full names, one a line, sorted */
  struct cul_buf readers; /* which of these their processes read together: the
                             lines "s" of their traces (struct cul_record)
                             without the letter, sorted; of each name the last
                             one */
};

/* When the files of a revision were put in place: those that were written are
 * not older than since, and older than before. */
struct cul_checkout {
  struct timespec since, before;
};

/* A file that a build did not read, although earlier builds in the directory
 * read it, and it or what they read with it changed: their products are not
 * those of this revision.  Full names; "": none. */
struct cul_stale {
  char file[PATH_MAX];
  char with[PATH_MAX]; /* the changed file; "": file itself */
};

/* Add what a build in dir read, by the lines of its trace. */
void cul_reads_take(struct cul_reads *reads, const char *dir, const char *seen);
/* Find a file that earlier builds in dir read, that was written since then and
 * that this build, with the lines `seen`, did not read: the products made from
 * it are stale.  So are those that earlier builds made from it and another
 * file, if this build read it for other products only.  False: there is none,
 * or not all is seen. */
bool cul_reads_find_stale(const struct cul_reads *reads, const char *dir,
                          const struct cul_checkout *checkout, const char *seen,
                          struct cul_stale *out);

static inline void cul_reads_release(struct cul_reads *reads) {
  cul_buf_release(&reads->files);
  cul_buf_release(&reads->readers);
}

#endif
