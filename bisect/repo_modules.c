/* Where the commits of submodules are found: see cul_repo_module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "repo_private.h"

struct module {
  char *name, *url;
};

static void module_release(struct module *module) {
  free(module->name);
  free(module->url);
}

/* One entry "submodule.NAME.path" of .gitmodules. */
struct wanted {
  const char *path;
  char *name;
};

static int match_path(const git_config_entry *entry, void *self) {
  struct wanted *wanted = self;
  size_t len = strlen(entry->name);
  static const size_t head = sizeof "submodule." - 1, tail = sizeof ".path" - 1;
  if (!wanted->name && strcmp(entry->value, wanted->path) == 0 &&
      len > head + tail)
    wanted->name = cul_xstrndup(entry->name + head, len - head - tail);
  return 0;
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

/* libgit2 reads configuration from files only. */
static git_config *parse(git_blob *blob) {
  char name[] = "/tmp/culprit-modules-XXXXXX";
  git_config *config = NULL;
  int fd = mkstemp(name);
  if (fd < 0)
    return NULL;
  if (cul_write_all(fd, git_blob_rawcontent(blob),
                    (size_t)git_blob_rawsize(blob)) == 0)
    git_config_open_ondisk(&config, name);
  close(fd);
  unlink(name);
  return config;
}

static git_config *read_modules(struct cul_repo *repo,
                                const struct cul_commit_id *of) {
  git_oid oid = cul_repo_oid(of);
  git_commit *commit = NULL;
  git_tree *tree = NULL;
  git_tree_entry *entry = NULL;
  git_blob *blob = NULL;
  git_config *config = NULL;
  if (git_commit_lookup(&commit, repo->git, &oid) == 0 &&
      git_commit_tree(&tree, commit) == 0 &&
      git_tree_entry_bypath(&entry, tree, ".gitmodules") == 0 &&
      git_blob_lookup(&blob, repo->git, git_tree_entry_id(entry)) == 0)
    config = parse(blob);
  git_blob_free(blob);
  git_tree_entry_free(entry);
  git_tree_free(tree);
  git_commit_free(commit);
  return config;
}

/* The name that .gitmodules gives to a path, and the URL: the user's own word
 * goes before the commit's. */
static struct module find_module(struct cul_repo *repo,
                                 const struct cul_commit_id *of,
                                 const char *path) {
  git_config *modules = read_modules(repo, of), *user = NULL;
  struct wanted wanted = {.path = path};
  struct module out = {0};
  if (modules)
    git_config_foreach_match(modules, "submodule\\..*\\.path", match_path,
                             &wanted);
  out.name = wanted.name ? wanted.name : cul_xstrdup(path);
  if (git_repository_config(&user, repo->git) == 0)
    out.url = value_of(user, out.name);
  if (!out.url)
    out.url = value_of(modules, out.name);
  git_config_free(user);
  git_config_free(modules);
  return out;
}

/* Relative URLs count from the remote; without a local one, from here. */
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

/* The URL as a directory; NULL where it is none of this machine. */
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

static bool has_commit(const char *dir, const struct cul_commit_id *id) {
  git_oid oid = cul_repo_oid(id);
  git_repository *git = NULL;
  git_commit *commit = NULL;
  bool has = dir &&
             git_repository_open_ext(&git, dir, GIT_REPOSITORY_OPEN_NO_SEARCH,
                                     NULL) == 0 &&
             git_commit_lookup(&commit, git, &oid) == 0;
  git_commit_free(commit);
  git_repository_free(git);
  return has;
}

int cul_repo_module(struct cul_repo *repo, const struct cul_commit_id *of,
                    const char *path, const struct cul_commit_id *id,
                    char **dir, struct cul_err *err) {
  struct module module = find_module(repo, of, path);
  const char *tree = git_repository_workdir(repo->git);
  char *places[3] = {cul_xasprintf("%smodules/%s",
                                   git_repository_commondir(repo->git),
                                   module.name),
                     tree ? cul_xasprintf("%s%s", tree, path) : NULL,
                     local_of(repo, module.url)};
  char hex[CUL_COMMIT_HEX];
  int rc = 0;
  *dir = NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(places); i++) {
    if (!*dir && has_commit(places[i], id))
      *dir = places[i];
    else
      free(places[i]);
  }
  if (!*dir)
    rc = cul_fail(err, CUL_ECHILD,
                  "fetch it in your repository: git submodule update --init",
                  "submodule %s: its commit %.12s is not on this machine "
                  "(URL %s)",
                  path, cul_commit_hex(id, hex),
                  module.url ? module.url : "unknown");
  module_release(&module);
  return rc;
}
