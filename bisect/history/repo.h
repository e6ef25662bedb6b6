/* A git repository, read only: revisions, history, trees.  Nothing of the
 * user's is touched: not the work tree, not the index, no ref; bare and dirty
 * repositories will do.  Built on libgit2. */
#ifndef CUL_BISECT_HISTORY_REPO_H
#define CUL_BISECT_HISTORY_REPO_H

#include <time.h>

#include "../../base/buf.h"
#include "../../base/digest.h"
#include "../search/dag.h"

struct cul_repo;

#define CUL_COMMIT_HEX 41
struct cul_commit_id {
  unsigned char raw[20];
};
char *cul_commit_hex(const struct cul_commit_id *id, char hex[CUL_COMMIT_HEX]);
bool cul_commit_equal(const struct cul_commit_id *a,
                      const struct cul_commit_id *b);

/* Errors: EUSAGE (no repository there, or one of another owner). */
CUL_MUST_CHECK int cul_repo_open(const char *dir, struct cul_repo **out,
                                 struct cul_err *err);
void cul_repo_close(struct cul_repo *repo);

/* The commit that a revision names (tags are followed).  what: "--good", for
 * the message.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_repo_resolve(struct cul_repo *repo, const char *rev,
                                    const char *what, struct cul_commit_id *out,
                                    struct cul_err *err);

/* All ancestors of some commits, these included, in no special order; parents
 * as in struct cul_dag. */
struct cul_history {
  uint32_t n;
  struct cul_commit_id *ids;
  uint32_t *first, *parents;
};
/* first_parent: other parents do not count.  A shallow clone's history ends
 * where it was cut; refs/replace count, as for git.  Errors: EUSAGE (objects
 * are missing: a shallow or partial clone), EENV. */
CUL_MUST_CHECK int cul_repo_history(struct cul_repo *repo,
                                    const struct cul_commit_id *tips, size_t n,
                                    bool first_parent, struct cul_history *out,
                                    struct cul_err *err);
void cul_history_release(struct cul_history *history);
/* The number of a commit; n where it is none of them.  O(n). */
uint32_t cul_history_find(const struct cul_history *history,
                          const struct cul_commit_id *id);

/* The best common ancestors of two commits of a history, by number; *out: heap
 * array of them.  Returns how many there are. */
size_t cul_history_bases(const struct cul_history *history, uint32_t a,
                         uint32_t b, uint32_t **out);
/* Is the repository a shallow clone?  Its history ends where it was cut. */
bool cul_repo_is_shallow(struct cul_repo *repo);

/* Which candidates touch some paths (NULL ends them; files or directories)?
 * ids: of all points of dag.  touches[n]: set to true for these; the caller
 * has cleared it.  Merges that take one side as it is are followed to that
 * side only.  Source: git's history simplification. */
CUL_MUST_CHECK int cul_repo_touching(struct cul_repo *repo,
                                     const struct cul_dag *dag,
                                     const struct cul_commit_id *ids,
                                     const char *const *paths, bool *touches,
                                     struct cul_err *err);

/* What a report says of a commit.  Release frees the strings. */
struct cul_commit_about {
  char *title, *author;
  char date[32];  /* author date, ISO 8601 with its own zone */
  char *diffstat; /* against the first parent, one line per file */
};
CUL_MUST_CHECK int cul_repo_about(struct cul_repo *repo,
                                  const struct cul_commit_id *id,
                                  struct cul_commit_about *out,
                                  struct cul_err *err);
void cul_commit_about_release(struct cul_commit_about *about);

/* The id of a commit's tree: equal trees are equal sources. */
CUL_MUST_CHECK int cul_repo_tree(struct cul_repo *repo,
                                 const struct cul_commit_id *id,
                                 struct cul_commit_id *tree,
                                 struct cul_err *err);
/* A dependency held at a commit of its own. */
struct cul_override {
  const char *path;    /* of a submodule, or of a file that names the commit */
  const char *pattern; /* NULL: a submodule; else an extended regular
                          expression whose first group is the commit in that
                          file */
  const char *repo;    /* directory of the dependency's repository; NULL, and
                          no pattern: looked for */
  struct cul_commit_id id;
  enum cul_override_kind {
    CUL_HELD_AT,     /* the dependency, at id */
    CUL_LEFT_EMPTY,  /* the submodule (nested ones too), as if it could not be
                        had */
    CUL_TAKEN_WHOLE, /* the file, as the commit id of the same repository has
                        it */
  } kind;
};
/* A commit, with other commits of some of its dependencies.  All borrowed. */
struct cul_repo_revision {
  struct cul_commit_id commit;
  const struct cul_override *held;
  size_t n_held;
};
bool cul_repo_revision_equal(const struct cul_repo_revision *a,
                             const struct cul_repo_revision *b);

/* A submodule of a revision; of nested ones the outer goes before the inner. */
struct cul_module {
  char *path;       /* from the root of the outermost repository */
  char *name, *url; /* as .gitmodules or the user says; url NULL: nobody does */
  char *repo; /* directory of its repository; NULL: its commit cannot be had on
                 this machine, and it is left empty, as git leaves it */
  struct cul_commit_id id;
};
struct cul_modules {
  struct cul_module *items;
  size_t n, n_lacking;
};
/* All submodules of a revision.  What was found once is the same for the life
 * of repo, in processes forked from this one too.  Errors: EUSAGE (objects
 * missing), ECHILD: its tree holds what no checkout may make (names such as
 * "..", ".git", one name twice; too much).  Release frees all. */
CUL_MUST_CHECK int cul_repo_modules(struct cul_repo *repo,
                                    const struct cul_repo_revision *revision,
                                    struct cul_modules *out,
                                    struct cul_err *err);
void cul_modules_release(struct cul_modules *modules);
/* The paths of those left empty, one a line, sorted; nothing: none is. */
void cul_modules_lacking(const struct cul_modules *modules,
                         struct cul_buf *out);

/* " lacks DIGEST" of those paths; nothing: none is left empty. */
void cul_repo_name_lacking(struct cul_repo *repo,
                           const struct cul_repo_revision *revision,
                           struct cul_buf *out);

/* Files of git-lfs that were written as pointers, as git without git-lfs does:
 * their contents are not on this machine. */
struct cul_switched {
  uint32_t n_pointers;
  char pointer[120]; /* the first one, cut where it does not fit */
};
/* Make dir, which holds the files of `from` (NULL: nothing) and perhaps others
 * that a build made, hold those of `to`.  Files that do not change are left
 * alone, with their times.  Submodules are checked out as the commit says; one
 * that cannot be had is an empty directory.
 * Errors: EENV (no room), EUSAGE (objects missing), ECHILD: an object of a
 * submodule is missing, which is the revision's fault, not the repository's. */
CUL_MUST_CHECK int cul_repo_switch(struct cul_repo *repo, const char *dir,
                                   const struct cul_repo_revision *from,
                                   const struct cul_repo_revision *to,
                                   struct cul_switched *out,
                                   struct cul_err *err);
/* Make the files of a revision what they were when it was put into dir, before
 * `since`: a build may have changed or removed some. */
CUL_MUST_CHECK int cul_repo_restore(struct cul_repo *repo, const char *dir,
                                    const struct cul_repo_revision *revision,
                                    struct timespec since, struct cul_err *err);
/* Which contents of git-lfs are at hand: the files depend on that. */
void cul_repo_lfs_names(struct cul_repo *repo, struct cul_hasher *h);

/* Where the commit `id` of a submodule is found on this machine: in the
 * repository's own modules, its work tree, where the submodule's URL says, when
 * that is a local one, or in a repository found so for another submodule.
 * of: the commit whose .gitmodules counts.
 * *dir: heap string.  Errors: ECHILD (nowhere). */
CUL_MUST_CHECK int cul_repo_module(struct cul_repo *repo,
                                   const struct cul_commit_id *of,
                                   const char *path,
                                   const struct cul_commit_id *id, char **dir,
                                   struct cul_err *err);

/* The text with the commit that pattern's first group finds replaced by id;
 * found: what stood there.  out, found: NULL where not wanted.
 * Errors: EUSAGE (no match; no commit id; bad pattern). */
CUL_MUST_CHECK int cul_pin_replace(const char *pattern, const char *text,
                                   size_t len, const struct cul_commit_id *id,
                                   struct cul_buf *out,
                                   struct cul_commit_id *found,
                                   struct cul_err *err);

/* A file of the repository that names a commit of another one. */
struct cul_commits_pin {
  const char *file, *pattern, *repo; /* as in struct cul_override */
};
struct cul_commits_pins {
  struct cul_commits_pin *items;
  size_t n;
};
/* A dependency that a commit moves. */
struct cul_moved {
  char *path, *repo;   /* as in struct cul_override; heap */
  const char *pattern; /* of the pin; NULL: a submodule */
  struct cul_commit_id old, new;
};
/* What one commit changes against another. */
struct cul_moves {
  struct cul_moved *items; /* dependencies that move and can be had */
  size_t n;
  bool others;  /* files that are no dependency change, too */
  bool modules; /* so does .gitmodules */
  char *lost; /* a dependency that moves and cannot be had, and why; or NULL */
};
/* Release frees all. */
CUL_MUST_CHECK int cul_repo_moved(struct cul_repo *repo,
                                  const struct cul_commit_id *from,
                                  const struct cul_commit_id *to,
                                  const struct cul_commits_pins *pins,
                                  struct cul_moves *out, struct cul_err *err);
void cul_moves_release(struct cul_moves *moves);

struct cul_dated {
  struct cul_commit_id id;
  int64_t time; /* of the commit, seconds since 1970 */
};
/* From `to` back along first parents, `from` not included: newest first.  *out:
 * heap, also on error.  Errors: ECHILD (from is not reached), EUSAGE (objects
 * missing), EENV. */
CUL_MUST_CHECK int cul_repo_first_parents(struct cul_repo *repo,
                                          const struct cul_commit_id *from,
                                          const struct cul_commit_id *to,
                                          struct cul_dated **out, size_t *n,
                                          struct cul_err *err);

#endif
