/* Build directories of our own: each holds the files of one commit and what
 * the build made of it.  Going to another commit writes only what differs, so
 * builds are incremental. */
#ifndef CUL_BISECT_BUILD_POOL_H
#define CUL_BISECT_BUILD_POOL_H

#include <stdint.h>
#include <time.h>

#include "../../base/digest.h"
#include "../../base/environment.h"
#include "../history/repo.h"

struct cul_pool;

struct cul_pool_conf {
  struct cul_repo *repo; /* borrowed */
  const char *dir;       /* where the directories are; made */
  const char *build;     /* shell string, run in the directory; NULL: none */
  struct cul_digest key; /* of what builds depend on beside the sources: what
                            another one left behind is not built upon */
  size_t n;              /* directories, at least 1 */
  /* Of builds alone, with the sandbox of builds; what the machine turns out
   * to refuse is left out of that.  Borrowed. */
  struct cul_environment *environment;
};
/* conf: copied.  Errors: EENV (no room; another job works there). */
CUL_MUST_CHECK int cul_pool_open(const struct cul_pool_conf *conf,
                                 struct cul_pool **out, struct cul_err *err);
/* Ends what still builds; the directories stay, for the next time. */
void cul_pool_close(struct cul_pool *pool);

/* How the making of a revision ended. */
enum cul_place_state {
  CUL_PLACE_READY,
  CUL_PLACE_FAILED,  /* the build did; the same again would, too */
  CUL_PLACE_LACKING, /* an object of a submodule is missing, or the commit holds
                        what no checkout may make */
  CUL_PLACE_REFUSED, /* the build failed, and the sandbox had kept it from a
                        write: that may be why */
  CUL_PLACE_TROUBLE, /* no room, no memory, no process: may go away */
};
/* A directory in use for one revision. */
struct cul_place {
  const char *dir;            /* absolute */
  const char *log;            /* file: what the build printed */
  int fd;                     /* readable when it is ready, or failed; -1: it
                                 is by now */
  bool fresh;                 /* a build was started: it did not stand there */
  int slot;                   /* of the pool */
  enum cul_place_state state; /* once built; why: its first error */
  uint64_t wall_us, cpu_us;   /* of checkout and build */
  struct cul_switched files;  /* of a fresh one */
  char why[200];
  char refused[512]; /* a file that it was to change, and the sandbox did not
                        let it, however it ended; "": none */
};
/* Begin to make a revision ready: where it stands already nothing is done.
 * Errors: EUSAGE (the build's placeholders, objects missing). */
CUL_MUST_CHECK int cul_pool_begin(struct cul_pool *pool,
                                  const struct cul_revision *revision,
                                  struct cul_place *out, struct cul_err *err);
/* Once it is ready: fills state.  Errors: EUSAGE (objects missing in the
 * repository). */
CUL_MUST_CHECK int cul_pool_built(struct cul_pool *pool,
                                  struct cul_place *place, struct cul_err *err);
/* Not needed any more; a build that is under way is killed.  Where it does not
 * die that takes 3 s. */
void cul_pool_leave(struct cul_pool *pool, struct cul_place *place);
/* The last one that failed, or passed: it is likely to be run again at the end,
 * as the culprit or its parent. */
void cul_pool_keep(struct cul_pool *pool, const struct cul_revision *revision,
                   bool fails);
/* When the directories were used first: what changed elsewhere since then may
 * be of a build. */
struct timespec cul_pool_since(const struct cul_pool *pool);

#endif
