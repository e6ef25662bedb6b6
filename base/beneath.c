/* Looking up names without following links: see beneath.h.  Removal of trees
 * is in beneath_remove.c. */
#include "beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "beneath_private.h"
#include "draft.h"
#include "file.h"

enum {
  STEP = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
  TRIES = 1000 /* against one that swaps names all the time */
};

/* close(2) that keeps errno. */
static int drop(int fd) {
  int error = errno;
  if (fd >= 0)
    close(fd);
  errno = error;
  return -1;
}

/* "..", wherever it led, would have to be checked for. */
static bool may_leave(const char *path) {
  for (const char *at = path; *at; at += strspn(at, "/")) {
    size_t n = strcspn(at, "/");
    if (n == 0 || (n == 2 && memcmp(at, "..", 2) == 0))
      return true;
    at += n;
  }
  return false;
}

/* The next component into name; 1: there is one, 0: the end, -1 with errno. *at
 * goes behind it. */
static int next_name(const char **at, char name[NAME_MAX + 1]) {
  size_t n = strcspn(*at, "/");
  if (n == 0)
    return 0;
  if (n > NAME_MAX)
    return errno = ENAMETOOLONG, -1;
  memcpy(name, *at, n);
  name[n] = '\0';
  *at += n + strspn(*at + n, "/");
  return 1;
}

int cul_beneath_steps(int dir, const char *path, int flags, mode_t mode) {
  char name[NAME_MAX + 1];
  int fd = dir, next, rc;
  if (may_leave(path))
    return errno = EXDEV, -1;
  if ((rc = next_name(&path, name)) <= 0)
    return rc < 0 ? -1 : (errno = ENOENT, -1);
  while (rc > 0 && *path) {
    next = TEMP_FAILURE_RETRY(openat(fd, name, STEP));
    if (fd != dir)
      drop(fd);
    if (next < 0)
      return -1;
    fd = next;
    rc = next_name(&path, name);
  }
  next = rc < 0 ? -1
                : TEMP_FAILURE_RETRY(
                      openat(fd, name, flags | O_NOFOLLOW | O_CLOEXEC, mode));
  if (fd != dir)
    drop(fd);
  return next;
}

/* By one call where the kernel has it.  A single name needs none: O_NOFOLLOW
 * says it all. */
static int look_up(int dir, const char *path, int flags, mode_t mode) {
  struct open_how how = {.flags = (unsigned)flags | O_NOFOLLOW | O_CLOEXEC,
                         .mode = flags & O_CREAT ? mode : 0,
                         .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
                                    RESOLVE_NO_MAGICLINKS};
  int fd = -1;
  if (may_leave(path))
    return errno = EXDEV, -1;
  errno = ENOSYS;
#ifdef SYS_openat2
  if (strchr(path, '/'))
    fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
#endif
  if (fd < 0 && (errno == ENOSYS || errno == EPERM || errno == EAGAIN))
    fd = cul_beneath_steps(dir, path, flags, mode);
  return fd;
}

int cul_beneath_hold(const char *path) {
  struct stat st;
  int fd = TEMP_FAILURE_RETRY(open(path, CUL_BENEATH_LIST));
  if (fd < 0 && errno == EACCES)
    fd = cul_beneath_unlock(AT_FDCWD, path);
  if (fd < 0 || fstat(fd, &st) < 0)
    return drop(fd);
  if (st.st_uid != geteuid() && st.st_uid != 0)
    return errno = EPERM, drop(fd);
  return fd;
}

int cul_beneath_open(int dir, const char *path, int flags, mode_t mode) {
  bool writes = (flags & O_ACCMODE) != O_RDONLY;
  struct stat st;
  /* Emptied only when it is known to be a file that may be. */
  int fd = look_up(dir, path, (flags & ~O_TRUNC) | O_NONBLOCK | O_NOCTTY, mode);
  if (fd < 0)
    return -1;
  if (fstat(fd, &st) < 0)
    return drop(fd);
  if (!S_ISREG(st.st_mode))
    return errno = S_ISDIR(st.st_mode) ? EISDIR : ENXIO, drop(fd);
  if (writes && st.st_nlink > 1)
    return errno = EMLINK, drop(fd);
  if ((flags & O_TRUNC) && ftruncate(fd, 0) < 0)
    return drop(fd);
  return fd;
}

int cul_beneath_dir(int dir, const char *path) {
  return look_up(dir, path, CUL_BENEATH_LIST, 0);
}

int cul_beneath_parent(int dir, const char *path, const char **name) {
  char above[PATH_MAX];
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) : 0;
  *name = slash ? slash + 1 : path;
  if (slash == path || strcmp(*name, "..") == 0)
    return errno = EXDEV, -1;
  if (!**name || strcmp(*name, ".") == 0)
    return errno = ENOENT, -1;
  if (n >= sizeof above)
    return errno = ENAMETOOLONG, -1;
  memcpy(above, path, n);
  above[n] = '\0';
  return look_up(dir, n ? above : ".", CUL_BENEATH_LIST, 0);
}

int cul_beneath_mkdirs(int dir, const char *path, mode_t mode) {
  char name[NAME_MAX + 1];
  int fd, next, rc;
  if (may_leave(path))
    return errno = EXDEV, -1;
  fd = TEMP_FAILURE_RETRY(openat(dir, ".", CUL_BENEATH_LIST));
  while (fd >= 0 && (rc = next_name(&path, name)) != 0) {
    if (rc < 0 || (mkdirat(fd, name, mode) < 0 && errno != EEXIST))
      return drop(fd);
    next = TEMP_FAILURE_RETRY(openat(fd, name, CUL_BENEATH_LIST));
    drop(fd);
    fd = next;
  }
  return fd;
}

int cul_beneath_claim(int dir, const char *name) {
  for (int i = 0; i < TRIES; i++) {
    int fd = TEMP_FAILURE_RETRY(openat(dir, name, CUL_BENEATH_LIST));
    if (fd < 0 && errno == EACCES) {
      cul_beneath_repair(dir);
      fd = cul_beneath_unlock(dir, name);
    }
    if (fd >= 0)
      return cul_beneath_repair(fd), fd;
    if (errno == ENOENT) {
      if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST &&
          (errno != EACCES || !cul_beneath_repair(dir)))
        return -1;
    } else if (errno != ENOTDIR && errno != ELOOP) {
      return -1;
    } else if (unlinkat(dir, name, 0) < 0 && errno != ENOENT &&
               errno != EISDIR && errno != EPERM) {
      return -1;
    }
  }
  return errno = EBUSY, -1;
}

int cul_beneath_replace(int dir, const char *path, const void *data, size_t len,
                        mode_t mode, bool lasting) {
  struct cul_draft draft;
  if (cul_draft_open(&draft, dir, path, mode) < 0)
    return -1;
  if (cul_write_all(draft.fd, data, len) < 0) {
    cul_draft_drop(&draft);
    return -1;
  }
  return cul_draft_publish(&draft, lasting);
}

int cul_beneath_create(int dir, const char *path, mode_t mode) {
  const char *name;
  int above = cul_beneath_parent(dir, path, &name), fd = -1;
  if (above < 0)
    return -1;
  for (int i = 0; i < TRIES && fd < 0; i++) {
    if (unlinkat(above, name, 0) < 0 && errno != ENOENT &&
        cul_beneath_remove(above, name) < 0)
      break;
    fd = TEMP_FAILURE_RETRY(
        openat(above, name,
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (fd < 0 && errno != EEXIST)
      break;
  }
  drop(above);
  return fd;
}

int cul_beneath_put(int dir, const char *path, const void *data, size_t len,
                    mode_t mode) {
  int fd = cul_beneath_create(dir, path, mode);
  if (fd < 0)
    return -1;
  if (cul_write_all(fd, data, len) < 0)
    return drop(fd);
  return close(fd);
}
