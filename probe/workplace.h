/* What every job needs beside its search: a directory and the store. */
#ifndef CUL_PROBE_WORKPLACE_H
#define CUL_PROBE_WORKPLACE_H

#include <sys/types.h>

#include "../cache/cache.h"

/* A directory of the job's own.  A process of its own waits for the end of the
 * job, and removes what is left of it where the job could not: it was killed,
 * or asked twice to end. */
struct cul_workplace {
  char *dir;     /* heap; NULL: none */
  int keeper;    /* open while the job lives, with dir; its other end is the
                    waiting process's */
  pid_t sweeper; /* that process */
};

/* Make one in $TMPDIR (or /tmp).  Errors: EENV. */
CUL_MUST_CHECK int cul_workplace_open(struct cul_workplace *place,
                                      struct cul_err *err);
/* Remove it with all that is in it. */
void cul_workplace_close(struct cul_workplace *place);

/* Open the store at path (NULL: the user's); none: one in dir, for this job
 * alone.  A store that cannot be opened costs time, not the job: *cache is
 * NULL then.  *note: what is to be said, or NULL; the caller frees it. */
void cul_workplace_cache(const char *dir, const char *path, bool none,
                         struct cul_cache **cache, char **note);

#endif
