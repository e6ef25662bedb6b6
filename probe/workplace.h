/* What every job needs besides its search: a working directory and the
 * cache. */
#ifndef CUL_PROBE_WORKPLACE_H
#define CUL_PROBE_WORKPLACE_H

#include <sys/types.h>

#include "../base/files/held.h"
#include "../cache/cache.h"

/* A directory of the job's own.  A separate process, the sweeper, waits for the
 * end of the job and removes the directory if the job could not, because it was
 * killed or interrupted twice. */
struct cul_workplace {
  struct cul_held held;
  const char *dir; /* its name; NULL: none */
  int keeper; /* end of a pipe, open while the job lives; the sweeper reads the
                 other end; -1: there is no sweeper */
  pid_t sweeper;
};

/* Make one in $TMPDIR (or /tmp), and remove directories there that ended jobs
 * left behind.  Errors: EENV. */
CUL_MUST_CHECK int cul_workplace_open(struct cul_workplace *place,
                                      struct cul_err *err);
/* Remove it with its contents. */
void cul_workplace_close(struct cul_workplace *place);

/* Make sure that tmp, a directory in place, exists and is empty, whatever the
 * last run did to it, and set it as TMPDIR of request.  Errors: EENV. */
CUL_MUST_CHECK int cul_workplace_claim_tmp(const struct cul_held *place,
                                           const char *tmp,
                                           struct cul_request *request,
                                           struct cul_err *err);

enum { CUL_MAX_RESULTS = 4 };
struct cul_cache_conf {
  const char *path; /* NULL = the user's cache */
  bool off;         /* a private one for this job */
  /* Files and directories that the command line names for results, "-" for
   * standard output; each may be NULL (cul_cache_note_result). */
  const char *results[CUL_MAX_RESULTS];
};

/* Open the cache, and note in it what this job writes: conf->results, and
 * standard output and error where they are files.
 * A cache that cannot be opened does not end the job: *cache is then NULL.
 * *note: a message to the user, or NULL; the caller frees it. */
void cul_workplace_cache(const struct cul_cache_conf *conf,
                         struct cul_cache **cache, char **note);

#endif
