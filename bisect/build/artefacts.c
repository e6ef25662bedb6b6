/* Digests of builds by the files that their runs read: see artefacts.h. */
#include "artefacts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../runners/trace/fileset.h"

/* Few lists of files are enough: runs of one test read almost the same
 * files. */
enum { MOST_LISTS = 64 };

struct cul_artefacts {
  struct cul_artefacts_conf conf;
  struct cul_digest key;   /* key of the lists in the cache */
  char *lists[MOST_LISTS]; /* lines "d NAME" (below the build directory),
                              "a PATH" (elsewhere), "p NAME" (looked for) and
                              "l NAME" (its names read) below it, "P PATH" and
                              "L PATH" elsewhere */
  size_t n_lists;
  struct cul_digest *known; /* digests that this process has learnt */
  size_t n_known;
};

static const char lists_space[] = "bisect-lists", known_space[] = "bisect-same";

/* The cache has all lists in one memo, each ended by an empty line. */
static void recall_lists(struct cul_artefacts *a) {
  struct cul_buf memo = {0};
  struct cul_err ignored = {0};
  bool found = false;
  if (cul_cache_memo_get(a->conf.cache, lists_space, &a->key, &memo, &found,
                         &ignored) == 0 &&
      found)
    for (const char *at = cul_buf_str(&memo), *end;
         a->n_lists < MOST_LISTS && (end = strstr(at, "\n\n")); at = end + 2)
      a->lists[a->n_lists++] = cul_xstrndup(at, (size_t)(end - at) + 1);
  cul_buf_release(&memo);
}

static void remember_lists(struct cul_artefacts *a) {
  struct cul_buf memo = {0};
  struct cul_err ignored = {0};
  for (size_t i = 0; i < a->n_lists; i++)
    cul_buf_addf(&memo, "%s\n", a->lists[i]);
  (void)!cul_cache_memo_put(a->conf.cache, lists_space, &a->key, memo.data,
                            memo.len, &ignored);
  cul_buf_release(&memo);
}

struct cul_artefacts *cul_artefacts_new(const struct cul_artefacts_conf *conf) {
  struct cul_artefacts *a = cul_xcalloc(1, sizeof *a);
  a->conf = *conf;
  a->key = conf->test;
  if (conf->cache)
    recall_lists(a);
  return a;
}

void cul_artefacts_free(struct cul_artefacts *a) {
  for (size_t i = 0; a && i < a->n_lists; i++)
    free(a->lists[i]);
  if (a)
    free(a->known);
  free(a);
}

/* ---- known ones ---- */

static bool is_known(struct cul_artefacts *a, const struct cul_digest *digest) {
  struct cul_buf memo = {0};
  struct cul_err ignored = {0};
  bool found = false;
  for (size_t i = 0; i < a->n_known; i++)
    if (memcmp(&a->known[i], digest, sizeof *digest) == 0)
      return true;
  if (a->conf.cache)
    (void)!cul_cache_memo_get(a->conf.cache, known_space, digest, &memo, &found,
                              &ignored);
  cul_buf_release(&memo);
  return found;
}

static void make_known(struct cul_artefacts *a,
                       const struct cul_digest *digest) {
  struct cul_err ignored = {0};
  if (is_known(a, digest))
    return;
  a->known = cul_xreallocarray(a->known, a->n_known + 1, sizeof *a->known);
  a->known[a->n_known++] = *digest;
  if (a->conf.cache)
    (void)!cul_cache_memo_put(a->conf.cache, known_space, digest, "1", 1,
                              &ignored);
}

/* ---- lists ---- */

static bool below(const char *path, const char *dir) {
  size_t n = strlen(dir);
  return strncmp(path, dir, n) == 0 && path[n] == '/';
}

/* Is the path a word of the test as the user gave it, which its digest
 * covers? */
static bool is_given(const struct cul_artefacts *a, const char *path) {
  bool same = false;
  for (const char *const *arg = a->conf.argv; *arg && !same; arg++) {
    char *real = realpath(*arg, NULL);
    same = real && strcmp(real, path) == 0;
    free(real);
  }
  return same;
}

/* Is this a new file that is not in the build? */
static bool is_new(const struct cul_artefacts *a, const char *path) {
  const struct timespec *since = &a->conf.since;
  struct stat st;
  if (stat(path, &st) < 0)
    return true;
  return st.st_ctim.tv_sec > since->tv_sec ||
         (st.st_ctim.tv_sec == since->tv_sec &&
          st.st_ctim.tv_nsec > since->tv_nsec);
}

/* Note a path that was looked for, found or not, or a directory that was read:
 * another commit may have what this one lacks. */
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

/* Add a line of a trace to a list.  False: the trace tells too little. */
static bool take_line(const struct cul_artefacts *a, const char *line,
                      size_t len, const char *dir, struct cul_buf *out) {
  char *path;
  bool ok = true;
  if (len < 3 || strchr("wuod", line[0]))
    return true;
  if (line[0] == '!')
    return false;
  path = cul_xstrndup(line + 2, len - 2);
  if (line[0] == 'p' || line[0] == 'l')
    take_look(line[0], path, dir, out);
  else if (below(path, dir))
    cul_buf_addf(out, "d %s\n", path + strlen(dir) + 1);
  else if (is_new(a, path) && !is_given(a, path))
    ok = false;
  else
    cul_buf_addf(out, "a %s\n", path);
  free(path);
  return ok;
}

static bool make_list(const struct cul_artefacts *a, const char *files,
                      const char *dir, struct cul_buf *out) {
  bool ok = true;
  while (ok && *files) {
    size_t len = strcspn(files, "\n");
    ok = take_line(a, files, len, dir, out);
    files += len + (files[len] == '\n');
  }
  /* A test that reads no file of the build uses the build in some other way. */
  return ok && (strncmp(cul_buf_str(out), "d ", 2) == 0 ||
                strstr(cul_buf_str(out), "\nd "));
}

/* ---- digests ---- */

/* Hash a name below the build directory, so that the digest does not depend on
 * where that is. */
static void hash_look(struct cul_hasher *h, const char *line, const char *dir) {
  bool elsewhere = isupper((unsigned char)line[0]);
  int fd =
      elsewhere
          ? -1
          : TEMP_FAILURE_RETRY(open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (tolower(line[0]) == 'l')
    cul_listing_hash(h, fd, line + 2, CUL_NAMES_ALL);
  else
    cul_lookup_hash(h, fd, line + 2);
  if (fd >= 0)
    close(fd);
}

static bool hash_line(const struct cul_artefacts *a, struct cul_hasher *h,
                      const char *line, const char *dir, bool *names_commit) {
  struct cul_digest digest;
  struct cul_err ignored = {0};
  char *path = line[0] == 'd' ? cul_xasprintf("%s/%s", dir, line + 2)
                              : cul_xstrdup(line + 2);
  bool ok = true;
  cul_hasher_field(h, line);
  if (strchr("pPlL", line[0])) {
    hash_look(h, line, dir);
  } else if (line[0] == 'd') {
    ok = cul_artefact_hash_file(h, path, dir, names_commit);
  } else {
    ok = cul_cache_file_digest(a->conf.cache, path, &digest, &ignored) == 0;
    cul_hasher_add(h, &digest, ok ? sizeof digest : 0);
  }
  free(path);
  return ok;
}

/* Does the test use the commit's name, as a script of the user may? */
static bool asks_commit(const struct cul_artefacts *a) {
  bool asks = false;
  for (const char *const *arg = a->conf.argv; *arg && !asks; arg++) {
    struct cul_hasher *h = cul_hasher_new();
    asks = strstr(*arg, "CULPRIT_COMMIT") || strstr(*arg, "@{commit}");
    cul_artefact_hash_file(h, *arg, *arg, &asks);
    cul_hasher_finish(h);
  }
  return asks;
}

static bool digest_of(const struct cul_artefacts *a, const char *list,
                      const struct cul_built_in *build,
                      struct cul_digest *out) {
  struct cul_hasher *h = cul_hasher_new();
  bool ok = true, names_commit = asks_commit(a);
  cul_hasher_field(h, "artefact 2");
  cul_hasher_add(h, &a->conf.test, sizeof a->conf.test);
  while (ok && *list) {
    size_t len = strcspn(list, "\n");
    char *line = cul_xstrndup(list, len);
    ok = hash_line(a, h, line, build->dir, &names_commit);
    free(line);
    list += len + (list[len] == '\n');
  }
  cul_hasher_field(h, names_commit ? build->commit : NULL);
  if (build->lacking && *build->lacking)
    cul_hasher_field(h, build->lacking);
  *out = cul_hasher_finish(h);
  return ok;
}

static void keep_list(struct cul_artefacts *a, const char *list) {
  for (size_t i = 0; i < a->n_lists; i++)
    if (strcmp(a->lists[i], list) == 0)
      return;
  if (a->n_lists == MOST_LISTS) { /* drop the oldest */
    free(a->lists[0]);
    memmove(a->lists, a->lists + 1, --a->n_lists * sizeof *a->lists);
  }
  a->lists[a->n_lists++] = cul_xstrdup(list);
  if (a->conf.cache)
    remember_lists(a);
}

bool cul_artefacts_learn(struct cul_artefacts *a, const char *files,
                         const struct cul_built_in *build,
                         struct cul_digest *out) {
  char *dir = realpath(build->dir, NULL);
  struct cul_built_in real = {dir, build->commit, build->lacking};
  struct cul_buf list = {0};
  bool ok = dir && make_list(a, files, dir, &list) &&
            digest_of(a, cul_buf_str(&list), &real, out);
  if (ok) {
    keep_list(a, cul_buf_str(&list));
    make_known(a, out);
  }
  cul_buf_release(&list);
  free(dir);
  return ok;
}

bool cul_artefacts_find(struct cul_artefacts *a,
                        const struct cul_built_in *build,
                        struct cul_digest *out) {
  char *dir = realpath(build->dir, NULL);
  struct cul_built_in real = {dir, build->commit, build->lacking};
  bool found = false;
  for (size_t i = 0; dir && i < a->n_lists && !found; i++)
    found = digest_of(a, a->lists[i], &real, out) && is_known(a, out);
  free(dir);
  return found;
}
