/* Files of a checkout: see repo_private.h.  Builds may have put links anywhere;
 * all is reached from a directory that is held. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/beneath.h"
#include "../../base/file.h"
#include "repo_private.h"

static int fail_put(const struct cul_checkout *to, const char *path,
                    struct cul_err *err) {
  switch (errno) {
  case EXDEV: /* ".." */
  case ENAMETOOLONG:
  case EINVAL:
  case ENOENT: /* a link to nothing at all */
    return cul_fail(err, CUL_ECHILD, "", "the commit's file %s cannot be: %s",
                    path, strerror(errno));
  default:
    return cul_fail(err, CUL_EENV,
                    "make room, or give --work another directory",
                    "cannot write %s/%s: %s", to->name, path, strerror(errno));
  }
}

int cul_checkout_open(struct cul_checkout *out, const char *dir,
                      struct cul_err *err) {
  *out = (struct cul_checkout){
      .dir = cul_beneath_hold(dir), .name = dir, .above = -1};
  return out->dir < 0 ? cul_fail(err, CUL_EENV,
                                 "name a directory that you own: --work DIR",
                                 "cannot use %s: %s", dir, strerror(errno))
                      : 0;
}

static void forget(struct cul_checkout *at) {
  if (at->above >= 0)
    close(at->above);
  at->above = -1;
  free(at->above_path);
  at->above_path = NULL;
}

void cul_checkout_close(struct cul_checkout *at) {
  forget(at);
  if (at->dir >= 0)
    close(at->dir);
  at->dir = -1;
}

/* The directory at path, n bytes of it: made where it is missing; a link or
 * file in the place of one of its components goes. */
static int claim(int dir, const char *path, size_t n) {
  char name[NAME_MAX + 1];
  int fd =
      TEMP_FAILURE_RETRY(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (size_t at = 0; fd >= 0 && at < n;) {
    size_t len = strcspn(path + at, "/");
    int next = -1, error;
    len = len > n - at ? n - at : len;
    if (len > NAME_MAX) {
      errno = ENAMETOOLONG;
    } else {
      memcpy(name, path + at, len);
      name[len] = '\0';
      if (!len || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        errno = EXDEV;
      else
        next = cul_beneath_claim(fd, name);
    }
    error = errno;
    close(fd);
    errno = error;
    fd = next;
    at += len + 1;
  }
  return fd;
}

/* The directory that the last component stands in, borrowed.  Files come in the
 * order of their names: mostly it is the last one again. */
static int above(struct cul_checkout *to, const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) : 0;
  *name = slash ? slash + 1 : path;
  if (!**name || strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0)
    return errno = EXDEV, -1;
  if (to->above >= 0 && strlen(to->above_path) == n &&
      memcmp(to->above_path, path, n) == 0)
    return to->above;
  forget(to);
  to->above = claim(to->dir, path, n);
  to->above_path = cul_xstrndup(path, n);
  return to->above;
}

int cul_checkout_dir(struct cul_checkout *to, const char *path,
                     struct cul_err *err) {
  int fd;
  forget(to);
  fd = claim(to->dir, path, strlen(path));
  if (fd < 0)
    return fail_put(to, path, err);
  close(fd);
  return 0;
}

int cul_checkout_put(struct cul_checkout *to, const char *path,
                     struct cul_bytes text, bool runs, struct cul_err *err) {
  const char *name;
  int dir = above(to, path, &name);
  if (dir < 0 ||
      cul_beneath_put(dir, name, text.data, text.len, runs ? 0777 : 0666) < 0)
    return fail_put(to, path, err);
  return 0;
}

int cul_checkout_link(struct cul_checkout *to, const char *path,
                      const char *target, struct cul_err *err) {
  const char *name;
  int dir = above(to, path, &name);
  if (dir < 0 || cul_beneath_remove(dir, name) < 0 ||
      symlinkat(target, dir, name) < 0)
    return fail_put(to, path, err);
  return 0;
}

void cul_checkout_take(struct cul_checkout *from, const char *path) {
  const char *name;
  int dir = cul_beneath_parent(from->dir, path, &name);
  forget(from);
  if (dir < 0)
    return;
  unlinkat(dir, name, 0);
  close(dir);
}

void cul_checkout_prune(struct cul_checkout *from, const char *path,
                        size_t kept) {
  char *dir = cul_xstrdup(path), *slash;
  const char *name;
  forget(from);
  while ((slash = strrchr(dir, '/')) && slash > dir + kept) {
    int fd, rc;
    *slash = '\0';
    fd = cul_beneath_parent(from->dir, dir, &name);
    rc = fd < 0 ? -1 : unlinkat(fd, name, AT_REMOVEDIR);
    if (fd >= 0)
      close(fd);
    if (rc < 0)
      break;
  }
  free(dir);
}

void cul_checkout_clear(struct cul_checkout *from, const char *path) {
  const char *name;
  int dir = cul_beneath_parent(from->dir, path, &name);
  forget(from);
  if (dir < 0)
    return;
  cul_beneath_remove(dir, name);
  close(dir);
}

bool cul_checkout_stat(const struct cul_checkout *in, const char *path,
                       struct stat *out) {
  const char *name;
  int dir = cul_beneath_parent(in->dir, path, &name);
  bool found = dir >= 0 && fstatat(dir, name, out, AT_SYMLINK_NOFOLLOW) == 0;
  if (dir >= 0)
    close(dir);
  return found;
}

static bool read_link(const struct cul_checkout *in, const char *path,
                      struct cul_buf *out) {
  const char *name;
  char target[PATH_MAX];
  int dir = cul_beneath_parent(in->dir, path, &name);
  ssize_t n = dir < 0 ? -1 : readlinkat(dir, name, target, sizeof target);
  if (dir >= 0)
    close(dir);
  if (n > 0)
    cul_buf_add(out, target, (size_t)n);
  return n >= 0;
}

bool cul_checkout_holds(const struct cul_checkout *in, const char *path,
                        bool link, struct cul_bytes text) {
  struct cul_buf has = {0};
  struct stat st;
  bool same = false;
  int fd = -1;
  if (link) {
    same = read_link(in, path, &has);
  } else {
    fd = cul_beneath_open(in->dir, path, O_RDONLY, 0);
    /* Not read where its size tells. */
    same = fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size == text.len;
    if (same) {
      cul_buf_reserve(&has, text.len + 1);
      same = cul_read_all(fd, has.data, text.len) == 1 || text.len == 0;
      has.len = same ? text.len : 0;
    }
    if (fd >= 0)
      close(fd);
  }
  same = same && has.len == text.len &&
         (text.len == 0 || memcmp(has.data, text.data, text.len) == 0);
  cul_buf_release(&has);
  return same;
}
