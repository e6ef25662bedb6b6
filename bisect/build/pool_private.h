/* Between the files of the pool: see pool.h. */
#ifndef CUL_BISECT_BUILD_POOL_PRIVATE_H
#define CUL_BISECT_BUILD_POOL_PRIVATE_H

#include <sys/types.h>

#include "../../base/run.h"
#include "pool.h"

/* What a builder says when it is done, through a pipe. */
struct cul_outcome {
  bool switched;    /* the files are in place; else see err */
  enum cul_end end; /* of the build */
  int status;
  char said[200]; /* by culprit, of a build that was not started or lost */
  uint64_t cpu_us;
  uint32_t without;  /* parts of the sandbox that cannot be had */
  char lacks[200];   /* and why */
  char refused[512]; /* see struct cul_place */
  struct cul_switched files;
  struct cul_err err; /* of what else failed: the files, a strict sandbox */
};

struct cul_yard {
  char *dir, *log; /* full names; those below are of the pool's directory */
  char *mark;      /* says what is in dir */
  char *stamp;     /* written when the files are in place, before the build */
  char *tmp;       /* of the build, for temporary files; empty between builds */
  struct cul_repo_revision revision;
  struct cul_override *held; /* of revision: a copy */
  uint64_t start_us;
  bool holds; /* the files of revision */
  bool ready; /* and what this build made of them, or failed to */
  bool built, used;
  bool refused;  /* not built, and the sandbox may be why: not marked */
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

#endif
