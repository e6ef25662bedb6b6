/* Shared by the repo*.c files, the only ones that use libgit2. */
#ifndef CUL_BISECT_HISTORY_REPO_PRIVATE_H
#define CUL_BISECT_HISTORY_REPO_PRIVATE_H

#include <git2.h>
#include <git2/sys/repository.h>
#include <sys/stat.h>

#include "repo.h"

enum {
  CUL_REPO_MOST_FILE = 1 << 30,   /* bytes of one file */
  CUL_REPO_MOST_FILES = 10000000, /* of one commit */
  CUL_REPO_MOST_MODULES = 10000,  /* of one commit, nested ones too */
  CUL_REPO_MOST_DEPTH = 1024,     /* directories in directories */
  CUL_REPO_MOST_NESTED = 100,     /* submodules in submodules */
};

struct cul_repo_found; /* repo_links.c: search results of submodules */

struct cul_repo {
  git_repository *git;
  /* the same as a bare one without index: attributes of a commit are then read
   * from the commit alone; NULL: not opened yet */
  git_repository *plain;
  struct cul_repo_found *found; /* NULL: nothing was searched for */
};

/* The last message of libgit2; never NULL. */
const char *cul_repo_why(void);
git_oid cul_repo_oid(const struct cul_commit_id *id);
struct cul_commit_id cul_repo_id(const git_oid *oid);
/* Report an unreadable object: EUSAGE if the clone lacks it, else EENV. */
int cul_repo_fail_object(struct cul_repo *repo, int code, const char *what,
                         struct cul_err *err);

/* repo_links.c: the repository at a directory, valid while root lives; NULL:
 * none. */
struct cul_repo *cul_repo_opened(struct cul_repo *root, const char *dir);
void cul_repo_found_free(struct cul_repo_found *found);

/* repo_trees.c: may a checkout make all direct entries of the tree?  why: which
 * not, and why. */
bool cul_tree_is_sound(const git_tree *tree, const char *prefix, char *why,
                       size_t size);

/* repo_links.c: check that a commit's tree is finite and one that a checkout
 * may make.  Only checked trees are compared: a foreign tree may contain
 * itself, or more files than fit in memory.  Errors: as cul_repo_modules. */
CUL_MUST_CHECK int cul_repo_check(struct cul_repo *repo,
                                  const struct cul_commit_id *id,
                                  struct cul_err *err);

/* repo.c: does the repository have the commit? */
bool cul_repo_has(struct cul_repo *repo, const struct cul_commit_id *id);

/* repo.c: all bytes of a file.  Errors: ECHILD if it is larger than
 * CUL_REPO_MOST_FILE. */
CUL_MUST_CHECK int cul_repo_blob(struct cul_repo *repo, const git_oid *oid,
                                 const char *path, git_blob **out,
                                 struct cul_err *err);

/* A directory that files are checked out into.  Paths come from
 * commits and are relative.  Obstacles (a link or file in place of a directory)
 * come from builds and are removed.  Targets of links are never read, written
 * or removed.  Errors: EENV; ECHILD: no file can have this name. */
struct cul_checkout {
  int dir;          /* held */
  const char *name; /* its name; borrowed */
  int above;        /* the directory of the last file; -1: none */
  char *above_path;
};

/* Is the text a git-lfs pointer?  oid: of its content. */
bool cul_lfs_pointer(const char *text, size_t len, char oid[65]);

#endif
