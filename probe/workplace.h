/* What every job needs beside its search: a directory and the store. */
#ifndef CUL_PROBE_WORKPLACE_H
#define CUL_PROBE_WORKPLACE_H

#include <sys/types.h>

#include "../base/files/held.h"
#include "../cache/cache.h"

/* A directory of the job's own.  A process of its own waits for the end of the
 * job, and removes what is left of it where the job could not: it was killed,
 * or asked twice to end. */
struct cul_workplace {
  struct cul_held held;
  const char *dir; /* its name; NULL: none */
  int keeper;      /* open while the job lives, with dir; its other end is the
                      waiting process's */
  pid_t sweeper;   /* that process */
};

/* Make one in $TMPDIR (or /tmp), and remove those there of jobs that ended
 * without anybody to do so.  Errors: EENV. */
CUL_MUST_CHECK int cul_workplace_open(struct cul_workplace *place,
                                      struct cul_err *err);
/* Remove it with all that is in it. */
void cul_workplace_close(struct cul_workplace *place);

/* tmp, a directory in place, is there and empty, whatever the last run made of
 * it, and request's run will get it as TMPDIR.  Errors: EENV. */
CUL_MUST_CHECK int cul_workplace_claim_tmp(const struct cul_held *place,
                                           const char *tmp,
                                           struct cul_request *request,
                                           struct cul_err *err);

/* Open the store at path (NULL: the user's); none: one for this job
 * alone, which nobody else can reach.  A store that cannot be opened costs
 * time, not the job: *cache is NULL then.  *note: what is to be said, or NULL;
 * the caller frees it. */
void cul_workplace_cache(const char *path, bool none, struct cul_cache **cache,
                         char **note);

#endif
