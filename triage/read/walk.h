/* The files below a directory. */
#ifndef CUL_TRIAGE_READ_WALK_H
#define CUL_TRIAGE_READ_WALK_H

#include "../../base/buf.h"

struct cul_walk {
  void *self;
  void (*file)(void *self, const char *path);
  void (*problem)(void *self, const char *path, const char *why);
  const char *except; /* directories of this name are left out; may be NULL */
  const volatile int *interrupted; /* may be NULL */
};

/* Call file for every plain file below path, sorted by name; hidden files are
 * left out, links to directories are not followed. */
void cul_walk_dir(const struct cul_walk *walk, const char *path);

#endif
