/* Shared by the files of packages: see packages.h. */
#ifndef CUL_BISECT_PACKAGES_PACKAGES_PRIVATE_H
#define CUL_BISECT_PACKAGES_PACKAGES_PRIVATE_H

#include "../install/installs.h"
#include "../install/pip.h"
#include "packages.h"

struct cul_package {
  const struct cul_package_range *range;
  struct cul_pip_versions offered;
};

struct cul_packages {
  const struct cul_packages_conf *conf;
  struct cul_installs installs;
  struct cul_pip_way way;
  struct cul_package *packages; /* by axis */
  struct cul_axes axes;         /* versions oldest first */
  uint32_t good[CUL_MAX_AXES];
};

#endif
