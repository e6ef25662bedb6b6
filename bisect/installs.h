/* Environments of Python packages as installations of a job's cells: what pip
 * is to put into each is asked for by its values. */
#ifndef CUL_BISECT_INSTALLS_H
#define CUL_BISECT_INSTALLS_H

#include "../probe/target.h"
#include "axis.h"
#include "installer.h"
#include "pip.h"
#include "venvs.h"

/* Borrowed. */
struct cul_installs_conf {
  const struct cul_target_conf *target;
  const struct cul_pip_conf *pip; /* environment, kept and patience are filled
                                     in */
  const char *envs;               /* as in struct cul_venvs_conf */
  uint64_t most_bytes;
};

/* An environment in use. */
struct cul_installs_use {
  uint32_t at[CUL_MAX_AXES];
  struct cul_venv venv;
};

struct cul_installs {
  const struct cul_target_conf *target;
  struct cul_pip pip;
  struct cul_venvs *venvs;
  void *self;
  /* The requirements of an environment, NULL ended; one heap block. */
  char **(*requirements)(void *self, const uint32_t *at);
  size_t n_axes;
  struct cul_installs_use *uses;
  size_t n_uses;
  bool entered; /* an environment was, and so it is known ... */
  bool inside;  /* ... whether the program comes with the packages */
};

/* Find pip, and the directory of environments; the caller sets self,
 * requirements and n_axes.  Errors: EENV, those of patience.  Is to be released
 * in any case. */
CUL_MUST_CHECK int cul_installs_open(struct cul_installs *installs,
                                     const struct cul_installs_conf *conf,
                                     struct cul_err *err);
void cul_installs_release(struct cul_installs *installs);

/* The environment with these values, made where it is not there: see struct
 * cul_venv. */
CUL_MUST_CHECK int cul_installs_have(struct cul_installs *installs,
                                     const uint32_t *at, struct cul_venv *venv,
                                     struct cul_err *err);

/* Members of struct cul_installer; self: the struct cul_installs. */
CUL_MUST_CHECK int cul_installs_enter(void *self, const uint32_t *at,
                                      struct cul_installation *out,
                                      struct cul_err *err);
void cul_installs_leave(void *self, const uint32_t *at);
void cul_installs_script(void *self, const uint32_t *at, struct cul_buf *make,
                         struct cul_buf *enter);

#endif
