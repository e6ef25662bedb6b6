/* The files that were sent to a machine, by content: one directory for all
 * workers of a user there, which also serves later jobs.
 *
 * A file is named by its digest, written under another name and renamed, and
 * digested again when it is used; so several workers write and read at a time,
 * and a file may vanish at any time.  Above a limit the least recently used
 * files are removed, but none that was used in the last minute. */
#ifndef CUL_RUNNERS_REMOTE_STORE_H
#define CUL_RUNNERS_REMOTE_STORE_H

#include "../../base/digest.h"
#include "../../base/files/held.h"

struct cul_remote_store {
  struct cul_held dir;
  /* Equal for all workers that share it, and for no others. */
  struct cul_digest identity;
  uint64_t most;  /* bytes */
  uint64_t known; /* bytes that were there, and those added since */
  uint64_t added; /* by this worker since the directory was read */
  uint32_t named; /* temporary names that were used */
};

/* Open the store in the user's cache directory ($CULPRIT_STORE bytes, else 4
 * GiB) or, if there is none, in own, the directory of the worker.  Errors:
 * EENV. */
CUL_MUST_CHECK int cul_remote_store_open(struct cul_remote_store *store,
                                         const struct cul_held *own,
                                         struct cul_err *err);
/* Add a file; this may remove others.  False, with errno: no space is left. */
bool cul_remote_store_put(struct cul_remote_store *store,
                          struct cul_bytes bytes);
/* Is the file there?  If so, it is kept for a minute at least. */
bool cul_remote_store_has(const struct cul_remote_store *store,
                          const struct cul_digest *digest);
/* Append a file to out.  False: it is not there any more, or it was damaged and
 * is removed. */
bool cul_remote_store_get(const struct cul_remote_store *store,
                          const struct cul_digest *digest, struct cul_buf *out);

#endif
