/* See held.h. */
#include "held.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beneath.h"
#include "file.h"

static int fail(const char *verb, const char *path, struct cul_err *err) {
  const char *advice =
      errno == ENOSPC || errno == EDQUOT ? "make room on that file system"
      : errno == EXDEV                   ? "report this"
                       : "the file belongs to culprit: has a tool or a user "
                         "removed or replaced its directory?";
  return cul_fail(err, CUL_EENV, advice, "cannot %s %s: %s", verb, path,
                  strerror(errno));
}

int cul_held_open(struct cul_held *held, const char *path,
                  struct cul_err *err) {
  *held = (struct cul_held){
      .fd = TEMP_FAILURE_RETRY(
          open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))};
  if (held->fd < 0)
    return fail("use the directory", path, err);
  held->path = cul_xstrdup(path);
  return 0;
}

int cul_held_make(struct cul_held *held, const char *path, mode_t mode,
                  struct cul_err *err) {
  int rc = cul_mkdirs(path, mode, err);
  *held = (struct cul_held){.fd = -1};
  if (rc < 0)
    return rc;
  held->fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held->fd < 0)
    return cul_fail(err, CUL_EENV, "choose another place",
                    "cannot use the directory %s: %s", path, strerror(errno));
  held->path = cul_xstrdup(path);
  return 0;
}

void cul_held_close(struct cul_held *held) {
  if (held->path)
    close(held->fd);
  free(held->path);
  *held = (struct cul_held){.fd = -1};
}

const char *cul_held_name(const struct cul_held *held, const char *path) {
  size_t n = strlen(held->path);
  return strncmp(path, held->path, n) == 0 && path[n] == '/' ? path + n + 1
                                                             : NULL;
}

/* path below held; for a path outside, "..", which every call refuses. */
static const char *name_in(const struct cul_held *held, const char *path) {
  const char *name = cul_held_name(held, path);
  return name ? name : "..";
}

/* If a tool has removed the held directory itself, make a new one under its
 * name and descriptor. It is opened while its name is still random. */
static bool remake(const struct cul_held *held) {
  char *fresh = cul_xasprintf("%s.XXXXXX", held->path);
  struct stat st;
  bool done = fstat(held->fd, &st) == 0 && st.st_nlink == 0 && mkdtemp(fresh);
  int fd = done ? TEMP_FAILURE_RETRY(open(fresh, O_RDONLY | O_DIRECTORY |
                                                     O_NOFOLLOW | O_CLOEXEC))
                : -1;
  if (done && (fd < 0 || rename(fresh, held->path) < 0 ||
               dup3(fd, held->fd, O_CLOEXEC) < 0)) {
    rmdir(fresh);
    done = false;
  }
  if (fd >= 0)
    close(fd);
  free(fresh);
  return done;
}

int cul_held_claim(const struct cul_held *held, const char *path, int *fd,
                   struct cul_err *err) {
  *fd = cul_beneath_claim(held->fd, name_in(held, path));
  if (*fd < 0 && errno == ENOENT) {
    if (remake(held))
      *fd = cul_beneath_claim(held->fd, name_in(held, path));
    else
      errno = ENOENT;
  }
  return *fd < 0 ? fail("make the directory", path, err) : 0;
}

int cul_held_ready(const struct cul_held *held, const char *path, mode_t mode,
                   struct cul_err *err) {
  int fd, rc;
  (void)!mkdirat(held->fd, name_in(held, path), mode);
  rc = cul_held_claim(held, path, &fd, err);
  if (rc == 0)
    close(fd);
  return rc;
}

int cul_held_put(const struct cul_held *held, const char *path,
                 struct cul_bytes bytes, mode_t mode, struct cul_err *err) {
  return cul_beneath_put(held->fd, name_in(held, path), bytes.data, bytes.len,
                         mode) < 0
             ? fail("write", path, err)
             : 0;
}

/* Make the directories above name. */
static int make_way(const struct cul_held *held, const char *name) {
  const char *slash = strrchr(name, '/');
  char *above;
  int fd, error;
  if (!slash)
    return 0;
  above = cul_xasprintf("%.*s", (int)(slash - name), name);
  fd = cul_beneath_mkdirs(held->fd, above, 0777);
  error = errno;
  free(above);
  errno = error;
  return fd < 0 ? -1 : close(fd);
}

int cul_held_replace(const struct cul_held *held, const char *path,
                     struct cul_bytes bytes, mode_t mode, struct cul_err *err) {
  const char *name = name_in(held, path);
  return make_way(held, name) < 0 ||
                 cul_beneath_replace(held->fd, name, bytes, mode, true, NULL,
                                     NULL) < 0
             ? fail("write", path, err)
             : 0;
}

bool cul_held_unlink(const struct cul_held *held, const char *path) {
  const char *name;
  int above = cul_beneath_parent(held->fd, name_in(held, path), &name);
  bool done = above >= 0 && unlinkat(above, name, 0) == 0;
  if (above >= 0)
    close(above);
  return done;
}

int cul_held_read(const struct cul_held *held, const char *path, size_t max,
                  struct cul_buf *out, struct cul_err *err) {
  int fd = cul_beneath_open(held->fd, name_in(held, path), O_RDONLY, 0);
  int rc =
      fd < 0 || cul_read_rest(fd, max, out) < 0 ? fail("read", path, err) : 0;
  if (fd >= 0)
    close(fd);
  return rc;
}
