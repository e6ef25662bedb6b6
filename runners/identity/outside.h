/* What a build reads outside of its directory: headers, lists of options,
 * programs, and the names that it looks for there in vain.  A build that is
 * kept stands for its sources as long as all of that is the same. */
#ifndef CUL_RUNNERS_IDENTITY_OUTSIDE_H
#define CUL_RUNNERS_IDENTITY_OUTSIDE_H

#include "../../base/buf.h"
#include "../../base/digest.h"

struct cul_cache;

/* What is there now of the names in a list, lines of runners/identity/built.h:
 * "a PATH", "P PATH" and "L PATH".  A file that is gone, or cannot be read,
 * counts as such.  cache NULL: files are told apart by size, time and inode,
 * not by their content. */
struct cul_digest cul_outside_state(struct cul_cache *cache, const char *list);

#endif
