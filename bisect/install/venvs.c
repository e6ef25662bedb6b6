/* Python environments that are kept: see venvs.h. */
#include "venvs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../base/beneath.h"
#include "../../base/file.h"
#include "../../base/held.h"
#include "../../base/lock.h"
#include "../../base/status.h"

struct cul_venvs {
  struct cul_venvs_conf conf;
  struct cul_held held; /* its path is absolute */
  bool told;            /* that another job is waited for */
};

static const char made_ending[] = ".made", lock_ending[] = ".lock";

static char *path_of(const struct cul_venvs *venvs, const char *name,
                     const char *ending) {
  return cul_xasprintf("%s/%s%s", venvs->held.path, name, ending);
}

const char *cul_venvs_dir(const struct cul_venvs *venvs) {
  return venvs->held.path;
}

int cul_venvs_open(const struct cul_venvs_conf *conf, struct cul_venvs **out,
                   struct cul_err *err) {
  struct cul_venvs *venvs = cul_xcalloc(1, sizeof *venvs);
  char *base = NULL, *dir = NULL, *real = NULL;
  int rc = 0;
  venvs->conf = *conf;
  venvs->held.fd = -1;
  if (!conf->dir)
    rc = cul_cache_dir_make(&base, err);
  if (rc == 0) {
    dir = conf->dir ? cul_xstrdup(conf->dir)
                    : cul_xasprintf("%s/environments", base);
    rc = cul_mkdirs(dir, err);
  }
  /* Scripts of an environment hold its whole name. */
  real = rc == 0 ? realpath(dir, NULL) : NULL;
  if (rc == 0 && !real)
    rc = cul_fail(err, CUL_EENV, "give --envs another directory", "%s: %s", dir,
                  strerror(errno));
  if (rc == 0)
    rc = cul_held_open(&venvs->held, real, err);
  free(real);
  free(dir);
  free(base);
  *out = venvs;
  return rc;
}

void cul_venvs_close(struct cul_venvs *venvs) {
  if (!venvs)
    return;
  cul_held_close(&venvs->held);
  free(venvs);
}

/* ---- marks ---- */

static bool is_made(const struct cul_venvs *venvs, const char *name) {
  char *mark = cul_xasprintf("%s%s", name, made_ending);
  struct stat st;
  bool made = fstatat(venvs->held.fd, mark, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISREG(st.st_mode) &&
              fstatat(venvs->held.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISDIR(st.st_mode);
  free(mark);
  return made;
}

/* It is used now. */
static void touch(const struct cul_venvs *venvs, const char *name) {
  char *mark = cul_xasprintf("%s%s", name, made_ending);
  utimensat(venvs->held.fd, mark, NULL, AT_SYMLINK_NOFOLLOW);
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

static int mark(const struct cul_venvs *venvs, const char *name,
                struct cul_err *err) {
  char *dir = path_of(venvs, name, ""), *path = path_of(venvs, name, ".made");
  char *text = cul_xasprintf("%llu\n", (unsigned long long)bytes_below(dir));
  int rc = cul_held_replace(&venvs->held, path,
                            (struct cul_bytes){text, strlen(text)}, 0600, err);
  free(text);
  free(path);
  free(dir);
  return rc;
}

/* Its lock is held: first it counts as not whole. */
static void clear(const struct cul_venvs *venvs, const char *name) {
  char *mark = cul_xasprintf("%s%s", name, made_ending);
  unlinkat(venvs->held.fd, mark, 0);
  cul_beneath_remove(venvs->held.fd, name);
  free(mark);
}

/* ---- what is kept ---- */

struct kept {
  char *name;
  struct timespec used; /* zero: it is not whole */
  uint64_t bytes;
};

static int by_use(const void *a, const void *b) {
  const struct timespec *x = &((const struct kept *)a)->used;
  const struct timespec *y = &((const struct kept *)b)->used;
  if (x->tv_sec != y->tv_sec)
    return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static struct kept look_at(const struct cul_venvs *venvs, const char *name) {
  struct kept kept = {.name = cul_xstrdup(name)};
  char *path = path_of(venvs, name, made_ending);
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  struct stat st;
  if (lstat(path, &st) == 0 &&
      cul_held_read(&venvs->held, path, 64, &text, &ignored) == 0) {
    kept.used = st.st_mtim;
    kept.bytes = strtoull(cul_buf_str(&text), NULL, 10);
  }
  cul_buf_release(&text);
  free(path);
  return kept;
}

/* Every environment, whole or not: each has a lock file. */
static struct kept *list_kept(const struct cul_venvs *venvs, size_t *n) {
  DIR *names = opendir(venvs->held.path);
  struct kept *out = NULL;
  *n = 0;
  for (const struct dirent *e; names && (e = readdir(names));) {
    size_t len = strlen(e->d_name), tail = sizeof lock_ending - 1;
    char *name;
    if (len <= tail || !cul_text_ends(e->d_name, lock_ending))
      continue;
    name = cul_xstrndup(e->d_name, len - tail);
    out = cul_xreallocarray(out, *n + 1, sizeof *out);
    out[(*n)++] = look_at(venvs, name);
    free(name);
  }
  if (names)
    closedir(names);
  if (*n)
    qsort(out, *n, sizeof *out, by_use);
  return out;
}

/* Unless somebody uses it, or makes it. */
static bool remove_kept(const struct cul_venvs *venvs, const char *name) {
  char *lock = path_of(venvs, name, lock_ending);
  int fd = cul_lock_take(lock, lock);
  if (fd >= 0) {
    clear(venvs, name);
    cul_lock_drop(lock, fd);
  }
  free(lock);
  return fd >= 0;
}

/* What was cut goes; of the others the oldest, until the bound holds. */
static void sweep(const struct cul_venvs *venvs) {
  size_t n;
  struct kept *kept = list_kept(venvs, &n);
  uint64_t bytes = 0, most = venvs->conf.most_bytes;
  for (size_t i = 0; i < n; i++)
    bytes += kept[i].bytes;
  for (size_t i = 0; i < n; i++) {
    bool whole = kept[i].used.tv_sec != 0;
    if ((!whole || (most && bytes > most)) && remove_kept(venvs, kept[i].name))
      bytes -= kept[i].bytes;
    free(kept[i].name);
  }
  free(kept);
}

/* ---- taking one into use ---- */

static int fail_lock(const char *path, struct cul_err *err) {
  return cul_fail(err, CUL_EENV, "give --envs another directory",
                  "cannot lock %s: %s", path, strerror(errno));
}

/* Another job has it. */
static int wait_a_little(struct cul_venvs *venvs, const char *name,
                         struct cul_err *err) {
  const struct cul_patience *patience = &venvs->conf.patience;
  const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
  if (!venvs->told)
    cul_status_note(UINT64_MAX, "waiting for another job, which makes %s",
                    name);
  venvs->told = true;
  nanosleep(&pause, NULL);
  cul_status_beat();
  return patience->left ? patience->left(patience->self, err) : 0;
}

/* Its lock is held. */
static int make(struct cul_venvs *venvs, const char *name,
                const struct cul_venv_maker *maker, char **why,
                struct cul_err *err) {
  char *dir = path_of(venvs, name, "");
  int rc = 0;
  clear(venvs, name);
  if (mkdirat(venvs->held.fd, name, 0700) < 0)
    rc = cul_fail(err, CUL_EENV, "make room, or give --envs another directory",
                  "cannot make %s: %s", dir, strerror(errno));
  if (rc == 0)
    rc = maker->make(maker->self, dir, why, err);
  if (rc == 0 && !*why)
    rc = mark(venvs, name, err);
  if (rc < 0 || *why)
    clear(venvs, name);
  free(dir);
  return rc;
}

/* Alone, unless another job has it.  *done: it is there, or cannot be had. */
static int make_alone(struct cul_venvs *venvs, const char *name,
                      const struct cul_venv_maker *maker, char **why,
                      struct cul_err *err) {
  char *lock = path_of(venvs, name, lock_ending);
  int fd = cul_lock_take(lock, lock), rc = 0;
  if (fd < 0 && errno == EWOULDBLOCK)
    rc = wait_a_little(venvs, name, err);
  else if (fd < 0)
    rc = fail_lock(lock, err);
  else if (!is_made(venvs, name))
    rc = make(venvs, name, maker, why, err);
  if (fd >= 0)
    close(fd);
  free(lock);
  return rc;
}

/* *fd: of its lock, shared, and it is whole; -1: not now. */
static int share(struct cul_venvs *venvs, const char *name, int *fd,
                 struct cul_err *err) {
  char *lock = path_of(venvs, name, lock_ending);
  int rc = 0;
  *fd = cul_lock_share(lock, lock);
  if (*fd < 0 && errno == EWOULDBLOCK)
    rc = wait_a_little(venvs, name, err);
  else if (*fd < 0)
    rc = fail_lock(lock, err);
  if (*fd >= 0 && !is_made(venvs, name)) {
    close(*fd);
    *fd = -1;
  }
  free(lock);
  return rc;
}

int cul_venvs_enter(struct cul_venvs *venvs, const char *name,
                    const struct cul_venv_maker *maker, struct cul_venv *out,
                    struct cul_err *err) {
  int rc = 0;
  *out = (struct cul_venv){.lock = -1};
  venvs->told = false;
  for (;;) {
    rc = share(venvs, name, &out->lock, err);
    if (rc < 0 || out->lock >= 0)
      break;
    rc = make_alone(venvs, name, maker, &out->why, err);
    if (rc < 0 || out->why)
      break;
  }
  if (rc == 0 && !out->why) {
    touch(venvs, name);
    out->dir = path_of(venvs, name, "");
  }
  sweep(venvs);
  return rc;
}

void cul_venv_leave(struct cul_venv *venv) {
  if (venv->lock >= 0)
    close(venv->lock);
  free(venv->dir);
  free(venv->why);
  *venv = (struct cul_venv){.lock = -1};
}
