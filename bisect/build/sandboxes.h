/* What builds and tests of commits are kept from.
 *
 * Builds write to their own directories from the first one on.  Tests are the
 * user's command: the runs of --bad, on which it is to fail, show where it
 * writes, and those of all other commits may write there, too. */
#ifndef CUL_BISECT_BUILD_SANDBOXES_H
#define CUL_BISECT_BUILD_SANDBOXES_H

#include "../../base/environment.h"
#include "../../runners/runner.h"
#include "../report/notices.h"

struct cul_sandboxes {
  struct cul_environment *tests;
  struct cul_environment *builds; /* the same, but for its sandbox */
  char *work;                     /* where builds are made, by its real name */
  struct cul_paths refused;       /* what runs and builds were kept from */
  struct cul_notices *notices;    /* borrowed */
};

/* Directories that are none of a build's own; borrowed, each may be NULL. */
struct cul_sandboxes_conf {
  const char *work; /* the real name of where builds are made */
  const char *repo, *cache;
  bool builds; /* something is built */
};
/* The environment of tests alone, which those names do not change.  Errors: of
 * cul_environment_new. */
CUL_MUST_CHECK int
cul_sandboxes_open(struct cul_sandboxes *sandboxes,
                   const struct cul_environment_conf *environment,
                   struct cul_err *err);
/* Both sandboxes.  Errors: EENV (a strict one that cannot be had). */
CUL_MUST_CHECK int
cul_sandboxes_set_up(struct cul_sandboxes *sandboxes,
                     const struct cul_environment_conf *environment,
                     const struct cul_sandboxes_conf *conf,
                     struct cul_err *err);
void cul_sandboxes_release(struct cul_sandboxes *sandboxes);

/* May a run of --bad still show where tests write? */
bool cul_sandboxes_may_learn(const struct cul_sandboxes *sandboxes);
/* One has: a traced run of command. */
void cul_sandboxes_learn(const struct cul_sandboxes *sandboxes,
                         const struct cul_command *command,
                         const struct cul_record *traced);
/* From now on tests write to their own directories, to caches, and where those
 * of --bad did. */
void cul_sandboxes_seal(struct cul_sandboxes *sandboxes);
/* The sandbox kept the build, or the test (what), of a commit from changing
 * path: say so, once for each file and of a few.  "": it did not. */
void cul_sandboxes_refused(struct cul_sandboxes *sandboxes, const char *what,
                           const char *commit, const char *path, bool untested);

#endif
