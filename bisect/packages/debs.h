/* Bisecting Debian packages: finds the version, among the .deb files of a
 * directory, with which a failure began or ended.
 *
 * All packages of one version are unpacked into one folder, whose programs and
 * libraries are searched first; installing them executes nothing. */
#ifndef CUL_BISECT_PACKAGES_DEBS_H
#define CUL_BISECT_PACKAGES_DEBS_H

#include "../versions/versions.h"

/* Strings are borrowed for the life of the job. */
struct cul_debs_conf {
  struct cul_target_conf target;
  struct cul_bisect_conf search;
  const char *bundle; /* directory; or NULL */
  bool all;
  const char *dir;
  const char *good;
  const char *bad;  /* NULL = the newest */
  const char *envs; /* as in struct cul_installs_conf */
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
