/* See store.h. */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/fd.h"
#include "../../base/files/file.h"

static const uint64_t most_bytes = (uint64_t)4 << 30;
/* old_s: files unused for so long are removed.  stale_s: a temporary file of
 * this age has no writer. */
static const time_t old_s = 14 * 24 * 3600, stale_s = 3600;
static const time_t fresh_s = 60;
static const char writing[] = "writing-";

/* ---- the directory ---- */

struct entry {
  char name[CUL_DIGEST_HEX];
  uint64_t size;
  struct timespec used;
};

struct entries {
  struct entry *items;
  size_t n, room;
  uint64_t bytes;
};

static void drop(const struct cul_remote_store *store, const char *name) {
  (void)!unlinkat(store->dir.fd, name, 0);
}

/* Read all files; remove old and incomplete ones. */
static struct entries read_entries(const struct cul_remote_store *store) {
  struct entries all = {0};
  int fd = TEMP_FAILURE_RETRY(
      openat(store->dir.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  time_t now = time(NULL);
  for (const struct dirent *e; dir && (e = readdir(dir));) {
    struct stat st;
    struct cul_digest digest;
    bool partial = strncmp(e->d_name, writing, sizeof writing - 1) == 0;
    if ((!partial && !cul_digest_parse(e->d_name, &digest)) ||
        fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
      continue;
    if (now - st.st_mtim.tv_sec > (partial ? stale_s : old_s)) {
      drop(store, e->d_name);
    } else if (!partial) {
      struct entry *one;
      all.items = cul_xgrow(all.items, all.n, &all.room, sizeof *all.items);
      one = &all.items[all.n++];
      *one = (struct entry){.size = (uint64_t)st.st_size, .used = st.st_mtim};
      cul_digest_hex(&digest, one->name);
      all.bytes += one->size;
    }
  }
  if (dir)
    closedir(dir);
  else if (fd >= 0)
    close(fd);
  return all;
}

static int by_use(const void *one, const void *other) {
  const struct timespec *a = &((const struct entry *)one)->used;
  const struct timespec *b = &((const struct entry *)other)->used;
  if (a->tv_sec != b->tv_sec)
    return a->tv_sec < b->tv_sec ? -1 : 1;
  return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

/* Shrink the store to three quarters of its limit, so that the directory is not
 * read for each new file. */
static void shrink(struct cul_remote_store *store) {
  struct entries all = read_entries(store);
  time_t now = time(NULL);
  if (all.bytes > store->most) {
    qsort(all.items, all.n, sizeof *all.items, by_use);
    for (size_t i = 0; i < all.n && all.bytes > store->most / 4 * 3 &&
                       now - all.items[i].used.tv_sec >= fresh_s;
         i++) {
      drop(store, all.items[i].name);
      all.bytes -= all.items[i].size;
    }
  }
  store->known = all.bytes;
  store->added = 0;
  free(all.items);
}

/* ---- open ---- */

/* Open the lasting store, next to the worker's program. */
static int open_lasting(struct cul_remote_store *store, struct cul_err *err) {
  const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME");
  char *base = NULL, *path = NULL;
  int rc = (cache && *cache) || (home && access(home, X_OK) == 0)
               ? cul_cache_dir_make(&base, err)
               : CUL_EENV;
  if (rc == 0) {
    path = cul_xasprintf("%s/store", base);
    rc = cul_held_make(&store->dir, path, 0700, err);
  }
  if (rc == 0 && faccessat(store->dir.fd, ".", W_OK, AT_EACCESS) < 0) {
    cul_held_close(&store->dir);
    rc = CUL_EENV;
  }
  free(path);
  free(base);
  return rc;
}

/* Identify the store by the kernel and the directory: containers with one
 * kernel have different directories, and a directory on a server has clients
 * with different kernels. */
static struct cul_digest identity_of(const struct cul_remote_store *store) {
  struct cul_hasher *h = cul_hasher_new();
  struct cul_buf boot = {0};
  struct cul_err ignored = {0};
  struct stat st = {0};
  (void)!cul_file_read("/proc/sys/kernel/random/boot_id", 256, &boot, &ignored);
  (void)fstat(store->dir.fd, &st);
  cul_hasher_field(h, cul_buf_str(&boot));
  cul_hasher_u64(h, (uint64_t)st.st_dev);
  cul_hasher_u64(h, (uint64_t)st.st_ino);
  cul_hasher_u64(h, (uint64_t)geteuid());
  cul_buf_release(&boot);
  return cul_hasher_finish(h);
}

int cul_remote_store_open(struct cul_remote_store *store,
                          const struct cul_held *own, struct cul_err *err) {
  const char *limit = getenv("CULPRIT_STORE");
  struct cul_err ignored = {0};
  char *path;
  int rc;
  *store =
      (struct cul_remote_store){.most = limit ? strtoull(limit, NULL, 10) : 0};
  if (!store->most)
    store->most = most_bytes;
  if (open_lasting(store, &ignored) < 0) {
    path = cul_xasprintf("%s/store", own->path);
    rc = cul_held_make(&store->dir, path, 0700, err);
    free(path);
    if (rc < 0)
      return rc;
  }
  store->identity = identity_of(store);
  shrink(store);
  return 0;
}

/* ---- files ---- */

bool cul_remote_store_has(const struct cul_remote_store *store,
                          const struct cul_digest *digest) {
  char hex[CUL_DIGEST_HEX];
  return utimensat(store->dir.fd, cul_digest_hex(digest, hex), NULL,
                   AT_SYMLINK_NOFOLLOW) == 0;
}

static bool write_file(struct cul_remote_store *store, const char *name,
                       struct cul_bytes bytes) {
  char *part = cul_xasprintf("%s%d-%llu-%u", writing, (int)getpid(),
                             (unsigned long long)cul_now_us(), ++store->named);
  int fd = cul_beneath_create(store->dir.fd, part, 0600), error;
  bool ok = fd >= 0 && cul_write_all(fd, bytes.data, bytes.len) == 0;
  if (fd >= 0 && close(fd) < 0)
    ok = false;
  if (ok)
    ok = renameat(store->dir.fd, part, store->dir.fd, name) == 0;
  error = errno;
  if (!ok)
    drop(store, part);
  errno = error;
  free(part);
  return ok;
}

bool cul_remote_store_put(struct cul_remote_store *store,
                          struct cul_bytes bytes) {
  struct cul_digest digest = cul_digest_of(bytes.data, bytes.len);
  char hex[CUL_DIGEST_HEX];
  if (!write_file(store, cul_digest_hex(&digest, hex), bytes))
    return false;
  store->known += bytes.len;
  store->added += bytes.len;
  /* other workers add files as well */
  if (store->added > store->most / 8)
    shrink(store);
  return true;
}

bool cul_remote_store_get(const struct cul_remote_store *store,
                          const struct cul_digest *digest,
                          struct cul_buf *out) {
  char hex[CUL_DIGEST_HEX];
  struct cul_buf bytes = {0};
  struct cul_digest found;
  int fd =
      cul_beneath_open(store->dir.fd, cul_digest_hex(digest, hex), O_RDONLY, 0);
  bool ok = fd >= 0 && cul_read_rest(fd, 0, &bytes) == 0;
  found = cul_digest_of(bytes.data, bytes.len);
  if (ok && !cul_digest_equal(&found, digest)) {
    drop(store, hex);
    ok = false;
  }
  if (ok) /* mark it as used */
    (void)futimens(fd, NULL);
  if (ok)
    cul_buf_add(out, bytes.data, bytes.len);
  if (fd >= 0)
    close(fd);
  cul_buf_release(&bytes);
  return ok;
}
