/* Names of submodules, and the places where git would keep them: see
 * repo_private.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "repo_private.h"

/* One entry "submodule.NAME.path" of .gitmodules. */
struct named {
  char *path, *name;
  size_t at; /* the first entry of a path counts */
};

struct cul_repo_names {
  git_config *modules, *user; /* NULL: none */
  struct named *items;        /* by path; read at the first request */
  size_t n, cap;
  bool read;
};

/* A key without "=" has no value. */
static int take_path(const git_config_entry *entry, void *self) {
  struct cul_repo_names *names = self;
  size_t len = strlen(entry->name);
  static const size_t head = sizeof "submodule." - 1, tail = sizeof ".path" - 1;
  if (!entry->value || len <= head + tail ||
      strncmp(entry->name, "submodule.", head) != 0 ||
      !cul_text_ends(entry->name, ".path"))
    return 0;
  if (names->n == names->cap) {
    names->cap = names->cap ? 2 * names->cap : 16;
    names->items =
        cul_xreallocarray(names->items, names->cap, sizeof *names->items);
  }
  names->items[names->n] = (struct named){
      .path = cul_xstrdup(entry->value),
      .name = cul_xstrndup(entry->name + head, len - head - tail),
      .at = names->n};
  names->n++;
  return 0;
}

static int by_path(const void *left, const void *right) {
  const struct named *a = left, *b = right;
  int order = strcmp(a->path, b->path);
  return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* The name of the submodule at path; NULL: .gitmodules has none. */
static const char *name_at(struct cul_repo_names *names, const char *path) {
  size_t lo = 0, hi;
  if (!names->read && names->modules)
    git_config_foreach(names->modules, take_path, names);
  if (!names->read && names->n)
    qsort(names->items, names->n, sizeof *names->items, by_path);
  names->read = true;
  for (hi = names->n; lo < hi;) {
    size_t mid = lo + (hi - lo) / 2;
    if (strcmp(names->items[mid].path, path) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < names->n && strcmp(names->items[lo].path, path) == 0
             ? names->items[lo].name
             : NULL;
}

static char *value_of(git_config *config, const char *name) {
  char *key = cul_xasprintf("submodule.%s.url", name), *out = NULL;
  git_buf value = {0};
  if (config && git_config_get_string_buf(&value, config, key) == 0)
    out = cul_xstrdup(value.ptr);
  git_buf_dispose(&value);
  free(key);
  return out;
}

enum { MOST_MODULES = 16 << 20 }; /* bytes of .gitmodules */

/* Does the text have "[include]" or "[includeIf ...]"?  A foreign repository
 * must not choose other files to read (git does not allow it in .gitmodules
 * either). */
static bool includes(struct cul_bytes text) {
  static const char word[] = "include";
  const char *at = text.data, *end = at + text.len;
  while (at < end && (at = memchr(at, '[', (size_t)(end - at)))) {
    at++;
    while (at < end && strchr(" \t\r\n\\", *at))
      at++;
    if ((size_t)(end - at) >= sizeof word - 1 &&
        strncasecmp(at, word, sizeof word - 1) == 0)
      return true;
  }
  return false;
}

/* libgit2 reads configuration from files only. */
static git_config *parse(struct cul_bytes text) {
  git_config *config = NULL;
  int fd = includes(text) ? -1 : memfd_create("gitmodules", MFD_CLOEXEC);
  char *name = cul_xasprintf("/proc/self/fd/%d", fd);
  if (fd >= 0 && !memchr(text.data, 0, text.len) &&
      cul_write_all(fd, text.data, text.len) == 0)
    git_config_open_ondisk(&config, name);
  if (fd >= 0)
    close(fd);
  free(name);
  return config;
}

/* False: the name would lead out of git's own directory. */
static bool is_inside(const char *name) {
  for (const char *at = name; *at; at += strspn(at, "/")) {
    size_t n = strcspn(at, "/");
    if (n == 0 || (n == 2 && memcmp(at, "..", 2) == 0))
      return false;
    at += n;
  }
  return *name != '\0';
}

static git_config *read_modules(struct cul_repo *repo,
                                const struct cul_commit_id *of) {
  git_oid oid = cul_repo_oid(of);
  git_commit *commit = NULL;
  git_tree *tree = NULL;
  git_tree_entry *entry = NULL;
  git_blob *blob = NULL;
  git_config *config = NULL;
  struct cul_err ignored = {0};
  if (git_commit_lookup(&commit, repo->git, &oid) == 0 &&
      git_commit_tree(&tree, commit) == 0 &&
      git_tree_entry_bypath(&entry, tree, ".gitmodules") == 0 &&
      cul_repo_blob(repo, git_tree_entry_id(entry), ".gitmodules", &blob,
                    &ignored) == 0 &&
      git_blob_rawsize(blob) <= MOST_MODULES)
    config = parse((struct cul_bytes){git_blob_rawcontent(blob),
                                      (size_t)git_blob_rawsize(blob)});
  git_blob_free(blob);
  git_tree_entry_free(entry);
  git_tree_free(tree);
  git_commit_free(commit);
  return config;
}

struct cul_repo_names *cul_repo_names(struct cul_repo *repo,
                                      const struct cul_commit_id *of) {
  struct cul_repo_names *out = cul_xcalloc(1, sizeof *out);
  out->modules = read_modules(repo, of);
  if (git_repository_config(&out->user, repo->git) < 0)
    out->user = NULL;
  return out;
}

void cul_repo_names_free(struct cul_repo_names *names) {
  for (size_t i = 0; i < names->n; i++) {
    free(names->items[i].path);
    free(names->items[i].name);
  }
  free(names->items);
  git_config_free(names->modules);
  git_config_free(names->user);
  free(names);
}

/* The user's configuration precedes the commit's. */
void cul_repo_name_of(struct cul_repo_names *names, const char *path,
                      char **name, char **url) {
  const char *known = name_at(names, path);
  *name = cul_xstrdup(known ? known : path);
  *url = value_of(names->user, *name);
  if (!*url)
    *url = value_of(names->modules, *name);
}

/* The base of relative URLs: the remote's URL; without a local remote, this
 * repository. */
static char *base_of(struct cul_repo *repo) {
  git_remote *remote = NULL;
  const char *url = NULL, *dir = git_repository_workdir(repo->git);
  char *out;
  if (git_remote_lookup(&remote, repo->git, "origin") == 0)
    url = git_remote_url(remote);
  if (url && strncmp(url, "file://", 7) == 0)
    url += 7;
  if (!dir)
    dir = git_repository_path(repo->git);
  out = cul_xstrdup(url && url[0] == '/' ? url : dir);
  git_remote_free(remote);
  return out;
}

/* The URL as a directory; NULL: it is not on this machine. */
static char *local_of(struct cul_repo *repo, const char *url) {
  char *base, *out;
  if (!url)
    return NULL;
  if (strncmp(url, "file://", 7) == 0)
    return cul_xstrdup(url + 7);
  if (url[0] == '/')
    return cul_xstrdup(url);
  if (url[0] != '.')
    return NULL;
  base = base_of(repo);
  out = cul_xasprintf("%s/%s", base, url);
  free(base);
  return out;
}

void cul_repo_places(struct cul_repo *repo, const char *path, const char *name,
                     const char *url, char *places[CUL_REPO_PLACES]) {
  const char *tree = git_repository_workdir(repo->git);
  places[0] = is_inside(name)
                  ? cul_xasprintf("%smodules/%s",
                                  git_repository_commondir(repo->git), name)
                  : NULL;
  places[1] = tree ? cul_xasprintf("%s%s", tree, path) : NULL;
  places[2] = local_of(repo, url);
}

/* ---- submodules left empty ---- */

static int by_text(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

void cul_modules_lacking(const struct cul_modules *modules,
                         struct cul_buf *out) {
  const char **paths = cul_xcalloc(modules->n_lacking + 1, sizeof *paths);
  size_t n = 0;
  for (size_t i = 0; i < modules->n; i++)
    if (!modules->items[i].repo)
      paths[n++] = modules->items[i].path;
  qsort(paths, n, sizeof *paths, by_text);
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(out, "%s\n", paths[i]);
  free(paths);
}
