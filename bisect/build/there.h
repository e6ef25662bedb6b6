/* A build on another machine.  The files of a revision are on this machine;
 * those that a worker's build directory lacks (runners/remote/hosts.h) are sent
 * to it.  The build runs in that directory and stays there. */
#ifndef CUL_BISECT_BUILD_THERE_H
#define CUL_BISECT_BUILD_THERE_H

#include "../../base/environment.h"
#include "../../runners/identity/outside.h"
#include "../../runners/remote/hosts.h"

struct cul_there; /* a running build */

struct cul_there_conf {
  struct cul_hosts *hosts; /* borrowed, as the other members, until the build
                              has ended */
  const struct cul_elsewhere *elsewhere;
  const struct cul_environment *environment; /* of builds */
  const char *script; /* shell string; CUL_ELSEWHERE_DIR is the directory */
  const char *commit; /* hex */
  const char *tmp;    /* the name of an unused directory */
};
/* List the files of dir in the form of struct cul_elsewhere.  memo: the name of
 * a file that stores digests; they are valid while the files' size and times
 * are unchanged.  Errors: EENV. */
CUL_MUST_CHECK int cul_there_list(const char *dir, const char *memo,
                                  struct cul_buf *out, struct cul_err *err);
/* Determine everything except sources on which builds of all workers depend:
 * the programs that builds use, those that the text of build names, packages,
 * variables.  Workers that differ from the first one are left out.  tmp: as
 * above.  *out: a text that describes all this.  Errors: EENV (no worker is
 * left), those of patience. */
CUL_MUST_CHECK int cul_there_survey(struct cul_hosts *hosts, const char *build,
                                    const char *tmp,
                                    const struct cul_environment *environment,
                                    const struct cul_patience *patience,
                                    struct cul_buf *out, struct cul_err *err);
/* Leave the worker out if it told of a file that is another one on the machine
 * of another worker: its builds are not the same builds.  lines: of its record.
 * True: it agrees with all. */
static inline bool cul_there_agrees(struct cul_hosts *hosts,
                                    const struct cul_outside_told *told,
                                    size_t worker, const char *lines) {
  char *other = cul_outside_find_other(told, worker, lines);
  char *why = other ? cul_xasprintf("%s, which its builds or tests read, "
                                    "differs from that of another worker",
                                    other)
                    : NULL;
  if (why)
    cul_hosts_leave_out(hosts, worker, why);
  free(why);
  free(other);
  return why == NULL;
}
/* Start the build, or the script where elsewhere names no workspace.  *fd
 * becomes readable when the build may have ended, and once a second.  Errors:
 * EENV. */
CUL_MUST_CHECK int cul_there_begin(const struct cul_there_conf *conf,
                                   struct cul_there **out, int *fd,
                                   struct cul_err *err);
/* Has it ended?  record: its output is the log; freed by the caller.  Errors:
 * EENV.  Never waits. */
CUL_MUST_CHECK int cul_there_advance(struct cul_there *there, bool *done,
                                     struct cul_record *record,
                                     struct cul_err *err);
/* Free it; ends the build.  NULL: nothing. */
void cul_there_free(struct cul_there *there);

#endif
