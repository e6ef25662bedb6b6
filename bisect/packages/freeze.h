/* Bisecting lock files: finds the difference to blame between two lists of
 * Python packages, as `pip freeze` prints them, of which one fails and the
 * other does not.  Delta debugging over packages that are added, removed or of
 * another version (bisect/search/sets.h). */
#ifndef CUL_BISECT_PACKAGES_FREEZE_H
#define CUL_BISECT_PACKAGES_FREEZE_H

#include <jansson.h>

#include "../../probe/target/target.h"
#include "../install/pip.h"

/* Strings are borrowed for the life of the job. */
struct cul_freeze_conf {
  struct cul_target_conf target;
  const char *bundle;     /* directory; or NULL */
  bool all;               /* search for all sets, not only for one */
  const char *good, *bad; /* files */
  /* requirements of every environment; NULL terminated */
  const char *const *with;
  struct cul_pip_conf pip; /* scripts is filled in;
                              no_deps: always */
  const char *envs;        /* as in struct cul_installs_conf */
  uint64_t most_bytes;
};

/* Run the job.  *report: as for cul_versions_run.  Errors: EUSAGE (a file is
 * not a list of packages; both lists are equal; the good one fails), ENOFAIL,
 * EFLAKY, EENV, EINTR, EBUDGET. */
CUL_MUST_CHECK int cul_freeze_run(const struct cul_freeze_conf *conf,
                                  json_t **report, struct cul_err *err);
/* The report for people, appended. */
void cul_freeze_say(const json_t *report, struct cul_buf *out);

/* ---- lists ---- */

struct cul_freeze_entry {
  char *name;       /* normalized as in PEP 503: "iree-base-compiler" */
  char *text;       /* the requirement, "NAME==VERSION" or "NAME @ URL" */
  const char *rest; /* of text, after the name */
};
struct cul_freeze_list {
  struct cul_freeze_entry *entries; /* by name */
  size_t n;
};
/* Read the text of a list, without comments and hashes.  file: its name, for
 * errors.  Errors: EUSAGE (an invalid line, an editable package, an option, a
 * duplicate name).  Release out in any case. */
CUL_MUST_CHECK int cul_freeze_read(const char *file, const char *text,
                                   struct cul_freeze_list *out,
                                   struct cul_err *err);
void cul_freeze_list_release(struct cul_freeze_list *list);

#endif
