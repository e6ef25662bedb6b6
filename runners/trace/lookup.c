/* Digests of look-ups: see lookup.h. */
#include "lookup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/buf.h"

static int at(int dir) { return dir < 0 ? AT_FDCWD : dir; }

static char kind_of(const struct stat *st) {
  if (S_ISREG(st->st_mode))
    return st->st_mode & 0111 ? 'x' : 'f';
  return S_ISDIR(st->st_mode) ? 'd' : 'o';
}

void cul_lookup_hash(struct cul_hasher *h, int dir, const char *name) {
  char kind[2] = "-", target[PATH_MAX];
  struct stat st;
  ssize_t n = readlinkat(at(dir), name, target, sizeof target - 1);
  if (fstatat(at(dir), name, &st, 0) == 0)
    kind[0] = kind_of(&st);
  target[n > 0 ? n : 0] = '\0';
  cul_hasher_field(h, name);
  cul_hasher_field(h, kind);
  cul_hasher_field(h, n > 0 ? target : NULL);
}

static bool is_package(int dir, const char *name) {
  char *init = cul_xasprintf("%s/__init__.py", name);
  bool is = faccessat(dir, init, F_OK, 0) == 0;
  free(init);
  return is;
}

static bool counts(int dir, const char *name, enum cul_names names) {
  if (!strcmp(name, ".") || !strcmp(name, "..") ||
      !strcmp(name, "__pycache__") || cul_text_ends(name, ".pyc"))
    return false;
  return names == CUL_NAMES_ALL || cul_text_ends(name, ".py") ||
         cul_text_ends(name, ".so") || cul_text_ends(name, ".pth") ||
         is_package(dir, name);
}

static int compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names that count, sorted; heap.  A directory's ends in '/'. */
static char **read_names(DIR *open, enum cul_names names, size_t *n) {
  char **out = NULL;
  size_t room = 0;
  *n = 0;
  for (struct dirent *e; (e = readdir(open));) {
    if (!counts(dirfd(open), e->d_name, names))
      continue;
    if (*n == room) {
      room = room ? 2 * room : 64;
      out = cul_xreallocarray(out, room, sizeof *out);
    }
    out[(*n)++] =
        cul_xasprintf("%s%s", e->d_name, e->d_type == DT_DIR ? "/" : "");
  }
  if (*n)
    qsort(out, *n, sizeof *out, compare);
  return out;
}

void cul_listing_hash(struct cul_hasher *h, int dir, const char *name,
                      enum cul_names names) {
  int fd = TEMP_FAILURE_RETRY(
      openat(at(dir), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR *open = fd < 0 ? NULL : fdopendir(fd);
  size_t n = 0;
  char **found = open ? read_names(open, names, &n) : NULL;
  cul_hasher_field(h, name);
  for (size_t i = 0; i < n; i++) {
    cul_hasher_field(h, found[i]);
    free(found[i]);
  }
  cul_hasher_field(h, NULL);
  free(found);
  if (open)
    closedir(open);
  else if (fd >= 0)
    close(fd);
}

bool cul_listing_is_public(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && (st.st_mode & S_ISVTX) &&
         (st.st_mode & S_IWOTH);
}
