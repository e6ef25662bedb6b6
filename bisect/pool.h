/* Build directories of our own: each holds the files of one commit and what
 * the build made of it.  Going to another commit writes only what differs, so
 * builds are incremental. */
#ifndef CUL_BISECT_POOL_H
#define CUL_BISECT_POOL_H

#include "repo.h"

struct cul_pool;

struct cul_pool_conf {
  struct cul_repo *repo; /* borrowed */
  const char *dir;       /* where the directories are; made */
  const char *build;     /* shell string, run in the directory; NULL: none */
  size_t n;              /* directories, at least 1 */
};
/* Errors: EENV (no room; another job works there). */
CUL_MUST_CHECK int cul_pool_open(const struct cul_pool_conf *conf,
                                 struct cul_pool **out, struct cul_err *err);
/* Ends what still builds; the directories stay, for the next time. */
void cul_pool_close(struct cul_pool *pool);

/* A directory in use for one commit. */
struct cul_place {
  const char *dir; /* absolute */
  const char *log; /* file: what the build printed */
  int fd;          /* readable when it is ready, or failed */
  bool fresh;      /* a build was started: it did not stand there */
  int slot;        /* of the pool */
};
/* Begin to make a commit ready: where it stands already nothing is done.
 * Errors: EENV. */
CUL_MUST_CHECK int cul_pool_begin(struct cul_pool *pool,
                                  const struct cul_commit_id *commit,
                                  struct cul_place *out, struct cul_err *err);
/* Once fd is readable.  *built: false where the build failed (why: its last
 * words).  Errors: EENV (no room, no shell, killed by the system), EUSAGE
 * (objects missing in the repository). */
CUL_MUST_CHECK int cul_pool_built(struct cul_pool *pool,
                                  struct cul_place *place, bool *built,
                                  char *why, size_t size, struct cul_err *err);
/* Not needed any more; a build that is under way is killed. */
void cul_pool_leave(struct cul_pool *pool, struct cul_place *place);

#endif
