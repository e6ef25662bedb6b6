/* The commits that touch given paths: history simplification as in git. */
#include <stdlib.h>
#include <string.h>

#include "../../base/digest.h"
#include "repo_private.h"

/* The digest of a commit's files at the paths. */
static int digest_at(struct cul_repo *repo, const struct cul_commit_id *id,
                     const char *const *paths, struct cul_digest *out,
                     struct cul_err *err) {
  git_oid oid = cul_repo_oid(id);
  git_commit *commit = NULL;
  git_tree *tree = NULL;
  struct cul_hasher *h = cul_hasher_new();
  int code = git_commit_lookup(&commit, repo->git, &oid);
  if (code == 0)
    code = git_commit_tree(&tree, commit);
  for (; code == 0 && *paths; paths++) {
    git_tree_entry *entry = NULL;
    code = git_tree_entry_bypath(&entry, tree, *paths);
    cul_hasher_u64(h, code == 0);
    if (code == 0)
      cul_hasher_add(h, git_tree_entry_id(entry)->id, GIT_OID_RAWSZ);
    else if (code == GIT_ENOTFOUND)
      code = 0;
    git_tree_entry_free(entry);
  }
  *out = cul_hasher_finish(h);
  git_tree_free(tree);
  git_commit_free(commit);
  return code == 0 ? 0 : cul_repo_fail_object(repo, code, "a tree", err);
}

struct walk {
  const struct cul_dag *dag;
  const struct cul_digest *at; /* per point */
  bool *met, *touches;
  uint32_t *stack;
  size_t depth;
};

static void push(struct walk *walk, uint32_t point) {
  if (point >= walk->dag->n || walk->met[point])
    return;
  walk->met[point] = true;
  walk->stack[walk->depth++] = point;
}

/* Visit a commit.  If its files at the paths equal those of a parent, only that
 * parent is followed.  Else it touches the paths, and all parents are followed.
 */
static void visit(struct walk *walk, uint32_t c) {
  const struct cul_dag *dag = walk->dag;
  for (uint32_t i = dag->first[c]; i < dag->first[c + 1]; i++)
    if (memcmp(&walk->at[dag->parents[i]], &walk->at[c], sizeof *walk->at) ==
        0) {
      push(walk, dag->parents[i]);
      return;
    }
  walk->touches[c] = true;
  for (uint32_t i = dag->first[c]; i < dag->first[c + 1]; i++)
    push(walk, dag->parents[i]);
}

int cul_repo_touching(struct cul_repo *repo, const struct cul_dag *dag,
                      const struct cul_commit_id *ids, const char *const *paths,
                      bool *touches, struct cul_err *err) {
  size_t n = (size_t)dag->n + dag->n_outer;
  struct cul_digest *at = cul_xcalloc(n + 1, sizeof *at);
  struct walk walk = {.dag = dag, .at = at, .touches = touches};
  int rc = 0;
  for (size_t p = 0; p < n && rc == 0; p++)
    rc = digest_at(repo, &ids[p], paths, &at[p], err);
  if (rc == 0) {
    walk.met = cul_xcalloc((size_t)dag->n + 1, sizeof *walk.met);
    walk.stack = cul_xcalloc((size_t)dag->n + 1, sizeof *walk.stack);
    push(&walk, dag->n - 1);
    while (walk.depth > 0)
      visit(&walk, walk.stack[--walk.depth]);
    free(walk.met);
    free(walk.stack);
  }
  free(at);
  return rc;
}
