/* See built.h. */
#include "built.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../trace/fileset.h"

/* ---- lists ---- */

static bool below(const char *path, const char *dir) {
  size_t n = strlen(dir);
  return strncmp(path, dir, n) == 0 && path[n] == '/';
}

/* Is the path an argument of the test command?  Then the digest of the command
 * covers it. */
static bool is_given(const struct cul_built_from *from, const char *path) {
  bool same = false;
  for (const char *const *arg = from->given; *arg && !same; arg++) {
    char *real = realpath(*arg, NULL);
    same = real && strcmp(real, path) == 0;
    free(real);
  }
  return same;
}

/* Is this a new file that is not in the build? */
static bool is_new(const struct cul_built_from *from, const char *path) {
  const struct timespec *since = &from->since;
  struct stat st;
  if (stat(path, &st) < 0)
    return true;
  return st.st_ctim.tv_sec > since->tv_sec ||
         (st.st_ctim.tv_sec == since->tv_sec &&
          st.st_ctim.tv_nsec > since->tv_nsec);
}

/* Add a path that was looked for, whether or not it exists, or a directory that
 * was read: with another commit, the result may differ. */
static void take_look(char letter, const char *path, const char *dir,
                      struct cul_buf *out) {
  if (strstr(path, "/__pycache__"))
    return;
  if (strcmp(path, dir) == 0)
    cul_buf_addf(out, "%c .\n", letter);
  else if (below(path, dir))
    cul_buf_addf(out, "%c %s\n", letter, path + strlen(dir) + 1);
  else
    cul_buf_addf(out, "%c %s\n", toupper(letter), path);
}

/* Does Python load the compiled module without a look at its source?  The
 * second word of its head has flags: 1 for a hash in place of the time, 2 where
 * the hash is checked (PEP 552). */
static bool is_unchecked(const char *path) {
  unsigned char head[8] = {0};
  int fd = TEMP_FAILURE_RETRY(
      open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  ssize_t n = fd >= 0 ? TEMP_FAILURE_RETRY(read(fd, head, sizeof head)) : 0;
  if (fd >= 0)
    close(fd);
  return n == sizeof head && (head[4] & 3) == 1;
}

char *cul_built_source(const char *path) {
  static const char compiled[] = "/__pycache__/";
  const char *at = strstr(path, compiled);
  const char *name = at ? at + sizeof compiled - 1 : NULL;
  char *source = at ? cul_xasprintf("%.*s/%.*s.py", (int)(at - path), path,
                                    (int)strcspn(name, "."), name)
                    : NULL;
  if (source && access(source, F_OK) == 0 && !is_unchecked(path))
    return source;
  free(source);
  return cul_xstrdup(path);
}

/* Add a line of a trace to a list.  False: the trace tells too little. */
static bool take_line(const struct cul_built_from *from, const char *line,
                      size_t len, struct cul_buf *out) {
  const char *dir = from->dir;
  char *path, *source;
  bool ok = true;
  if (len >= 3 && line[0] == '!')
    return false;
  if (len < 3 || !strchr("rxpl", line[0]))
    return true;
  path = cul_xstrndup(line + 2, len - 2);
  if (line[0] == 'p' || line[0] == 'l')
    take_look(line[0], path, dir, out);
  else if (below(path, dir))
    cul_buf_addf(out, "d %s\n", path + strlen(dir) + 1);
  else {
    source = cul_built_source(path);
    ok = !is_new(from, source) || is_given(from, source);
    cul_buf_addf(out, "a %s\n", source);
    free(source);
  }
  free(path);
  return ok;
}

bool cul_built_list(const struct cul_built_from *from, struct cul_buf *out) {
  const char *files = from->files;
  bool ok = true;
  while (*files) {
    size_t len = strcspn(files, "\n");
    ok &= take_line(from, files, len, out);
    files += len + (files[len] == '\n');
  }
  /* If a test reads no file of the build, it uses the build in a way that is
   * not traced. */
  return ok && (strncmp(cul_buf_str(out), "d ", 2) == 0 ||
                strstr(cul_buf_str(out), "\nd "));
}

/* ---- one file ---- */

/* The head of a note with a build id of 20 bytes (SHA-1). */
static const char build_id[] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU";
enum { BUILD_ID = 20 };

struct view {
  const char *at;
  size_t left;
};

/* Find the next text to ignore: the directory's path or the build id, whichever
 * comes first.  *at, *len: its place. */
static const char *next_mask(const struct view *view, const char *dir,
                             bool is_elf, size_t *len) {
  const char *path = memmem(view->at, view->left, dir, strlen(dir));
  const char *id =
      is_elf ? memmem(view->at, view->left, build_id, sizeof build_id) : NULL;
  size_t room;
  if (id && (!path || id < path)) {
    id += sizeof build_id;
    room = view->left - (size_t)(id - view->at);
    *len = room < BUILD_ID ? room : BUILD_ID;
    return id;
  }
  *len = strlen(dir);
  return path;
}

static void hash_view(struct cul_hasher *h, struct view view, const char *dir) {
  bool is_elf = view.left > 4 && memcmp(view.at, "\177ELF", 4) == 0;
  const char *mask;
  size_t len;
  while (view.left && (mask = next_mask(&view, dir, is_elf, &len))) {
    size_t before = (size_t)(mask - view.at);
    cul_hasher_u64(h, before);
    cul_hasher_add(h, view.at, before);
    view.at += before + len;
    view.left -= before + len;
  }
  cul_hasher_u64(h, view.left);
  cul_hasher_add(h, view.at, view.left);
}

bool cul_built_file(struct cul_hasher *h, const char *path, const char *dir,
                    bool *names_commit) {
  static const char name[] = "CULPRIT_COMMIT";
  /* O_NONBLOCK: do not wait for the writer of a pipe. */
  int fd = TEMP_FAILURE_RETRY(
      open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat st;
  void *map = NULL;
  bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  if (ok && st.st_size > 0)
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (fd >= 0)
    close(fd);
  if (!ok || map == MAP_FAILED)
    return false;
  cul_hasher_u64(h, (uint64_t)(st.st_mode & 0111) != 0);
  hash_view(h, (struct view){map ? map : "", map ? (size_t)st.st_size : 0},
            dir);
  if (map) {
    if (memmem(map, (size_t)st.st_size, name, sizeof name - 1))
      *names_commit = true;
    munmap(map, (size_t)st.st_size);
  }
  return true;
}

/* ---- digests ---- */

/* A directory elsewhere whose names are read. */
struct listing {
  const struct cul_built_reader *reader;
  char *real; /* its path without links; or NULL */
};

static bool is_result(void *self, const char *name) {
  const struct listing *listing = self;
  return listing->real &&
         listing->reader->is_result(listing->reader->self, listing->real, name);
}

static void hash_names(struct cul_hasher *h, int fd, const char *path,
                       const struct cul_built_reader *reader) {
  bool spares = fd < 0 && reader->is_result;
  struct listing listing = {reader, spares ? realpath(path, NULL) : NULL};
  cul_listing_hash(h, fd, path, spares ? is_result : NULL, &listing);
  free(listing.real);
}

/* Hash a name below the build directory, so that the digest does not depend on
 * where that is. */
static void hash_look(struct cul_hasher *h, const char *line, const char *dir,
                      const struct cul_built_reader *reader) {
  bool elsewhere = isupper((unsigned char)line[0]);
  int fd =
      elsewhere
          ? -1
          : TEMP_FAILURE_RETRY(open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (tolower(line[0]) == 'l')
    hash_names(h, fd, line + 2, reader);
  else
    cul_lookup_hash(h, fd, line + 2);
  if (fd >= 0)
    close(fd);
}

static bool hash_line(struct cul_hasher *h, const char *line, const char *dir,
                      const struct cul_built_reader *reader,
                      bool *names_commit) {
  struct cul_digest digest;
  char *path = line[0] == 'd' ? cul_xasprintf("%s/%s", dir, line + 2)
                              : cul_xstrdup(line + 2);
  bool ok = true;
  cul_hasher_field(h, line);
  if (strchr("pPlL", line[0])) {
    hash_look(h, line, dir, reader);
  } else if (line[0] == 'd') {
    ok = cul_built_file(h, path, dir, names_commit);
  } else {
    ok = reader->digest(reader->self, path, &digest) == 0;
    cul_hasher_add(h, &digest, ok ? sizeof digest : 0);
  }
  free(path);
  return ok;
}

bool cul_built_digest(const char *list, const char *dir,
                      const struct cul_built_reader *reader, bool *names_commit,
                      struct cul_digest *out) {
  struct cul_hasher *h = cul_hasher_new();
  bool ok = true;
  while (ok && *list) {
    size_t len = strcspn(list, "\n");
    char *line = cul_xstrndup(list, len);
    ok = hash_line(h, line, dir, reader, names_commit);
    free(line);
    list += len + (list[len] == '\n');
  }
  *out = cul_hasher_finish(h);
  return ok;
}
