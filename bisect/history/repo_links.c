/* All submodules of a revision, including nested ones, and the repositories
 * that have their commits: see cul_repo_modules.  Results are kept, so that all
 * builds and keys of one job agree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "repo_private.h"

/* ---- names and places ---- */

/* One entry "submodule.NAME.path" of .gitmodules. */
struct named {
  char *path, *name;
  size_t at; /* the first entry of a path counts */
};

struct repo_names {
  git_config *modules, *user; /* NULL: none */
  struct named *items;        /* by path; read at the first request */
  size_t n, cap;
  bool read;
};

/* Add one entry of .gitmodules; a key without "=" has no value. */
static int take_path(const git_config_entry *entry, void *self) {
  struct repo_names *names = self;
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
static const char *name_at(struct repo_names *names, const char *path) {
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

/* Is the submodule's directory inside git's own?  A name with ".." may lead out
 * of it. */
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

/* The names and URLs of submodules from .gitmodules of a commit; the user's
 * configuration has precedence. */
static struct repo_names *names_new(struct cul_repo *repo,
                                    const struct cul_commit_id *of) {
  struct repo_names *out = cul_xcalloc(1, sizeof *out);
  out->modules = read_modules(repo, of);
  if (git_repository_config(&out->user, repo->git) < 0)
    out->user = NULL;
  return out;
}

static void names_free(struct repo_names *names) {
  for (size_t i = 0; i < names->n; i++) {
    free(names->items[i].path);
    free(names->items[i].name);
  }
  free(names->items);
  git_config_free(names->modules);
  git_config_free(names->user);
  free(names);
}

/* *name: heap; *url: heap, or NULL.  The user's configuration precedes the
 * commit's. */
static void name_of(struct repo_names *names, const char *path, char **name,
                    char **url) {
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

/* Directories in which git would keep the submodule's repository; heap, each
 * may be NULL. */
enum { MOST_PLACES = 3 };
static void find_places(struct cul_repo *repo, const char *path,
                        const char *name, const char *url,
                        char *places[MOST_PLACES]) {
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

/* ---- submodules of a revision ---- */

/* The submodules of one commit, in its own tree. */
struct links {
  struct cul_commit_id of;
  struct cul_module *items; /* their `repo` is not set here */
  size_t n;
};

/* The place where a commit of a submodule was found. */
struct place {
  const struct cul_repo *in;
  struct cul_commit_id of, id;
  char *path, *dir; /* dir NULL: nowhere */
};

struct opened {
  char *dir;
  struct cul_repo *repo; /* NULL: no repository is there */
};

/* A tree without submodules, all of which may be checked out. */
struct plain {
  git_oid oid;
  uint64_t files; /* files in it and below it */
};

struct cul_repo_found {
  struct links *links;
  size_t n_links;
  struct plain *plain; /* open addressing */
  size_t n_plain, cap_plain;
  /* the repository is a submodule's, which may be left empty: check that all
   * files of a commit exist */
  bool of_submodule;
  bool asked_partial, partial;
  /* Only in the outermost repository: */
  struct place *places;
  size_t n_places;
  struct opened *opened;
  size_t n_opened;
};

static struct cul_repo_found *found_of(struct cul_repo *repo) {
  if (!repo->found)
    repo->found = cul_xcalloc(1, sizeof *repo->found);
  return repo->found;
}

static void module_release(struct cul_module *module) {
  free(module->path);
  free(module->name);
  free(module->url);
  free(module->repo);
}

void cul_modules_release(struct cul_modules *modules) {
  for (size_t i = 0; i < modules->n; i++)
    module_release(&modules->items[i]);
  free(modules->items);
  *modules = (struct cul_modules){0};
}

void cul_repo_found_free(struct cul_repo_found *found) {
  if (!found)
    return;
  for (size_t i = 0; i < found->n_links; i++) {
    struct cul_modules all = {found->links[i].items, found->links[i].n, 0};
    cul_modules_release(&all);
  }
  for (size_t i = 0; i < found->n_places; i++) {
    free(found->places[i].path);
    free(found->places[i].dir);
  }
  for (size_t i = 0; i < found->n_opened; i++) {
    free(found->opened[i].dir);
    cul_repo_close(found->opened[i].repo);
  }
  free(found->links);
  free(found->plain);
  free(found->places);
  free(found->opened);
  free(found);
}

/* ---- trees without submodules ---- */

static size_t plain_at(const struct cul_repo_found *f, const git_oid *oid) {
  size_t at, mask = f->cap_plain - 1;
  memcpy(&at, oid->id, sizeof at);
  for (at &= mask; !git_oid_is_zero(&f->plain[at].oid); at = (at + 1) & mask)
    if (git_oid_equal(&f->plain[at].oid, oid))
      break;
  return at;
}

/* The tree, if it is known to be plain; else NULL. */
static const struct plain *find_plain(const struct cul_repo_found *f,
                                      const git_oid *oid) {
  const struct plain *found = f->n_plain ? &f->plain[plain_at(f, oid)] : NULL;
  return found && !git_oid_is_zero(&found->oid) ? found : NULL;
}

static void make_plain(struct cul_repo_found *f, const git_oid *oid,
                       uint64_t files) {
  if (2 * (f->n_plain + 1) > f->cap_plain) {
    struct plain *old = f->plain;
    size_t n = f->cap_plain;
    f->cap_plain = n ? 2 * n : 1024;
    f->plain = cul_xcalloc(f->cap_plain, sizeof *f->plain);
    for (size_t i = 0; i < n; i++)
      if (!git_oid_is_zero(&old[i].oid))
        f->plain[plain_at(f, &old[i].oid)] = old[i];
    free(old);
  }
  f->plain[plain_at(f, oid)] = (struct plain){*oid, files};
  f->n_plain++;
}

/* ---- the submodules of one commit ---- */

static int note_promisor(const git_config_entry *entry, void *self) {
  (void)entry;
  *(bool *)self = true;
  return 0;
}

/* A partial clone may lack files of commits that it has. */
static bool is_partial(struct cul_repo *repo) {
  struct cul_repo_found *f = found_of(repo);
  git_config *config = NULL;
  if (!f->asked_partial && git_repository_config(&config, repo->git) == 0)
    git_config_foreach_match(
        config, "^(remote\\..*\\.promisor|extensions\\.partialclone)$",
        note_promisor, &f->partial);
  f->asked_partial = true;
  git_config_free(config);
  return f->partial;
}

struct walk {
  struct cul_repo *repo;
  git_odb *odb; /* NULL: do not check that files exist */
  struct links *out;
  uint64_t files;
  int depth;
  char why[256]; /* with UNSOUND */
};

enum { UNSOUND = -1000000 }; /* not a code of libgit2 */

static int unsound(struct walk *w, const char *what, long long most) {
  snprintf(w->why, sizeof w->why, what, most);
  return UNSOUND;
}

static int walk_tree(struct walk *w, const git_oid *oid, const char *prefix);

static int walk_entry(struct walk *w, const git_tree_entry *entry,
                      const char *prefix) {
  struct links *out = w->out;
  git_filemode_t mode = git_tree_entry_filemode(entry);
  char *path;
  int code = 0;
  if (++w->files > CUL_REPO_MOST_FILES)
    return unsound(w, "it holds more than %lld files", CUL_REPO_MOST_FILES);
  if (mode != GIT_FILEMODE_TREE && mode != GIT_FILEMODE_COMMIT)
    return w->odb && !git_odb_exists(w->odb, git_tree_entry_id(entry))
               ? GIT_ENOTFOUND
               : 0;
  path = cul_xasprintf("%s%s%s", prefix, git_tree_entry_name(entry),
                       mode == GIT_FILEMODE_TREE ? "/" : "");
  if (mode == GIT_FILEMODE_TREE) {
    code = walk_tree(w, git_tree_entry_id(entry), path);
    free(path);
    return code;
  }
  if (out->n == CUL_REPO_MOST_MODULES) {
    free(path);
    return unsound(w, "it has more than %lld submodules",
                   CUL_REPO_MOST_MODULES);
  }
  if ((out->n & (out->n - 1)) == 0) /* 0, or a power of two: full */
    out->items = cul_xreallocarray(out->items, out->n ? 2 * out->n : 1,
                                   sizeof *out->items);
  out->items[out->n++] = (struct cul_module){
      .path = path, .id = cul_repo_id(git_tree_entry_id(entry))};
  return 0;
}

/* 0, UNSOUND, or a code of libgit2. */
static int walk_tree(struct walk *w, const git_oid *oid, const char *prefix) {
  const struct plain *known = find_plain(w->repo->found, oid);
  git_tree *tree = NULL;
  size_t before = w->out->n;
  uint64_t files = w->files;
  int code;
  if (known) {
    w->files += known->files;
    return w->files > CUL_REPO_MOST_FILES
               ? unsound(w, "it holds more than %lld files",
                         CUL_REPO_MOST_FILES)
               : 0;
  }
  if (w->depth == CUL_REPO_MOST_DEPTH)
    return unsound(w, "its directories are nested more than %lld deep",
                   CUL_REPO_MOST_DEPTH);
  w->depth++;
  code = git_tree_lookup(&tree, w->repo->git, oid);
  if (code == 0 && !cul_tree_is_sound(tree, prefix, w->why, sizeof w->why))
    code = UNSOUND;
  for (size_t i = 0; code == 0 && i < git_tree_entrycount(tree); i++)
    code = walk_entry(w, git_tree_entry_byindex(tree, i), prefix);
  if (code == 0 && w->out->n == before)
    make_plain(w->repo->found, oid, w->files - files);
  git_tree_free(tree);
  w->depth--;
  return code;
}

static void name_links(struct cul_repo *repo, struct links *links) {
  struct repo_names *names;
  if (links->n == 0)
    return;
  names = names_new(repo, &links->of);
  for (size_t i = 0; i < links->n; i++)
    name_of(names, links->items[i].path, &links->items[i].name,
            &links->items[i].url);
  names_free(names);
}

/* *out: valid until the next call. */
static int links_of(struct cul_repo *repo, const struct cul_commit_id *of,
                    const struct links **out, struct cul_err *err) {
  struct cul_repo_found *f = found_of(repo);
  struct links links = {.of = *of};
  struct walk walk = {.repo = repo, .out = &links};
  git_oid oid = cul_repo_oid(of);
  git_commit *commit = NULL;
  int code;
  for (size_t i = 0; i < f->n_links; i++)
    if (cul_commit_equal(&f->links[i].of, of)) {
      *out = &f->links[i];
      return 0;
    }
  code = git_commit_lookup(&commit, repo->git, &oid);
  if (code == 0 && repo->found->of_submodule && is_partial(repo))
    code = git_repository_odb(&walk.odb, repo->git);
  if (code == 0)
    code = walk_tree(&walk, git_commit_tree_id(commit), "");
  git_odb_free(walk.odb);
  git_commit_free(commit);
  if (code < 0) {
    struct cul_modules all = {links.items, links.n, 0};
    cul_modules_release(&all);
    return code == UNSOUND
               ? cul_fail(err, CUL_ECHILD, "git fsck names the tree",
                          "the commit's tree is not checked out: %s", walk.why)
               : cul_repo_fail_object(repo, code, "a commit's tree", err);
  }
  name_links(repo, &links);
  f->links = cul_xreallocarray(f->links, f->n_links + 1, sizeof *f->links);
  f->links[f->n_links] = links;
  *out = &f->links[f->n_links++];
  return 0;
}

int cul_repo_check(struct cul_repo *repo, const struct cul_commit_id *id,
                   struct cul_err *err) {
  const struct links *ignored;
  return links_of(repo, id, &ignored, err);
}

/* ---- places ---- */

struct cul_repo *cul_repo_opened(struct cul_repo *root, const char *dir) {
  struct cul_repo_found *f = found_of(root);
  struct cul_repo *repo = cul_xcalloc(1, sizeof *repo);
  for (size_t i = 0; i < f->n_opened; i++)
    if (strcmp(f->opened[i].dir, dir) == 0) {
      free(repo);
      return f->opened[i].repo;
    }
  git_libgit2_init(); /* cul_repo_close takes it back */
  if (git_repository_open_ext(&repo->git, dir, GIT_REPOSITORY_OPEN_NO_SEARCH,
                              NULL) < 0) {
    cul_repo_close(repo);
    repo = NULL;
  } else {
    found_of(repo)->of_submodule = true;
  }
  f->opened = cul_xreallocarray(f->opened, f->n_opened + 1, sizeof *f->opened);
  f->opened[f->n_opened++] = (struct opened){cul_xstrdup(dir), repo};
  return repo;
}

/* Does the directory have the commit with all its files? */
static bool serves(struct cul_repo *root, const char *dir,
                   const struct cul_commit_id *id) {
  struct cul_repo *repo = dir ? cul_repo_opened(root, dir) : NULL;
  const struct links *links;
  struct cul_err ignored = {0};
  return repo && cul_repo_has(repo, id) &&
         links_of(repo, id, &links, &ignored) == 0;
}

static char *look_for(struct cul_repo *root, struct cul_repo *in,
                      const struct cul_module *link,
                      const struct cul_commit_id *id) {
  char *places[MOST_PLACES], *out = NULL;
  find_places(in, link->path, link->name, link->url, places);
  for (size_t i = 0; i < MOST_PLACES; i++) {
    if (!out && serves(root, places[i], id))
      out = cul_xstrdup(places[i]);
    free(places[i]);
  }
  /* If the submodule was renamed or moved since, an opened repository may have
   * the commit. */
  for (size_t i = 0; !out && i < found_of(root)->n_opened; i++)
    if (serves(root, root->found->opened[i].dir, id))
      out = cul_xstrdup(root->found->opened[i].dir);
  return out;
}

/* The directory that has the commit, owned by root; NULL: none. */
static const char *place_of(struct cul_repo *root, struct cul_repo *in,
                            const struct cul_commit_id *of,
                            const struct cul_module *link,
                            const struct cul_commit_id *id) {
  struct cul_repo_found *f = found_of(root);
  struct place place = {.in = in, .of = *of, .id = *id};
  for (size_t i = 0; i < f->n_places; i++)
    if (f->places[i].in == in && cul_commit_equal(&f->places[i].of, of) &&
        cul_commit_equal(&f->places[i].id, id) &&
        strcmp(f->places[i].path, link->path) == 0)
      return f->places[i].dir;
  place.path = cul_xstrdup(link->path);
  place.dir = look_for(root, in, link, id);
  f->places = cul_xreallocarray(f->places, f->n_places + 1, sizeof *f->places);
  f->places[f->n_places++] = place;
  return place.dir;
}

int cul_repo_module(struct cul_repo *repo, const struct cul_commit_id *of,
                    const char *path, const struct cul_commit_id *id,
                    char **dir, struct cul_err *err) {
  struct repo_names *names = names_new(repo, of);
  struct cul_module link = {.path = cul_xstrdup(path)};
  const char *place;
  char hex[CUL_COMMIT_HEX];
  int rc = 0;
  name_of(names, path, &link.name, &link.url);
  names_free(names);
  place = place_of(repo, repo, of, &link, id);
  *dir = place ? cul_xstrdup(place) : NULL;
  if (!place)
    rc = cul_fail(err, CUL_ECHILD,
                  "fetch it in your repository: git submodule update --init",
                  "submodule %s: its commit %.12s is not on this machine "
                  "(URL %s)",
                  path, cul_commit_hex(id, hex),
                  link.url ? link.url : "unknown");
  module_release(&link);
  return rc;
}

/* ---- all of a revision ---- */

struct planning {
  struct cul_repo *root;
  const struct cul_repo_revision *revision;
  struct cul_modules *out;
  int depth;
};

/* Report too many submodules: a few commits, nested in each other, can name any
 * number of them. */
static int fail_most(const char *what, int most, struct cul_err *err) {
  return cul_fail(err, CUL_ECHILD, "",
                  "culprit does not check out the commit's submodules: %s %d",
                  what, most);
}

static const struct cul_override *override_of(const struct planning *p,
                                              const char *path) {
  for (size_t i = 0; i < p->revision->n_held; i++) {
    const struct cul_override *held = &p->revision->held[i];
    if (!held->pattern && held->kind != CUL_TAKEN_WHOLE &&
        strcmp(held->path, path) == 0)
      return held;
  }
  return NULL;
}

static const char *choose(const struct planning *p, struct cul_repo *in,
                          const struct cul_commit_id *of,
                          const struct cul_module *link,
                          struct cul_module *module) {
  const struct cul_override *held = override_of(p, module->path);
  module->id = held && held->kind == CUL_HELD_AT ? held->id : link->id;
  if (held && held->kind == CUL_LEFT_EMPTY)
    return NULL;
  if (held && held->repo && serves(p->root, held->repo, &held->id))
    return held->repo;
  return place_of(p->root, in, of, link, &module->id);
}

static int plan(struct planning *p, struct cul_repo *repo, const char *prefix,
                const struct cul_commit_id *of, struct cul_err *err);

static int plan_within(struct planning *p, const char *dir,
                       const struct cul_module *module, struct cul_err *err) {
  char *below = cul_xasprintf("%s/", module->path);
  int rc;
  if (p->depth++ == CUL_REPO_MOST_NESTED)
    rc = fail_most("they are nested deeper than", CUL_REPO_MOST_NESTED, err);
  else
    rc = plan(p, cul_repo_opened(p->root, dir), below, &module->id, err);
  p->depth--;
  free(below);
  return rc;
}

static int plan(struct planning *p, struct cul_repo *repo, const char *prefix,
                const struct cul_commit_id *of, struct cul_err *err) {
  struct cul_modules *out = p->out;
  const struct links *found;
  struct links links;
  int rc = links_of(repo, of, &found, err);
  if (rc < 0)
    return rc;
  links = *found; /* nested ones reallocate the table */
  for (size_t i = 0; i < links.n && rc == 0; i++) {
    const struct cul_module *link = &links.items[i];
    struct cul_module module = {
        .path = cul_xasprintf("%s%s", prefix, link->path),
        .name = cul_xstrdup(link->name),
        .url = link->url ? cul_xstrdup(link->url) : NULL};
    const char *dir = choose(p, repo, of, link, &module);
    module.repo = dir ? cul_xstrdup(dir) : NULL;
    out->items = cul_xreallocarray(out->items, out->n + 1, sizeof *out->items);
    out->items[out->n++] = module;
    if (!dir)
      out->n_lacking++;
    else if (out->n == CUL_REPO_MOST_MODULES)
      rc = fail_most("there are more than", CUL_REPO_MOST_MODULES, err);
    else
      rc = plan_within(p, dir, &module, err);
  }
  return rc;
}

int cul_repo_modules(struct cul_repo *repo,
                     const struct cul_repo_revision *revision,
                     struct cul_modules *out, struct cul_err *err) {
  struct planning p = {.root = repo, .revision = revision, .out = out};
  int rc;
  *out = (struct cul_modules){0};
  rc = plan(&p, repo, "", &revision->commit, err);
  if (rc < 0)
    cul_modules_release(out);
  return rc;
}

void cul_repo_name_lacking(struct cul_repo *repo,
                           const struct cul_repo_revision *revision,
                           struct cul_buf *out) {
  struct cul_modules modules;
  struct cul_buf paths = {0};
  struct cul_err ignored = {0};
  struct cul_digest digest;
  char hex[CUL_DIGEST_HEX];
  if (cul_repo_modules(repo, revision, &modules, &ignored) < 0) {
    cul_buf_adds(out, " lacks objects");
    return;
  }
  if (modules.n_lacking > 0) {
    cul_modules_lacking(&modules, &paths);
    digest = cul_digest_of(paths.data, paths.len);
    cul_buf_addf(out, " lacks %s", cul_digest_hex(&digest, hex));
  }
  cul_buf_release(&paths);
  cul_modules_release(&modules);
}
