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

struct switching {
  struct cul_repo *repo;
  const char *dir;
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

static int put(struct switching *s, const git_diff_file *file) {
  char *path = cul_xasprintf("%s/%s", s->dir, file->path);
  git_blob *blob = NULL;
  int code;
  s->rc = make_parents(s, path);
  if (s->rc == 0 && file->mode == GIT_FILEMODE_COMMIT) {
    s->rc = cul_mkdirs(path, s->err); /* a submodule: its place */
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
  const struct switching *s = self;
  (void)progress;
  if (delta->status == GIT_DELTA_DELETED ||
      delta->status == GIT_DELTA_TYPECHANGE)
    take_away(s, delta->old_file.path);
  return 0;
}

static int put_one(const git_diff_delta *delta, float progress, void *self) {
  struct switching *s = self;
  (void)progress;
  return delta->status == GIT_DELTA_DELETED ? 0 : put(s, &delta->new_file);
}

int cul_repo_switch(struct cul_repo *repo, const char *dir,
                    const struct cul_commit_id *from,
                    const struct cul_commit_id *to, struct cul_err *err) {
  struct switching s = {.repo = repo, .dir = dir, .err = err};
  git_diff_options options;
  git_tree *old = NULL, *new = NULL;
  git_diff *diff = NULL;
  int rc = find_tree(repo, from, &old, err), code = 0;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_SKIP_BINARY_CHECK;
  if (rc == 0)
    rc = find_tree(repo, to, &new, err);
  if (rc == 0)
    rc = cul_mkdirs(dir, err);
  if (rc == 0) {
    code = git_diff_tree_to_tree(&diff, repo->git, old, new, &options);
    if (code == 0)
      code = git_diff_foreach(diff, remove_one, NULL, NULL, NULL, &s);
    if (code == 0)
      code = git_diff_foreach(diff, put_one, NULL, NULL, NULL, &s);
    rc = s.rc;
  }
  if (rc == 0 && code < 0)
    rc = cul_repo_fail_object(repo, code, "a commit's tree", err);
  git_diff_free(diff);
  git_tree_free(old);
  git_tree_free(new);
  return rc;
}
