/* The names of files and directories that culprit's own jobs write, each a memo
 * of its own: jobs that run at the same time note theirs, too. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"

static const char space[] = "result name";

static struct cul_digest key_of(const char *dir, const char *name) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_field(h, dir);
  cul_hasher_field(h, name);
  return cul_hasher_finish(h);
}

void cul_cache_note_result(struct cul_cache *cache, const char *path) {
  CUL_HEAP char *above = cul_xstrdup(path), *copy = cul_xstrdup(path);
  const char *parent = dirname(above), *name = basename(copy);
  CUL_HEAP char *dir = realpath(parent, NULL);
  struct cul_err ignored = {0};
  struct cul_digest key;
  if (!dir && strcmp(parent, path) != 0) {
    cul_cache_note_result(cache, parent);
  } else if (dir) {
    key = key_of(dir, name);
    (void)!cul_cache_memo_put(cache, space, &key, "", 0, &ignored);
  }
}

bool cul_cache_is_result(struct cul_cache *cache, const char *dir,
                         const char *name) {
  struct cul_digest key = key_of(dir, name);
  CUL_OWNED(cul_buf) nothing = {0};
  struct cul_err ignored = {0};
  bool found = false;
  (void)!cul_cache_memo_get(cache, space, &key, &nothing, &found, &ignored);
  return found;
}
