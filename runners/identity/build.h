/* A build: a shell string under a supervisor, in the sandbox of its
 * environment, with all that it prints in a file. */
#ifndef CUL_RUNNERS_IDENTITY_BUILD_H
#define CUL_RUNNERS_IDENTITY_BUILD_H

#include "../runner.h"

/* All is borrowed. */
struct cul_build {
  const char *script;    /* for bash -c, as it stands */
  const char *dir, *tmp; /* where it runs, and its TMPDIR; absolute, there */
  uint64_t tmp_dev, tmp_ino; /* of that directory: see struct cul_request */
  const char *const *env;    /* NAME=VALUE over the environment, NULL ended */
  const struct cul_environment *environment;
  int log; /* descriptor; stays the caller's */
};

/* Run it to its end.  patience: as for cul_run_wait_once.  out: the record
 * without output; cul_record_refused tells of it.  Errors: EENV (a strict
 * sandbox that cannot be had), and those of patience. */
CUL_MUST_CHECK int cul_build_run(const struct cul_build *build,
                                 const struct cul_patience *patience,
                                 struct cul_record *out, struct cul_err *err);

#endif
