/* The places of a job's runs: workers on other machines, in containers, in an
 * allocation of a scheduler.
 *
 * A user's command starts each worker and hands over its standard input and
 * output; the worker's program is sent along where it is missing.  A run goes
 * to the worker that has least to do.  A connection that is lost, or was
 * refused, says nothing of a candidate: its runs are made elsewhere, or the
 * job ends with EENV. */
#ifndef CUL_RUNNERS_REMOTE_HOSTS_H
#define CUL_RUNNERS_REMOTE_HOSTS_H

#include "../../base/environment.h"
#include "../runner.h"

struct cul_hosts;

/* All members are borrowed until open returns. */
struct cul_hosts_conf {
  /* "COMMAND" or "N*COMMAND": shell text after which "sh" is a command that
   * runs there */
  const char *const *on;
  size_t n_on;
  /* A directory that both sides see: files below it are not sent.  Or NULL. */
  const char *shared;
  /* Files and directories that are sent, besides those below the working
   * directory that a command names; elements may be NULL. */
  const char *const *sent;
  size_t n_sent;
  const struct cul_environment_conf *environment;
};

/* Make the places; each is connected on the first run.  Errors: EUSAGE (no
 * command, N above 64, a directory that does not exist), EENV (the worker's
 * program is missing). */
CUL_MUST_CHECK int cul_hosts_open(const struct cul_hosts_conf *conf,
                                  struct cul_hosts **out, struct cul_err *err);
/* Ends all workers; waits for them, 5 s at most. */
void cul_hosts_free(struct cul_hosts *hosts); /* or NULL */
/* Wait until one place is ready.  *why: NULL, or why none will be; heap.
 * Errors: those of patience. */
CUL_MUST_CHECK int cul_hosts_wait(struct cul_hosts *hosts,
                                  const struct cul_patience *patience,
                                  char **why, struct cul_err *err);
/* How many workers there are to be: each has one run at a time. */
size_t cul_hosts_count(const struct cul_hosts *hosts);

/* Runs a command on the hosts that it names (cul_command.hosts), any other one
 * here.  A run that no host can make ends with EENV. */
extern const struct cul_runner cul_runner_remote;

#endif
