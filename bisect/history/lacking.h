/* Submodules that are not available on this machine are left empty, as git
 * leaves them.  Determines which of them a revision lacks, and whether its
 * result counts: a commit that fails because a submodule is missing must not be
 * blamed. */
#ifndef CUL_BISECT_HISTORY_LACKING_H
#define CUL_BISECT_HISTORY_LACKING_H

#include <jansson.h>

#include "../../oracles/oracle.h"
#include "range.h"

/* Does a commit that passes, or fails, without a submodule do so for other
 * reasons? */
enum cul_doubt {
  CUL_DOUBT_NEW,
  CUL_DOUBT_TO_TRY, /* a run of an end without it must decide */
  CUL_DOUBT_COUNTS,
  CUL_DOUBT_NOT,
};

/* A submodule that was left empty. */
struct cul_lacking_module {
  char *path, *name, *url; /* url: NULL if not known */
  struct cul_commit_id id; /* the first of its commits that was needed */
  enum cul_doubt passes, fails;
};

/* One per job, also for its searches inside dependencies. */
struct cul_lacking {
  const struct cul_range *range; /* the outermost; borrowed */
  struct cul_notices *notices;   /* borrowed */
  struct cul_lacking_module *items;
  size_t n;
  bool unmistakable; /* the sought failure cannot be caused by something
                        missing */
  bool said_pointers, said_unfiltered;
};
void cul_lacking_release(struct cul_lacking *lacking);

/* Append the paths of submodules that a revision leaves empty, one per line;
 * each is reported once per job.  False: objects of the repository are
 * missing. */
bool cul_lacking_paths(struct cul_lacking *lacking,
                       const struct cul_repo_revision *revision,
                       struct cul_buf *paths);
/* Add the submodules that a commit of a range lacks to items. */
void cul_lacking_list(struct cul_lacking *lacking,
                      const struct cul_range *range, uint32_t commit);
/* Does a commit of a range lack the submodule at path? */
bool cul_lacking_has(struct cul_lacking *lacking, const struct cul_range *range,
                     uint32_t commit, const char *path);
/* Write to `why` which submodule a commit without an answer lacks. */
void cul_lacking_blame(struct cul_lacking *lacking,
                       const struct cul_range *range, uint32_t commit,
                       char why[200]);
/* Does a commit of a range that lacks submodules pass, or fail, for other
 * reasons?  TO_TRY: not known until the doubt is settled
 * (cul_lacking_has_doubts). */
enum cul_doubt cul_lacking_doubt(struct cul_lacking *lacking,
                                 const struct cul_range *range, uint32_t commit,
                                 enum cul_answer answer);
/* Must an end be tried without a submodule? */
bool cul_lacking_has_doubts(const struct cul_lacking *lacking);
/* Does a commit of the outermost repository have a submodule at path? */
bool cul_lacking_names(const struct cul_lacking *lacking,
                       const struct cul_commit_id *commit, const char *path);
/* Report files that are not as "git checkout" has them: of git-lfs without
 * content, and with a filter that is not run; once per job each. */
void cul_lacking_say_files(struct cul_lacking *lacking,
                           const struct cul_switched *files);
/* For the report; a new reference. */
json_t *cul_lacking_report(const struct cul_lacking *lacking);

#endif
