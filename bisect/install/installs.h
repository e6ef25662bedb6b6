/* Installations, kept on disk, in which the cells of a job run. */
#ifndef CUL_BISECT_INSTALL_INSTALLS_H
#define CUL_BISECT_INSTALL_INSTALLS_H

#include "../../base/buf.h"
#include "../../base/environment.h"
#include "../../probe/target/target.h"
#include "../../probe/workplace.h"
#include "../../runners/remote/hosts.h"
#include "../../runners/runner.h"
#include "../matrix/axis.h"
#include "../matrix/installer.h"
#include <stdint.h>

struct cul_venvs;

void cul_venvs_close(struct cul_venvs *venvs); /* or NULL */

/* An environment in use. */
struct cul_venv {
  char *dir; /* absolute; NULL = not available */
  char *why; /* the reason, if not available */
  int lock;
};

struct cul_scripts {
  struct cul_hosts *hosts; /* where they run; borrowed; NULL = here */
  struct cul_workplace place;
  struct cul_environment *environment; /* of what is run */
  struct cul_patience patience;
  struct cul_buf read; /* lines "a PATH": what the last script read here, beside
                          its directories and the system's (outside.h) */
};

/* Run a bash script in dir, to which it may write (NULL: only to its TMPDIR).
 * files: files of this machine that it needs on another one, where it names
 * them by cul_hosts_path; NULL terminated, or NULL.  said: its output is
 * appended.  *ok: it succeeded.  Errors: EENV (the machine refuses the run),
 * those of patience. */
CUL_MUST_CHECK int cul_scripts_run(struct cul_scripts *scripts, const char *dir,
                                   const char *const *files, const char *script,
                                   struct cul_buf *said, bool *ok,
                                   struct cul_err *err);
/* What is installed, and how; self is the caller's. */
struct cul_installs_way {
  /* The name of the installation with these values; equal for equal content.
   * Heap. */
  char *(*name)(void *self, const uint32_t *at);
  /* Append a script that makes the installation in dir, which exists and is
   * empty, and what it does, in words: "installing x==1". */
  void (*make)(void *self, const uint32_t *at, const char *dir,
               struct cul_buf *script, struct cul_buf *words);
  /* The files of this machine that the script needs, for cul_scripts_run; one
   * heap block; or NULL. */
  const char **(*files)(void *self, const uint32_t *at);
  /* The variables that activate it, NAME=VALUE; NULL terminated, all heap. */
  char **(*variables)(void *self, const char *dir);
  const char *programs; /* its directory of programs: "bin" */
  /* Append a shell command that makes it in "$venv". */
  void (*shell)(void *self, const uint32_t *at, struct cul_buf *out);
  /* lines of a shell function's body that activate "$venv" */
  const char *enter;
  /* a shell command that prints the variables then, NAME=VALUE each */
  const char *print;
};

/* Borrowed. */
struct cul_installs_conf {
  const struct cul_target_conf *target;
  const struct cul_installs_way *way;
  void *self;
  size_t n_axes;
  const char *envs; /* NULL: "environments" in the user's cache directory */
  uint64_t most_bytes;
};

/* An installation in use. */
struct cul_installs_use {
  uint32_t at[CUL_MAX_AXES];
  struct cul_venv venv;
};

/* An installation on the machines of struct cul_hosts. */
struct cul_installs_there {
  uint32_t at[CUL_MAX_AXES];
  char *name, *script;
  const char **files;
  struct cul_install install;
  char **variables; /* NULL terminated; NULL: see why */
  char *why;
};

struct cul_installs {
  struct cul_hosts *hosts; /* where they are; owned; NULL = here */
  struct cul_installs_there **there;
  size_t n_there;
  struct cul_installs_conf conf;
  struct cul_scripts scripts;
  struct cul_venvs *venvs;
  struct cul_installs_use *uses;
  size_t n_uses;
  bool entered; /* an installation was entered, so it is known ... */
  bool inside;  /* ... whether the program is part of the installation */
};

/* conf: copied; its target names the places (struct cul_environment_conf.hosts
 * of the job: installs->hosts).  Errors: EENV, EUSAGE.  Release installs in any
 * case. */
CUL_MUST_CHECK int cul_installs_open(struct cul_installs *installs,
                                     const struct cul_installs_conf *conf,
                                     struct cul_err *err);
void cul_installs_release(struct cul_installs *installs);

/* Run a script in the installation with these values, which is made if it does
 * not exist; if another job is making it, wait for that.  "$venv" is its
 * directory; said: its output is appended.  *ok: it is there, and the script
 * succeeded.  Errors: EENV, those of patience. */
CUL_MUST_CHECK int cul_installs_ask(struct cul_installs *installs,
                                    const uint32_t *at, const char *script,
                                    struct cul_buf *said, bool *ok,
                                    struct cul_err *err);

/* The installer for the cells of a job: it borrows installs, and its complete
 * is empty. */
struct cul_installer cul_installs_installer(struct cul_installs *installs);

#endif
