/* Digests of builds by the files that their runs read: see artefacts.h. */
#include "artefacts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../runners/identity/built.h"

/* Few lists of files are enough: runs of one test read almost the same
 * files. */
enum { MOST_LISTS = 64 };

struct known {
  struct cul_digest digest;
  char *outside; /* of the run by which it was learned */
};

struct cul_artefacts {
  struct cul_artefacts_conf conf;
  struct cul_digest key;   /* key of the lists in the cache */
  char *lists[MOST_LISTS]; /* runners/identity/built.h */
  size_t n_lists;
  struct known *known; /* what this process has learnt */
  size_t n_known;
};

static const char lists_space[] = "bisect-lists",
                  known_space[] = "bisect-same 2";

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
  for (size_t i = 0; a && i < a->n_known; i++)
    free(a->known[i].outside);
  if (a)
    free(a->known);
  free(a);
}

/* ---- known ones ---- */

/* outside: what the run read elsewhere by which it was learned is appended. */
static bool is_known(struct cul_artefacts *a, const struct cul_digest *digest,
                     struct cul_buf *outside) {
  struct cul_err ignored = {0};
  bool found = false;
  for (size_t i = 0; i < a->n_known; i++)
    if (cul_digest_equal(&a->known[i].digest, digest)) {
      cul_buf_adds(outside, a->known[i].outside);
      return true;
    }
  if (a->conf.cache)
    (void)!cul_cache_memo_get(a->conf.cache, known_space, digest, outside,
                              &found, &ignored);
  return found;
}

static void make_known(struct cul_artefacts *a, const struct cul_digest *digest,
                       const char *outside) {
  struct cul_err ignored = {0};
  struct cul_buf then = {0};
  bool known = is_known(a, digest, &then);
  cul_buf_release(&then);
  if (known)
    return;
  a->known = cul_xreallocarray(a->known, a->n_known + 1, sizeof *a->known);
  a->known[a->n_known++] = (struct known){*digest, cul_xstrdup(outside)};
  if (a->conf.cache)
    (void)!cul_cache_memo_put(a->conf.cache, known_space, digest, outside,
                              strlen(outside), &ignored);
}

/* ---- digests ---- */

static int digest_elsewhere(void *self, const char *path,
                            struct cul_digest *out) {
  const struct cul_artefacts *a = self;
  struct cul_err ignored = {0};
  return cul_cache_file_digest(a->conf.cache, path, out, &ignored);
}

/* Does the test use the commit's name, in its words or in a script? */
static bool asks_commit(const struct cul_artefacts *a) {
  bool asks = false;
  for (const char *const *arg = a->conf.argv; *arg && !asks; arg++) {
    struct cul_hasher *h = cul_hasher_new();
    asks = strstr(*arg, "CULPRIT_COMMIT") || strstr(*arg, "@{commit}");
    cul_built_file(h, *arg, *arg, &asks);
    cul_hasher_finish(h);
  }
  return asks;
}

/* Find the digest of a build by a list in the record of a worker on another
 * machine: a line "Y LIST DIGEST", followed by " commit" if a file mentions the
 * commit. */
static bool find_told(const char *told, const char *list, bool *names_commit,
                      struct cul_digest *out) {
  struct cul_digest name = cul_digest_of(list, strlen(list));
  char hex[CUL_DIGEST_HEX], *line;
  const char *at;
  line = cul_xasprintf("Y %s ", cul_digest_hex(&name, hex));
  at = strstr(told, line);
  at = at ? at + strlen(line) : NULL;
  free(line);
  if (!at || strcspn(at, " \n") != CUL_DIGEST_HEX - 1)
    return false;
  snprintf(hex, sizeof hex, "%.*s", CUL_DIGEST_HEX - 1, at);
  if (!cul_digest_parse(hex, out))
    return false;
  *names_commit |= at[CUL_DIGEST_HEX - 1] == ' ';
  return true;
}

static bool digest_of(struct cul_artefacts *a, const char *list,
                      const struct cul_built_in *build,
                      struct cul_digest *out) {
  const struct cul_built_reader reader = {.digest = digest_elsewhere,
                                          .self = a};
  struct cul_hasher *h;
  struct cul_digest files;
  bool names_commit = asks_commit(a);
  if (build->told
          ? !find_told(build->told, list, &names_commit, &files)
          : !cul_built_digest(list, build->dir, &reader, &names_commit, &files))
    return false;
  h = cul_hasher_new();
  cul_hasher_field(h, "artefact 4");
  cul_hasher_add(h, &a->conf.test, sizeof a->conf.test);
  cul_hasher_add(h, &files, sizeof files);
  cul_hasher_field(h, names_commit ? build->commit : NULL);
  if (build->lacking && *build->lacking)
    cul_hasher_field(h, build->lacking);
  *out = cul_hasher_finish(h);
  return true;
}

/* Take the list that a worker on another machine made: lines "y LINE". */
static bool take_list(const char *told, struct cul_buf *out) {
  for (; *told; told += strcspn(told, "\n"), told += *told == '\n')
    if (told[0] == 'y' && told[1] == ' ')
      cul_buf_add(out, told + 2, strcspn(told, "\n") - 1);
  return out->len > 0;
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

/* The build with its real name; dir: heap, the caller frees it. */
static struct cul_built_in real_of(const struct cul_built_in *build,
                                   char **dir) {
  struct cul_built_in real = *build;
  *dir = build->told ? cul_xstrdup(build->dir) : realpath(build->dir, NULL);
  real.dir = *dir;
  return real;
}

bool cul_artefacts_learn(struct cul_artefacts *a, const char *files,
                         const char *outside, const struct cul_built_in *build,
                         struct cul_digest *out) {
  char *dir;
  struct cul_built_in real = real_of(build, &dir);
  const struct cul_built_from from = {files, dir, a->conf.since, a->conf.argv};
  struct cul_buf list = {0};
  bool ok = dir && (real.told ? take_list(real.told, &list)
                              : cul_built_list(&from, &list));
  ok = ok && digest_of(a, cul_buf_str(&list), &real, out);
  if (ok) {
    keep_list(a, cul_buf_str(&list));
    make_known(a, out, outside);
  }
  cul_buf_release(&list);
  free(dir);
  return ok;
}

bool cul_artefacts_find(struct cul_artefacts *a,
                        const struct cul_built_in *build,
                        struct cul_digest *out, struct cul_buf *outside) {
  char *dir;
  struct cul_built_in real = real_of(build, &dir);
  bool found = false;
  for (size_t i = 0; dir && i < a->n_lists && !found; i++)
    found = digest_of(a, a->lists[i], &real, out) && is_known(a, out, outside);
  free(dir);
  return found;
}

void cul_artefacts_lists(const struct cul_artefacts *a, struct cul_buf *out) {
  for (size_t i = 0; i < a->n_lists; i++)
    cul_buf_addf(out, "%s\n", a->lists[i]);
}
