/* Python environments that are kept from job to job, one per set of packages.
 *
 * They stand beside each other in one directory.  Of an environment NAME:
 *   NAME/      the environment
 *   NAME.made  written last: it is whole; its text is the bytes it takes, its
 *              time of change that of the last use
 *   NAME.lock  shared by who uses it, held alone by who makes or removes it
 * What has no mark was cut while it was made, and is made anew.  Together they
 * take no more than a bound: the one whose last use is the oldest goes first,
 * those in use stay. */
#ifndef CUL_BISECT_INSTALL_VENVS_H
#define CUL_BISECT_INSTALL_VENVS_H

#include <stdint.h>

#include "../../base/buf.h"
#include "../../runners/runner.h"

struct cul_venvs;

struct cul_venvs_conf {
  const char *dir;     /* NULL: "environments" in the user's cache directory */
  uint64_t most_bytes; /* 0 = no bound */
  struct cul_patience patience; /* who waits for another job, and how long */
};

/* conf is copied, the directory made.  Errors: EENV. */
CUL_MUST_CHECK int cul_venvs_open(const struct cul_venvs_conf *conf,
                                  struct cul_venvs **out, struct cul_err *err);
void cul_venvs_close(struct cul_venvs *venvs); /* or NULL */
/* The directory of all, absolute; borrowed. */
const char *cul_venvs_dir(const struct cul_venvs *venvs);

/* Who makes one. */
struct cul_venv_maker {
  void *self;
  /* Make it in dir, which is there and empty.  *why: it cannot be had, heap;
   * else it stays NULL.  Errors: what ends the job. */
  int (*make)(void *self, const char *dir, char **why, struct cul_err *err);
};

/* One in use. */
struct cul_venv {
  char *dir; /* absolute; NULL = it cannot be had */
  char *why; /* then */
  int lock;
};

/* Take the environment of this name (letters, digits, "._+-") into use; where
 * it is not there it is made.  Where another job makes it, that is waited for.
 * Leave it in any case.  Errors: EENV, those of the maker and of patience. */
CUL_MUST_CHECK int cul_venvs_enter(struct cul_venvs *venvs, const char *name,
                                   const struct cul_venv_maker *maker,
                                   struct cul_venv *out, struct cul_err *err);
void cul_venv_leave(struct cul_venv *venv);

#endif
