/* Shared by the files of the pool: see pool.h. */
#ifndef CUL_BISECT_BUILD_POOL_PRIVATE_H
#define CUL_BISECT_BUILD_POOL_PRIVATE_H

#include <sys/types.h>

#include "../../base/run.h"
#include "pool.h"
#include "there.h"

/* The result that a builder process sends through a pipe. */
struct cul_outcome {
  bool switched;    /* the files are in place; else see err */
  enum cul_end end; /* of the build */
  int status;
  bool full;      /* no room was left at its end: files may be missing */
  char said[200]; /* culprit's message for a build that was not started, or
                     lost */
  uint64_t cpu_us;
  uint32_t without;       /* unavailable parts of the sandbox */
  char lacks[200];        /* the reason */
  char refused[512];      /* see struct cul_place */
  struct cul_stale stale; /* see struct cul_place */
  bool anew; /* the build was repeated, and began with an empty directory */
  struct cul_checkout checkout;
  struct cul_switched files;
  struct cul_err err; /* of other failures: the files, a strict sandbox */
  size_t listed;      /* number of bytes that follow: the files of a build on
                         another machine, or the files in the record of a build
                         on this one */
};

/* A build on another machine; its files are on this one, too. */
struct cul_workspace_there {
  struct cul_elsewhere where;
  struct cul_buf listed, lists; /* of where */
  char *name;                   /* of where */
  char *memo;                   /* digests of the files; a full name */
  char *script;                 /* expanded */
  struct cul_there *build;      /* under way; or NULL */
  struct cul_outcome outcome;   /* of the files, while it is */
  struct cul_buf told; /* the lines of the worker's record about the build */
  uint32_t life;       /* the connection of the worker by which it was built */
};

struct cul_workspace {
  char *dir, *log; /* full names; the names below are relative to the pool's
                      directory */
  char *mark;      /* file that describes the content of dir */
  char *stamp;     /* written when the files are in place, before the build */
  char *tmp;       /* of the build, for temporary files; empty between builds */
  /* Files with the three lists below. */
  char *reads, *sources, *together;
  struct cul_reads inside; /* dir */
  struct cul_buf outside;  /* what builds in dir, since it was empty, read
                              elsewhere: see runners/identity/outside.h */
  struct cul_repo_revision revision;
  struct cul_override *held; /* of revision: a copy */
  uint64_t start_us;
  bool holds; /* dir has the files of revision */
  bool ready; /* and the products of this build, or its failure */
  bool built, used;
  bool refused;  /* not built, possibly because of the sandbox: not marked */
  unsigned kept; /* bits, see cul_pool_keep */
  uint64_t last; /* last use, as a value of uses */
  pid_t builder;
  int fd; /* from the builder; or of /dev/null, always readable */
  struct cul_workspace_there there;
};

struct cul_pool {
  struct cul_pool_conf conf;
  char *name; /* of the directory */
  struct cul_workspace *workspaces;
  char build[CUL_DIGEST_HEX]; /* conf.key */
  uint64_t uses;
  int lock;
  int dir; /* held, because builds may replace any file here by a link */
};

#endif
