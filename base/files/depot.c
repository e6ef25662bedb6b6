/* See depot.h. */
#include "depot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "beneath.h"
#include "file.h"
#include "lock.h"

static const char made_ending[] = ".made", lock_ending[] = ".lock";

static char *path_of(const struct cul_depot *depot, const char *name,
                     const char *ending) {
  return cul_xasprintf("%s/%s%s", depot->held.path, name, ending);
}

char *cul_depot_path(const struct cul_depot *depot, const char *name) {
  return path_of(depot, name, "");
}

int cul_depot_open(struct cul_depot *depot, const char *dir,
                   struct cul_err *err) {
  char *real = NULL;
  int rc = cul_mkdirs(dir, 0700, err);
  *depot = (struct cul_depot){.held.fd = -1};
  /* Scripts of an installation contain its absolute name. */
  if (rc == 0 && !(real = realpath(dir, NULL)))
    rc = cul_fail(err, CUL_EENV, "give another directory", "%s: %s", dir,
                  strerror(errno));
  if (rc == 0)
    rc = cul_held_open(&depot->held, real, err);
  free(real);
  return rc;
}

void cul_depot_close(struct cul_depot *depot) {
  cul_held_close(&depot->held);
  *depot = (struct cul_depot){.held.fd = -1};
}

/* ---- marks ---- */

static bool is_made(const struct cul_depot *depot, const char *name) {
  char *mark = cul_xasprintf("%s%s", name, made_ending);
  struct stat st;
  bool made = fstatat(depot->held.fd, mark, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISREG(st.st_mode) &&
              fstatat(depot->held.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISDIR(st.st_mode);
  free(mark);
  return made;
}

/* Note that the entry is used now. */
static void touch(const struct cul_depot *depot, const char *name) {
  char *mark = cul_xasprintf("%s%s", name, made_ending);
  utimensat(depot->held.fd, mark, NULL, AT_SYMLINK_NOFOLLOW);
  free(mark);
}

static uint64_t bytes_below(char *dir) {
  char *dirs[] = {dir, NULL};
  FTS *tree = fts_open(dirs, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
  uint64_t bytes = 0;
  for (FTSENT *e; tree && (e = fts_read(tree));)
    if (e->fts_info != FTS_DP && e->fts_info != FTS_NS)
      bytes += (uint64_t)e->fts_statp->st_blocks * 512;
  if (tree)
    fts_close(tree);
  return bytes;
}

static int mark(const struct cul_depot *depot, const char *name,
                struct cul_err *err) {
  char *dir = path_of(depot, name, ""), *path = path_of(depot, name, ".made");
  char *text = cul_xasprintf("%llu\n", (unsigned long long)bytes_below(dir));
  int rc = cul_held_replace(&depot->held, path,
                            (struct cul_bytes){text, strlen(text)}, 0600, err);
  free(text);
  free(path);
  free(dir);
  return rc;
}

/* Remove the entry, its mark first, so that an interrupted removal leaves an
 * incomplete entry.  The caller holds its lock. */
static void clear(const struct cul_depot *depot, const char *name) {
  char *mark = cul_xasprintf("%s%s", name, made_ending);
  unlinkat(depot->held.fd, mark, 0);
  cul_beneath_remove(depot->held.fd, name);
  free(mark);
}

/* ---- the bound ---- */

struct kept {
  char *name;
  struct timespec used; /* zero: it is incomplete */
  uint64_t bytes;
};

static int by_use(const void *a, const void *b) {
  const struct timespec *x = &((const struct kept *)a)->used;
  const struct timespec *y = &((const struct kept *)b)->used;
  if (x->tv_sec != y->tv_sec)
    return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static struct kept look_at(const struct cul_depot *depot, const char *name) {
  struct kept kept = {.name = cul_xstrdup(name)};
  char *path = path_of(depot, name, made_ending);
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  struct stat st;
  if (lstat(path, &st) == 0 &&
      cul_held_read(&depot->held, path, 64, &text, &ignored) == 0) {
    kept.used = st.st_mtim;
    kept.bytes = strtoull(cul_buf_str(&text), NULL, 10);
  }
  cul_buf_release(&text);
  free(path);
  return kept;
}

/* All entries, complete or not: each has a lock file. */
static struct kept *list_kept(const struct cul_depot *depot, size_t *n) {
  DIR *names = opendir(depot->held.path);
  struct kept *out = NULL;
  *n = 0;
  for (const struct dirent *e; names && (e = readdir(names));) {
    size_t len = strlen(e->d_name), tail = sizeof lock_ending - 1;
    char *name;
    if (len <= tail || !cul_text_ends(e->d_name, lock_ending))
      continue;
    name = cul_xstrndup(e->d_name, len - tail);
    out = cul_xreallocarray(out, *n + 1, sizeof *out);
    out[(*n)++] = look_at(depot, name);
    free(name);
  }
  if (names)
    closedir(names);
  if (*n)
    qsort(out, *n, sizeof *out, by_use);
  return out;
}

bool cul_depot_remove(const struct cul_depot *depot, const char *name) {
  char *lock = path_of(depot, name, lock_ending);
  int fd = cul_lock_take(lock, lock);
  if (fd >= 0) {
    clear(depot, name);
    cul_lock_drop(lock, fd);
  }
  free(lock);
  return fd >= 0;
}

/* Remove incomplete entries, then the oldest until the bound holds. */
static void sweep(const struct cul_depot *depot) {
  size_t n;
  struct kept *kept = list_kept(depot, &n);
  uint64_t bytes = 0, most = depot->most_bytes;
  for (size_t i = 0; i < n; i++)
    bytes += kept[i].bytes;
  for (size_t i = 0; i < n; i++) {
    bool whole = kept[i].used.tv_sec != 0;
    if ((!whole || (most && bytes > most)) &&
        cul_depot_remove(depot, kept[i].name))
      bytes -= kept[i].bytes;
    free(kept[i].name);
  }
  free(kept);
}

/* ---- entering one ---- */

static int fail_lock(const char *path, struct cul_err *err) {
  return cul_fail(err, CUL_EENV, "give another directory", "cannot lock %s: %s",
                  path, strerror(errno));
}

/* Take the exclusive lock.  *lock -1: another process holds it, or has
 * completed the entry meanwhile. */
static int make_alone(struct cul_depot *depot, const char *name,
                      const char *path, int *lock, struct cul_err *err) {
  *lock = cul_lock_take(path, path);
  if (*lock < 0)
    return errno == EWOULDBLOCK ? 0 : fail_lock(path, err);
  if (is_made(depot, name)) {
    close(*lock);
    *lock = -1;
    return 0;
  }
  clear(depot, name);
  if (mkdirat(depot->held.fd, name, 0700) == 0)
    return 0;
  cul_fail(err, CUL_EENV, "make room, or give another directory",
           "cannot make %s/%s: %s", depot->held.path, name, strerror(errno));
  close(*lock);
  *lock = -1;
  return CUL_EENV;
}

int cul_depot_enter(struct cul_depot *depot, const char *name,
                    enum cul_depot_state *state, int *lock,
                    struct cul_err *err) {
  char *path = path_of(depot, name, lock_ending);
  int rc = 0;
  *state = CUL_DEPOT_BUSY;
  *lock = cul_lock_share(path, path);
  if (*lock < 0 && errno != EWOULDBLOCK) {
    rc = fail_lock(path, err);
  } else if (*lock >= 0 && is_made(depot, name)) {
    touch(depot, name);
    *state = CUL_DEPOT_READY;
    sweep(depot);
  } else if (*lock >= 0) {
    close(*lock);
    rc = make_alone(depot, name, path, lock, err);
    if (*lock >= 0)
      *state = CUL_DEPOT_EMPTY;
  }
  free(path);
  return rc;
}

int cul_depot_end(struct cul_depot *depot, const char *name, bool made,
                  int lock, struct cul_err *err) {
  int rc = made ? mark(depot, name, err) : 0;
  if (!made || rc < 0)
    clear(depot, name);
  close(lock);
  /* The bound is applied when the entry is entered again, not here: as nobody
   * uses the entry yet, it could be removed first, and be made again for
   * ever. */
  return rc;
}
