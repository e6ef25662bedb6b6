/* Opens and closes the store: see cache.h. */
#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "store.h"

static int default_path(char **out, struct cul_err *err) {
  char *dir;
  int rc = cul_cache_dir_make(&dir, err);
  if (rc)
    rc = cul_fail_in(err, "cannot keep runs");
  else
    *out = cul_xasprintf("%s/cache.db", dir);
  free(dir);
  return rc;
}

int cul_cache_open(const char *path, struct cul_cache **out, char **note,
                   struct cul_err *err) {
  struct cul_cache *cache = cul_xcalloc(1, sizeof(*cache));
  int rc = 0;
  *out = NULL;
  *note = NULL;
  if (path)
    cache->path = cul_xstrdup(path);
  else
    rc = default_path(&cache->path, err);
  if (rc == 0)
    rc = cul_store_connect(cache, path == NULL, note, err);
  if (rc == 0) {
    *out = cache;
    return 0;
  }
  free(cache->path);
  free(cache->file);
  free(cache);
  return rc;
}

void cul_cache_close(struct cul_cache *cache) {
  struct cul_err ignored = {0};
  if (!cache)
    return;
  /* No caller is left to handle an error; lost entries are run again. */
  if (cul_cache_flush(cache, &ignored) < 0)
    ignored.code = 0;
  cul_store_disconnect(cache);
  free(cache->path);
  free(cache->file);
  free(cache);
}
