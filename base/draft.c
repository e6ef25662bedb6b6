/* See draft.h. */
#include "draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beneath.h"
#include "digest.h"
#include "file.h"

/* Draws of a name: the first few can be foretold, so that what a killed
 * process left under them is found again; the others nobody can guess. */
enum { FORETOLD = 2, TRIES = 100 };

static const char digits[] = "0123456789abcdefghijklmnopqrstuv";

/* Who writes this file begins with these; another user does not. */
static void foretell(const struct cul_draft *draft, int draw,
                     unsigned char *dice, size_t n) {
  struct cul_digest digest;
  char *text =
      cul_xasprintf("draft %d of %ld: %s", draw, (long)geteuid(), draft->name);
  digest = cul_digest_of(text, strlen(text));
  memcpy(dice, &digest, n);
  free(text);
}

/* A name beside draft->name. */
static void choose_name(struct cul_draft *draft, int draw) {
  enum { LETTERS = 12, KEPT = sizeof draft->beside - LETTERS - 2 };
  unsigned char dice[LETTERS];
  int n;
  if (draw < FORETOLD)
    foretell(draft, draw, dice, sizeof dice);
  else if (getrandom(dice, sizeof dice, GRND_NONBLOCK) != sizeof dice)
    for (size_t i = 0; i < LETTERS; i++)
      dice[i] = (unsigned char)(cul_now_us() >> i);
  n = snprintf(draft->beside, sizeof draft->beside, "%.*s.", KEPT, draft->name);
  for (size_t i = 0; i < LETTERS; i++)
    draft->beside[n++] = digits[dice[i] % 32];
  draft->beside[n] = '\0';
}

static bool is_at(const struct stat *file, int above, const char *name) {
  struct stat now;
  return fstatat(above, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
         now.st_dev == file->st_dev && now.st_ino == file->st_ino;
}

/* Remove it where it is of ours, and of no process that lives: whoever has a
 * draft open has it locked.  A second name of a file is somebody else's doing.
 * The lock is held until the name is gone: once that is free, another process
 * may have it for a draft of its own. */
static void clear_one(int above, const char *name) {
  struct stat st;
  int fd = TEMP_FAILURE_RETRY(
      openat(above, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd < 0)
    return;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
      st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
      is_at(&st, above, name))
    unlinkat(above, name, 0);
  close(fd);
}

/* What was left under the names that can be foretold.  Keeps errno. */
static void clear_stale(struct cul_draft *draft) {
  int error = errno;
  char kept[sizeof draft->beside];
  memcpy(kept, draft->beside, sizeof kept);
  for (int i = 0; i < FORETOLD; i++) {
    choose_name(draft, i);
    clear_one(draft->above, draft->beside);
  }
  memcpy(draft->beside, kept, sizeof kept);
  errno = error;
}

/* Lock a draft that has just been made under a name.  Another process may have
 * found it before it was locked, and then clears it: false.  Without locks
 * nobody clears any. */
static bool claim(const struct cul_draft *draft, int fd, int draw) {
  struct stat st;
  bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
  if (draw >= FORETOLD || (!locked && errno != EWOULDBLOCK))
    return true;
  return locked && fstat(fd, &st) == 0 &&
         is_at(&st, draft->above, draft->beside);
}

static int open_named(struct cul_draft *draft, mode_t mode) {
  for (int i = 0; i < TRIES; i++) {
    int fd;
    choose_name(draft, i);
    fd = TEMP_FAILURE_RETRY(
        openat(draft->above, draft->beside,
               O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (fd >= 0 && claim(draft, fd, i))
      return fd;
    if (fd >= 0)
      close(fd);
    else if (errno != EEXIST)
      return -1;
  }
  return errno = EEXIST, -1;
}

int cul_draft_open(struct cul_draft *draft, int dir, const char *path,
                   mode_t mode) {
  const char *name;
  int error;
  draft->beside[0] = '\0';
  draft->above = cul_beneath_parent(dir, path, &name);
  if (draft->above < 0)
    return -1;
  if (strlen(name) >= sizeof draft->name) {
    close(draft->above);
    return errno = ENAMETOOLONG, -1;
  }
  snprintf(draft->name, sizeof draft->name, "%s", name);
  clear_stale(draft);
  draft->fd = TEMP_FAILURE_RETRY(
      openat(draft->above, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, mode));
  if (draft->fd < 0 && errno != ENOSPC && errno != EDQUOT && errno != EACCES)
    draft->fd = open_named(draft, mode);
  else if (draft->fd >= 0)
    (void)flock(draft->fd, LOCK_EX | LOCK_NB);
  if (draft->fd >= 0)
    return 0;
  error = errno;
  close(draft->above);
  errno = error;
  return -1;
}

static void finish(struct cul_draft *draft, bool remove) {
  int error = errno;
  if (remove && draft->beside[0])
    unlinkat(draft->above, draft->beside, 0);
  close(draft->fd);
  close(draft->above);
  errno = error;
}

void cul_draft_drop(struct cul_draft *draft) { finish(draft, true); }

/* The bytes into a file that has a name: the file system, or the lack of
 * /proc, denies this one any. */
static int copy(struct cul_draft *draft) {
  char chunk[1 << 14];
  struct stat st;
  ssize_t n = -1;
  int fd = fstat(draft->fd, &st) < 0 ? -1 : open_named(draft, st.st_mode);
  if (fd < 0)
    return draft->beside[0] = '\0', -1;
  for (off_t at = 0; (n = pread(draft->fd, chunk, sizeof chunk, at)) > 0;
       at += n)
    if (cul_write_all(fd, chunk, (size_t)n) < 0)
      break;
  close(draft->fd);
  draft->fd = fd;
  return n == 0 ? fchmod(fd, st.st_mode & 07777) : -1;
}

/* Into the directory, under a name of its own: link(2) does not replace. */
static int enter(struct cul_draft *draft) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", draft->fd);
  for (int i = 0; i < TRIES; i++) {
    choose_name(draft, i);
    if (linkat(AT_FDCWD, path, draft->above, draft->beside,
               AT_SYMLINK_FOLLOW) == 0)
      return 0;
    if (errno != EEXIST)
      break;
  }
  return copy(draft);
}

int cul_draft_publish(struct cul_draft *draft, bool lasting) {
  /* First, while it has no name: what is killed meanwhile leaves nothing. */
  int rc = lasting ? fsync(draft->fd) : 0, fd = draft->fd;
  if (rc == 0 && !draft->beside[0])
    rc = enter(draft);
  if (rc == 0 && lasting && fd != draft->fd)
    rc = fsync(draft->fd);
  if (rc == 0)
    rc = renameat(draft->above, draft->beside, draft->above, draft->name);
  finish(draft, rc < 0);
  return rc;
}
