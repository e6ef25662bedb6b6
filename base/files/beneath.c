/* Looking up names without following links: see beneath.h. */
#include "beneath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "../clock.h"
#include "../digest.h"
#include "beneath_private.h"
#include "fd.h"
#include "file.h"

struct cul_draft {
  int fd;           /* open for writing and reading */
  int above;        /* the target directory */
  char name[256];   /* the final name; NAME_MAX bytes */
  char beside[256]; /* the temporary name; "": none */
};

/* ---- notices ---- */

/* Global, because they go for all that the process writes. */
static struct cul_beneath_notice *notices;

void cul_beneath_watch(struct cul_beneath_notice *notice, bool watch) {
  struct cul_beneath_notice **at = &notices;
  while (*at && *at != notice)
    at = &(*at)->next;
  if (watch && !*at)
    *at = notice, notice->next = NULL;
  else if (!watch && *at)
    *at = notice->next;
}

/* grows: the file is written later.  -1, with errno: somebody who must know of
 * the file does not. */
static int tell(int above, const char *name, int fd, bool grows) {
  struct stat st;
  int rc = 0;
  if (!notices)
    return 0;
  if (fstat(fd, &st) < 0)
    return -1;
  if (grows)
    st.st_mtim = (struct timespec){0};
  for (struct cul_beneath_notice *at = notices; at && rc == 0; at = at->next)
    rc = at->tell(at->self, above, name, &st);
  return rc;
}

/* ---- draft ---- */

/* A draft is a file that is written completely before it gets its name: a
 * reader sees the old bytes or the new ones, never a part. Until then it has no
 * name where the file system supports that, so that a killed process leaves
 * nothing behind; elsewhere it has a random name. An existing link, pipe or
 * hard link at the name is replaced, never written through. */

/* Attempts to choose a temporary name. The first FORETOLD names are computed,
 * so that leftovers of a killed process are found again; the others are
 * random. */
enum { FORETOLD = 2, DRAFTS = 100 };

static const char digits[] = "0123456789abcdefghijklmnopqrstuv";

/* The computed names depend on the user and the name: the next writer of the
 * same file finds them, another user does not. */
static void foretell(const struct cul_draft *draft, int draw,
                     unsigned char *dice, size_t n) {
  struct cul_digest digest;
  char *text =
      cul_xasprintf("draft %d of %ld: %s", draw, (long)geteuid(), draft->name);
  digest = cul_digest_of(text, strlen(text));
  memcpy(dice, &digest, n);
  free(text);
}

/* Choose a temporary name, derived from draft->name. */
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

/* Remove a leftover draft of this user. A process holds a lock on each draft
 * that it has open; a file with a second name is not a draft. The lock is held
 * until the name is removed: once the name is free, another process may use it
 * for its own draft. */
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

/* Remove leftovers under the computed names. Keeps errno. */
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

/* Lock a new draft that has a name. False: another process found it before it
 * was locked, and removes it. Where locks do not work, no process removes
 * drafts. */
static bool claim(const struct cul_draft *draft, int fd, int draw) {
  struct stat st;
  bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
  if (draw >= FORETOLD || (!locked && errno != EWOULDBLOCK))
    return true;
  return locked && fstat(fd, &st) == 0 &&
         is_at(&st, draft->above, draft->beside);
}

static int open_named(struct cul_draft *draft, mode_t mode) {
  for (int i = 0; i < DRAFTS; i++) {
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

/* Open a draft for path below the held directory dir (beneath.h). mode: of the
 * file, before the umask. Returns 0, or -1 with errno. */
static int draft_open(struct cul_draft *draft, int dir, const char *path,
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

/* Discard the draft. */
static void draft_drop(struct cul_draft *draft) { finish(draft, true); }

/* Copy the bytes into a file that has a name, where the file system or a
 * missing /proc prevents giving a name to the nameless one. */
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

/* Link the file under a temporary name: link(2) does not replace. */
static int enter(struct cul_draft *draft) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", draft->fd);
  for (int i = 0; i < DRAFTS; i++) {
    choose_name(draft, i);
    if (linkat(AT_FDCWD, path, draft->above, draft->beside,
               AT_SYMLINK_FOLLOW) == 0)
      return 0;
    if (errno != EEXIST)
      break;
  }
  return copy(draft);
}

/* Rename the draft to its final name; lasting: after its bytes are on the disk.
 * Returns 0, or -1 with errno; then the draft is removed. The draft is closed
 * in either case. */
static int draft_publish(struct cul_draft *draft, bool lasting) {
  /* Sync while the file has no name: a process killed meanwhile leaves
   * nothing. */
  int rc = lasting ? fsync(draft->fd) : 0, fd = draft->fd;
  if (rc == 0 && !draft->beside[0])
    rc = enter(draft);
  if (rc == 0 && lasting && fd != draft->fd)
    rc = fsync(draft->fd);
  if (rc == 0)
    rc = tell(draft->above, draft->name, draft->fd, false);
  if (rc == 0)
    rc = renameat(draft->above, draft->beside, draft->above, draft->name);
  finish(draft, rc < 0);
  return rc;
}

/* ---- remove ---- */

/* Remove trees below a held directory, without recursion and with few
 * descriptors at any depth: directories below LEVELS are first moved up to the
 * top. Never open ".": it is elsewhere if another process has moved a
 * directory. */

enum {
  LEVELS = 16,          /* directories open at once */
  MOST_MOVES = 1000000, /* against endless nesting */
  MOST_ROUNDS = 8       /* rounds through the top, against endless refilling */
};

struct level {
  DIR *dir;
  char name[NAME_MAX + 1]; /* in the level above; unused at the top */
};

struct removal {
  struct level levels[LEVELS];
  int depth;      /* levels in use */
  int error;      /* the first error of this round */
  unsigned moved; /* directories moved up to the top */
  bool again;     /* something was removed or added meanwhile */
};

/* Make a directory accessible through an O_PATH descriptor, which needs no
 * permission to open. */
static int allow(int fd) {
  char path[40];
#ifdef SYS_fchmodat2
  if (syscall(SYS_fchmodat2, fd, "", 0700, AT_EMPTY_PATH) == 0)
    return 0;
#endif
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return chmod(path, 0700);
}

/* Open an unreadable directory of this user, after making it readable, writable
 * and searchable for its owner. */
static int beneath_unlock(int dir, const char *name) {
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

/* Make an open directory accessible to its owner. True: its mode was wrong and
 * has been changed. */
static bool beneath_repair(int fd) {
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
    fd = beneath_unlock(dir, name);
  if (fd < 0)
    return -1;
  beneath_repair(fd);
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

/* Move directory `name` of dir to the top, which removes it later. */
static int move_up(struct removal *r, int dir, const char *name) {
  char to[64];
  int fd = TEMP_FAILURE_RETRY(openat(dir, name, CUL_BENEATH_LIST));
  if (fd < 0 && errno == EACCES)
    fd = beneath_unlock(dir, name);
  if (fd < 0)
    return -1;
  beneath_repair(fd); /* rename(2) writes its ".." */
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

/* Remove one entry, or open it as the next level, or record why it is left. */
static void remove_entry(struct removal *r, int dir, const char *name) {
  int error = unlinkat(dir, name, 0) == 0 ? 0 : errno;
  if (error == EISDIR || error == EPERM) {
    /* EBUSY: a file system is mounted there. */
    if (unlinkat(dir, name, AT_REMOVEDIR) == 0)
      error = 0;
    else if (errno != ENOTDIR)
      error = errno;
  }
  r->again |= error == 0;
  if (error == ENOTEMPTY || error == EEXIST || error == EACCES)
    error = (r->depth < LEVELS ? push(r, dir, name) : move_up(r, dir, name)) < 0
                ? errno
                : 0;
  if (error && error != ENOENT)
    note(r, error);
}

/* Close the last level and remove its directory. */
static void pop(struct removal *r) {
  struct level *level = &r->levels[--r->depth];
  int above = dirfd(r->levels[r->depth - 1].dir);
  closedir(level->dir);
  if (unlinkat(above, level->name, AT_REMOVEDIR) == 0)
    r->again = true;
  else if (errno != ENOENT)
    note(r, errno);
}

/* Traverse everything below the top once. */
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
  beneath_repair(dir);
  if (push(&r, dir, ".") < 0)
    return -1;
  remove_round(&r, keep);
  /* readdir(3) may skip entries while others are removed. */
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

/* Remove directory `name` with its contents. */
static int remove_tree(int above, const char *name) {
  int fd = TEMP_FAILURE_RETRY(openat(above, name, CUL_BENEATH_LIST)), error = 0;
  if (fd < 0 && errno == EACCES)
    fd = beneath_unlock(above, name);
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

/* ---- beneath ---- */

enum {
  STEP = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
  TRIES = 1000 /* against a process that swaps names all the time */
};

/* close(2) that keeps errno. */
static int drop(int fd) {
  int error = errno;
  if (fd >= 0)
    close(fd);
  errno = error;
  return -1;
}

/* Does the path contain "..", a leading "/" or "//"? The target of ".." would
 * have to be checked. */
static bool may_leave(const char *path) {
  for (const char *at = path; *at; at += strspn(at, "/")) {
    size_t n = strcspn(at, "/");
    if (n == 0 || (n == 2 && memcmp(at, "..", 2) == 0))
      return true;
    at += n;
  }
  return false;
}

/* Copy the next component into name and advance *at past it. Returns 1, 0 at
 * the end, or -1 with errno. */
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

/* Use one call of openat2 where the kernel has it. A single component does not
 * need it: O_NOFOLLOW suffices. */
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
    fd = beneath_unlock(AT_FDCWD, path);
  if (fd < 0 || fstat(fd, &st) < 0)
    return drop(fd);
  if (st.st_uid != geteuid() && st.st_uid != 0)
    return errno = EPERM, drop(fd);
  return fd;
}

int cul_beneath_open(int dir, const char *path, int flags, mode_t mode) {
  bool writes = (flags & O_ACCMODE) != O_RDONLY;
  struct stat st;
  /* Truncate only after the checks that it is a plain file with one name. */
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
  if ((flags & O_EXCL) && !strchr(path, '/') && tell(dir, path, fd, true) < 0)
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
      beneath_repair(dir);
      fd = beneath_unlock(dir, name);
    }
    if (fd >= 0)
      return beneath_repair(fd), fd;
    if (errno == ENOENT) {
      if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST &&
          (errno != EACCES || !beneath_repair(dir)))
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

static int write_while(int fd, const struct cul_pieces *data,
                       const struct cul_patience *patience,
                       struct cul_err *err) {
  enum { PART = 8 << 20 };
  struct cul_pieces_reader reader = {.pieces = data};
  size_t since = 0; /* bytes written since patience was asked */
  struct cul_bytes piece;
  while (cul_pieces_read(&reader, &piece))
    for (size_t at = 0, n; at < piece.len; at += n, since += n) {
      if (since >= PART && patience && patience->left &&
          patience->left(patience->self, err))
        return errno = ECANCELED, -1;
      since = since < PART ? since : 0;
      n = piece.len - at < PART ? piece.len - at : PART;
      if (cul_write_all(fd, piece.data + at, n) < 0)
        return -1;
    }
  return 0;
}

int cul_beneath_replace_pieces(int dir, const char *path,
                               const struct cul_pieces *data, mode_t mode,
                               bool lasting,
                               const struct cul_patience *patience,
                               struct cul_err *err) {
  struct cul_draft draft;
  if (draft_open(&draft, dir, path, mode) < 0)
    return -1;
  if (write_while(draft.fd, data, patience, err) < 0) {
    draft_drop(&draft);
    return -1;
  }
  return draft_publish(&draft, lasting);
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
