/* The part of a build that a test reads.
 *
 * A list, made from a traced run, names this part: lines "d NAME" for files
 * below the build directory, "a PATH" for files elsewhere, "p NAME" (looked
 * for, found or not) and "l NAME" (a directory whose names were read) below the
 * directory, "P PATH" and "L PATH" elsewhere.  Builds with equal digests by one
 * list are the same for that test.  Names are relative to the directory;
 * its path and GNU build ids in files do not count, because each build has
 * another directory. */
#ifndef CUL_RUNNERS_IDENTITY_BUILT_H
#define CUL_RUNNERS_IDENTITY_BUILT_H

#include <stdbool.h>
#include <time.h>

#include "../../base/buf.h"
#include "../../base/digest.h"

/* How a traced run becomes a list; all borrowed. */
struct cul_built_from {
  const char *files;        /* of struct cul_record, traced and closed */
  const char *dir;          /* of the build, without links */
  struct timespec since;    /* a file elsewhere that changed later may belong to
                               a build, and it is not known to which */
  const char *const *given; /* the test's words: they name the user's own
                               files; NULL terminated */
};
/* Append the list, with all lines of the trace.  False: it tells too little. */
bool cul_built_list(const struct cul_built_from *from, struct cul_buf *out);

/* The source of a compiled Python module, which stands for it: it is compiled
 * anew where the source changes.  The same path where there is no source, for a
 * module that is loaded whatever its source is, and for another file.  Heap. */
char *cul_built_source(const char *path);

/* The digest of a file outside the build directory.  Returns 0, or a negative
 * value if the file cannot be read. */
struct cul_built_reader {
  int (*digest)(void *self, const char *path, struct cul_digest *out);
  /* Did culprit itself write this name in dir, where it does not count?  NULL:
   * no. */
  bool (*is_result)(void *self, const char *dir, const char *name);
  void *self;
};
/* The digest, by a list, of the build in dir (a path without links).
 * *names_commit: set if one of the files mentions $CULPRIT_COMMIT.  False: a
 * file cannot be read. */
bool cul_built_digest(const char *list, const char *dir,
                      const struct cul_built_reader *reader, bool *names_commit,
                      struct cul_digest *out);
/* Append a file's digest to h, without the path `dir` and without build ids.
 * *names_commit: as above.  False: it cannot be read. */
bool cul_built_file(struct cul_hasher *h, const char *path, const char *dir,
                    bool *names_commit);

#endif
