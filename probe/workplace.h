/* What every job needs beside its search: a directory and the store. */
#ifndef CUL_PROBE_WORKPLACE_H
#define CUL_PROBE_WORKPLACE_H

#include "../cache/cache.h"

/* Make a directory of the job's own in $TMPDIR (or /tmp).  *out: heap string;
 * the caller removes the directory.  Errors: EENV. */
CUL_MUST_CHECK int cul_workplace_dir(char **out, struct cul_err *err);

/* Open the store at path (NULL: the user's); none: one in dir, for this job
 * alone.  A store that cannot be opened costs time, not the job: *cache is
 * NULL then.  *note: what is to be said, or NULL; the caller frees it. */
void cul_workplace_cache(const char *dir, const char *path, bool none,
                         struct cul_cache **cache, char **note);

#endif
