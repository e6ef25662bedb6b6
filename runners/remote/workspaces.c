/* See workspaces.h. */
#include "workspaces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"

/* The state of a file after it was put in place. */
struct entry {
  char *name;
  uint32_t mode; /* mode with file type */
  struct cul_digest digest;
  uint64_t inode, size;
  struct timespec changed;
};

struct cul_workspace_entries {
  struct entry *items; /* sorted by name */
  size_t n, room;
};

static int fail_workspace(const char *path, struct cul_err *err) {
  return cul_fail(err, CUL_EENV, "make room there",
                  "cannot use the build directory %s there: %s", path,
                  strerror(errno));
}

static void entries_release(struct cul_workspace_entries *entries) {
  for (size_t i = 0; i < entries->n; i++)
    free(entries->items[i].name);
  free(entries->items);
  *entries = (struct cul_workspace_entries){0};
}

/* ---- the list of its content, for the next job ---- */

/* Parse "MODE DIGEST INODE SIZE SECONDS NANOSECONDS NAME"; entries end with
 * NUL. */
static bool read_entry(const char *text, struct entry *out) {
  char hex[CUL_DIGEST_HEX];
  unsigned long long inode, size;
  long long s;
  long ns;
  unsigned mode;
  int at = 0;
  if (sscanf(text, "%o %32s %llu %llu %lld %ld %n", &mode, hex, &inode, &size,
             &s, &ns, &at) != 6 ||
      !at || !cul_digest_parse(hex, &out->digest))
    return false;
  out->mode = mode;
  out->inode = inode;
  out->size = size;
  out->changed = (struct timespec){(time_t)s, ns};
  out->name = cul_xstrdup(text + at);
  return true;
}

static void read_state(struct cul_remote_workspace *workspace) {
  struct cul_buf text = {0};
  int fd = cul_beneath_open(workspace->above_fd, workspace->state, O_RDONLY, 0);
  const char *at, *end;
  bool ok = fd >= 0 && cul_read_rest(fd, 0, &text) == 0;
  if (fd >= 0)
    close(fd);
  at = cul_buf_str(&text);
  end = at + text.len;
  while (ok && at < end) {
    struct entry entry = {0};
    ok = read_entry(at, &entry);
    if (ok)
      *(workspace->in->items = cul_xgrow(workspace->in->items, workspace->in->n,
                                         &workspace->in->room, sizeof entry),
        &workspace->in->items[workspace->in->n++]) = entry;
    at += strlen(at) + 1;
  }
  if (!ok) { /* the content is useless without its list */
    entries_release(workspace->in);
    (void)!cul_beneath_empty(workspace->held.fd, NULL);
  }
  cul_buf_release(&text);
}

static void write_state(const struct cul_remote_workspace *workspace) {
  struct cul_buf text = {0};
  char hex[CUL_DIGEST_HEX];
  for (size_t i = 0; i < workspace->in->n; i++) {
    const struct entry *e = &workspace->in->items[i];
    cul_buf_addf(&text, "%o %s %llu %llu %lld %ld %s", e->mode,
                 cul_digest_hex(&e->digest, hex), (unsigned long long)e->inode,
                 (unsigned long long)e->size, (long long)e->changed.tv_sec,
                 e->changed.tv_nsec, e->name);
    cul_buf_addc(&text, '\0');
  }
  (void)!cul_beneath_replace(workspace->above_fd, workspace->state,
                             cul_buf_bytes(&text), 0600, false, NULL, NULL);
  cul_buf_release(&text);
}

static void forget_state(const struct cul_remote_workspace *workspace) {
  if (workspace->state)
    (void)!unlinkat(workspace->above_fd, workspace->state, 0);
}

/* ---- enter ---- */

static void workspace_free(struct cul_remote_workspace *workspace) {
  entries_release(workspace->in);
  free(workspace->in);
  cul_held_close(&workspace->held);
  if (workspace->above_fd >= 0)
    close(workspace->above_fd);
  if (workspace->lock >= 0)
    close(workspace->lock);
  free(workspace->above);
  free(workspace->state);
  free(workspace->name);
  free(workspace);
}

/* Is the name "KEY/NAME", with letters, digits, "-" and "_"? */
static bool is_name(const char *name) {
  static const char good[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  size_t key = strspn(name, good);
  return key && name[key] == '/' && name[key + 1] &&
         strspn(name + key + 1, good) == strlen(name + key + 1);
}

/* Open the directory base/KEY/NAME, unless another worker uses it. */
static bool open_in(struct cul_remote_workspace *workspace, const char *base) {
  const char *slash = strchr(workspace->name, '/'), *name = slash + 1;
  struct cul_err ignored = {0};
  char *above = cul_xasprintf("%s/%.*s", base, (int)(slash - workspace->name),
                              workspace->name);
  char *lock = cul_xasprintf("%s.lock", name), *path = NULL;
  bool ok = cul_mkdirs(above, 0700, &ignored) == 0;
  workspace->above = ok ? realpath(above, NULL) : NULL;
  ok = workspace->above &&
       (workspace->above_fd = TEMP_FAILURE_RETRY(
            open(workspace->above, O_RDONLY | O_DIRECTORY | O_CLOEXEC))) >= 0;
  if (ok)
    workspace->lock =
        cul_beneath_open(workspace->above_fd, lock, O_RDWR | O_CREAT, 0600);
  ok = ok && workspace->lock >= 0 &&
       flock(workspace->lock, LOCK_EX | LOCK_NB) == 0;
  if (ok) {
    int fd = cul_beneath_claim(workspace->above_fd, name);
    ok = fd >= 0;
    if (fd >= 0)
      close(fd);
    path = cul_xasprintf("%s/%s", workspace->above, name);
  }
  ok = ok && cul_held_open(&workspace->held, path, &ignored) == 0;
  free(path);
  free(lock);
  free(above);
  return ok;
}

static void close_again(struct cul_remote_workspace *workspace) {
  if (workspace->above_fd >= 0)
    close(workspace->above_fd);
  if (workspace->lock >= 0)
    close(workspace->lock);
  free(workspace->above);
  workspace->above = NULL;
  workspace->above_fd = workspace->lock = -1;
}

/* Open a directory that both machines share. */
static int open_shared(struct cul_remote_workspace *workspace,
                       struct cul_err *err) {
  char *real = realpath(workspace->name, NULL), *slash;
  int rc;
  if (!real)
    return fail_workspace(workspace->name, err);
  rc = cul_held_open(&workspace->held, real, err);
  slash = strrchr(real, '/');
  *(slash == real ? slash + 1 : slash) = '\0';
  workspace->above = real;
  return rc;
}

static int open_workspace(const struct cul_remote_workspaces *workspaces,
                          struct cul_remote_workspace *workspace,
                          struct cul_err *err) {
  struct cul_err ignored = {0};
  char *cache = NULL, *base;
  bool ok = false;
  if (workspace->name[0] == '/')
    return open_shared(workspace, err);
  if (!is_name(workspace->name))
    return cul_fail(err, CUL_EENV, "", "%s names no build directory",
                    workspace->name);
  if (getenv("HOME") && access(getenv("HOME"), X_OK) == 0 &&
      cul_cache_dir_make(&cache, &ignored) == 0) {
    base = cul_xasprintf("%s/bisect", cache);
    ok = open_in(workspace, base);
    free(base);
  }
  if (!ok) {
    close_again(workspace);
    base = cul_xasprintf("%s/workspaces", workspaces->own->path);
    ok = open_in(workspace, base);
    free(base);
  }
  free(cache);
  if (!ok)
    return fail_workspace(workspace->name, err);
  workspace->state =
      cul_xasprintf("%s.files", strchr(workspace->name, '/') + 1);
  read_state(workspace);
  return 0;
}

static void see_since(struct cul_remote_workspace *workspace) {
  struct stat st = {0};
  if (workspace->lock < 0 || fstat(workspace->lock, &st) < 0)
    (void)fstat(workspace->held.fd, &st);
  workspace->since = st.st_mtim;
}

/* ---- compare ---- */

/* Is the file unchanged since it was put there? */
static bool is_as_put(const struct cul_remote_workspace *workspace,
                      const struct entry *entry) {
  const char *name;
  struct stat st;
  int dir = cul_beneath_parent(workspace->held.fd, entry->name, &name);
  bool same =
      dir >= 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
      (st.st_mode & S_IFMT) == (entry->mode & S_IFMT) &&
      (S_ISDIR(st.st_mode) || ((uint64_t)st.st_ino == entry->inode &&
                               (uint64_t)st.st_size == entry->size &&
                               st.st_ctim.tv_sec == entry->changed.tv_sec &&
                               st.st_ctim.tv_nsec == entry->changed.tv_nsec));
  if (dir >= 0)
    close(dir);
  return same;
}

static bool is_kind(uint32_t mode) {
  return S_ISREG(mode) || S_ISLNK(mode) || S_ISDIR(mode);
}

static int compare(struct cul_remote_workspace *workspace,
                   const struct cul_remote_run *asked, bool *differs,
                   struct cul_err *err) {
  const struct cul_workspace_entries *old = workspace->in;
  const char *last = NULL;
  size_t at = 0;
  if (asked->anew && workspace->state) {
    forget_state(workspace);
    entries_release(workspace->in);
    (void)!cul_beneath_empty(workspace->held.fd, NULL);
  }
  for (uint32_t i = 0; i < asked->n_files; i++) {
    const struct cul_remote_file *file = &asked->files[i];
    differs[i] = file->place == CUL_PLACE_WORKSPACE && workspace->state;
    if (!differs[i])
      continue;
    if ((last && strcmp(last, file->name) >= 0) || !is_kind(file->mode))
      return cul_fail(err, CUL_EENV, "",
                      "the file list of a build is malformed");
    last = file->name;
    while (at < old->n && strcmp(old->items[at].name, file->name) < 0)
      at++;
    differs[i] = at == old->n || strcmp(old->items[at].name, file->name) != 0 ||
                 old->items[at].mode != file->mode ||
                 !cul_digest_equal(&old->items[at].digest, &file->digest) ||
                 !is_as_put(workspace, &old->items[at]);
  }
  return 0;
}

/* ---- in a worker ---- */

int cul_remote_workspaces_enter(struct cul_remote_workspaces *workspaces,
                                const struct cul_remote_run *asked,
                                struct cul_remote_workspace **out,
                                bool **differs, struct cul_err *err) {
  struct cul_remote_workspace *workspace = NULL;
  int rc = 0;
  *out = NULL;
  for (size_t i = 0; i < workspaces->n && !workspace; i++)
    if (strcmp(workspaces->items[i]->name, asked->workspace) == 0)
      workspace = workspaces->items[i];
  if (!workspace) {
    workspace = cul_xcalloc(1, sizeof *workspace);
    *workspace = (struct cul_remote_workspace){
        .in = cul_xcalloc(1, sizeof *workspace->in),
        .name = cul_xstrdup(asked->workspace),
        .held.fd = -1,
        .above_fd = -1,
        .lock = -1};
    rc = open_workspace(workspaces, workspace, err);
    if (rc < 0) {
      workspace_free(workspace);
      return rc;
    }
    see_since(workspace);
    workspaces->items = cul_xgrow(workspaces->items, workspaces->n,
                                  &workspaces->room, sizeof *workspaces->items);
    workspaces->items[workspaces->n++] = workspace;
  }
  if (!asked->building && workspace->state && !workspace->ready)
    return cul_fail(err, CUL_EENV, "",
                    "the build directory of this commit no longer exists");
  *out = workspace;
  if (!asked->building)
    return 0;
  *differs = cul_xcalloc((size_t)asked->n_files + 1, sizeof **differs);
  return compare(workspace, asked, *differs, err);
}

/* ---- switch ---- */

/* Remove the directories above name that are empty now. */
static void prune(const struct cul_remote_workspace *workspace, char *name) {
  char *slash;
  while ((slash = strrchr(name, '/'))) {
    const char *last;
    int dir, rc = -1;
    *slash = '\0';
    dir = cul_beneath_parent(workspace->held.fd, name, &last);
    if (dir >= 0) {
      rc = unlinkat(dir, last, AT_REMOVEDIR);
      close(dir);
    }
    if (rc < 0)
      break;
  }
}

static void remove_old(struct cul_remote_workspace *workspace,
                       const struct cul_remote_run *asked) {
  uint32_t at = 0;
  for (size_t i = 0; i < workspace->in->n; i++) {
    struct entry *old = &workspace->in->items[i];
    while (at < asked->n_files &&
           (asked->files[at].place != CUL_PLACE_WORKSPACE ||
            strcmp(asked->files[at].name, old->name) < 0))
      at++;
    if (at < asked->n_files && strcmp(asked->files[at].name, old->name) == 0)
      continue;
    (void)!cul_beneath_remove(workspace->held.fd, old->name);
    prune(workspace, old->name);
  }
}

/* Open the directory of the file; anything in place of a directory is
 * removed. */
static int open_above(const struct cul_remote_workspace *workspace,
                      const char *path, const char **name) {
  int fd = TEMP_FAILURE_RETRY(
      openat(workspace->held.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const char *slash;
  while (fd >= 0 && (slash = strchr(path, '/'))) {
    char *part = cul_xstrndup(path, (size_t)(slash - path));
    int next = *part && strcmp(part, ".") && strcmp(part, "..")
                   ? cul_beneath_claim(fd, part)
                   : -1;
    int error = next < 0 && !errno ? EXDEV : errno;
    free(part);
    close(fd);
    errno = error;
    fd = next;
    path = slash + 1;
  }
  *name = path;
  if (fd >= 0 && (!*path || !strcmp(path, ".") || !strcmp(path, ".."))) {
    close(fd);
    errno = EXDEV;
    fd = -1;
  }
  return fd;
}

static bool put(int dir, const char *name, uint32_t mode,
                const struct cul_buf *bytes) {
  int fd;
  if (S_ISDIR(mode)) {
    fd = cul_beneath_claim(dir, name);
    if (fd >= 0)
      close(fd);
    return fd >= 0;
  }
  if (S_ISLNK(mode))
    return cul_beneath_remove(dir, name) == 0 &&
           symlinkat(cul_buf_str(bytes), dir, name) == 0;
  return cul_beneath_put(dir, name, bytes->data, bytes->len,
                         (mode_t)(mode & 0111 ? 0777 : 0666)) == 0;
}

/* Put one file in place; entry: its new state. */
static int put_file(const struct cul_remote_workspace *workspace,
                    const struct cul_remote_file *file,
                    const struct cul_remote_store *store, struct cul_err *err) {
  struct cul_buf bytes = {0};
  const char *name;
  int dir, rc = 0;
  if (file->carried)
    cul_buf_add(&bytes, file->bytes.data, file->bytes.len);
  else if (!cul_remote_store_get(store, &file->digest, &bytes))
    return cul_fail(err, CUL_ELOST, "", "%s is not there any more", file->name);
  dir = open_above(workspace, file->name, &name);
  if (dir < 0 || !put(dir, name, file->mode, &bytes))
    rc = fail_workspace(file->name, err);
  if (dir >= 0)
    close(dir);
  cul_buf_release(&bytes);
  return rc;
}

static void see(const struct cul_remote_workspace *workspace,
                struct entry *entry) {
  const char *name;
  struct stat st;
  int dir = cul_beneath_parent(workspace->held.fd, entry->name, &name);
  if (dir >= 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
    entry->inode = (uint64_t)st.st_ino;
    entry->size = (uint64_t)st.st_size;
    entry->changed = st.st_ctim;
  }
  if (dir >= 0)
    close(dir);
}

/* Take over the entries of the run's files; unchanged files keep theirs. */
static void take_entries(struct cul_remote_workspace *workspace,
                         const struct cul_remote_run *asked,
                         const bool *differs) {
  struct cul_workspace_entries now = {0};
  size_t at = 0;
  for (uint32_t i = 0; i < asked->n_files; i++) {
    const struct cul_remote_file *file = &asked->files[i];
    struct entry entry = {.mode = file->mode, .digest = file->digest};
    if (file->place != CUL_PLACE_WORKSPACE)
      continue;
    entry.name = cul_xstrdup(file->name);
    while (at < workspace->in->n &&
           strcmp(workspace->in->items[at].name, file->name) < 0)
      at++;
    if (differs[i]) {
      see(workspace, &entry);
    } else {
      entry.inode = workspace->in->items[at].inode;
      entry.size = workspace->in->items[at].size;
      entry.changed = workspace->in->items[at].changed;
    }
    now.items = cul_xgrow(now.items, now.n, &now.room, sizeof *now.items);
    now.items[now.n++] = entry;
  }
  entries_release(workspace->in);
  *workspace->in = now;
}

int cul_remote_workspace_put(struct cul_remote_workspace *workspace,
                             const struct cul_remote_run *asked,
                             const bool *differs,
                             const struct cul_remote_store *store,
                             struct cul_err *err) {
  int rc = 0;
  if (!workspace->state)
    return 0;
  /* check that all files are available before changing anything */
  for (uint32_t i = 0; i < asked->n_files; i++)
    if (differs[i] && !asked->files[i].carried &&
        !cul_remote_store_has(store, &asked->files[i].digest))
      return cul_fail(err, CUL_ELOST, "", "%s is not there any more",
                      asked->files[i].name);
  workspace->ready = false;
  forget_state(workspace);
  remove_old(workspace, asked);
  for (uint32_t i = 0; i < asked->n_files && rc == 0; i++)
    if (differs[i])
      rc = put_file(workspace, &asked->files[i], store, err);
  if (rc == 0)
    take_entries(workspace, asked, differs);
  if (rc < 0) { /* only some files are in place */
    entries_release(workspace->in);
    (void)!cul_beneath_empty(workspace->held.fd, NULL);
  }
  return rc;
}

void cul_remote_workspace_built(struct cul_remote_workspace *workspace,
                                bool ready) {
  workspace->ready = ready;
  if (workspace->state)
    write_state(workspace);
}
