/* Removal of trees below a held directory: see beneath.h.  No recursion, and
 * few descriptors however deep a tree is: what lies deeper than a few levels is
 * moved up to the top first.  Never by way of "..", which is elsewhere when
 * somebody has moved a directory meanwhile. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "beneath.h"
#include "beneath_private.h"

enum {
  LEVELS = 16,          /* directories open at once */
  MOST_MOVES = 1000000, /* against one that nests all the time */
  MOST_ROUNDS = 8       /* through the top, against one that fills it */
};

struct level {
  DIR *dir;
  char name[NAME_MAX + 1]; /* in the level above; none of the top */
};

struct removal {
  struct level levels[LEVELS];
  int depth;      /* levels in use */
  int error;      /* the first, of this round */
  unsigned moved; /* directories moved up to the top so far */
  bool again;     /* something was removed, or came in meanwhile */
};

/* A directory by an O_PATH descriptor, which no permission is needed for. */
static int allow(int fd) {
  char path[40];
#ifdef SYS_fchmodat2
  if (syscall(SYS_fchmodat2, fd, "", 0700, AT_EMPTY_PATH) == 0)
    return 0;
#endif
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return chmod(path, 0700);
}

int cul_beneath_unlock(int dir, const char *name) {
  int at = TEMP_FAILURE_RETRY(
      openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  int fd = at < 0 || allow(at) < 0
               ? -1
               : TEMP_FAILURE_RETRY(openat(at, ".", CUL_BENEATH_LIST));
  int error = errno;
  if (at >= 0)
    close(at);
  errno = error;
  return fd;
}

bool cul_beneath_repair(int fd) {
  struct stat st;
  int error = errno;
  bool done = fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700 &&
              fchmod(fd, 0700) == 0;
  errno = error;
  return done;
}

static void note(struct removal *r, int error) {
  if (error == ENOTEMPTY)
    r->again = true;
  if (!r->error)
    r->error = error;
}

/* Open name as the next level; -1 with errno. */
static int push(struct removal *r, int dir, const char *name) {
  int fd = TEMP_FAILURE_RETRY(openat(dir, name, CUL_BENEATH_LIST)), error;
  struct level *level = &r->levels[r->depth];
  if (fd < 0 && errno == EACCES)
    fd = cul_beneath_unlock(dir, name);
  if (fd < 0)
    return -1;
  cul_beneath_repair(fd);
  level->dir = fdopendir(fd);
  if (!level->dir) {
    error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  snprintf(level->name, sizeof level->name, "%s", name);
  r->depth++;
  return 0;
}

/* Directory name of dir, to be removed from the top when its turn comes. */
static int move_up(struct removal *r, int dir, const char *name) {
  char to[64];
  int fd = TEMP_FAILURE_RETRY(openat(dir, name, CUL_BENEATH_LIST));
  if (fd < 0 && errno == EACCES)
    fd = cul_beneath_unlock(dir, name);
  if (fd < 0)
    return -1;
  cul_beneath_repair(fd); /* to write its ".." */
  close(fd);
  for (int i = 0; i < 100; i++) {
    snprintf(to, sizeof to, ".culprit-%u-%u", (unsigned)getpid(), r->moved + 1);
    r->moved++;
    if (renameat(dir, name, dirfd(r->levels[0].dir), to) == 0)
      return 0;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
      return -1;
  }
  return -1;
}

/* One entry: gone, or the next level, or left. */
static void remove_entry(struct removal *r, int dir, const char *name) {
  int error = unlinkat(dir, name, 0) == 0 ? 0 : errno;
  if (error == EISDIR || error == EPERM)
    /* EBUSY: a file system is mounted there. */
    if (unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno != ENOTDIR)
      error = errno;
  r->again |= error == 0;
  if (error == ENOTEMPTY || error == EEXIST || error == EACCES)
    error = (r->depth < LEVELS ? push(r, dir, name) : move_up(r, dir, name)) < 0
                ? errno
                : 0;
  if (error && error != ENOENT)
    note(r, error);
}

/* The last level is done with. */
static void pop(struct removal *r) {
  struct level *level = &r->levels[--r->depth];
  int above = dirfd(r->levels[r->depth - 1].dir);
  closedir(level->dir);
  if (unlinkat(above, level->name, AT_REMOVEDIR) == 0)
    r->again = true;
  else if (errno != ENOENT)
    note(r, errno);
}

/* Once through all that is below the top. */
static void remove_round(struct removal *r, const char *keep) {
  r->error = 0;
  r->again = false;
  for (;;) {
    struct level *level = &r->levels[r->depth - 1];
    struct dirent *entry = readdir(level->dir);
    bool top = r->depth == 1;
    if (!entry && top)
      return;
    if (!entry)
      pop(r);
    else if (strcmp(entry->d_name, ".") != 0 &&
             strcmp(entry->d_name, "..") != 0 &&
             (!top || !keep || strcmp(entry->d_name, keep) != 0))
      remove_entry(r, dirfd(level->dir), entry->d_name);
  }
}

int cul_beneath_empty(int dir, const char *keep) {
  struct removal r;
  unsigned moved = 0;
  r.depth = r.error = 0;
  r.moved = 0;
  cul_beneath_repair(dir);
  if (push(&r, dir, ".") < 0)
    return -1;
  remove_round(&r, keep);
  /* A file system may leave out entries while others are removed. */
  for (int i = 0; r.again && r.moved < MOST_MOVES && i < MOST_ROUNDS;) {
    i += r.moved == moved;
    moved = r.moved;
    rewinddir(r.levels[0].dir);
    remove_round(&r, keep);
  }
  closedir(r.levels[0].dir);
  errno = r.error;
  return r.error ? -1 : 0;
}

/* Directory name with all that is in it. */
static int remove_tree(int above, const char *name) {
  int fd = TEMP_FAILURE_RETRY(openat(above, name, CUL_BENEATH_LIST)), error = 0;
  if (fd < 0 && errno == EACCES)
    fd = cul_beneath_unlock(above, name);
  if (fd < 0)
    return -1;
  if (cul_beneath_empty(fd, NULL) < 0)
    error = errno;
  close(fd);
  if (unlinkat(above, name, AT_REMOVEDIR) == 0)
    return 0;
  if (error)
    errno = error;
  return -1;
}

int cul_beneath_remove(int dir, const char *path) {
  const char *name;
  int above = cul_beneath_parent(dir, path, &name), rc, error;
  if (above < 0)
    return errno == ENOENT ? 0 : -1;
  rc = unlinkat(above, name, 0);
  error = errno;
  if (rc < 0 && (error == EISDIR || error == EPERM) &&
      (rc = unlinkat(above, name, AT_REMOVEDIR)) < 0 && errno != ENOTDIR)
    error = errno;
  if (rc < 0 && (error == ENOTEMPTY || error == EEXIST || error == EACCES) &&
      (rc = remove_tree(above, name)) < 0)
    error = errno;
  close(above);
  errno = error;
  return rc < 0 && error == ENOENT ? 0 : rc;
}
