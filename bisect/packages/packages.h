/* Bisecting packages: finds the version of the Python package with which a
 * failure began or ended.
 *
 * The candidates are the versions that the user's pip offers between two ends.
 * Each gets its own environment, made on first use.  A version that cannot be
 * installed, or whose program is missing, gives no answer.  With several
 * packages, each is first set back to its passing version; those that make the
 * failure disappear are bisected while the others are held. */
#ifndef CUL_BISECT_PACKAGES_PACKAGES_H
#define CUL_BISECT_PACKAGES_PACKAGES_H

#include "../install/pip.h"
#include "../versions/versions.h"

/* One package and its ends. */
struct cul_package_range {
  const char *name;
  const char *good; /* a version */
  const char *bad;  /* NULL = the newest that pip offers */
};

/* Strings are borrowed for the life of the job. */
struct cul_packages_conf {
  struct cul_target_conf target;
  struct cul_bisect_conf search;
  const char *bundle; /* directory; or NULL */
  bool all;
  const struct cul_package_range *ranges;
  size_t n; /* at least 1 */
  /* requirements of every environment; NULL terminated */
  const char *const *with;
  struct cul_pip_conf pip; /* scripts is filled in */
  const char *envs;        /* as in struct cul_installs_conf */
  uint64_t most_bytes;
};

/* Defaults for packages: making an environment costs as much as many runs. */
#define CUL_PACKAGES_DEFAULTS                                                  \
  {.confidence = 0.95, .confirm = 3, .one_sided = true, .build_cost = 20}

/* Run the job.  *report: as for cul_versions_run.  Errors: EUSAGE (pip does not
 * offer a version; the good end fails, too), ENOFAIL (the bad end does not
 * fail), EFLAKY, EENV, EINTR, EBUDGET. */
CUL_MUST_CHECK int cul_packages_run(const struct cul_packages_conf *conf,
                                    json_t **report, struct cul_err *err);
/* The report for people, appended. */
void cul_packages_say(const json_t *report, struct cul_buf *out);

#endif
