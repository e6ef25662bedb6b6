/* Directories that are made once and kept from job to job: installations.
 *
 * All are in one directory.  An entry NAME has:
 *
 *   NAME/      its files
 *   NAME.made  the mark that it is complete, written last: its text is the
 *              size in bytes, its modification time that of the last use
 *   NAME.lock  the lock: shared by users, exclusive for making and removing
 *
 * An entry without a mark was interrupted while it was made, and is made
 * anew.  The total size has a bound: entries used least recently are removed
 * first; those in use are kept. */
#ifndef CUL_BASE_FILES_DEPOT_H
#define CUL_BASE_FILES_DEPOT_H

#include "held.h"

struct cul_depot {
  struct cul_held held; /* its path is absolute and without links */
  uint64_t most_bytes;  /* 0 = no bound */
};

/* dir: made where missing.  Errors: EENV.  Close it in any case. */
CUL_MUST_CHECK int cul_depot_open(struct cul_depot *depot, const char *dir,
                                  struct cul_err *err);
void cul_depot_close(struct cul_depot *depot);

/* The directory of an entry; heap. */
char *cul_depot_path(const struct cul_depot *depot, const char *name);

enum cul_depot_state {
  CUL_DEPOT_READY, /* complete, and kept while *lock is open */
  CUL_DEPOT_EMPTY, /* an empty directory that is the caller's alone */
  CUL_DEPOT_BUSY,  /* another process makes or removes it: try again soon */
};
/* Enter the entry NAME (letters, digits, "._+-"), and remove other entries if
 * the bound is exceeded; never waits.  *lock: a descriptor, which the caller
 * closes; -1 if it is busy.  After EMPTY: fill the directory, call
 * cul_depot_end, and enter again.  Errors: EENV. */
CUL_MUST_CHECK int cul_depot_enter(struct cul_depot *depot, const char *name,
                                   enum cul_depot_state *state, int *lock,
                                   struct cul_err *err);
/* Remove an entry, unless a process uses or makes it.  False: one does. */
bool cul_depot_remove(const struct cul_depot *depot, const char *name);
/* End the making of an entry.  If it failed, its files are removed.  Closes
 * lock.  Errors: EENV. */
CUL_MUST_CHECK int cul_depot_end(struct cul_depot *depot, const char *name,
                                 bool made, int lock, struct cul_err *err);

#endif
