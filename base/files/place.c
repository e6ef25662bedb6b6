/* The directories of culprit's own files and of files installed with it: see
 * file.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

/* *named: the directory comes from the user's variables, not from /tmp. */
static char *cache_dir(bool *named) {
  const char *base = getenv("XDG_CACHE_HOME");
  *named = true;
  if (base && base[0] == '/')
    return cul_xasprintf("%s/culprit", base);
  base = getenv("HOME");
  if (base && base[0] == '/')
    return cul_xasprintf("%s/.cache/culprit", base);
  *named = false;
  return cul_xasprintf("/tmp/culprit-%u", (unsigned)getuid());
}

char *cul_cache_dir(void) {
  bool ignored;
  return cache_dir(&ignored);
}

/* Refuse a directory that another user may write: it may contain links and
 * false results. */
static int check_own(const char *dir, bool named, struct cul_err *err) {
  static const char advice[] =
      "remove it, or set XDG_CACHE_HOME to a directory that is yours";
  struct stat st;
  if (lstat(dir, &st) < 0)
    return cul_fail(err, CUL_EENV, advice, "cannot use %s: %s", dir,
                    strerror(errno));
  if (S_ISLNK(st.st_mode))
    return cul_fail(err, CUL_EENV, advice,
                    "%s is a link: another user may choose its target", dir);
  if (!S_ISDIR(st.st_mode))
    return cul_fail(err, CUL_EENV, advice, "%s is not a directory", dir);
  if (st.st_uid != geteuid() && !(named && geteuid() == 0))
    return cul_fail(err, CUL_EENV, advice,
                    "%s belongs to user %u, who may change its contents", dir,
                    (unsigned)st.st_uid);
  if (st.st_mode & (named ? S_IWOTH : S_IWOTH | S_IWGRP))
    return cul_fail(
        err, CUL_EENV, advice,
        "others may write to %s (its mode is %03o) and change its contents",
        dir, (unsigned)st.st_mode & 0777);
  return 0;
}

int cul_cache_dir_make(char **out, struct cul_err *err) {
  bool named;
  char *dir = cache_dir(&named);
  int rc = cul_mkdirs(dir, 0700, err);
  if (rc == 0)
    rc = check_own(dir, named, err);
  if (rc < 0) {
    free(dir);
    dir = NULL;
  }
  *out = dir;
  return rc;
}

char *cul_program_dir(void) {
  char path[4096];
  char *slash;
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0)
    return cul_xstrdup(".");
  path[n] = '\0';
  slash = strrchr(path, '/');
  if (slash && slash != path)
    *slash = '\0';
  return cul_xstrdup(path);
}

char *cul_own_dir(const char *name) {
  /* Places of the workers relative to culprit, which is in bin/ or in a build
   * directory. */
  static const char *const places[] = {".", "../libexec/culprit", "libexec"};
  char *dir = cul_program_dir(), *found = NULL;
  for (size_t i = 0; !found && i < CUL_ARRAY_SIZE(places); i++) {
    char *path = cul_xasprintf("%s/%s/%s", dir, places[i], name);
    found = realpath(path, NULL);
    free(path);
  }
  free(dir);
  return found;
}

char *cul_llvm_prefix(const char *built) {
  char *found = cul_own_dir("llvm");
  return found ? found : cul_xstrdup(built);
}

char *cul_own_file(const char *program_dir, const char *name, int mode) {
  static const char *const places[] = {"libexec", "../libexec/culprit"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(places); i++) {
    char *path = cul_xasprintf("%s/%s/%s", program_dir, places[i], name);
    if (access(path, mode) == 0)
      return path;
    free(path);
  }
  return NULL;
}

char *cul_own_library(const char *name) {
  char *dir = cul_program_dir();
  char *path = cul_own_file(dir, name, R_OK);
  free(dir);
  if (path && strpbrk(path, " :")) {
    free(path);
    return NULL;
  }
  return path;
}
