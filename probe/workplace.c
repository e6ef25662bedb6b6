/* See workplace.h. */
#include "workplace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cul_workplace_dir(char **out, struct cul_err *err) {
  const char *base = getenv("TMPDIR");
  char *dir = cul_xasprintf("%s/culprit-XXXXXX",
                            base && base[0] == '/' ? base : "/tmp");
  int rc;
  if (mkdtemp(dir)) {
    *out = dir;
    return 0;
  }
  rc = cul_fail(err, CUL_EENV, "set TMPDIR to a directory with room",
                "cannot make %s: %s", dir, strerror(errno));
  free(dir);
  return rc;
}

void cul_workplace_cache(const char *dir, const char *path, bool none,
                         struct cul_cache **cache, char **note) {
  char *own = cul_xasprintf("%s/cache.db", dir);
  struct cul_err err = {0};
  *cache = NULL;
  *note = NULL;
  if (cul_cache_open(none ? own : path, cache, note, &err) < 0) {
    free(*note);
    *note = cul_xasprintf("going on without a cache: %s", err.what);
    *cache = NULL;
  }
  free(own);
}
