/* The environment of what culprit runs.
 *
 * What is passed is what is keyed: a run sees the variables of an environment,
 * and its digest is part of every key.  Variables that say where somebody
 * sits (terminal, session, working directory) are not passed, for they change
 * from one shell to the next; nor is TMPDIR, for each run has its own. */
#ifndef CUL_BASE_ENVIRONMENT_H
#define CUL_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "digest.h"
#include "err.h"
#include "sandbox.h"

/* How it differs from the usual one; zero: in nothing.  All is borrowed. */
struct cul_environment_conf {
  const char *const *set;   /* NAME=VALUE; or NAME: passed as it is here */
  const char *const *unset; /* NAME: not passed */
  size_t n_set, n_unset;
  bool all; /* the denied ones too */
  enum cul_sandbox_mode sandbox;
  uint64_t memory_bytes; /* that a run may take; 0 = as the machine has it */
  const char *const *writable; /* files and directories that runs and builds
                                  may change beside their own */
  size_t n_writable;
};

struct cul_environment;

/* That of this process, as conf wants it; a copy, sorted by name.
 * Errors: EUSAGE (a NAME that is none, or is not set here; a writable path
 * where nothing is). */
CUL_MUST_CHECK int cul_environment_new(const struct cul_environment_conf *conf,
                                       struct cul_environment **out,
                                       struct cul_err *err);
/* That of this process, as it is usually passed. */
struct cul_environment *cul_environment_usual(void);
void cul_environment_free(struct cul_environment *environment); /* or NULL */

/* NAME=VALUE, NULL terminated; lives as long as the environment. */
const char *const *cul_environment_list(const struct cul_environment *env);
/* The value; NULL where it is not passed. */
const char *cul_environment_get(const struct cul_environment *env,
                                const char *name);
/* That of all its runs; changes as it learns of the tool.  NULL: there is
 * none. */
struct cul_sandbox *cul_environment_sandbox(const struct cul_environment *env);
/* Of all names and values, of the sandbox's mode and of what conf makes
 * writable in it; never zero.  NULL: of
 * cul_environment_usual. */
struct cul_digest cul_environment_digest(const struct cul_environment *env);

/* What a report may show of a variable, as others read it: the value where it
 * steers compilers (PATH, CUDA_HOME, TRITON_...), else '#' and four hex digits,
 * which tell two values apart and no secret.  Heap. */
char *cul_environment_shown(const char *entry);

#endif
