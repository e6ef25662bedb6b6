/* Bisecting Debian packages: of the .deb files of a directory, with which
 * version did it begin to fail, or cease to?
 *
 * All packages of one version are unpacked into one folder, whose programs and
 * libraries come first; nothing of them is executed to install them. */
#ifndef CUL_BISECT_PACKAGES_DEBS_H
#define CUL_BISECT_PACKAGES_DEBS_H

#include "../versions/versions.h"

/* Strings are borrowed for the job's time. */
struct cul_debs_conf {
  struct cul_target_conf target;
  struct cul_bisect_conf search;
  const char *bundle; /* directory; or NULL */
  bool all;
  const char *dir;
  const char *good;
  const char *bad;  /* NULL = the newest */
  const char *envs; /* as in struct cul_venvs_conf */
  uint64_t most_bytes;
};

/* Run the job.  *report: as for cul_versions_run.  Errors: as
 * cul_packages_run. */
CUL_MUST_CHECK int cul_debs_run(const struct cul_debs_conf *conf,
                                json_t **report, struct cul_err *err);

/* Versions of Debian packages, [EPOCH:]UPSTREAM[-REVISION]: <0, 0, >0.
 * Source: deb-version(7). */
int cul_debian_compare(const char *a, const char *b);

#endif
