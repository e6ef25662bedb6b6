/* A git repository, read only: revisions, history, trees.  Nothing of the
 * user's is touched: not the work tree, not the index, no ref; bare and dirty
 * repositories will do.  Built on libgit2. */
#ifndef CUL_BISECT_REPO_H
#define CUL_BISECT_REPO_H

#include "../base/buf.h"

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
/* first_parent: other parents do not count.  Errors: EUSAGE (objects are
 * missing: a shallow or partial clone), EENV. */
CUL_MUST_CHECK int cul_repo_history(struct cul_repo *repo,
                                    const struct cul_commit_id *tips, size_t n,
                                    bool first_parent, struct cul_history *out,
                                    struct cul_err *err);
void cul_history_release(struct cul_history *history);
/* The number of a commit; n where it is none of them.  O(n). */
uint32_t cul_history_find(const struct cul_history *history,
                          const struct cul_commit_id *id);

/* The best common ancestors of two commits; *out: heap array. */
CUL_MUST_CHECK int cul_repo_merge_bases(struct cul_repo *repo,
                                        const struct cul_commit_id *a,
                                        const struct cul_commit_id *b,
                                        struct cul_commit_id **out, size_t *n,
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
/* Make dir, which holds the files of commit `from` (NULL: nothing) and perhaps
 * others that a build made, hold those of commit `to`.  Files that do not
 * change are left alone, with their times.  Errors: EENV (no room),
 * EUSAGE (objects missing). */
CUL_MUST_CHECK int cul_repo_switch(struct cul_repo *repo, const char *dir,
                                   const struct cul_commit_id *from,
                                   const struct cul_commit_id *to,
                                   struct cul_err *err);

#endif
