/* Installations that are kept (bisect/install/installs.h), as those of a job's
 * cells. */
#ifndef CUL_BISECT_INSTALL_INSTALLS_H
#define CUL_BISECT_INSTALL_INSTALLS_H

#include "../../base/buf.h"
#include "../../base/environment.h"
#include "../../probe/target/target.h"
#include "../../probe/workplace.h"
#include "../../runners/runner.h"
#include "../matrix/axis.h"
#include "../matrix/installer.h"
#include <stdint.h>

struct cul_venvs;

void cul_venvs_close(struct cul_venvs *venvs); /* or NULL */

/* One in use. */
struct cul_venv {
  char *dir; /* absolute; NULL = it cannot be had */
  char *why; /* then */
  int lock;
};

/* Take the environment of this name (letters, digits, "._+-") into use; where
 * it is not there it is made.  Where another job makes it, that is waited for.
 * Leave it in any case.  Errors: EENV, those of the maker and of patience. */
void cul_venv_leave(struct cul_venv *venv);

struct cul_scripts {
  struct cul_workplace place;
  struct cul_environment *environment; /* of what is run */
  struct cul_patience patience;
};

/* Run a script for bash in dir, which it may write to (NULL: it has only its
 * TMPDIR).  said: what it printed, appended.  *ok: it succeeded.  Errors: EENV
 * (the machine refuses it), those of patience. */
CUL_MUST_CHECK int cul_scripts_run(struct cul_scripts *scripts, const char *dir,
                                   const char *script, struct cul_buf *said,
                                   bool *ok, struct cul_err *err);
/* Why a script that makes an installation in dir failed, by what it said: *why,
 * heap, "cannot be installed: ...".  Errors: EENV: the machine failed it. */
CUL_MUST_CHECK int cul_scripts_fail(const char *dir, const char *said,
                                    char **why, struct cul_err *err);

/* What is installed, and how; self is the caller's. */
struct cul_installs_way {
  /* What the installation with these values is called: the same for the same
   * content.  Heap. */
  char *(*name)(void *self, const uint32_t *at);
  /* As in struct cul_venv_maker. */
  int (*make)(void *self, const uint32_t *at, const char *dir, char **why,
              struct cul_err *err);
  /* The variables that go into it, NAME=VALUE; NULL ended, all heap. */
  char **(*variables)(void *self, const char *dir);
  const char *programs; /* where programs stand in it: "bin" */
  /* Append a shell command that makes it in "$venv". */
  void (*shell)(void *self, const uint32_t *at, struct cul_buf *out);
  const char *enter; /* lines of a shell function's body that go into "$venv" */
};

/* Borrowed. */
struct cul_installs_conf {
  const struct cul_target_conf *target;
  const struct cul_installs_way *way;
  void *self;
  size_t n_axes;
  const char *envs; /* as in struct cul_venvs_conf */
  uint64_t most_bytes;
};

/* One in use. */
struct cul_installs_use {
  uint32_t at[CUL_MAX_AXES];
  struct cul_venv venv;
};

struct cul_installs {
  struct cul_installs_conf conf;
  struct cul_scripts scripts;
  struct cul_venvs *venvs;
  struct cul_installs_use *uses;
  size_t n_uses;
  bool entered; /* one was, and so it is known ... */
  bool inside;  /* ... whether the program comes with them */
};

/* conf: copied.  Errors: EENV, EUSAGE.  Is to be released in any case. */
CUL_MUST_CHECK int cul_installs_open(struct cul_installs *installs,
                                     const struct cul_installs_conf *conf,
                                     struct cul_err *err);
void cul_installs_release(struct cul_installs *installs);

/* The one with these values, made where it is not there: see struct cul_venv.
 * Errors: EENV, those of patience. */
CUL_MUST_CHECK int cul_installs_have(struct cul_installs *installs,
                                     const uint32_t *at, struct cul_venv *venv,
                                     struct cul_err *err);

/* As the cells of a job know it: it borrows installs, and completes nothing. */
struct cul_installer cul_installs_installer(struct cul_installs *installs);

#endif
