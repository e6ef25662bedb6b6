/* Environments that are already installed, as an axis of versions. */
#ifndef CUL_BISECT_INSTALL_INSTALLED_H
#define CUL_BISECT_INSTALL_INSTALLED_H

#include <stddef.h>

#include "../../base/err.h"

/* All values of --axis and --versions, as cul_axes_read accepts them. */
struct cul_installed_axes {
  char **specs; /* heap, as each of them */
  size_t n;
};

/* Append to axes: copies of n values of --axis, and m of --versions
 * PACKAGE=PLACE,..., each as PACKAGE=1.0:=PLACE/bin/python,..., oldest version
 * first.  PLACE is an environment, or a directory of environments.  Nothing of
 * them is run: the versions are those of the packages' metadata (PEP 376).
 * Errors: EUSAGE (no such place, no environment has the package, two have one
 * version, a path contains a comma).  Release axes in any case. */
CUL_MUST_CHECK int cul_installed_find(const char *const *axes, size_t n,
                                      const char *const *versions, size_t m,
                                      struct cul_installed_axes *out,
                                      struct cul_err *err);
void cul_installed_release(struct cul_installed_axes *axes);

#endif
