/* A git repository, read only: revisions, history, trees.  Does not change the
 * user's work tree, index or refs; bare and dirty repositories are accepted.
 * Uses libgit2. */
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

/* Errors: EUSAGE (no repository, or one of another owner). */
CUL_MUST_CHECK int cul_repo_open(const char *dir, struct cul_repo **out,
                                 struct cul_err *err);
void cul_repo_close(struct cul_repo *repo);

/* Find the commit that a revision names, following tags.  what: "--good", for
 * the message.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_repo_resolve(struct cul_repo *repo, const char *rev,
                                    const char *what, struct cul_commit_id *out,
                                    struct cul_err *err);

/* All ancestors of some commits, including these, in no particular order;
 * parents as in struct cul_dag. */
struct cul_history {
  uint32_t n;
  struct cul_commit_id *ids;
  uint32_t *first, *parents;
};
/* first_parent: other parents are ignored.  A shallow clone's history ends
 * where it was cut; refs/replace is followed, as in git.  Errors: EUSAGE
 * (objects are missing: a shallow or partial clone), EENV. */
CUL_MUST_CHECK int cul_repo_history(struct cul_repo *repo,
                                    const struct cul_commit_id *tips, size_t n,
                                    bool first_parent, struct cul_history *out,
                                    struct cul_err *err);
void cul_history_release(struct cul_history *history);
/* The number of a commit; n if it is not in the history.  O(n). */
uint32_t cul_history_find(const struct cul_history *history,
                          const struct cul_commit_id *id);

/* The best common ancestors of two commits of a history, by number; *out: heap
 * array of them.  Returns how many there are. */
size_t cul_history_bases(const struct cul_history *history, uint32_t a,
                         uint32_t b, uint32_t **out);
/* Is the repository a shallow clone?  Its history ends where it was cut. */
bool cul_repo_is_shallow(struct cul_repo *repo);

/* Find the candidates that touch some paths (files or directories, NULL
 * terminated).  ids: of all points of dag.  touches[n]: set to true for these;
 * the caller has cleared it.  A merge that equals one parent is followed to
 * that parent only.  Source: git's history simplification. */
CUL_MUST_CHECK int cul_repo_touching(struct cul_repo *repo,
                                     const struct cul_dag *dag,
                                     const struct cul_commit_id *ids,
                                     const char *const *paths, bool *touches,
                                     struct cul_err *err);

/* The description of a commit in a report.  Release frees the strings. */
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
  const char *pattern; /* NULL: a submodule; else an extended regular expression
                          whose first group matches the commit in that file */
  const char *repo; /* directory of the dependency's repository; NULL without a
                       pattern: searched for */
  struct cul_commit_id id;
  enum cul_override_kind {
    CUL_HELD_AT,     /* the dependency, at id */
    CUL_LEFT_EMPTY,  /* the submodule, and nested ones, is left empty as if
                        unavailable */
    CUL_TAKEN_WHOLE, /* the file as in commit id of the same repository */
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

/* A submodule of a revision; outer ones come before nested ones. */
struct cul_module {
  char *path; /* from the root of the outermost repository */
  /* from .gitmodules or the user's configuration; url may be NULL */
  char *name, *url;
  char *repo; /* directory of its repository; NULL: its commit is not available
                 on this machine, and it is left empty, as git leaves it */
  struct cul_commit_id id;
};
struct cul_modules {
  struct cul_module *items;
  size_t n, n_lacking;
};
/* All submodules of a revision.  The result does not change during the life of
 * repo, also in forked processes.  Errors: EUSAGE (objects missing), ECHILD:
 * its tree has entries that no checkout may make (names such as "..", ".git",
 * duplicate names, or too many entries).  Release frees all. */
CUL_MUST_CHECK int cul_repo_modules(struct cul_repo *repo,
                                    const struct cul_repo_revision *revision,
                                    struct cul_modules *out,
                                    struct cul_err *err);
void cul_modules_release(struct cul_modules *modules);
/* Append the paths of submodules left empty, one per line, sorted. */
void cul_modules_lacking(const struct cul_modules *modules,
                         struct cul_buf *out);

/* Append " lacks DIGEST" for these paths; nothing if none is left empty. */
void cul_repo_name_lacking(struct cul_repo *repo,
                           const struct cul_repo_revision *revision,
                           struct cul_buf *out);

/* Files that differ from those of "git checkout".  Texts are cut if too long.
 */
struct cul_switched {
  /* files of git-lfs that were written as pointers, as by git without git-lfs,
   * because their contents are not on this machine */
  uint32_t n_pointers;
  char pointer[120]; /* the first one */
  /* files with a filter of .gitattributes that was not run: the user's own
   * commands, or another encoding */
  uint32_t n_unfiltered;
  char unfiltered[120], filter[60]; /* the first one, and its filter */
};
/* Change dir from the files of `from` (NULL: none) to those of `to`; dir may
 * also contain products of a build.  Unchanged files keep their times.  Line
 * ends and "$Id$" are those of "git checkout" in an empty directory.
 * Submodules are checked out at the commit's version; an unavailable one
 * becomes an empty directory.  Errors: EENV (no room), EUSAGE (objects
 * missing), ECHILD: an object of a submodule is missing, which is the
 * revision's fault, not the repository's. */
CUL_MUST_CHECK int cul_repo_switch(struct cul_repo *repo, const char *dir,
                                   const struct cul_repo_revision *from,
                                   const struct cul_repo_revision *to,
                                   struct cul_switched *out,
                                   struct cul_err *err);
/* Restore files of a revision that a build has changed or removed since the
 * revision was put into dir, before `since`. */
CUL_MUST_CHECK int cul_repo_restore(struct cul_repo *repo, const char *dir,
                                    const struct cul_repo_revision *revision,
                                    struct timespec since, struct cul_err *err);
/* Hash which contents of git-lfs are available, and the settings by which files
 * are converted (core.autocrlf ...), because the files depend on them. */
void cul_repo_lfs_names(struct cul_repo *repo, struct cul_hasher *h);

/* Find the commit `id` of a submodule on this machine: in the repository's
 * modules, in its work tree, at the submodule's URL if that is local, or in a
 * repository found in this way for another submodule.  of: the commit whose
 * .gitmodules is used.  *dir: heap string.  Errors: ECHILD (not found). */
CUL_MUST_CHECK int cul_repo_module(struct cul_repo *repo,
                                   const struct cul_commit_id *of,
                                   const char *path,
                                   const struct cul_commit_id *id, char **dir,
                                   struct cul_err *err);

/* Append text with the commit that pattern's first group matches replaced by
 * id; *found: the original commit.  out, found: may be NULL. Errors: EUSAGE (no
 * match; no commit id; bad pattern). */
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
/* The changes of one commit relative to another. */
struct cul_moves {
  struct cul_moved *items; /* dependencies that move and are available */
  size_t n;
  bool others;  /* other files change, too */
  bool modules; /* so does .gitmodules */
  char *lost; /* a dependency that moves and is unavailable, and why; or NULL */
};
/* Find what `to` changes relative to `from`.  Release out. */
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
/* The commits from `to` back along first parents to `from`, which is excluded;
 * newest first.  *out: heap, also on error.  Errors: ECHILD (from is not
 * reached), EUSAGE (objects missing), EENV. */
CUL_MUST_CHECK int cul_repo_first_parents(struct cul_repo *repo,
                                          const struct cul_commit_id *from,
                                          const struct cul_commit_id *to,
                                          struct cul_dated **out, size_t *n,
                                          struct cul_err *err);

#endif
