/* Installations that are kept (bisect/install/venvs.h), as those of a job's
 * cells. */
#ifndef CUL_BISECT_INSTALL_INSTALLS_H
#define CUL_BISECT_INSTALL_INSTALLS_H

#include "../../probe/target/target.h"
#include "../matrix/axis.h"
#include "../matrix/installer.h"
#include "scripts.h"
#include "venvs.h"

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
