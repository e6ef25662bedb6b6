/* Switches a directory from one commit to another.  Only files that differ are
 * written, so that products built from the others stay up to date. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/beneath.h"
#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "repo_private.h"

/* ---- repo lfs ---- */

/* Files kept by git-lfs: commits contain pointers to them. */

enum { MOST_POINTER = 1024, OID_LEN = 64 };

bool cul_lfs_pointer(const char *text, size_t len, char oid[OID_LEN + 1]) {
  static const char head[] = "version https://git-lfs.github.com/spec/v1\n";
  static const char word[] = "\noid sha256:";
  char copy[MOST_POINTER + 1];
  const char *at;
  if (len > MOST_POINTER || len < sizeof head ||
      memcmp(text, head, sizeof head - 1) != 0)
    return false;
  memcpy(copy, text, len);
  copy[len] = '\0';
  at = strstr(copy, word);
  if (!at || strspn(at + sizeof word - 1, "0123456789abcdef") != OID_LEN)
    return false;
  memcpy(oid, at + sizeof word - 1, OID_LEN);
  oid[OID_LEN] = '\0';
  return true;
}

/* Get the content, if the repository has fetched it. */
static bool repo_lfs(struct cul_repo *repo, const char *oid,
                     struct cul_buf *content) {
  char *path =
      cul_xasprintf("%slfs/objects/%.2s/%.2s/%s",
                    git_repository_commondir(repo->git), oid, oid + 2, oid);
  struct cul_err ignored = {0};
  bool found = cul_file_read(path, CUL_REPO_MOST_FILE, content, &ignored) == 0;
  free(path);
  return found;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

/* Hash the names of files in the directories aa/bb/OID. */
static void hash_names(struct cul_hasher *h, const char *dir, int depth) {
  struct dirent **entries = NULL;
  int n = scandir(dir, &entries, is_shown, by_name);
  for (int i = 0; i < n; i++) {
    cul_hasher_field(h, entries[i]->d_name);
    if (depth > 0) {
      char *below = cul_xasprintf("%s/%s", dir, entries[i]->d_name);
      hash_names(h, below, depth - 1);
      free(below);
    }
    free(entries[i]);
  }
  free(entries);
}

/* ---- attributes ---- */

/* What .gitattributes and the user's configuration make of a file as it is
 * checked out: line ends and "$Id$", by libgit2.  Commands of other filters are
 * not run, as they are the repository's or the user's own. */

/* The repository without the attributes of its work tree and index; NULL: it
 * cannot be opened. */
static git_repository *plain(struct cul_repo *repo) {
  git_index *none = NULL;
  if (!repo->plain &&
      git_repository_open_bare(&repo->plain,
                               git_repository_commondir(repo->git)) == 0 &&
      git_index_new(&none) == 0)
    git_repository_set_index(repo->plain, none);
  git_index_free(none);
  return repo->plain;
}

/* Attributes as the commit and the repository's settings have them. */
static bool load_filters(struct cul_repo *repo, const struct cul_commit_id *of,
                         git_blob *blob, const char *name,
                         git_filter_list **out) {
  git_filter_options options = {.version = GIT_FILTER_OPTIONS_VERSION,
                                .flags = GIT_FILTER_ATTRIBUTES_FROM_COMMIT,
                                .attr_commit_id = cul_repo_oid(of)};
  *out = NULL;
  return plain(repo) &&
         git_filter_list_load_ext(out, repo->plain, blob, name,
                                  GIT_FILTER_TO_WORKTREE, &options) == 0 &&
         *out;
}

/* Append the blob as a checkout of the commit has it. */
static void add_filtered(struct cul_repo *repo, const struct cul_commit_id *of,
                         git_blob *blob, const char *name,
                         struct cul_buf *out) {
  git_filter_list *filters;
  git_buf text = {0};
  if (load_filters(repo, of, blob, name, &filters) &&
      git_filter_list_apply_to_blob(&text, filters, blob) == 0)
    cul_buf_add(out, text.ptr, text.size);
  else
    cul_buf_add(out, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
  git_buf_dispose(&text);
  git_filter_list_free(filters);
}

/* The value of an attribute that would convert the file and is not applied; or
 * NULL. */
static const char *unapplied(struct cul_repo *repo,
                             const struct cul_commit_id *of, const char *name) {
  const char *attributes[] = {"filter", "working-tree-encoding"};
  const char *values[CUL_ARRAY_SIZE(attributes)] = {NULL};
  git_attr_options options = {.version = GIT_ATTR_OPTIONS_VERSION,
                              .flags = GIT_ATTR_CHECK_INCLUDE_COMMIT,
                              .attr_commit_id = cul_repo_oid(of)};
  if (!plain(repo) ||
      git_attr_get_many_ext(values, repo->plain, &options, name,
                            CUL_ARRAY_SIZE(attributes), attributes) < 0)
    return NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(attributes); i++)
    if (git_attr_value(values[i]) == GIT_ATTR_VALUE_STRING &&
        strcmp(values[i], "lfs") != 0)
      return values[i];
  return NULL;
}

static bool is_attributes(const char *path) {
  return strcmp(cul_basename(path), ".gitattributes") == 0;
}

static int find_attributes(const char *root, const git_tree_entry *entry,
                           void *self) {
  (void)root;
  *(bool *)self |= is_attributes(git_tree_entry_name(entry));
  return *(bool *)self ? -1 : 0;
}

static void add_setting(struct cul_repo *repo, const char *name,
                        struct cul_buf *out) {
  git_config *config = NULL;
  git_buf value = {0};
  if (git_repository_config_snapshot(&config, repo->git) == 0 &&
      git_config_get_string_buf(&value, config, name) == 0)
    cul_buf_addf(out, "%s=%s\n", name, value.ptr);
  git_buf_dispose(&value);
  git_config_free(config);
}

/* Append the file of attributes that core.attributesfile names. */
static void add_named_file(struct cul_repo *repo, struct cul_buf *out) {
  git_config *config = NULL;
  git_buf path = {0};
  struct cul_err ignored = {0};
  if (git_repository_config_snapshot(&config, repo->git) == 0 &&
      git_config_get_path(&path, config, "core.attributesfile") == 0)
    (void)!cul_file_read(path.ptr, CUL_REPO_MOST_FILE, out, &ignored);
  git_buf_dispose(&path);
  git_config_free(config);
}

/* Append the file of this name in the directories where libgit2 looks for
 * settings of the user, or of the system. */
static void add_file_of(git_config_level_t level, const char *name,
                        struct cul_buf *out) {
  git_buf dirs = {0};
  struct cul_err ignored = {0};
  if (git_libgit2_opts(GIT_OPT_GET_SEARCH_PATH, level, &dirs) == 0)
    for (const char *at = dirs.ptr; at && *at;) {
      size_t n = strcspn(at, ":");
      char *path = cul_xasprintf("%.*s/%s", (int)n, at, name);
      (void)!cul_file_read(path, CUL_REPO_MOST_FILE, out, &ignored);
      free(path);
      at += n + (at[n] == ':');
    }
  git_buf_dispose(&dirs);
}

/* Append what of the settings of the repository, the user and the system
 * converts files: nothing, usually. */
static void add_settings(struct cul_repo *repo, struct cul_buf *out) {
  char *path =
      cul_xasprintf("%sinfo/attributes", git_repository_commondir(repo->git));
  struct cul_err ignored = {0};
  add_setting(repo, "core.autocrlf", out);
  add_setting(repo, "core.eol", out);
  add_setting(repo, "core.attributesfile", out);
  add_named_file(repo, out);
  add_file_of(GIT_CONFIG_LEVEL_XDG, "attributes", out);
  add_file_of(GIT_CONFIG_LEVEL_SYSTEM, "gitattributes", out);
  (void)!cul_file_read(path, CUL_REPO_MOST_FILE, out, &ignored);
  free(path);
}

void cul_repo_lfs_names(struct cul_repo *repo, struct cul_hasher *h) {
  char *dir =
      cul_xasprintf("%slfs/objects", git_repository_commondir(repo->git));
  struct cul_buf settings = {0};
  hash_names(h, dir, 2);
  free(dir);
  add_settings(repo, &settings);
  cul_hasher_field(h, "filters 1");
  cul_hasher_field(h, cul_buf_str(&settings));
  cul_buf_release(&settings);
}

/* Can any file of the tree be converted? */
static bool has_filters(struct cul_repo *repo, git_tree *tree) {
  struct cul_buf settings = {0};
  bool has;
  add_settings(repo, &settings);
  has = settings.len > 0;
  cul_buf_release(&settings);
  if (!has)
    git_tree_walk(tree, GIT_TREEWALK_PRE, find_attributes, &has);
  return has;
}

/* ---- repo files ---- */

/* Files of a checkout.  Builds may have made links anywhere, so every file is
 * reached from an open directory. */

static int fail_put(const struct cul_checkout *to, const char *path,
                    struct cul_err *err) {
  switch (errno) {
  case EXDEV: /* ".." */
  case ENAMETOOLONG:
  case EINVAL:
  case ENOENT: /* a link with an empty target */
    return cul_fail(err, CUL_ECHILD, "", "the commit's file %s cannot be: %s",
                    path, strerror(errno));
  default:
    return cul_fail(err, CUL_EENV,
                    "make room, or give --work another directory",
                    "cannot write %s/%s: %s", to->name, path, strerror(errno));
  }
}

static int checkout_open(struct cul_checkout *out, const char *dir,
                         struct cul_err *err) {
  *out = (struct cul_checkout){
      .dir = cul_beneath_hold(dir), .name = dir, .above = -1};
  return out->dir < 0 ? cul_fail(err, CUL_EENV,
                                 "name a directory that you own: --work DIR",
                                 "cannot use %s: %s", dir, strerror(errno))
                      : 0;
}

static void forget(struct cul_checkout *at) {
  if (at->above >= 0)
    close(at->above);
  at->above = -1;
  free(at->above_path);
  at->above_path = NULL;
}

static void checkout_close(struct cul_checkout *at) {
  forget(at);
  if (at->dir >= 0)
    close(at->dir);
  at->dir = -1;
}

/* Open the directory at path (n bytes); make it if it is missing; remove a link
 * or file in the place of one of its components. */
static int claim(int dir, const char *path, size_t n) {
  char name[NAME_MAX + 1];
  int fd =
      TEMP_FAILURE_RETRY(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (size_t at = 0; fd >= 0 && at < n;) {
    size_t len = strcspn(path + at, "/");
    int next = -1, error;
    len = len > n - at ? n - at : len;
    if (len > NAME_MAX) {
      errno = ENAMETOOLONG;
    } else {
      memcpy(name, path + at, len);
      name[len] = '\0';
      if (!len || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        errno = EXDEV;
      else
        next = cul_beneath_claim(fd, name);
    }
    error = errno;
    close(fd);
    errno = error;
    fd = next;
    at += len + 1;
  }
  return fd;
}

/* Open the directory that contains the last component; borrowed.  Files come in
 * the order of their names, so it is usually the same as before. */
static int above(struct cul_checkout *to, const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) : 0;
  *name = slash ? slash + 1 : path;
  if (!**name || strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0)
    return errno = EXDEV, -1;
  if (to->above >= 0 && strlen(to->above_path) == n &&
      memcmp(to->above_path, path, n) == 0)
    return to->above;
  forget(to);
  to->above = claim(to->dir, path, n);
  to->above_path = cul_xstrndup(path, n);
  return to->above;
}

static int checkout_dir(struct cul_checkout *to, const char *path,
                        struct cul_err *err) {
  int fd;
  forget(to);
  fd = claim(to->dir, path, strlen(path));
  if (fd < 0)
    return fail_put(to, path, err);
  close(fd);
  return 0;
}

static int checkout_put(struct cul_checkout *to, const char *path,
                        struct cul_bytes text, bool runs, struct cul_err *err) {
  const char *name;
  int dir = above(to, path, &name);
  if (dir < 0 ||
      cul_beneath_put(dir, name, text.data, text.len, runs ? 0777 : 0666) < 0)
    return fail_put(to, path, err);
  return 0;
}

static int checkout_link(struct cul_checkout *to, const char *path,
                         const char *target, struct cul_err *err) {
  const char *name;
  int dir = above(to, path, &name);
  if (dir < 0 || cul_beneath_remove(dir, name) < 0 ||
      symlinkat(target, dir, name) < 0)
    return fail_put(to, path, err);
  return 0;
}

/* Remove a file. */
static void checkout_take(struct cul_checkout *from, const char *path) {
  const char *name;
  int dir = cul_beneath_parent(from->dir, path, &name);
  forget(from);
  if (dir < 0)
    return;
  unlinkat(dir, name, 0);
  close(dir);
}

/* Remove empty directories above path, but not the first `kept` bytes of it. */
static void checkout_prune(struct cul_checkout *from, const char *path,
                           size_t kept) {
  char *dir = cul_xstrdup(path), *slash;
  const char *name;
  forget(from);
  while ((slash = strrchr(dir, '/')) && slash > dir + kept) {
    int fd, rc;
    *slash = '\0';
    fd = cul_beneath_parent(from->dir, dir, &name);
    rc = fd < 0 ? -1 : unlinkat(fd, name, AT_REMOVEDIR);
    if (fd >= 0)
      close(fd);
    if (rc < 0)
      break;
  }
  free(dir);
}

/* Remove a file or directory with all its contents. */
static void checkout_clear(struct cul_checkout *from, const char *path) {
  const char *name;
  int dir = cul_beneath_parent(from->dir, path, &name);
  forget(from);
  if (dir < 0)
    return;
  cul_beneath_remove(dir, name);
  close(dir);
}

static bool checkout_stat(const struct cul_checkout *in, const char *path,
                          struct stat *out) {
  const char *name;
  int dir = cul_beneath_parent(in->dir, path, &name);
  bool found = dir >= 0 && fstatat(dir, name, out, AT_SYMLINK_NOFOLLOW) == 0;
  if (dir >= 0)
    close(dir);
  return found;
}

static bool read_link(const struct cul_checkout *in, const char *path,
                      struct cul_buf *out) {
  const char *name;
  char target[PATH_MAX];
  int dir = cul_beneath_parent(in->dir, path, &name);
  ssize_t n = dir < 0 ? -1 : readlinkat(dir, name, target, sizeof target);
  if (dir >= 0)
    close(dir);
  if (n > 0)
    cul_buf_add(out, target, (size_t)n);
  return n >= 0;
}

/* Is text the content of the file, or the target of the link? */
static bool checkout_holds(const struct cul_checkout *in, const char *path,
                           bool link, struct cul_bytes text) {
  struct cul_buf has = {0};
  struct stat st;
  bool same = false;
  int fd = -1;
  if (link) {
    same = read_link(in, path, &has);
  } else {
    fd = cul_beneath_open(in->dir, path, O_RDONLY, 0);
    /* Do not read it if the sizes differ. */
    same = fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size == text.len;
    if (same) {
      cul_buf_reserve(&has, text.len + 1);
      same = cul_read_all(fd, has.data, text.len) == 1 || text.len == 0;
      has.len = same ? text.len : 0;
    }
    if (fd >= 0)
      close(fd);
  }
  same = same && has.len == text.len &&
         (text.len == 0 || memcmp(has.data, text.data, text.len) == 0);
  cul_buf_release(&has);
  return same;
}

/* ---- repo switch ---- */

struct switching {
  struct cul_repo *repo;
  struct cul_checkout *checkout;
  git_tree *old, *new;
  const struct cul_repo_revision *from, *to; /* NULL in submodules */
  struct cul_modules had;                    /* submodules in dir */
  const char *prefix;                        /* "", or "PATH/" of a submodule */
  /* whose attributes convert files, and the one before: a commit of this
   * repository; NULL: no file is converted */
  const struct cul_commit_id *of, *of_old;
  struct cul_switched *out;
  struct cul_err *err;
  int rc;
};

static int find_tree(struct cul_repo *repo, const struct cul_commit_id *id,
                     git_tree **out, struct cul_err *err) {
  git_oid oid;
  git_commit *commit = NULL;
  int code;
  *out = NULL;
  if (!id)
    return 0;
  oid = cul_repo_oid(id);
  code = git_commit_lookup(&commit, repo->git, &oid);
  if (code == 0)
    code = git_commit_tree(out, commit);
  git_commit_free(commit);
  return code == 0 ? 0
                   : cul_repo_fail_object(repo, code, "a commit's tree", err);
}

/* The path from the root of the outermost repository. */
static char *full_path(const struct switching *s, const char *name) {
  return cul_xasprintf("%s%s", s->prefix, name);
}

static void note_unapplied(struct switching *s, const char *path) {
  const char *filter = unapplied(s->repo, s->of, path + strlen(s->prefix));
  if (!filter || s->out->n_unfiltered++)
    return;
  snprintf(s->out->unfiltered, sizeof s->out->unfiltered, "%s", path);
  snprintf(s->out->filter, sizeof s->out->filter, "%s", filter);
}

/* The content of a file: the blob as attributes convert it, or the file that
 * git-lfs has for it. Submodules get the pointers, because what their LFS files
 * depend on is not known. */
static void content_of(struct switching *s, git_blob *blob, const char *path,
                       struct cul_buf *out) {
  const char *text = git_blob_rawcontent(blob);
  size_t len = (size_t)git_blob_rawsize(blob);
  char oid[65];
  if (cul_lfs_pointer(text, len, oid)) {
    if (!*s->prefix && repo_lfs(s->repo, oid, out))
      return;
    if (s->out->n_pointers++ == 0)
      snprintf(s->out->pointer, sizeof s->out->pointer, "%s", path);
  } else if (s->of) {
    note_unapplied(s, path);
    add_filtered(s->repo, s->of, blob, path + strlen(s->prefix), out);
    return;
  }
  cul_buf_add(out, text, len);
}

static int put_text(struct switching *s, const char *path, git_blob *blob,
                    bool runs) {
  struct cul_buf content = {0};
  int rc;
  content_of(s, blob, path, &content);
  rc = checkout_put(s->checkout, path, cul_buf_bytes(&content), runs, s->err);
  cul_buf_release(&content);
  return rc;
}

static int put_link(struct switching *s, const char *path, git_blob *blob) {
  char *target = cul_xasprintf("%.*s", (int)git_blob_rawsize(blob),
                               (const char *)git_blob_rawcontent(blob));
  int rc = checkout_link(s->checkout, path, target, s->err);
  free(target);
  return rc;
}

static int put(struct switching *s, const git_diff_file *file) {
  char *path = full_path(s, file->path);
  git_blob *blob = NULL;
  if (file->mode == GIT_FILEMODE_COMMIT) {
    s->rc = checkout_dir(s->checkout, path, s->err);
  } else {
    s->rc = cul_repo_blob(s->repo, &file->id, path, &blob, s->err);
    if (s->rc == 0 && file->mode == GIT_FILEMODE_LINK)
      s->rc = put_link(s, path, blob);
    else if (s->rc == 0)
      s->rc =
          put_text(s, path, blob, file->mode == GIT_FILEMODE_BLOB_EXECUTABLE);
  }
  git_blob_free(blob);
  free(path);
  return s->rc;
}

/* Remove a file, and directories that become empty. */
static void take_away(const struct switching *s, const char *name) {
  char *path = full_path(s, name);
  checkout_take(s->checkout, path);
  checkout_prune(s->checkout, path, strlen(s->prefix));
  free(path);
}

/* Forget the submodule at a path and those inside it. */
static void forget_module(struct cul_modules *had, const char *path) {
  size_t len = strlen(path);
  for (size_t i = 0; i < had->n; i++) {
    struct cul_module *module = &had->items[i];
    if (strncmp(module->path, path, len) != 0 ||
        (module->path[len] && module->path[len] != '/'))
      continue;
    free(module->repo);
    module->repo = NULL;
  }
}

static void remove_module(struct switching *s, const char *name) {
  char *path = full_path(s, name);
  checkout_clear(s->checkout, path);
  forget_module(&s->had, path);
  free(path);
}

/* Removed files come first, because a file may become a directory. */
static void remove_one(struct switching *s, const git_diff_delta *delta) {
  bool goes = delta->status == GIT_DELTA_DELETED ||
              delta->status == GIT_DELTA_TYPECHANGE;
  if (goes && delta->old_file.mode == GIT_FILEMODE_COMMIT)
    remove_module(s, delta->old_file.path);
  if (goes)
    take_away(s, delta->old_file.path);
}

bool cul_repo_revision_equal(const struct cul_repo_revision *a,
                             const struct cul_repo_revision *b) {
  bool equal =
      cul_commit_equal(&a->commit, &b->commit) && a->n_held == b->n_held;
  for (size_t i = 0; equal && i < a->n_held; i++)
    equal = cul_commit_equal(&a->held[i].id, &b->held[i].id) &&
            a->held[i].kind == b->held[i].kind &&
            strcmp(a->held[i].path, b->held[i].path) == 0;
  return equal;
}

/* Is the content of the file that of the blob? */
static bool is_same(struct switching *s, const char *path,
                    const struct stat *st, const git_tree_entry *entry) {
  bool link = git_tree_entry_filemode(entry) == GIT_FILEMODE_LINK, same;
  bool runs = git_tree_entry_filemode(entry) == GIT_FILEMODE_BLOB_EXECUTABLE;
  struct cul_buf want = {0};
  struct cul_err ignored = {0};
  git_blob *blob = NULL;
  if (link ? !S_ISLNK(st->st_mode)
           : !S_ISREG(st->st_mode) || runs != ((st->st_mode & 0100) != 0))
    return false;
  if (cul_repo_blob(s->repo, git_tree_entry_id(entry), path, &blob, &ignored) <
      0)
    return true; /* leave a file whose blob cannot be read */
  if (link)
    cul_buf_add(&want, git_blob_rawcontent(blob),
                (size_t)git_blob_rawsize(blob));
  else
    content_of(s, blob, path, &want);
  same = checkout_holds(s->checkout, path, link, cul_buf_bytes(&want));
  git_blob_free(blob);
  cul_buf_release(&want);
  return same;
}

/* The attributes have changed: write again what they now convert in another
 * way. */
static int convert_one(const char *root, const git_tree_entry *entry,
                       void *self) {
  struct switching *s = self;
  char *name = cul_xasprintf("%s%s", root, git_tree_entry_name(entry));
  git_diff_file file = {.path = name,
                        .id = *git_tree_entry_id(entry),
                        .mode = git_tree_entry_filemode(entry)};
  git_filter_list *now = NULL, *before = NULL;
  if (git_tree_entry_type(entry) == GIT_OBJECT_BLOB &&
      file.mode != GIT_FILEMODE_LINK) {
    bool differs = s->of && load_filters(s->repo, s->of, NULL, name, &now);
    differs |=
        s->of_old && load_filters(s->repo, s->of_old, NULL, name, &before);
    char *path = full_path(s, name);
    struct stat st;
    if (differs && checkout_stat(s->checkout, path, &st) &&
        !is_same(s, path, &st, entry))
      put(s, &file);
    free(path);
  }
  git_filter_list_free(now);
  git_filter_list_free(before);
  free(name);
  return s->rc;
}

/* of_old, of: the commits. */
static int switch_files(struct switching *s, const struct cul_commit_id *of_old,
                        const struct cul_commit_id *of) {
  git_diff_options options;
  git_diff *diff = NULL;
  bool converts = false;
  size_t n;
  int code;
  s->of = has_filters(s->repo, s->new) ? of : NULL;
  s->of_old = s->old && has_filters(s->repo, s->old) ? of_old : NULL;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_SKIP_BINARY_CHECK;
  code = git_diff_tree_to_tree(&diff, s->repo->git, s->old, s->new, &options);
  if (code < 0)
    return cul_repo_fail_object(s->repo, code, "a commit's tree", s->err);
  n = git_diff_num_deltas(diff);
  for (size_t i = 0; i < n; i++)
    remove_one(s, git_diff_get_delta(diff, i));
  for (size_t i = 0; i < n && s->rc == 0; i++) {
    const git_diff_delta *delta = git_diff_get_delta(diff, i);
    if (delta->status != GIT_DELTA_DELETED)
      s->rc = put(s, &delta->new_file);
    converts = converts || is_attributes(delta->new_file.path);
  }
  git_diff_free(diff);
  if (s->rc == 0 && s->old && converts)
    git_tree_walk(s->new, GIT_TREEWALK_PRE, convert_one, s);
  return s->rc;
}

/* ---- submodules ---- */

static const struct cul_module *module_at(const struct cul_modules *modules,
                                          const char *path) {
  for (size_t i = 0; i < modules->n; i++)
    if (strcmp(modules->items[i].path, path) == 0)
      return &modules->items[i];
  return NULL;
}

static int switch_within(struct switching *top, const struct cul_module *from,
                         const struct cul_module *to) {
  char *prefix = cul_xasprintf("%s/", to->path);
  struct switching s = {.repo = cul_repo_opened(top->repo, to->repo),
                        .checkout = top->checkout,
                        /* shared, so that both forget removed submodules */
                        .had = top->had,
                        .prefix = prefix,
                        .out = top->out,
                        .err = top->err};
  int rc = find_tree(s.repo, from ? &from->id : NULL, &s.old, s.err);
  if (rc == 0)
    rc = find_tree(s.repo, &to->id, &s.new, s.err);
  if (rc == 0)
    rc = switch_files(&s, from ? &from->id : NULL, &to->id);
  git_tree_free(s.old);
  git_tree_free(s.new);
  free(prefix);
  return rc == CUL_EUSAGE ? s.err->code = CUL_ECHILD : rc;
}

static int switch_module(struct switching *s, const struct cul_module *to) {
  const struct cul_module *from = module_at(&s->had, to->path);
  int rc;
  if (from && !from->repo)
    from = NULL;
  /* Remove everything, because old files cannot be told from products of a
   * build without the old commit. */
  if (from && (!to->repo ||
               !cul_repo_has(cul_repo_opened(s->repo, to->repo), &from->id))) {
    checkout_clear(s->checkout, to->path);
    forget_module(&s->had, to->path);
    from = NULL;
  }
  rc = checkout_dir(s->checkout, to->path, s->err);
  if (rc == 0 && to->repo && !(from && cul_commit_equal(&from->id, &to->id)))
    rc = switch_within(s, from, to);
  return rc;
}

static int switch_modules(struct switching *s,
                          const struct cul_modules *modules) {
  int rc = 0;
  for (size_t i = 0; i < modules->n && rc == 0; i++)
    rc = switch_module(s, &modules->items[i]);
  return rc;
}

/* ---- held files ---- */

static int read_file(struct switching *s, git_tree *tree, const char *path,
                     struct cul_buf *out, bool *found) {
  git_tree_entry *entry = NULL;
  git_blob *blob = NULL;
  int code = git_tree_entry_bypath(&entry, tree, path), rc = 0;
  *found = code == 0;
  cul_buf_clear(out);
  if (code == GIT_ENOTFOUND)
    return 0;
  if (code < 0)
    rc = cul_repo_fail_object(s->repo, code, path, s->err);
  else
    rc = cul_repo_blob(s->repo, git_tree_entry_id(entry), path, &blob, s->err);
  if (rc == 0 && s->of)
    add_filtered(s->repo, s->of, blob, path, out);
  else if (rc == 0)
    cul_buf_add(out, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
  git_blob_free(blob);
  git_tree_entry_free(entry);
  return rc;
}

/* The content of a file in `to`, with the ids of held dependencies in it. */
static int held_text(struct switching *s, const char *path, struct cul_buf *out,
                     bool *found) {
  int rc = read_file(s, s->new, path, out, found);
  for (size_t i = 0; i < s->to->n_held && rc == 0; i++) {
    const struct cul_override *held = &s->to->held[i];
    struct cul_buf next = {0};
    if (strcmp(held->path, path) != 0)
      continue;
    if (held->kind == CUL_TAKEN_WHOLE) {
      git_tree *tree = NULL;
      rc = find_tree(s->repo, &held->id, &tree, s->err);
      if (rc == 0)
        rc = read_file(s, tree, path, out, found);
      git_tree_free(tree);
    } else if (held->pattern && *found) {
      rc = cul_pin_replace(held->pattern, out->data, out->len, &held->id, &next,
                           NULL, s->err);
      cul_buf_release(out);
      *out = next;
    }
  }
  return rc;
}

/* Write a file with held commits, but only if it differs, so that its time
 * shows a change. */
static int switch_held(struct switching *s, const char *name) {
  struct cul_buf want = {0};
  bool found;
  int rc = held_text(s, name, &want, &found);
  if (rc == 0 && !found)
    checkout_take(s->checkout, name);
  else if (rc == 0 &&
           !checkout_holds(s->checkout, name, false, cul_buf_bytes(&want)))
    rc = checkout_put(s->checkout, name, cul_buf_bytes(&want), false, s->err);
  cul_buf_release(&want);
  return rc;
}

static int switch_held_files(struct switching *s) {
  int rc = 0;
  for (int side = 0; side < 2; side++) {
    const struct cul_repo_revision *rev = side ? s->to : s->from;
    for (size_t i = 0; rev && i < rev->n_held && rc == 0; i++)
      if (rev->held[i].pattern || rev->held[i].kind == CUL_TAKEN_WHOLE)
        rc = switch_held(s, rev->held[i].path);
  }
  return rc;
}

/* ---- changes by a build ---- */

struct restoring {
  struct switching s;
  /* the revision whose held files are written again; or NULL */
  const struct cul_repo_revision *held;
  struct timespec since;
};

static bool is_held(const struct restoring *r, const char *path) {
  for (size_t i = 0; r->held && i < r->held->n_held; i++)
    if (strcmp(r->held->held[i].path, path) == 0)
      return true;
  return false;
}

static bool is_old(const struct stat *st, const struct timespec *since) {
  return st->st_ctim.tv_sec < since->tv_sec ||
         (st->st_ctim.tv_sec == since->tv_sec &&
          st->st_ctim.tv_nsec < since->tv_nsec);
}

static int restore_one(const char *root, const git_tree_entry *entry,
                       void *self) {
  struct restoring *r = self;
  char *name = cul_xasprintf("%s%s", root, git_tree_entry_name(entry));
  char *path = full_path(&r->s, name);
  git_diff_file file = {.path = name,
                        .id = *git_tree_entry_id(entry),
                        .mode = git_tree_entry_filemode(entry)};
  struct stat st;
  if (git_tree_entry_type(entry) == GIT_OBJECT_BLOB && !is_held(r, name) &&
      (!checkout_stat(r->s.checkout, path, &st) ||
       (!is_old(&st, &r->since) && !is_same(&r->s, path, &st, entry))))
    put(&r->s, &file);
  free(name);
  free(path);
  return r->s.rc;
}

static int restore_in(struct restoring *r, const struct cul_commit_id *id) {
  git_tree *tree = NULL;
  int rc = find_tree(r->s.repo, id, &tree, r->s.err);
  r->s.of = rc == 0 && has_filters(r->s.repo, tree) ? id : NULL;
  if (rc == 0)
    git_tree_walk(tree, GIT_TREEWALK_PRE, restore_one, r);
  git_tree_free(tree);
  return rc < 0 ? rc : r->s.rc;
}

int cul_repo_restore(struct cul_repo *repo, const char *dir,
                     const struct cul_repo_revision *revision,
                     struct timespec since, struct cul_err *err) {
  struct cul_switched ignored = {0};
  struct cul_checkout checkout;
  struct restoring r = {.s = {.repo = repo,
                              .checkout = &checkout,
                              .prefix = "",
                              .out = &ignored,
                              .err = err},
                        .held = revision,
                        .since = since};
  struct cul_modules modules;
  int rc = checkout_open(&checkout, dir, err);
  if (rc < 0)
    return rc;
  rc = cul_repo_modules(repo, revision, &modules, err);
  if (rc == 0)
    rc = restore_in(&r, &revision->commit);
  for (size_t i = 0; i < modules.n && rc == 0; i++) {
    char *below = cul_xasprintf("%s/", modules.items[i].path);
    r.s.repo = modules.items[i].repo
                   ? cul_repo_opened(repo, modules.items[i].repo)
                   : NULL;
    r.s.prefix = below;
    r.held = NULL;
    if (r.s.repo)
      rc = restore_in(&r, &modules.items[i].id);
    free(below);
  }
  cul_modules_release(&modules);
  checkout_close(&checkout);
  return rc;
}

int cul_repo_switch(struct cul_repo *repo, const char *dir,
                    const struct cul_repo_revision *from,
                    const struct cul_repo_revision *to,
                    struct cul_switched *out, struct cul_err *err) {
  struct cul_checkout checkout = {.dir = -1, .above = -1};
  struct switching s = {.repo = repo,
                        .checkout = &checkout,
                        .from = from,
                        .to = to,
                        .prefix = "",
                        .out = out,
                        .err = err};
  struct cul_modules modules = {0};
  int rc = checkout_open(&checkout, dir, err);
  if (rc == 0)
    rc = find_tree(repo, from ? &from->commit : NULL, &s.old, err);
  if (rc == 0 && from)
    rc = cul_repo_modules(repo, from, &s.had, err);
  /* Trees are checked before they are walked. */
  if (rc == 0)
    rc = cul_repo_modules(repo, to, &modules, err);
  if (rc == 0)
    rc = find_tree(repo, &to->commit, &s.new, err);
  if (rc == 0)
    rc = switch_files(&s, from ? &from->commit : NULL, &to->commit);
  if (rc == 0)
    rc = switch_modules(&s, &modules);
  if (rc == 0)
    rc = switch_held_files(&s);
  cul_modules_release(&modules);
  cul_modules_release(&s.had);
  git_tree_free(s.old);
  git_tree_free(s.new);
  checkout_close(&checkout);
  return rc;
}
