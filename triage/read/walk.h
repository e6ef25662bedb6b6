/* The files below a directory. */
#ifndef CUL_TRIAGE_READ_WALK_H
#define CUL_TRIAGE_READ_WALK_H

#include <stdbool.h>

#include "../../base/buf.h"

struct cul_walk {
  void *self;
  void (*file)(void *self, const char *path);
  void (*problem)(void *self, const char *path, const char *why);
  const char *except; /* directories of this name are left out; may be NULL */
  const volatile int *interrupted; /* may be NULL */
  /* Is this directory, below the given one, left out?  NULL: no. */
  bool (*is_left_out)(void *self, const char *dir);
  const char *output; /* this directory is left out, unless it is the one that
                         is walked; may be NULL, or not exist */
};

/* Call file for every plain file below path, sorted by name.  Hidden files are
 * left out.  Links to directories are not followed, and a link to a file that
 * is below path itself is not a second file. */
void cul_walk_dir(const struct cul_walk *want, const char *path);

#endif
