/* A build: a shell script run under a supervisor in the sandbox of its
 * environment; all its output goes to a file. */
#ifndef CUL_RUNNERS_IDENTITY_BUILD_H
#define CUL_RUNNERS_IDENTITY_BUILD_H

#include "../runner.h"

/* All members are borrowed. */
struct cul_build {
  const char *script;    /* for bash -c, unchanged */
  const char *dir, *tmp; /* working directory and TMPDIR; absolute, existing */
  uint64_t tmp_dev, tmp_ino; /* of tmp: see struct cul_request */
  const char *const *env;    /* NAME=VALUE over the environment, NULL ended */
  const struct cul_environment *environment;
  int log; /* descriptor; stays the caller's */
};

/* Run the build to its end.  patience: as for cul_run_wait_once.  out: the
 * record without the output, valid for cul_record_refused too; its `files`
 * lists the files that the build read, except caches, and the names that it
 * looked for outside its directory.  Errors: EENV (a strict sandbox is not
 * available), and those of patience. */
CUL_MUST_CHECK int cul_build_run(const struct cul_build *build,
                                 const struct cul_patience *patience,
                                 struct cul_record *out, struct cul_err *err);

#endif
