/* Derives the directories that runs may use from the files that the tool was
 * seen to use: see sandbox.h. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/environment.h"
#include "../trace/fileset.h"
#include "sandbox.h"

static bool below(const char *path, const char *dir) {
  size_t n = strlen(dir);
  return n > 1 && strncmp(path, dir, n) == 0 &&
         (path[n] == '/' || path[n] == '\0');
}

static char *parent_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash > path ? cul_xstrndup(path, (size_t)(slash - path))
                               : cul_xstrdup("/");
}

/* Does the directory contain all files of a user or of the system? */
static bool is_wide(const struct cul_environment *env, const char *dir) {
  static const char *const wide[] = {"/",    "/home", "/etc", "/usr",
                                     "/var", "/opt",  "/mnt", "/srv"};
  const char *home = cul_environment_get(env, "HOME");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(wide); i++)
    if (strcmp(dir, wide[i]) == 0)
      return true;
  return home && below(home, dir);
}

/* Does the variable name a cache, as in "CCACHE_DIR=/x/y" and
 * "XDG_CACHE_HOME=/x"? */
static bool names_cache(const char *entry, size_t name) {
  return memmem(entry, name, "CACHE", 5) != NULL;
}

/* BASE/NAME, the directory of base in which path is, or which it is; heap;
 * NULL: path is base, or not below it. */
static char *entry_of(const char *path, const char *base) {
  size_t n = strlen(base);
  if (!below(path, base) || path[n] != '/' || !path[n + 1])
    return NULL;
  return cul_xstrndup(path, n + 1 + strcspn(path + n + 1, "/"));
}

/* The base of the caches of all programs, heap; NULL: there is none. */
static char *caches_base(const struct cul_environment *env) {
  const char *home = cul_environment_get(env, "HOME");
  const char *base = cul_environment_get(env, "XDG_CACHE_HOME");
  if (base && base[0] == '/')
    return cul_xstrdup(base);
  return home ? cul_xasprintf("%s/.cache", home) : NULL;
}

/* The value of a variable that names the cache in which path is; borrowed;
 * NULL: none.  $XDG_CACHE_HOME does not count: it has the caches of all
 * programs. */
static const char *cache_named(const struct cul_environment *env,
                               const char *path) {
  for (const char *const *e = cul_environment_list(env); *e; e++) {
    size_t name = strcspn(*e, "=");
    const char *value = *e + name + ((*e)[name] == '=');
    if (names_cache(*e, name) && strncmp(*e, "XDG_CACHE_HOME=", 15) != 0 &&
        below(path, value) && !is_wide(env, value))
      return value;
  }
  return NULL;
}

/* The cache in which a run asked to make path, which was there; heap; NULL:
 * none.  It did not write, so this has to be a cache by its name: in a
 * directory that a variable names, in that of the caches of all programs, or
 * below ~/.NAME in one that is called a cache, as in ~/.triton/cache. */
static char *kept_cache_of(const struct cul_environment *env,
                           const char *path) {
  const char *home = cul_environment_get(env, "HOME");
  const char *named = cache_named(env, path);
  char *base = caches_base(env), *out = base ? entry_of(path, base) : NULL;
  size_t n = home ? strlen(home) : 0;
  if (!out && named && strcmp(named, path) != 0)
    out = cul_xstrdup(named);
  else if (!out && n > 1 && below(path, home) &&
           strncmp(path + n, "/.", 2) == 0)
    for (const char *at = path + n + 1, *end; !out && (end = strchr(at, '/'));
         at = end + 1)
      if (memmem(at, (size_t)(end - at), "cache", 5))
        out = cul_xstrndup(path, (size_t)(end - path));
  if (out && (strcmp(out, path) == 0 || (base && strcmp(out, base) == 0))) {
    free(out);
    out = NULL;
  }
  free(base);
  return out;
}

/* The nearest directory at or above dir that its tool has marked as a cache
 * (B. Ford, Cache Directory Tagging Specification, 2004); NULL: none. */
static const char *tagged(const char *dir, char out[PATH_MAX]) {
  static const char name[] = "/CACHEDIR.TAG";
  size_t n = strlen(dir);
  for (; n > 1 && n + sizeof name <= PATH_MAX; n--) {
    if (dir[n] && dir[n] != '/')
      continue;
    snprintf(out, PATH_MAX, "%.*s%s", (int)n, dir, name);
    if (access(out, F_OK) == 0) {
      out[n] = '\0';
      return out;
    }
  }
  return NULL;
}

/* The cache that contains dir, heap; NULL: none.  Names in a cache are digests,
 * so the next run writes to another directory of the same cache. */
static char *cache_of(const struct cul_environment *env, const char *dir) {
  const char *home = cul_environment_get(env, "HOME");
  const char *named = cache_named(env, dir);
  const char *xdg = cul_environment_get(env, "XDG_CACHE_HOME");
  size_t n = home ? strlen(home) : 0;
  char tag[PATH_MAX];
  const char *at;
  if (named || (named = tagged(dir, tag)) != NULL)
    return cul_xstrdup(named);
  if (xdg && below(dir, xdg))
    return entry_of(dir, xdg);
  if (n < 2 || !below(dir, home) || dir[n] != '/' || dir[n + 1] != '.')
    return NULL;
  /* ~/.triton/..., ~/.cache/ccache/... */
  at = strchr(dir + n + 1, '/');
  if (at && strncmp(dir + n, "/.cache/", 8) == 0)
    at += 1 + strcspn(at + 1, "/");
  return at ? cul_xstrndup(dir, (size_t)(at - dir)) : NULL;
}

static void add(struct cul_paths *paths, const char *path) {
  if (!cul_paths_cover(paths, path))
    cul_paths_add(paths, path);
}

/* Do not restrict writes for this tool: it writes files directly in dir, and
 * the next run may make files with other names there. */
static void leave_out_writes(struct cul_sandbox *sandbox, const char *dir) {
  char *why = cul_xasprintf("it makes files in %s", dir);
  cul_sandbox_leave_out(sandbox, CUL_PARTS_WRITING, why);
  free(why);
}

/* Does the directory contain a directory of others, or lie in one? */
static bool touches_other(const struct cul_sandbox *sandbox, const char *real) {
  const struct cul_paths self = {(char *[]){(char *)real}, 1, 1};
  for (size_t i = 0; i < sandbox->others.n; i++)
    if (cul_paths_cover(&self, sandbox->others.items[i]))
      return true;
  return cul_paths_cover(&sandbox->others, real);
}

void cul_sandbox_add_write(struct cul_sandbox *sandbox,
                           const struct cul_environment *env, const char *path,
                           enum cul_write write) {
  char *dir = parent_of(path);
  char *cache =
      write == CUL_WRITE_KEPT ? kept_cache_of(env, path) : cache_of(env, dir);
  bool wide;
  if (write == CUL_WRITE_READ_BACK && !cache && !strstr(path, "/__pycache__/"))
    add(&sandbox->shared, path);
  if (cache && touches_other(sandbox, cache)) {
    free(cache);
    cache = NULL;
  }
  wide = is_wide(env, dir) || touches_other(sandbox, dir);
  if (cache)
    cul_sandbox_permit(sandbox, cache);
  else if (write == CUL_WRITE_KEPT)
    ; /* nothing was written, so nothing but a cache is opened */
  else if (wide && access(path, F_OK) == 0)
    cul_sandbox_permit(sandbox, path);
  else if (dir[1] && !touches_other(sandbox, dir))
    cul_sandbox_open(sandbox, dir, path);
  else
    leave_out_writes(sandbox, dir);
  free(cache);
  free(dir);
}

/* Not /tmp as a whole, which contains files of all users. */
void cul_sandbox_add_read(struct cul_sandbox *sandbox,
                          const struct cul_environment *env, const char *path) {
  char *dir = parent_of(path);
  bool alone = is_wide(env, dir) || strcmp(dir, "/tmp") == 0 ||
               strcmp(dir, "/var/tmp") == 0;
  add(&sandbox->reads, alone ? path : dir);
  free(dir);
}

void cul_sandbox_unknown(struct cul_sandbox *sandbox, const char *why) {
  uint32_t lost = CUL_PARTS_WRITING | CUL_PART_READS;
  /* With a user namespace, these parts prevent setuid programs; as root they do
   * not. */
  if (strcmp(why, cul_seen_setuid) == 0 && (sandbox->given & CUL_PART_USERS))
    lost |= CUL_PART_PIDS | CUL_PART_USERS;
  if (strcmp(why, cul_seen_setuid) == 0)
    lost |= CUL_PART_DOMAIN;
  cul_sandbox_leave_out(sandbox, lost, why);
}

/* ---- caches ---- */

struct caches {
  struct cul_sandbox *sandbox;
  const struct cul_environment *env;
};

/* Create a cache that the user named in a variable, because its first build
 * would create it.  Not in a directory that belongs to another user, or that
 * several users may write. */
static void make_cache(const struct caches *caches, const char *path) {
  char *parent = path[0] == '/' ? parent_of(path) : NULL;
  char *real = parent ? realpath(parent, NULL) : NULL;
  struct stat st;
  if (real && stat(real, &st) == 0 && S_ISDIR(st.st_mode) &&
      st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
      !cul_paths_cover(&caches->sandbox->others, real))
    (void)!mkdir(path, 0700);
  free(real);
  free(parent);
}

/* Add an existing cache. */
static void add_cache(const struct caches *caches, const char *path) {
  char *real = path[0] == '/' ? realpath(path, NULL) : NULL;
  if (real && !is_wide(caches->env, real) &&
      !touches_other(caches->sandbox, real))
    cul_sandbox_permit(caches->sandbox, real);
  free(real);
}

/* Add the caches in dir one by one, because culprit's own store is also
 * there. */
static void add_caches_in(const struct caches *caches, const char *dir) {
  DIR *names = opendir(dir);
  for (const struct dirent *e; names && (e = readdir(names));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
      char *path = cul_xasprintf("%s/%s", dir, e->d_name);
      add_cache(caches, path);
      free(path);
    }
  if (names)
    closedir(names);
}

static void add_named_caches(const struct caches *caches) {
  static const char dir[] = "CACHE_DIR";
  for (const char *const *e = cul_environment_list(caches->env); *e; e++) {
    size_t n = strcspn(*e, "=");
    char *name = cul_xstrndup(*e, n);
    for (char *at = name; *at; at++)
      *at = (char)toupper((unsigned char)*at);
    if ((*e)[n] == '=' && names_cache(name, n) &&
        strcmp(name, "XDG_CACHE_HOME") != 0) {
      if (n >= sizeof dir - 1 && strcmp(name + n + 1 - sizeof dir, dir) == 0)
        make_cache(caches, *e + n + 1);
      add_cache(caches, *e + n + 1);
    }
    free(name);
  }
}

static void add_listed_caches(const struct caches *caches, const char *home) {
  static const struct {
    const char *variable, *usual, *part;
  } list[] = {
#define CACHE(variable, usual, part) {variable, usual, part},
#include "caches.list"
#undef CACHE
  };
  for (size_t i = 0; i < CUL_ARRAY_SIZE(list); i++) {
    const char *dir = cul_environment_get(caches->env, list[i].variable);
    bool named = dir && *dir;
    char *path;
    if (!named && (!home || !*list[i].usual))
      continue;
    if (named && !*list[i].part)
      make_cache(caches, dir);
    path = cul_xasprintf("%s%s%s%s%s", named ? dir : home, named ? "" : "/",
                         named ? "" : list[i].usual, *list[i].part ? "/" : "",
                         list[i].part);
    add_cache(caches, path);
    free(path);
  }
}

void cul_sandbox_add_caches(struct cul_sandbox *sandbox,
                            const struct cul_environment *env,
                            const struct cul_paths *others) {
  const struct caches caches = {sandbox, env};
  const char *base = cul_environment_get(env, "XDG_CACHE_HOME");
  const char *home = cul_environment_get(env, "HOME");
  char *usual = home ? cul_xasprintf("%s/.cache", home) : NULL;
  sandbox->apart = true;
  for (size_t i = 0; i < others->n; i++)
    cul_paths_add(&sandbox->others, others->items[i]);
  add_named_caches(&caches);
  if (base && base[0] == '/')
    add_caches_in(&caches, base);
  else if (usual)
    add_caches_in(&caches, usual);
  add_listed_caches(&caches, home);
  free(usual);
}

void cul_sandbox_set_up_builds(struct cul_sandbox *sandbox,
                               const struct cul_environment *env,
                               const struct cul_paths *others) {
  sandbox->fixed = true;
  cul_sandbox_add_caches(sandbox, env, others);
}
