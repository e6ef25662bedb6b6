/* Files of one commit become those of another: only what differs is written,
 * so that what a build made of the rest stays up to date. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/file.h"
#include "repo_private.h"

/* A submodule whose commit changes, comes or goes. */
struct link {
  char *path;
  bool had, has;
  struct cul_commit_id old, new;
};

struct switching {
  struct cul_repo *repo;
  const char *dir;
  const struct cul_revision *from, *to; /* from: NULL where there is none */
  git_tree *old, *new;
  struct link *links;
  size_t n_links;
  struct cul_err *err;
  int rc;
};

static int find_tree(struct cul_repo *repo, const struct cul_commit_id *id,
                     git_tree **out, struct cul_err *err) {
  git_oid oid;
  git_commit *commit = NULL;
  int code;
  *out = NULL;
  if (!id)
    return 0;
  oid = cul_repo_oid(id);
  code = git_commit_lookup(&commit, repo->git, &oid);
  if (code == 0)
    code = git_commit_tree(out, commit);
  git_commit_free(commit);
  return code == 0 ? 0
                   : cul_repo_fail_object(repo, code, "a commit's tree", err);
}

static int fail_write(struct switching *s, const char *path) {
  return s->rc = cul_fail(s->err, CUL_EENV,
                          "make room, or give --work another directory",
                          "cannot write %s: %s", path, strerror(errno));
}

static int make_parents(struct switching *s, const char *path) {
  const char *slash = strrchr(path, '/');
  char *parent = cul_xasprintf("%.*s", (int)(slash - path), path);
  int rc = cul_mkdirs(parent, s->err);
  free(parent);
  return rc;
}

static int write_file(struct switching *s, const char *path, git_blob *blob,
                      mode_t mode) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                mode == GIT_FILEMODE_BLOB_EXECUTABLE ? 0777 : 0666);
  if (fd < 0)
    return fail_write(s, path);
  if (cul_write_all(fd, git_blob_rawcontent(blob),
                    (size_t)git_blob_rawsize(blob)) < 0) {
    int error = errno;
    close(fd);
    errno = error;
    return fail_write(s, path);
  }
  close(fd);
  return 0;
}

static int write_link(struct switching *s, const char *path, git_blob *blob) {
  char *target = cul_xasprintf("%.*s", (int)git_blob_rawsize(blob),
                               (const char *)git_blob_rawcontent(blob));
  int rc = symlink(target, path) < 0 ? fail_write(s, path) : 0;
  free(target);
  return rc;
}

static struct cul_commit_id id_of(const git_oid *oid) {
  struct cul_commit_id id;
  memcpy(id.raw, oid->id, sizeof id.raw);
  return id;
}

static struct link *link_at(struct switching *s, const char *path) {
  for (size_t i = 0; i < s->n_links; i++)
    if (strcmp(s->links[i].path, path) == 0)
      return &s->links[i];
  s->links = cul_xreallocarray(s->links, s->n_links + 1, sizeof *s->links);
  s->links[s->n_links] = (struct link){.path = cul_xstrdup(path)};
  return &s->links[s->n_links++];
}

static int put(struct switching *s, const git_diff_file *file) {
  char *path = cul_xasprintf("%s/%s", s->dir, file->path);
  git_blob *blob = NULL;
  int code;
  s->rc = make_parents(s, path);
  if (s->rc == 0 && file->mode == GIT_FILEMODE_COMMIT) {
    struct link *link = link_at(s, file->path);
    link->has = true;
    link->new = id_of(&file->id);
  } else if (s->rc == 0) {
    code = git_blob_lookup(&blob, s->repo->git, &file->id);
    if (unlink(path) < 0 && errno == EISDIR)
      cul_rmtree(path); /* a build made it */
    if (code < 0)
      s->rc = cul_repo_fail_object(s->repo, code, file->path, s->err);
    else if (file->mode == GIT_FILEMODE_LINK)
      s->rc = write_link(s, path, blob);
    else
      s->rc = write_file(s, path, blob, file->mode);
  }
  git_blob_free(blob);
  free(path);
  return s->rc;
}

/* Directories that become empty go, too. */
static void take_away(const struct switching *s, const char *name) {
  char *path = cul_xasprintf("%s/%s", s->dir, name), *slash;
  unlink(path);
  while ((slash = strrchr(path, '/')) && slash > path + strlen(s->dir)) {
    *slash = '\0';
    if (rmdir(path) < 0)
      break;
  }
  free(path);
}

/* What goes, goes first: a file may become a directory. */
static int remove_one(const git_diff_delta *delta, float progress, void *self) {
  struct switching *s = self;
  bool goes = delta->status == GIT_DELTA_DELETED ||
              delta->status == GIT_DELTA_TYPECHANGE;
  (void)progress;
  if (delta->old_file.mode == GIT_FILEMODE_COMMIT) {
    struct link *link = link_at(s, delta->old_file.path);
    link->had = true;
    link->old = id_of(&delta->old_file.id);
    if (goes) {
      char *path = cul_xasprintf("%s/%s", s->dir, link->path);
      cul_rmtree(path);
      free(path);
      link->had = false;
    }
  }
  if (goes)
    take_away(s, delta->old_file.path);
  return 0;
}

static int put_one(const git_diff_delta *delta, float progress, void *self) {
  struct switching *s = self;
  (void)progress;
  return delta->status == GIT_DELTA_DELETED ? 0 : put(s, &delta->new_file);
}

/* ---- dependencies ---- */

/* What the tree itself says of a submodule. */
static bool tree_link(git_tree *tree, const char *path,
                      struct cul_commit_id *out) {
  git_tree_entry *entry = NULL;
  bool found = tree && git_tree_entry_bypath(&entry, tree, path) == 0 &&
               git_tree_entry_filemode(entry) == GIT_FILEMODE_COMMIT;
  if (found)
    *out = id_of(git_tree_entry_id(entry));
  git_tree_entry_free(entry);
  return found;
}

/* Submodules that are held elsewhere than their trees say. */
static void hold_links(struct switching *s) {
  for (int side = 0; side < 2; side++) {
    const struct cul_revision *rev = side ? s->to : s->from;
    for (size_t i = 0; rev && i < rev->n_held; i++) {
      const struct cul_override *held = &rev->held[i];
      size_t n = s->n_links;
      struct link *link = held->pattern ? NULL : link_at(s, held->path);
      if (!link)
        continue;
      if (s->n_links > n) { /* no tree changes it */
        link->had = tree_link(s->old, held->path, &link->old);
        link->has = tree_link(s->new, held->path, &link->new);
      }
      if (side && link->has)
        link->new = held->id;
      if (!side && link->had)
        link->old = held->id;
    }
  }
}

static int switch_link(struct switching *s, const struct link *link) {
  struct cul_revision from = {.commit = link->old}, to = {.commit = link->new};
  struct cul_repo *module = NULL;
  char *dir = NULL, *path = cul_xasprintf("%s/%s", s->dir, link->path);
  int rc = cul_mkdirs(path, s->err);
  if (rc == 0 && link->has &&
      !(link->had && cul_commit_equal(&link->old, &link->new)))
    rc = cul_repo_module(s->repo, &s->to->commit, link->path, &link->new, &dir,
                         s->err);
  if (rc == 0 && dir)
    rc = cul_repo_open(dir, &module, s->err);
  if (module) {
    rc = cul_repo_switch(module, path, link->had ? &from : NULL, &to, s->err);
    if (rc == CUL_EUSAGE)
      rc = s->err->code = CUL_ECHILD;
    cul_repo_close(module);
  }
  free(dir);
  free(path);
  return rc;
}

/* The file of a pin as `to` has it, with the commit that is held. */
static int pin_text(struct switching *s, const char *path,
                    struct cul_buf *out) {
  git_tree_entry *entry = NULL;
  git_blob *blob = NULL;
  int code = git_tree_entry_bypath(&entry, s->new, path), rc = 0;
  if (code == GIT_ENOTFOUND)
    return 0;
  if (code == 0)
    code = git_blob_lookup(&blob, s->repo->git, git_tree_entry_id(entry));
  if (code < 0)
    rc = cul_repo_fail_object(s->repo, code, path, s->err);
  else
    cul_buf_add(out, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
  for (size_t i = 0; i < s->to->n_held && rc == 0; i++) {
    const struct cul_override *held = &s->to->held[i];
    struct cul_buf next = {0};
    if (!held->pattern || strcmp(held->path, path) != 0)
      continue;
    rc = cul_pin_replace(held->pattern, out->data, out->len, &held->id, &next,
                         NULL, s->err);
    cul_buf_release(out);
    *out = next;
  }
  git_blob_free(blob);
  git_tree_entry_free(entry);
  return rc;
}

/* Written only where it differs, so that its time tells of a change. */
static int switch_pin(struct switching *s, const char *name) {
  struct cul_buf want = {0}, has = {0};
  struct cul_err none = {0};
  char *path = cul_xasprintf("%s/%s", s->dir, name);
  int rc = pin_text(s, name, &want);
  if (rc == 0 && want.len > 0 &&
      (cul_file_read(path, 0, &has, &none) < 0 || has.len != want.len ||
       memcmp(has.data, want.data, want.len) != 0))
    rc = cul_file_write(path, want.data, want.len, 0666, s->err);
  cul_buf_release(&want);
  cul_buf_release(&has);
  free(path);
  return rc;
}

static int switch_dependencies(struct switching *s) {
  int rc = 0;
  hold_links(s);
  for (size_t i = 0; i < s->n_links && rc == 0; i++)
    if (s->links[i].has)
      rc = switch_link(s, &s->links[i]);
  for (int side = 0; side < 2; side++) {
    const struct cul_revision *rev = side ? s->to : s->from;
    for (size_t i = 0; rev && i < rev->n_held && rc == 0; i++)
      if (rev->held[i].pattern)
        rc = switch_pin(s, rev->held[i].path);
  }
  return rc;
}

bool cul_revision_equal(const struct cul_revision *a,
                        const struct cul_revision *b) {
  bool equal =
      cul_commit_equal(&a->commit, &b->commit) && a->n_held == b->n_held;
  for (size_t i = 0; equal && i < a->n_held; i++)
    equal = cul_commit_equal(&a->held[i].id, &b->held[i].id) &&
            strcmp(a->held[i].path, b->held[i].path) == 0;
  return equal;
}

static int switch_files(struct switching *s) {
  git_diff_options options;
  git_diff *diff = NULL;
  int code;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_SKIP_BINARY_CHECK;
  code = git_diff_tree_to_tree(&diff, s->repo->git, s->old, s->new, &options);
  if (code == 0)
    code = git_diff_foreach(diff, remove_one, NULL, NULL, NULL, s);
  if (code == 0)
    code = git_diff_foreach(diff, put_one, NULL, NULL, NULL, s);
  git_diff_free(diff);
  if (s->rc == 0 && code < 0)
    return cul_repo_fail_object(s->repo, code, "a commit's tree", s->err);
  return s->rc;
}

int cul_repo_switch(struct cul_repo *repo, const char *dir,
                    const struct cul_revision *from,
                    const struct cul_revision *to, struct cul_err *err) {
  struct switching s = {
      .repo = repo, .dir = dir, .from = from, .to = to, .err = err};
  int rc = find_tree(repo, from ? &from->commit : NULL, &s.old, err);
  if (rc == 0)
    rc = find_tree(repo, &to->commit, &s.new, err);
  if (rc == 0)
    rc = cul_mkdirs(dir, err);
  if (rc == 0)
    rc = switch_files(&s);
  if (rc == 0)
    rc = switch_dependencies(&s);
  for (size_t i = 0; i < s.n_links; i++)
    free(s.links[i].path);
  free(s.links);
  git_tree_free(s.old);
  git_tree_free(s.new);
  return rc;
}
