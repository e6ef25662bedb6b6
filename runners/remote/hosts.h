/* The places of a job's runs: workers on other machines, in containers, or in
 * an allocation of a scheduler.
 *
 * A user's command starts each worker and passes on its standard input and
 * output; culprit sends the worker's program if it is missing there.  Each run
 * goes to the least busy worker.  A connection that is lost or refused is not
 * an answer about a candidate: its runs are made elsewhere, or the job ends
 * with EENV. */
#ifndef CUL_RUNNERS_REMOTE_HOSTS_H
#define CUL_RUNNERS_REMOTE_HOSTS_H

#include "../../base/environment.h"
#include "../identity/identity.h"
#include "../runner.h"

struct cul_hosts;

enum { CUL_MAX_HOSTS = 256 }; /* workers in all */

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
 * command, more than 256 in all, a directory that does not exist), EENV (the
 * worker's program is missing, or too few files may be open). */
CUL_MUST_CHECK int cul_hosts_open(const struct cul_hosts_conf *conf,
                                  struct cul_hosts **out, struct cul_err *err);
/* Ends all workers; waits for them, 5 s at most. */
void cul_hosts_free(struct cul_hosts *hosts); /* or NULL */
/* Wait until one place is ready.  *why: NULL, or why none will be; heap.
 * Errors: those of patience. */
CUL_MUST_CHECK int cul_hosts_wait(struct cul_hosts *hosts,
                                  const struct cul_patience *patience,
                                  char **why, struct cul_err *err);
/* Ask the first worker that is ready whether the stored identity of a command
 * on that machine (identity->there) is still valid.  *found: it is; identity is
 * filled.  Waits for that worker; without workers, *found is false.  Errors:
 * those of patience. */
CUL_MUST_CHECK int cul_hosts_recall(const struct cul_command *command,
                                    const struct cul_patience *patience,
                                    struct cul_identity *identity, bool *found,
                                    struct cul_err *err);
/* How many workers there are to be: each has one run at a time. */
size_t cul_hosts_count(const struct cul_hosts *hosts);
/* The number of a worker's present connection, from 1 on; 0: there is none now;
 * UINT32_MAX: there will be none any more. */
uint32_t cul_hosts_life(const struct cul_hosts *hosts, size_t worker);
/* Go on without a worker. */
void cul_hosts_leave_out(struct cul_hosts *hosts, size_t worker,
                         const char *why);

/* A build directory on the machine of one worker (struct cul_artefact): all
 * borrowed.  A run in it that cannot be made, because the connection is lost,
 * ends with CUL_MACHINE. */
struct cul_elsewhere {
  size_t worker;
  const char *workspace; /* "KEY/NAME", letters and digits; or the full path of
                       a directory that both sides see */
  bool building; /* the files of dir become those of the workspace; else the run
                    needs a build that ended there */
  bool anew;     /* the contents of the workspace cannot be reused */
  const char *dir; /* at home: the files; links stay links */
  /* Those below dir in the order of their names, each "MODE DIGEST NAME" with a
   * zero at its end; MODE in octal, with the type of file. */
  struct cul_bytes files;
  const char *lists; /* of struct cul_remote_run, also without a workspace; or
                        NULL */
};
/* In arguments and variables these stand for the workspace's path, and for the
 * path of the directory that contains the workspace. */
#define CUL_ELSEWHERE_DIR "@{workspace}"
#define CUL_ELSEWHERE_ABOVE "@{workspaces}"

/* An installation that a command uses on a worker's machine, kept from job to
 * job: all borrowed.  Its runs are all made on one machine, as long as that is
 * connected. */
struct cul_install {
  const char *name;   /* letters, digits, "._+-"; NULL: the command itself is a
                         script about installations, run as builds are */
  const char *script; /* installs it, in its directory, if it is missing */
  const char *const *files; /* of this machine; the script names them by
                               cul_hosts_path; NULL terminated */
  uint64_t most_bytes;      /* of all installations there; 0 = no bound */
};
/* In arguments, variables and scripts this stands for the directory of all
 * installations. */
#define CUL_ELSEWHERE_INSTALLS "@{installs}"
/* The role of a run that makes an installation: if its script fails, the record
 * is NOT_STARTED with the status ENOPKG, and err contains the script's output.
 * Other runs end with EENV in that case. */
#define CUL_ELSEWHERE_INSTALL "install"
/* The name that a script on a worker's machine may use for a file or directory
 * sent from this machine; heap. */
char *cul_hosts_path(const struct cul_hosts *hosts, const char *path);

/* The number of workers that cul_hosts_open makes for environment->on.  Each
 * has one run at a time. */
size_t cul_hosts_places(const struct cul_environment_conf *environment);

/* Runs a command on the hosts that it names (cul_command.hosts), any other one
 * here.  A run that no host can make ends with EENV. */
extern const struct cul_runner cul_runner_remote;

#endif
