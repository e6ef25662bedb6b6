/* The files that a build reads outside its directory: headers, option files,
 * programs, and names that it looks for in vain.  A stored build is valid for
 * its sources as long as all of these are unchanged. */
#ifndef CUL_RUNNERS_IDENTITY_OUTSIDE_H
#define CUL_RUNNERS_IDENTITY_OUTSIDE_H

#include "../../base/buf.h"
#include "../../base/digest.h"

struct cul_cache;

/* The present state of the names in a list, lines "a PATH", "P PATH" and "L
 * PATH" of runners/identity/built.h.  A file that is missing or cannot be read
 * counts as such.  cache NULL: files are compared by size, time and inode, not
 * by content. */
struct cul_digest cul_outside_state(struct cul_cache *cache, const char *list);

#endif
