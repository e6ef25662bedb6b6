/* Files and directories: see file.h. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../status.h"
#include "beneath.h"
#include "fd.h"

static const char *read_advice(int error) {
  switch (error) {
  case ENOENT:
    return "check the name; relative names start at the current directory";
  case ENOTDIR:
    return "check the name: what is before a / in it is a file";
  case EACCES:
    return "make the file readable for this user";
  case EISDIR:
    return "give a file, not a directory";
  default:
    return "check the disk for errors, and the file's permissions";
  }
}

/* Can the user fix the error by another name, or by other permissions? */
static bool is_of_name(int error) {
  return error == ENOENT || error == ENOTDIR || error == EISDIR ||
         error == EACCES || error == EPERM || error == ELOOP ||
         error == ENAMETOOLONG || error == ENXIO;
}

static int fail_read(struct cul_err *err, const char *path, int error) {
  if (error == EINTR)
    return cul_fail(err, CUL_EINTR, "", "interrupted while reading %s", path);
  return cul_fail(err, is_of_name(error) ? CUL_EUSAGE : CUL_EENV,
                  read_advice(error), "cannot read %s: %s", path,
                  strerror(error));
}

static int fail_large(struct cul_err *err, const char *path, size_t max) {
  return cul_fail(err, CUL_EUSAGE, "give a smaller file",
                  "cannot read %s: it is larger than %zu %s, the most that is "
                  "read of it",
                  path, max >> 20 ? max >> 20 : max,
                  max >> 20 ? "MiB" : "bytes");
}

/* Must a long read stop because the user interrupts?  A read that began after
 * the interrupt continues: it is needed to end the job properly. */
static bool gives_up(size_t done, bool asked_before) {
  enum { LONG = 16 << 20 };
  return done >= LONG && !asked_before && cul_status_interrupted();
}

/* Replace path by its directory. */
static void ascend(char **path) {
  char *slash = strrchr(*path, '/');
  char *dir = slash == *path ? cul_xstrdup("/")
              : slash ? cul_xasprintf("%.*s", (int)(slash - *path), *path)
                      : cul_xstrdup(".");
  free(*path);
  *path = dir;
}

int cul_read_rest(int fd, size_t max, struct cul_buf *out) {
  size_t start = out->len;
  bool before = cul_status_interrupted();
  if (max == 0)
    max = CUL_FILE_MOST;
  for (;;) {
    ssize_t n;
    if (gives_up(out->len - start, before))
      return errno = EINTR, -1;
    cul_buf_reserve(out, 1 << 16);
    n = read(fd, out->data + out->len, 1 << 16);
    if (n < 0 && errno == EINTR && (before || !cul_status_interrupted()))
      continue;
    if (n < 0)
      return -1;
    out->len += (size_t)n;
    out->data[out->len] = '\0';
    if (out->len - start > max)
      return errno = EFBIG, -1;
    if (n == 0)
      return 0;
  }
}

/* fd: an open descriptor, which is closed, or -1 with errno. */
static int read_whole(int fd, const char *path, size_t max, struct cul_buf *out,
                      struct cul_err *err) {
  struct stat st = {0};
  int rc = 0;
  if (fd < 0)
    return fail_read(err, path, errno);
  if (max == 0)
    max = CUL_FILE_MOST;
  if (fstat(fd, &st) < 0 || st.st_size < 0)
    st.st_size = 0;
  if (S_ISREG(st.st_mode) && (uint64_t)st.st_size <= max)
    cul_buf_reserve(out, (size_t)st.st_size + 1);
  if ((uint64_t)st.st_size > max)
    rc = -1, errno = EFBIG;
  else
    rc = cul_read_rest(fd, max, out);
  if (rc < 0)
    rc = errno == EFBIG ? fail_large(err, path, max)
                        : fail_read(err, path, errno);
  close(fd);
  return rc;
}

/* Opening a named pipe blocks until a writer opens it; an interrupt by the user
 * ends the wait. */
static int open_to_read(const char *path) {
  bool before = cul_status_interrupted();
  int fd;
  do
    fd = open(path, O_RDONLY | O_CLOEXEC);
  while (fd < 0 && errno == EINTR && (before || !cul_status_interrupted()));
  return fd;
}

int cul_file_read(const char *path, size_t max, struct cul_buf *out,
                  struct cul_err *err) {
  return read_whole(open_to_read(path), path, max, out, err);
}

/* Open the directory of path, following links in the user's path; *name: the
 * last component. Returns -1 with errno. */
static int open_above(const char *path, const char **name) {
  char *dir = cul_xstrdup(path);
  int fd, error;
  *name = cul_basename(path);
  ascend(&dir);
  fd = TEMP_FAILURE_RETRY(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd < 0 && errno == EACCES) /* search permission suffices */
    fd = TEMP_FAILURE_RETRY(open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC));
  error = errno;
  free(dir);
  errno = error;
  return fd;
}

int cul_file_read_own(const char *path, size_t max, struct cul_buf *out,
                      struct cul_err *err) {
  const char *name;
  int above = open_above(path, &name), error;
  int fd = above < 0 ? -1 : cul_beneath_open(above, name, O_RDONLY, 0);
  error = errno;
  if (above >= 0)
    close(above);
  errno = error;
  return read_whole(fd, path, max, out, err);
}

static int fail_write(struct cul_err *err, const char *path, int error) {
  const char *advice = "choose another place with -o";
  if (error == ENOSPC || error == EDQUOT)
    advice = "make room on that file system, then run the same command again: "
             "it continues where it stopped";
  else if (error == ENOENT)
    advice = "make the directory first, or choose another place";
  else if (error == ENOTDIR)
    advice = "a file is where a directory should be: choose another place";
  else if (error == EISDIR)
    advice = "name a file in it, or choose another place";
  else if (error == EACCES || error == EROFS || error == EPERM)
    advice = "make the directory writable for this user, or choose another";
  return cul_fail(err, CUL_EENV, advice, "cannot write %s: %s", path,
                  strerror(error));
}

/* A path from the user that leads nowhere is a usage error. */
static int fail_place(struct cul_err *err, const char *path, int error) {
  int rc = fail_write(err, path, error);
  if (error == ENOENT || error == ENOTDIR || error == EISDIR || error == ELOOP)
    rc = err->code = CUL_EUSAGE;
  return rc;
}

static int write_into(const char *path, const void *data, size_t len,
                      struct cul_err *err) {
  int fd = TEMP_FAILURE_RETRY(open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)),
      error = 0;
  if (fd < 0)
    return fail_write(err, path, errno);
  if (cul_write_all(fd, data, len) < 0)
    error = errno;
  if (close(fd) < 0 && !error)
    error = errno;
  return error ? fail_write(err, path, error) : 0;
}

/* The target of a link, heap; NULL: path is not a link. */
static char *read_link(const char *path) {
  char target[PATH_MAX];
  const char *slash = strrchr(path, '/');
  ssize_t n = readlink(path, target, sizeof target - 1);
  if (n <= 0)
    return NULL;
  target[n] = '\0';
  return target[0] == '/' || !slash
             ? cul_xstrdup(target)
             : cul_xasprintf("%.*s/%s", (int)(slash - path), path, target);
}

/* Is path in /proc? A link there denotes an open file, not only a name. */
static bool is_in_proc(const char *path) {
  const char *slash = strrchr(path, '/');
  char *dir = slash ? cul_xasprintf("%.*s/", (int)(slash - path), path) : NULL;
  char *real = realpath(dir ? dir : ".", NULL);
  bool in = real && strncmp(real, "/proc/", 6) == 0;
  free(real);
  free(dir);
  return in;
}

enum { MOST_LINKS = 40 }; /* the limit of the kernel */

/* Is path a device, a pipe or a descriptor (/dev/stdout, through links)?
 * Writing must not replace it. Its directory does not decide: /dev/shm contains
 * plain files. */
static bool is_special(const char *path) {
  struct stat st;
  char *at = cul_xstrdup(path), *next;
  bool special =
      stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
  for (int i = 0; i < MOST_LINKS && !special; i++) {
    special = is_in_proc(at);
    next = read_link(at);
    if (!next)
      break;
    free(at);
    at = next;
  }
  free(at);
  return special;
}

char *cul_file_follow(const char *path) {
  char *at = cul_xstrdup(path), *next;
  for (int i = 0; i < MOST_LINKS && !is_special(at) && (next = read_link(at));
       i++) {
    free(at);
    at = next;
  }
  return at;
}

/* Does the directory exist in which the user's file is to be written? */
static int check_place(const char *path, struct cul_err *err) {
  struct stat st;
  char *dir = cul_file_follow(path);
  bool loops = lstat(dir, &st) == 0 && S_ISLNK(st.st_mode);
  int error = 0;
  ascend(&dir);
  if (loops)
    error = ELOOP;
  else if (stat(dir, &st) < 0)
    error = errno;
  else if (!S_ISDIR(st.st_mode))
    error = ENOTDIR;
  free(dir);
  return error ? fail_place(err, path, error) : 0;
}

int cul_file_check_result(const char *path, const char *input,
                          struct cul_err *err) {
  static const char advice[] = "name a file: -o OUT";
  struct stat st, in;
  int rc;
  if (strcmp(path, "-") == 0)
    return cul_fail(err, CUL_EUSAGE, advice,
                    "-o -: the result is replaced at every step, which "
                    "standard output does not allow");
  if (is_special(path))
    return cul_fail(err, CUL_EUSAGE, advice,
                    "%s is not a plain file: the result would replace it",
                    path);
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
    return cul_fail(err, CUL_EUSAGE, advice, "%s is a directory", path);
  rc = check_place(path, err);
  if (rc < 0 || stat(path, &st) < 0)
    return rc;
  if (stat(input, &in) == 0 && in.st_dev == st.st_dev && in.st_ino == st.st_ino)
    return cul_fail(err, CUL_EUSAGE, advice,
                    "%s is the input itself, which the result would replace",
                    path);
  return 0;
}

int cul_file_check_later(const char *path, bool dir, struct cul_err *err) {
  struct stat st;
  char *at;
  int error = 0;
  if (!path || strcmp(path, "-") == 0)
    return 0;
  at = dir ? cul_xstrdup(path) : cul_file_follow(path);
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) != dir)
    error = dir ? ENOTDIR : EISDIR;
  else if (!dir && !is_special(path))
    ascend(&at);
  while (dir && access(at, F_OK) < 0 && errno == ENOENT &&
         strcmp(at, "/") != 0 && strcmp(at, ".") != 0)
    ascend(&at);
  if (!error && access(at, W_OK) < 0)
    error = errno;
  free(at);
  return error ? fail_place(err, path, error) : 0;
}

static int replace(const char *path, const struct cul_pieces *data, mode_t mode,
                   bool lasting, const struct cul_patience *patience,
                   struct cul_err *err) {
  const char *name;
  int above = open_above(path, &name), error;
  int rc = above < 0 ? -1
                     : cul_beneath_replace_pieces(above, name, data, mode,
                                                  lasting, patience, err);
  error = errno;
  if (above >= 0)
    close(above);
  if (rc < 0 && error == ECANCELED)
    return err->code;
  return rc < 0 ? fail_write(err, path, error) : 0;
}

int cul_file_replace(const char *path, const void *data, size_t len,
                     mode_t mode, struct cul_err *err) {
  struct cul_pieces text = cul_pieces_of((struct cul_bytes){data, len});
  return replace(path, &text, mode, true, NULL, err);
}

int cul_file_replace_step(const char *path, const void *data, size_t len,
                          mode_t mode, struct cul_err *err) {
  struct cul_pieces text = cul_pieces_of((struct cul_bytes){data, len});
  return replace(path, &text, mode, false, NULL, err);
}

int cul_file_replace_while(const char *path, const struct cul_pieces *text,
                           mode_t mode, bool lasting,
                           const struct cul_patience *patience,
                           struct cul_err *err) {
  return replace(path, text, mode, lasting, patience, err);
}

int cul_file_write(const char *path, const void *data, size_t len, mode_t mode,
                   struct cul_err *err) {
  if (is_special(path))
    return write_into(path, data, len, err);
  return cul_file_replace(path, data, len, mode, err);
}

int cul_file_write_through(const char *path, const void *data, size_t len,
                           mode_t mode, struct cul_err *err) {
  char *file = cul_file_follow(path);
  int rc = cul_file_write(file, data, len, mode, err);
  free(file);
  return rc;
}

int cul_file_digest(const char *path, struct cul_digest *out,
                    struct cul_err *err) {
  struct cul_hasher *hasher;
  bool before = cul_status_interrupted();
  size_t done = 0;
  char *chunk;
  ssize_t n;
  int rc = 0, fd = TEMP_FAILURE_RETRY(
                  open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (fd < 0)
    return fail_read(err, path, errno);
  chunk = cul_xmalloc(1 << 17);
  hasher = cul_hasher_new();
  while ((n = read(fd, chunk, 1 << 17)) != 0) {
    if (gives_up(done, before))
      n = -1, errno = EINTR;
    else if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      rc = fail_read(err, path, errno);
      break;
    }
    done += (size_t)n;
    cul_hasher_add(hasher, chunk, (size_t)n);
  }
  *out = cul_hasher_finish(hasher);
  free(chunk);
  close(fd);
  return rc;
}

int cul_mkdirs(const char *path, mode_t mode, struct cul_err *err) {
  char *copy = cul_xstrdup(path);
  int rc = 0;
  for (char *at = copy + 1; rc == 0; at++) {
    bool last = *at == '\0';
    if (!last && *at != '/')
      continue;
    *at = '\0';
    if (mkdir(copy, mode) < 0 && errno != EEXIST)
      rc = fail_write(err, copy, errno);
    if (last)
      break;
    *at = '/';
  }
  free(copy);
  return rc;
}

void cul_rmtree(const char *path) {
  const char *name;
  int above = open_above(path, &name);
  if (above < 0)
    return;
  (void)!cul_beneath_remove(above, name);
  close(above);
}

const char *cul_basename(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_program(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *cul_find_program(const char *name) {
  const char *path = getenv("PATH");
  if (strchr(name, '/'))
    return is_program(name) ? cul_xstrdup(name) : NULL;
  if (!path)
    path = "/usr/local/bin:/usr/bin:/bin";
  while (*path) {
    size_t n = strcspn(path, ":");
    char *full = cul_xasprintf("%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
    if (is_program(full))
      return full;
    free(full);
    path += n + (path[n] == ':');
  }
  return NULL;
}
