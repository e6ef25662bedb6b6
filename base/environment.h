/* The environment of the programs that culprit runs.
 *
 * A run sees exactly the variables whose digest is part of every key, and runs
 * under the limits that are part of it, too.
 * Variables that describe the user's shell (terminal, session, working
 * directory) or the run of a CI service are not passed, because they change
 * from one shell or run to the next; nor is TMPDIR, because each run has its
 * own.  environment.list has their names. */
#ifndef CUL_BASE_ENVIRONMENT_H
#define CUL_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "digest.h"
#include "err.h"
#include "sandbox.h"

struct cul_hosts;

/* How an environment differs from the usual one; all zero: not at all.  All
 * members are borrowed. */
struct cul_environment_conf {
  const char *const *set;   /* NAME=VALUE; or NAME: this process's */
  const char *const *unset; /* NAME, or NAME*: not passed */
  /* NAME, or NAME*: passed if this process has it, also if it is usually
   * hidden, but no part of the digest: runs do not depend on it, says the
   * user */
  const char *const *unkeyed;
  size_t n_set, n_unset, n_unkeyed;
  bool all; /* pass also those that are usually hidden */
  enum cul_sandbox_mode sandbox;
  uint64_t memory_bytes;       /* limit of a run; 0 = what the machine has */
  const char *const *writable; /* files and directories that runs and builds may
                                  change besides their own */
  size_t n_writable;
  /* Where runs are made (struct cul_hosts_conf); n_on = 0: on this machine. */
  const char *const *on, *const *sent;
  size_t n_on, n_sent;
  struct cul_hosts
      *hosts; /* connections to these places; borrowed; NULL: not yet open */
  bool allocated;     /* a scheduler allocated them (--slurm) */
  const char *shared; /* or NULL */
  /* NULL, or two numbers k, n: this process uses only the places whose number
   * is k modulo n. */
  const size_t *part;
};

struct cul_environment;

/* Copy the environment of this process as conf asks, sorted by name. Errors:
 * EUSAGE (an invalid NAME, or one that is not set here; a writable path that
 * does not exist). */
CUL_MUST_CHECK int cul_environment_new(const struct cul_environment_conf *conf,
                                       struct cul_environment **out,
                                       struct cul_err *err);
/* The environment of this process as it is usually passed. */
struct cul_environment *cul_environment_usual(void);
void cul_environment_free(struct cul_environment *environment); /* or NULL */

/* Is the variable of this name (NAME=VALUE) one of conf's unkeyed ones, and
 * none that is unset? */
bool cul_environment_is_unkeyed(const struct cul_environment_conf *conf,
                                const char *entry);

/* NAME=VALUE, NULL terminated; lives as long as the environment. */
const char *const *cul_environment_list(const struct cul_environment *env);
/* The value; NULL where it is not passed. */
const char *cul_environment_get(const struct cul_environment *env,
                                const char *name);
/* The sandbox of all its runs, which changes as culprit learns about the tool.
 * NULL: none. */
struct cul_sandbox *cul_environment_sandbox(const struct cul_environment *env);
/* Digest of all names and values but the unkeyed ones, of the sandbox's mode
 * and of the paths that conf makes writable, and of what a run inherits when
 * env is made: the limits of setrlimit(2), the umask, the number of processors,
 * the personality(2); never zero.  env NULL: of cul_environment_usual. */
struct cul_digest cul_environment_digest(const struct cul_environment *env);

/* A variable as it appears in reports.  A variable that affects compilers
 * (PATH, CUDA_HOME, TRITON_...) keeps its value, unless that may be a secret;
 * the value of any other is replaced by '#' and four hex digits, which show
 * whether two values differ, but reveal no secret.  Heap. */
char *cul_environment_shown(const char *entry);
/* Does the name of the variable, the beginning of its value, or a user in a URL
 * say that its value is a secret (secrets.list)?  Such a value is never written
 * into bundles and scripts. */
bool cul_environment_is_secret(const char *entry);

#endif
