/* Shared by the repo*.c files, the only ones that know libgit2. */
#ifndef CUL_BISECT_REPO_PRIVATE_H
#define CUL_BISECT_REPO_PRIVATE_H

#include <git2.h>

#include "repo.h"

struct cul_repo_found; /* repo_links.c: what was found of submodules */

struct cul_repo {
  git_repository *git;
  struct cul_repo_found *found; /* NULL: nothing was looked for */
};

/* The last message of libgit2; never NULL. */
const char *cul_repo_why(void);
git_oid cul_repo_oid(const struct cul_commit_id *id);
struct cul_commit_id cul_repo_id(const git_oid *oid);
/* An object could not be read: EUSAGE where the clone lacks it, else EENV. */
int cul_repo_fail_object(struct cul_repo *repo, int code, const char *what,
                         struct cul_err *err);

/* repo_modules.c: the names and URLs that .gitmodules of a commit (and before
 * it the user's configuration) give to submodules. */
struct cul_repo_names;
struct cul_repo_names *cul_repo_names(struct cul_repo *repo,
                                      const struct cul_commit_id *of);
/* *name: heap; *url: heap, or NULL. */
void cul_repo_name_of(struct cul_repo_names *names, const char *path,
                      char **name, char **url);
void cul_repo_names_free(struct cul_repo_names *names);
/* Directories in which git would have its repository; heap, each may be
 * NULL. */
enum { CUL_REPO_PLACES = 3 };
void cul_repo_places(struct cul_repo *repo, const char *path, const char *name,
                     const char *url, char *places[CUL_REPO_PLACES]);

/* repo_links.c: the repository at a directory, as long as root lives; NULL:
 * none is there. */
struct cul_repo *cul_repo_opened(struct cul_repo *root, const char *dir);
bool cul_repo_has(struct cul_repo *repo, const struct cul_commit_id *id);
void cul_repo_found_free(struct cul_repo_found *found);

/* repo_lfs.c: is it a pointer of git-lfs, and to which content? */
bool cul_lfs_pointer(const char *text, size_t len, char oid[65]);
/* The content, where the repository has fetched it. */
bool cul_repo_lfs(struct cul_repo *repo, const char *oid,
                  struct cul_buf *content);

#endif
