/* The submodules and pins that a commit moves. */
#include <stdlib.h>
#include <string.h>

#include "repo_private.h"

struct finding {
  struct cul_repo *repo;
  const struct cul_commits_pins *pins;
  struct cul_moves *out;
};

static void add_moved(struct finding *f, const struct cul_moved *moved) {
  f->out->items =
      cul_xreallocarray(f->out->items, f->out->n + 1, sizeof *f->out->items);
  f->out->items[f->out->n++] = *moved;
}

static bool read_blob(struct cul_repo *repo, const git_diff_file *file,
                      struct cul_buf *out) {
  git_blob *blob = NULL;
  struct cul_err ignored = {0};
  bool ok = cul_repo_blob(repo, &file->id, file->path, &blob, &ignored) == 0;
  if (ok)
    cul_buf_add(out, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
  git_blob_free(blob);
  return ok;
}

/* Replace the commit's id in the text by zeros. */
static bool blank(const char *pattern, struct cul_buf *text,
                  struct cul_commit_id *found) {
  static const struct cul_commit_id zero = {{0}};
  struct cul_buf out = {0};
  struct cul_err ignored = {0};
  bool ok = cul_pin_replace(pattern, cul_buf_str(text), text->len, &zero, &out,
                            found, &ignored) == 0;
  if (ok) {
    cul_buf_release(text);
    *text = out;
  }
  return ok;
}

/* Add the pins of a file whose versions differ only in the commits that they
 * name. */
static bool take_pins(struct finding *f, const git_diff_delta *delta) {
  const char *path = delta->new_file.path;
  struct cul_buf old = {0}, new = {0};
  bool same = delta->old_file.mode == delta->new_file.mode &&
              read_blob(f->repo, &delta->old_file, &old) &&
              read_blob(f->repo, &delta->new_file, &new);
  for (size_t i = 0; i < f->pins->n && same; i++) {
    const struct cul_commits_pin *pin = &f->pins->items[i];
    struct cul_moved moved = {.pattern = pin->pattern};
    if (strcmp(pin->file, path) != 0 ||
        !blank(pin->pattern, &old, &moved.old) ||
        !blank(pin->pattern, &new, &moved.new) ||
        cul_commit_equal(&moved.old, &moved.new))
      continue;
    moved.path = cul_xstrdup(path);
    moved.repo = cul_xstrdup(pin->repo);
    add_moved(f, &moved);
  }
  same = same && cul_bytes_equal(cul_buf_bytes(&old), cul_buf_bytes(&new));
  cul_buf_release(&old);
  cul_buf_release(&new);
  return same;
}

static void take_delta(struct finding *f, const git_diff_delta *delta) {
  struct cul_moved moved = {0};
  if (delta->old_file.mode == GIT_FILEMODE_COMMIT &&
      delta->new_file.mode == GIT_FILEMODE_COMMIT) {
    moved.old = cul_repo_id(&delta->old_file.id);
    moved.new = cul_repo_id(&delta->new_file.id);
    moved.path = cul_xstrdup(delta->new_file.path);
    add_moved(f, &moved);
  } else if (strcmp(delta->new_file.path, ".gitmodules") == 0) {
    f->out->modules = true;
  } else if (delta->status != GIT_DELTA_MODIFIED || !take_pins(f, delta)) {
    f->out->others = true;
  }
}

static int diff_of(struct cul_repo *repo, const struct cul_commit_id *from,
                   const struct cul_commit_id *to, git_diff **out) {
  const struct cul_commit_id *ids[2] = {from, to};
  git_tree *trees[2] = {NULL, NULL};
  int code = 0;
  for (int i = 0; i < 2 && code == 0; i++) {
    git_oid oid = cul_repo_oid(ids[i]);
    git_commit *commit = NULL;
    code = git_commit_lookup(&commit, repo->git, &oid);
    if (code == 0)
      code = git_commit_tree(&trees[i], commit);
    git_commit_free(commit);
  }
  if (code == 0)
    code = git_diff_tree_to_tree(out, repo->git, trees[0], trees[1], NULL);
  git_tree_free(trees[0]);
  git_tree_free(trees[1]);
  return code;
}

static void moved_release(struct cul_moved *moved) {
  free(moved->path);
  free(moved->repo);
}

void cul_moves_release(struct cul_moves *moves) {
  for (size_t i = 0; i < moves->n; i++)
    moved_release(&moves->items[i]);
  free(moves->items);
  free(moves->lost);
  *moves = (struct cul_moves){0};
}

/* Find the repositories of submodules; those without one count as changed
 * files. */
static void find_repos(struct cul_repo *repo, const struct cul_commit_id *to,
                       struct cul_moves *out) {
  struct cul_err why = {0};
  size_t kept = 0;
  for (size_t i = 0; i < out->n; i++) {
    struct cul_moved *moved = &out->items[i];
    if (moved->repo || cul_repo_module(repo, to, moved->path, &moved->new,
                                       &moved->repo, &why) == 0) {
      out->items[kept++] = *moved;
      continue;
    }
    if (!out->lost)
      out->lost = cul_xstrdup(why.what);
    out->others = true;
    moved_release(moved);
  }
  out->n = kept;
}

int cul_repo_moved(struct cul_repo *repo, const struct cul_commit_id *from,
                   const struct cul_commit_id *to,
                   const struct cul_commits_pins *pins, struct cul_moves *out,
                   struct cul_err *err) {
  struct finding f = {.repo = repo, .pins = pins, .out = out};
  git_diff *diff = NULL;
  int code, rc = cul_repo_check(repo, from, err);
  *out = (struct cul_moves){0};
  if (rc == 0)
    rc = cul_repo_check(repo, to, err);
  if (rc < 0)
    return rc;
  code = diff_of(repo, from, to, &diff);
  for (size_t i = 0; code == 0 && i < git_diff_num_deltas(diff); i++)
    take_delta(&f, git_diff_get_delta(diff, i));
  git_diff_free(diff);
  if (code < 0) {
    cul_moves_release(out);
    return cul_repo_fail_object(repo, code, "a commit's tree", err);
  }
  find_repos(repo, to, out);
  return 0;
}

int cul_repo_first_parents(struct cul_repo *repo,
                           const struct cul_commit_id *from,
                           const struct cul_commit_id *to,
                           struct cul_dated **out, size_t *n,
                           struct cul_err *err) {
  /* Commits with invalid names may form a cycle.  Brent's method detects it:
   * a commit saved at a power of two is met again. */
  struct cul_commit_id at = *to, met = at;
  size_t again = 1;
  *out = NULL;
  *n = 0;
  while (!cul_commit_equal(&at, from)) {
    git_oid oid = cul_repo_oid(&at);
    git_commit *commit = NULL;
    int code = git_commit_lookup(&commit, repo->git, &oid);
    if (code < 0)
      return cul_repo_fail_object(repo, code, "a commit", err);
    *out = cul_xreallocarray(*out, *n + 1, sizeof **out);
    (*out)[(*n)++] = (struct cul_dated){at, git_commit_time(commit)};
    if (git_commit_parentcount(commit) == 0) {
      git_commit_free(commit);
      return cul_fail(
          err, CUL_ECHILD, "",
          "the older commit is not a first parent of the newer one");
    }
    at = cul_repo_id(git_commit_parent_id(commit, 0));
    git_commit_free(commit);
    if (cul_commit_equal(&at, &met))
      return cul_fail(err, CUL_EENV, "git fsck describes the damage",
                      "the history leads back to itself");
    if (*n == again) {
      met = at;
      again *= 2;
    }
  }
  return 0;
}
