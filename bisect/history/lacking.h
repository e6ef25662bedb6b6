/* Submodules that cannot be had on this machine are left empty, as git leaves
 * them.  Which a revision lacks, and whether what it does without them counts:
 * a commit that fails for lack of one must not be blamed. */
#ifndef CUL_BISECT_HISTORY_LACKING_H
#define CUL_BISECT_HISTORY_LACKING_H

#include <jansson.h>

#include "../../oracles/oracle.h"
#include "range.h"

/* Does a commit without a submodule that passes, or fails, do so for other
 * reasons? */
enum cul_doubt {
  CUL_DOUBT_NEW,
  CUL_DOUBT_TO_TRY, /* an end without it is to tell */
  CUL_DOUBT_COUNTS,
  CUL_DOUBT_NOT,
};

/* A submodule that was left empty. */
struct cul_lacking_module {
  char *path, *name, *url; /* url: NULL where it is not known */
  struct cul_commit_id id; /* the first commit of it that was wanted */
  enum cul_doubt passes, fails;
};

/* One for a job and all that it searches inside. */
struct cul_lacking {
  const struct cul_range *range; /* the outermost; borrowed */
  struct cul_notices *notices;   /* borrowed */
  struct cul_lacking_module *items;
  size_t n;
  bool unmistakable; /* the sought failure cannot be one for lack of anything */
  bool said_pointers;
};
void cul_lacking_release(struct cul_lacking *lacking);

/* The paths of those that a revision leaves empty, one a line, each said once
 * in the job.  False: objects of the repository are missing. */
bool cul_lacking_paths(struct cul_lacking *lacking,
                       const struct cul_repo_revision *revision,
                       struct cul_buf *paths);
/* List, in items, those that a commit of a range lacks. */
void cul_lacking_list(struct cul_lacking *lacking,
                      const struct cul_range *range, uint32_t commit);
/* Does a commit of a range lack the submodule at path? */
bool cul_lacking_has(struct cul_lacking *lacking, const struct cul_range *range,
                     uint32_t commit, const char *path);
/* Say in `why` which submodule a commit that tells nothing lacks. */
void cul_lacking_blame(struct cul_lacking *lacking,
                       const struct cul_range *range, uint32_t commit,
                       char why[200]);
/* Does a commit of a range that lacks submodules pass, or fail, for other
 * reasons?  TO_TRY: it counts once cul_lacking_has_doubts is settled. */
enum cul_doubt cul_lacking_doubt(struct cul_lacking *lacking,
                                 const struct cul_range *range, uint32_t commit,
                                 enum cul_answer answer);
/* Is an end to be tried without a submodule? */
bool cul_lacking_has_doubts(const struct cul_lacking *lacking);
/* Has a commit of the outermost repository a submodule at path? */
bool cul_lacking_names(const struct cul_lacking *lacking,
                       const struct cul_commit_id *commit, const char *path);
/* Files of git-lfs without content: said once in the job. */
void cul_lacking_say_pointers(struct cul_lacking *lacking,
                              const struct cul_switched *files);
/* For the report; a new reference. */
json_t *cul_lacking_report(const struct cul_lacking *lacking);

#endif
