/* The build directories on a machine: each contains the files of one revision,
 * as they were sent, and the build of these files.
 *
 * They are kept in the user's cache directory for later jobs, and each belongs
 * to one worker at a time.  Only files that differ are written, so builds are
 * incremental; files that a build changed are restored. */
#ifndef CUL_RUNNERS_REMOTE_WORKSPACES_H
#define CUL_RUNNERS_REMOTE_WORKSPACES_H

#include <time.h>

#include "message.h"
#include "store.h"

/* Its other members are private. */
struct cul_remote_workspace {
  struct cul_held held;  /* its files; the path is without links */
  char *above;           /* the path of the directory in which it is */
  struct timespec since; /* when it was first used: see cul_built_from */
  struct cul_workspace_entries *in; /* the files that were written there */
  char *name;                       /* as it was asked for */
  char *state; /* its state file, in the directory beside it; NULL: the
                  directory existed before */
  int above_fd, lock;
  bool ready; /* a build has ended here */
};

struct cul_remote_workspaces {
  const struct cul_held *own; /* of the worker; borrowed */
  struct cul_remote_workspace **items;
  size_t n, room;
};

/* The build directory of a run; it is made if it is missing.  building: a build
 * follows, and *differs (heap) is set for each file that must be written;
 * otherwise a build must already exist.  Errors: EENV. */
CUL_MUST_CHECK int
cul_remote_workspaces_enter(struct cul_remote_workspaces *workspaces,
                            const struct cul_remote_run *asked,
                            struct cul_remote_workspace **out, bool **differs,
                            struct cul_err *err);
/* Write these files from the store, and remove those that are not among the
 * run's.  Errors: ELOST (a file is not in the store any more), EENV (no
 * room). */
CUL_MUST_CHECK int cul_remote_workspace_put(
    struct cul_remote_workspace *workspace, const struct cul_remote_run *asked,
    const bool *differs, const struct cul_remote_store *store,
    struct cul_err *err);
/* The build has ended: the next job may go on from its files. */
void cul_remote_workspace_built(struct cul_remote_workspace *workspace,
                                bool built);

#endif
