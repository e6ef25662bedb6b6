/* The sandboxes of builds and tests of commits.
 *
 * Builds may write only to their own directories from the first one on.  Tests
 * are the user's command: runs on --bad, where it should fail, show where it
 * writes, and runs on all other commits may write there, too. */
#ifndef CUL_BISECT_BUILD_SANDBOXES_H
#define CUL_BISECT_BUILD_SANDBOXES_H

#include "../../base/environment.h"
#include "../../runners/runner.h"
#include "../report/notices.h"

struct cul_sandboxes {
  struct cul_environment *tests;
  struct cul_environment *builds; /* the same, with another sandbox */
  char *work; /* directory of the builds, by its real name */
  /* paths to which runs and builds were refused changes */
  struct cul_paths refused;
  struct cul_notices *notices; /* borrowed */
};

/* Directories that do not belong to a build; borrowed, each may be NULL. */
struct cul_sandboxes_conf {
  const char *work; /* real name of the directory of the builds */
  const char *repo, *cache;
  bool builds; /* something is built */
};
/* Open the environment of tests, which does not depend on these directories.
 * Errors: of cul_environment_new. */
CUL_MUST_CHECK int
cul_sandboxes_open(struct cul_sandboxes *sandboxes,
                   const struct cul_environment_conf *environment,
                   struct cul_err *err);
/* Set up both sandboxes.  Errors: EENV (a strict sandbox is not available). */
CUL_MUST_CHECK int
cul_sandboxes_set_up(struct cul_sandboxes *sandboxes,
                     const struct cul_environment_conf *environment,
                     const struct cul_sandboxes_conf *conf,
                     struct cul_err *err);
void cul_sandboxes_release(struct cul_sandboxes *sandboxes);

/* Is it still to be learned where tests write? */
bool cul_sandboxes_may_learn(const struct cul_sandboxes *sandboxes);
/* Learn that from a traced run of command on --bad. */
void cul_sandboxes_learn(const struct cul_sandboxes *sandboxes,
                         const struct cul_command *command,
                         const struct cul_record *traced);
/* From now on tests may write only to their own directories, to caches, and
 * where tests of --bad wrote. */
void cul_sandboxes_seal(struct cul_sandboxes *sandboxes);
/* Report that the sandbox refused the build or the test (what) of a commit a
 * change to path; once per file, and for a few files.  path "": nothing was
 * refused. */
void cul_sandboxes_refused(struct cul_sandboxes *sandboxes, const char *what,
                           const char *commit, const char *path, bool untested);

#endif
