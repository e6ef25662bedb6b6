/* Shared by the repo*.c files, the only ones that know libgit2. */
#ifndef CUL_BISECT_REPO_PRIVATE_H
#define CUL_BISECT_REPO_PRIVATE_H

#include <git2.h>

#include "repo.h"

struct cul_repo {
  git_repository *git;
};

/* The last message of libgit2; never NULL. */
const char *cul_repo_why(void);
git_oid cul_repo_oid(const struct cul_commit_id *id);
/* An object could not be read: EUSAGE where the clone lacks it, else EENV. */
int cul_repo_fail_object(struct cul_repo *repo, int code, const char *what,
                         struct cul_err *err);

#endif
