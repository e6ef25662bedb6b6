/* Between the files of packages: see packages.h. */
#ifndef CUL_BISECT_PACKAGES_PRIVATE_H
#define CUL_BISECT_PACKAGES_PRIVATE_H

#include "packages.h"
#include "venvs.h"

struct cul_package {
  const struct cul_package_range *range;
  struct cul_pip_versions offered;
};

/* An environment in use. */
struct cul_packages_use {
  uint32_t at[CUL_MAX_AXES];
  struct cul_venv venv;
};

struct cul_packages {
  const struct cul_packages_conf *conf;
  struct cul_pip pip;
  struct cul_venvs *venvs;
  struct cul_package *packages; /* by axis */
  struct cul_axes axes;         /* each oldest version first */
  uint32_t good[CUL_MAX_AXES];
  struct cul_packages_use *uses;
  size_t n_uses;
  bool entered; /* an environment was, and so it is known ... */
  bool inside;  /* ... whether the program comes with the packages */
};

/* The requirements of an environment, NULL ended; one heap block of strings
 * that live as long as the job but for those it holds itself. */
char **cul_packages_requirements(const struct cul_packages *job,
                                 const uint32_t *at);
/* Its environment, made where it is not there: see struct cul_venv. */
CUL_MUST_CHECK int cul_packages_enter(struct cul_packages *job,
                                      const uint32_t *at, struct cul_venv *venv,
                                      struct cul_err *err);

/* Say in the report when the versions of each answer were uploaded, and which
 * commits they were built from. */
CUL_MUST_CHECK int cul_packages_complete(struct cul_packages *job,
                                         json_t *report, struct cul_err *err);

#endif
