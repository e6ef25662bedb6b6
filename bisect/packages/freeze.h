/* Bisecting lock files: of two lists of Python packages, as `pip freeze` prints
 * them, with one of which it fails and with the other it does not, which
 * difference is to blame?  Delta debugging over the packages that were added,
 * removed, or are of another version (bisect/search/sets.h). */
#ifndef CUL_BISECT_PACKAGES_FREEZE_H
#define CUL_BISECT_PACKAGES_FREEZE_H

#include <jansson.h>

#include "../../probe/target/target.h"
#include "../install/pip.h"

/* Strings are borrowed for the job's time. */
struct cul_freeze_conf {
  struct cul_target_conf target;
  const char *bundle;      /* directory; or NULL */
  bool all;                /* look for every set, not for one */
  const char *good, *bad;  /* files */
  const char *const *with; /* requirements of every environment; NULL ended */
  struct cul_pip_conf pip; /* scripts is filled in;
                              no_deps: always */
  const char *envs;        /* as in struct cul_venvs_conf */
  uint64_t most_bytes;
};

/* Run the job.  *report: as for cul_versions_run.  Errors: EUSAGE (a file that
 * is no such list; both are alike; it fails with the good one, too), ENOFAIL,
 * EFLAKY, EENV, EINTR, EBUDGET. */
CUL_MUST_CHECK int cul_freeze_run(const struct cul_freeze_conf *conf,
                                  json_t **report, struct cul_err *err);
/* The report for people, appended. */
void cul_freeze_say(const json_t *report, struct cul_buf *out);

/* ---- lists ---- */

struct cul_freeze_entry {
  char *name;       /* as PEP 503 has it: "iree-base-compiler" */
  char *text;       /* the requirement, "NAME==VERSION" or "NAME @ URL" */
  const char *rest; /* of text, behind the name */
};
struct cul_freeze_list {
  struct cul_freeze_entry *entries; /* by name */
  size_t n;
};
/* Read the text of a list: comments and hashes are left out.  file: its name,
 * for errors.  Errors: EUSAGE (a line that is none, an editable package, an
 * option, one name twice).  out is to be released in any case. */
CUL_MUST_CHECK int cul_freeze_read(const char *file, const char *text,
                                   struct cul_freeze_list *out,
                                   struct cul_err *err);
void cul_freeze_list_release(struct cul_freeze_list *list);

#endif
