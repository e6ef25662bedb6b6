/* Bisecting packages: with which version of which Python package did it begin
 * to fail, or cease to?
 *
 * The versions are what the user's pip offers between two of them; each has an
 * environment of its own, made when it is asked for.  One that cannot be
 * installed, or whose program is missing, tells nothing.  Of several packages
 * each is set back to the version that passes; those without which the failure
 * is gone are bisected, the others held. */
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

/* Strings are borrowed for the job's time. */
struct cul_packages_conf {
  struct cul_target_conf target;
  struct cul_bisect_conf search;
  const char *bundle; /* directory; or NULL */
  bool all;
  const struct cul_package_range *ranges;
  size_t n;                /* at least 1 */
  const char *const *with; /* requirements of every environment; NULL ended */
  struct cul_pip_conf pip; /* scripts is filled in */
  const char *envs;        /* as in struct cul_venvs_conf */
  uint64_t most_bytes;
};

/* What a bisection of packages costs: an environment is worth many runs. */
#define CUL_PACKAGES_DEFAULTS                                                  \
  {.confidence = 0.95, .confirm = 3, .one_sided = true, .build_cost = 20}

/* Run the job.  *report: as for cul_versions_run.  Errors: EUSAGE (a version
 * that pip does not offer; the good one fails, too), ENOFAIL (the bad one does
 * not), EFLAKY, EENV, EINTR, EBUDGET. */
CUL_MUST_CHECK int cul_packages_run(const struct cul_packages_conf *conf,
                                    json_t **report, struct cul_err *err);
/* The report for people, appended. */
void cul_packages_say(const json_t *report, struct cul_buf *out);

#endif
