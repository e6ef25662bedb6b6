/* Between the files of the pool: see pool.h. */
#ifndef CUL_BISECT_POOL_PRIVATE_H
#define CUL_BISECT_POOL_PRIVATE_H

#include <sys/types.h>

#include "pool.h"

/* What a builder says when it is done, through a pipe. */
struct cul_outcome {
  bool switched; /* the files are in place; else see err */
  int status;    /* of the build, as waitpid has it */
  uint64_t cpu_us;
  struct cul_switched files;
  struct cul_err err;
};

struct cul_yard {
  char *dir, *log; /* full names; those below are of the pool's directory */
  char *mark;      /* says what is in dir */
  char *stamp;     /* written when the files are in place, before the build */
  char *tmp;       /* of the build, for temporary files; empty between builds */
  struct cul_revision revision;
  struct cul_override *held; /* of revision: a copy */
  uint64_t start_us;
  bool holds; /* the files of revision */
  bool ready; /* and what this build made of them, or failed to */
  bool built, used;
  unsigned kept; /* bits, see cul_pool_keep */
  uint64_t last; /* when it was used last, counted in uses */
  pid_t builder;
  int fd; /* from the builder; or of /dev/null, always readable */
};

struct cul_pool {
  struct cul_pool_conf conf;
  char *name; /* of the directory */
  struct cul_yard *yards;
  char build[CUL_DIGEST_HEX]; /* conf.key */
  uint64_t uses;
  int lock;
  int dir; /* held: builds may put links in the place of any file here */
};

/* pool_build.c: a file of the pool's directory, by its name in it.  Errors:
 * EENV. */
CUL_MUST_CHECK int cul_pool_write(const struct cul_pool *pool, const char *name,
                                  struct cul_bytes text, struct cul_err *err);
/* The builder: writes its outcome to fd and ends.  It leads a process group of
 * its own, so that whatever the build starts can be killed with it. */
_Noreturn void cul_pool_work(const struct cul_pool *pool,
                             const struct cul_yard *yard,
                             const struct cul_revision *to, const char *build,
                             int fd);

#endif
