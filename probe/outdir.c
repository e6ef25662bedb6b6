/* Directories of results: see outdir.h. */
#include "outdir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/digest.h"
#include "../base/files/fd.h"
#include "../base/files/file.h"
#include "../base/files/held.h"
#include "../base/files/lock.h"
#include "json_word.h"

static const char list_name[] = ".culprit-files";
enum { MOST_LIST = 64 << 20 };

/* A file of the directory when it was opened. */
struct entry {
  char *name;
  struct stat st;
  char digest[CUL_DIGEST_HEX];
  bool ours; /* else it is the file of -o, which may be replaced */
};

struct cul_outdir {
  struct cul_outdir_conf conf;
  char **names;         /* of conf, copied */
  struct cul_held held; /* locked */
  char *made;           /* the first directory that was made; NULL: none */
  json_t *listed;       /* files of earlier jobs: "name" (a word), "digest" */
  json_t *begun;        /* lines of a job that was killed; or NULL */
  bool unsure;          /* of some name it is not known who wrote the file */
  struct cul_beneath_notice notice;
  struct entry *entries;
  size_t n, cap;
};

/* ---- names ---- */

/* Does a word of the command line name such a file? */
static bool is_named(const struct cul_outdir *outdir, const char *name) {
  bool named = false;
  for (char *const *word = outdir->conf.words; word && *word && !named; word++)
    named = strstr(*word, name) != NULL;
  return named;
}

/* Does the name have the form of the pattern? */
static bool has_form(const struct cul_outdir *outdir, const char *pattern,
                     const char *name) {
  size_t most;
  switch (*pattern) {
  case '\0':
    return *name == '\0';
  case '@':
    return *name && is_named(outdir, name);
  case '#':
    most = strspn(name, "0123456789");
    break;
  case '%':
    most = strcspn(name, "./");
    break;
  case '*':
    most = strcspn(name, "/");
    break;
  default:
    return *pattern == *name && has_form(outdir, pattern + 1, name + 1);
  }
  for (size_t n = *pattern == '*' ? 0 : 1; n <= most; n++)
    if (has_form(outdir, pattern + 1, name + n))
      return true;
  return false;
}

static bool may_write(const struct cul_outdir *outdir, const char *name) {
  bool may = false;
  for (char *const *at = outdir->names; *at && !may; at++)
    may = strcmp(*at, name) == 0 || has_form(outdir, *at, name);
  return may;
}

/* Does the job write files below a directory of this name? */
static bool may_fill(const struct cul_outdir *outdir, const char *name) {
  size_t n = strlen(name);
  bool may = false;
  for (char *const *at = outdir->names; *at && !may; at++)
    may = strncmp(*at, name, n) == 0 && (*at)[n] == '/';
  return may;
}

static bool look(const struct cul_outdir *outdir, const char *name,
                 struct stat *st) {
  return fstatat(outdir->held.fd, name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Does the error of look() say that there is no such file? */
static bool says_gone(int error) { return error == ENOENT || error == ENOTDIR; }

/* Call tell for each name that the job may write, and for a file in the place
 * of a directory that it fills, while tell returns 0. */
struct walk {
  struct cul_outdir *outdir;
  int (*tell)(void *self, const char *name, struct cul_err *err);
  void *self;
};

static int walk_in(const struct walk *walk, const char *below,
                   struct cul_err *err);

static int walk_one(const struct walk *walk, const char *name,
                    struct cul_err *err) {
  struct stat st;
  bool fills = may_fill(walk->outdir, name);
  if (!look(walk->outdir, name, &st)) {
    walk->outdir->unsure |= !says_gone(errno);
    return 0;
  }
  if (fills && S_ISDIR(st.st_mode))
    return walk_in(walk, name, err);
  return fills || may_write(walk->outdir, name)
             ? walk->tell(walk->self, name, err)
             : 0;
}

/* below: "", or a directory in it. */
static int walk_in(const struct walk *walk, const char *below,
                   struct cul_err *err) {
  int fd = cul_beneath_dir(walk->outdir->held.fd, *below ? below : "."), rc = 0;
  DIR *names = fd < 0 ? NULL : fdopendir(fd);
  for (const struct dirent *e; names && rc == 0 && (e = readdir(names));) {
    CUL_HEAP char *name =
        cul_xasprintf("%s%s%s", below, *below ? "/" : "", e->d_name);
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      rc = walk_one(walk, name, err);
  }
  walk->outdir->unsure |= !names;
  if (names)
    closedir(names);
  else if (fd >= 0)
    close(fd);
  return rc;
}

/* ---- the list ---- */

/* The lines behind the list of a job that was killed: what it was about to
 * write.  The last one may be incomplete. */
static json_t *read_begun(const char *text) {
  json_t *lines = json_array();
  for (size_t n; *text; text += n + (text[n] == '\n')) {
    json_t *line;
    n = strcspn(text, "\n");
    line = json_loadb(text, n, 0, NULL);
    if (line)
      json_array_append_new(lines, line);
  }
  return lines;
}

static int64_t time_of(const struct stat *st) {
  return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* Is it a file that the job wrote which was killed, and untouched since?  That
 * of a log has no time: it was written until the end. */
static bool is_begun(const struct cul_outdir *outdir, const char *name,
                     const struct stat *st) {
  const json_t *line;
  size_t i;
  json_array_foreach(outdir->begun, i, line) {
    CUL_HEAP char *begun = cul_json_word_take(json_object_get(line, "name"));
    json_int_t at = json_integer_value(json_object_get(line, "time"));
    if (begun && strcmp(begun, name) == 0 &&
        json_integer_value(json_object_get(line, "inode")) ==
            (json_int_t)st->st_ino &&
        (!at || (at == time_of(st) && json_integer_value(json_object_get(
                                          line, "size")) == st->st_size)))
      return true;
  }
  return false;
}

/* The name, from the directory on, of what has this name in the directory
 * above; heap, or NULL: it is not in the directory. */
static char *name_from(const struct cul_outdir *outdir, int above,
                       const char *name) {
  const int fds[] = {outdir->held.fd, above};
  char paths[2][PATH_MAX];
  size_t n;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(fds); i++) {
    char link[40];
    ssize_t len;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fds[i]);
    len = readlink(link, paths[i], PATH_MAX - 1);
    if (len <= 0)
      return NULL;
    paths[i][len] = '\0';
  }
  n = strlen(paths[0]);
  if (strncmp(paths[0], paths[1], n) != 0 ||
      (paths[1][n] && paths[1][n] != '/'))
    return NULL;
  return cul_xasprintf("%s%s%s", paths[1] + n + (paths[1][n] == '/'),
                       paths[1][n] ? "/" : "", name);
}

/* Append a file that is about to be written to the list. */
static int begin(void *self, int above, const char *name,
                 const struct stat *st) {
  const struct cul_outdir *outdir = self;
  CUL_HEAP char *from = name_from(outdir, above, name), *text = NULL;
  CUL_HEAP char *line = NULL;
  json_t *json;
  int fd, rc;
  if (!from || strcmp(from, list_name) == 0)
    return 0;
  fd = cul_beneath_open(outdir->held.fd, list_name, O_WRONLY | O_APPEND, 0);
  if (fd < 0)
    return -1;
  json = json_pack("{s:o, s:I, s:I, s:I}", "name", cul_json_word(from), "inode",
                   (json_int_t)st->st_ino, "size", (json_int_t)st->st_size,
                   "time", (json_int_t)time_of(st));
  text = json_dumps(json, JSON_COMPACT);
  line = cul_xasprintf("\n%s\n", text);
  rc = cul_write_all(fd, line, strlen(line));
  json_decref(json);
  close(fd);
  return rc;
}

/* Read the list, if there is one.  A file of this name without the form of a
 * list is the user's. */
static int read_list(struct cul_outdir *outdir, struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/%s", outdir->conf.dir, list_name);
  CUL_OWNED(cul_buf) text = {0};
  struct cul_err ignored = {0};
  struct stat st;
  json_error_t end;
  json_t *list = NULL;
  bool is_list;
  if (!look(outdir, list_name, &st))
    return 0;
  if (cul_held_read(&outdir->held, path, MOST_LIST, &text, &ignored) == 0)
    list =
        json_loadb(cul_buf_str(&text), text.len, JSON_DISABLE_EOF_CHECK, &end);
  is_list = json_is_string(json_object_get(list, "culprit_version"));
  if (is_list)
    outdir->begun = read_begun(cul_buf_str(&text) + end.position);
  outdir->listed = json_incref(json_object_get(list, "files"));
  json_decref(list);
  return is_list ? 0
                 : cul_fail(err, CUL_EUSAGE,
                            "move it away, or name another directory",
                            "%s %s: %s is no list of culprit that can be read",
                            outdir->conf.option, outdir->conf.dir, path);
}

/* What this job, and its forks, have written is what they began. */
static void reread(struct cul_outdir *outdir) {
  struct cul_err none = {0};
  cul_beneath_watch(&outdir->notice, false);
  json_decref(outdir->begun);
  json_decref(outdir->listed);
  outdir->begun = outdir->listed = NULL;
  outdir->unsure |= read_list(outdir, &none) < 0 || !outdir->begun;
}

static int by_name(const void *a, const void *b) {
  const struct entry *one = a, *other = b;
  return strcmp(one->name, other->name);
}

static json_t *list_of(struct cul_outdir *outdir) {
  json_t *files = json_array();
  if (outdir->n)
    qsort(outdir->entries, outdir->n, sizeof *outdir->entries, by_name);
  for (size_t i = 0; i < outdir->n; i++) {
    const struct entry *entry = &outdir->entries[i];
    if (entry->ours)
      json_array_append_new(files, json_pack("{s:o, s:s}", "name",
                                             cul_json_word(entry->name),
                                             "digest", entry->digest));
  }
  return files;
}

/* The digest of a file as an earlier job left it; NULL: it is not listed. */
static const char *listed_digest(const struct cul_outdir *outdir,
                                 const char *name) {
  const json_t *file;
  size_t i;
  json_array_foreach(outdir->listed, i, file) {
    CUL_HEAP char *listed = cul_json_word_take(json_object_get(file, "name"));
    if (listed && strcmp(listed, name) == 0)
      return json_string_value(json_object_get(file, "digest"));
  }
  return NULL;
}

static int write_list(struct cul_outdir *outdir, struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/%s", outdir->conf.dir, list_name);
  json_t *list = json_pack("{s:s, s:o}", "culprit_version", CULPRIT_VERSION,
                           "files", list_of(outdir));
  CUL_HEAP char *text = NULL;
  int rc;
  text = json_dumps(list, JSON_INDENT(1));
  rc = cul_held_replace(&outdir->held, path,
                        (struct cul_bytes){text, strlen(text)}, 0666, err);
  json_decref(list);
  return rc;
}

/* ---- whose a file is ---- */

static bool is_output(const struct cul_outdir *outdir, const struct stat *st) {
  struct stat output;
  return outdir->conf.output && stat(outdir->conf.output, &output) == 0 &&
         output.st_dev == st->st_dev && output.st_ino == st->st_ino;
}

/* Add the file as an entry that is ours. */
static int add_entry(struct cul_outdir *outdir, const char *name,
                     struct cul_err *err) {
  CUL_HEAP char *path = cul_xasprintf("%s/%s", outdir->conf.dir, name);
  struct entry entry = {.ours = true};
  struct cul_digest digest;
  int rc = look(outdir, name, &entry.st) && S_ISREG(entry.st.st_mode)
               ? cul_file_digest(path, &digest, err)
               : CUL_EUSAGE;
  if (rc < 0)
    return rc;
  cul_digest_hex(&digest, entry.digest);
  entry.name = cul_xstrdup(name);
  CUL_XADD(outdir->entries, outdir->n, outdir->cap) = entry;
  return 0;
}

/* Is it as an earlier job left it, or of one that was killed? */
static bool is_ours(const struct cul_outdir *outdir,
                    const struct entry *entry) {
  const char *digest = listed_digest(outdir, entry->name);
  return (digest && strcmp(digest, entry->digest) == 0) ||
         is_begun(outdir, entry->name, &entry->st);
}

/* Add the file as an entry if it is ours. */
static int add_ours(struct cul_outdir *outdir, const char *name, bool *ours,
                    struct cul_err *err) {
  struct cul_err none = {0};
  int rc = add_entry(outdir, name, &none);
  *ours = rc == 0 && is_ours(outdir, &outdir->entries[outdir->n - 1]);
  if (rc == 0 && !*ours)
    free(outdir->entries[--outdir->n].name);
  if (rc != CUL_EINTR)
    return 0;
  *err = none;
  return rc;
}

/* Take a file that the job may replace: it must be ours, or be that of -o. */
static int take_wanted(void *self, const char *name, struct cul_err *err) {
  struct cul_outdir *outdir = self;
  struct entry entry = {.ours = false};
  bool ours;
  int rc = add_ours(outdir, name, &ours, err);
  if (rc < 0 || ours || !look(outdir, name, &entry.st))
    return rc;
  if (!is_output(outdir, &entry.st))
    return cul_fail(err, CUL_EUSAGE, "move it away, or name another directory",
                    "%s %s would replace %s/%s, which %s", outdir->conf.option,
                    outdir->conf.dir, outdir->conf.dir, name,
                    listed_digest(outdir, name)
                        ? "was changed since culprit wrote it"
                        : "culprit did not write");
  entry.name = cul_xstrdup(name);
  CUL_XADD(outdir->entries, outdir->n, outdir->cap) = entry;
  return 0;
}

/* Take the files of earlier jobs that this one does not write. */
static int take_listed(struct cul_outdir *outdir, struct cul_err *err) {
  const json_t *file;
  size_t i;
  json_array_foreach(outdir->listed, i, file) {
    CUL_HEAP char *name = cul_json_word_take(json_object_get(file, "name"));
    int fd = !name || may_write(outdir, name)
                 ? -1
                 : cul_beneath_open(outdir->held.fd, name, O_RDONLY, 0);
    bool ours;
    if (fd < 0)
      continue;
    close(fd);
    if (add_ours(outdir, name, &ours, err) < 0)
      return err->code;
  }
  return 0;
}

/* ---- open ---- */

/* The first directory of path that is missing; heap, or NULL. */
static char *first_missing(const char *path) {
  char *copy = cul_xstrdup(path);
  for (char *at = copy + 1; *copy; at++) {
    char c = *at;
    if (c != '/' && c != '\0')
      continue;
    *at = '\0';
    if (access(copy, F_OK) < 0 && errno == ENOENT)
      return copy;
    *at = c;
    if (c == '\0')
      break;
  }
  free(copy);
  return NULL;
}

static int fail_lock(struct cul_outdir *outdir, struct cul_err *err) {
  CUL_OWNED(cul_buf) holder = {0};
  free(outdir->made); /* the other job's now */
  outdir->made = NULL;
  cul_lock_holder(outdir->conf.dir, &holder);
  return cul_fail(err, CUL_EENV,
                  "wait for it, stop it, or name another directory",
                  "%s: another job is writing %s%s", outdir->conf.option,
                  outdir->conf.dir, cul_buf_str(&holder));
}

/* Hold and lock the directory.  Another job that made it may remove it between
 * the two. */
static int lock_dir(struct cul_outdir *outdir, struct cul_err *err) {
  enum { TRIES = 100 };
  const char *dir = outdir->conf.dir;
  int rc = 0;
  for (int i = 0; i < TRIES && rc == 0; i++) {
    struct stat held, named;
    rc = cul_held_make(&outdir->held, dir, 0777, err);
    if (rc == 0 && cul_lock_hold(outdir->held.fd, dir) < 0)
      return fail_lock(outdir, err);
    if (rc == 0 && fstat(outdir->held.fd, &held) == 0 &&
        stat(dir, &named) == 0 && held.st_ino == named.st_ino &&
        held.st_dev == named.st_dev)
      return 0;
    cul_held_close(&outdir->held);
  }
  return rc ? cul_fail_in(err, "%s", outdir->conf.option)
            : cul_fail(err, CUL_EENV, "name another directory",
                       "%s %s: the directory is removed again and again",
                       outdir->conf.option, dir);
}

static int take_all(struct cul_outdir *outdir, struct cul_err *err) {
  const struct walk walk = {outdir, take_wanted, outdir};
  int rc = read_list(outdir, err);
  if (rc == 0)
    rc = walk_in(&walk, "", err);
  if (rc == 0)
    rc = take_listed(outdir, err);
  if (rc == 0)
    rc = write_list(outdir, err);
  if (rc < 0)
    return rc;
  outdir->notice = (struct cul_beneath_notice){.tell = begin, .self = outdir};
  cul_beneath_watch(&outdir->notice, true);
  return 0;
}

static char **copy_names(const char *const *names) {
  char **copy;
  size_t n = 0;
  while (names[n])
    n++;
  copy = cul_xcalloc(n + 1, sizeof *copy);
  for (size_t i = 0; i < n; i++)
    copy[i] = cul_xstrdup(names[i]);
  return copy;
}

/* Remove the directories that were made and are empty; rmdir removes no
 * other. */
static void remove_made(const struct cul_outdir *outdir) {
  CUL_HEAP char *at = cul_xstrdup(outdir->conf.dir);
  char *slash;
  for (char *const *name = outdir->names; *name; name++) {
    CUL_HEAP char *above = cul_xstrndup(*name, strcspn(*name, "/"));
    if (strchr(*name, '/'))
      (void)!unlinkat(outdir->held.fd, above, AT_REMOVEDIR);
  }
  while (rmdir(at) == 0 && strcmp(at, outdir->made) != 0 &&
         (slash = strrchr(at, '/')))
    *slash = '\0';
}

static void release(struct cul_outdir *outdir) {
  cul_beneath_watch(&outdir->notice, false);
  if (outdir->made && outdir->held.path)
    remove_made(outdir);
  for (size_t i = 0; i < outdir->n; i++)
    free(outdir->entries[i].name);
  free(outdir->entries);
  json_decref(outdir->listed);
  json_decref(outdir->begun);
  for (char **name = outdir->names; *name; name++)
    free(*name);
  free(outdir->names);
  /* A forked process may have the descriptor still. */
  if (outdir->held.path)
    (void)flock(outdir->held.fd, LOCK_UN);
  cul_held_close(&outdir->held);
  free(outdir->made);
  free(outdir);
}

int cul_outdir_open(struct cul_outdir **out, const struct cul_outdir_conf *conf,
                    struct cul_err *err) {
  struct cul_outdir *outdir;
  int rc = conf->dir ? cul_file_check_later(conf->dir, true, err) : 0;
  *out = NULL;
  if (rc < 0)
    return cul_fail_in(err, "%s", conf->option);
  if (!conf->dir)
    return 0;
  outdir = cul_xcalloc(1, sizeof *outdir);
  outdir->conf = *conf;
  outdir->names = copy_names(conf->names);
  outdir->held.fd = -1;
  outdir->made = first_missing(conf->dir);
  rc = lock_dir(outdir, err);
  if (rc == 0 && outdir->names[0])
    rc = take_all(outdir, err);
  if (rc < 0)
    release(outdir);
  else
    *out = outdir;
  return rc;
}

/* ---- clear, close ---- */

static bool is_untouched(const struct cul_outdir *outdir,
                         const struct entry *entry) {
  struct stat st;
  return look(outdir, entry->name, &st) && cul_stat_untouched(&st, &entry->st);
}

/* Remove a file, and its directory if that is empty then. */
static void drop(const struct cul_outdir *outdir, const char *name) {
  CUL_HEAP char *path = cul_xasprintf("%s/%s", outdir->conf.dir, name);
  CUL_HEAP char *above =
      cul_xstrndup(name, strchr(name, '/') ? strcspn(name, "/") : 0);
  (void)cul_held_unlink(&outdir->held, path);
  if (*above)
    (void)!unlinkat(outdir->held.fd, above, AT_REMOVEDIR);
}

void cul_outdir_clear(struct cul_outdir *outdir) {
  for (size_t i = 0; outdir && i < outdir->n; i++) {
    const struct entry *entry = &outdir->entries[i];
    if (entry->ours && strncmp(entry->name, "logs/", 5) != 0 &&
        !is_named(outdir, entry->name) && is_untouched(outdir, entry))
      drop(outdir, entry->name);
  }
}

static const struct entry *entry_of(const struct cul_outdir *outdir,
                                    const char *name) {
  for (size_t i = 0; i < outdir->n; i++)
    if (strcmp(outdir->entries[i].name, name) == 0)
      return &outdir->entries[i];
  return NULL;
}

static int meet(void *self, const char *name, struct cul_err *err) {
  const struct cul_outdir *outdir = self;
  const struct entry *entry = entry_of(outdir, name);
  (void)err;
  return strncmp(name, "logs/", 5) != 0 &&
         !(entry && is_untouched(outdir, entry));
}

bool cul_outdir_has_new(struct cul_outdir *outdir) {
  const struct walk walk = {outdir, meet, outdir};
  struct cul_err none = {0};
  return outdir && walk_in(&walk, "", &none) != 0;
}

/* Note a file if this job wrote it: the user may have put one there. */
static int note(void *self, const char *name, struct cul_err *err) {
  struct cul_outdir *outdir = self;
  const struct entry *before = entry_of(outdir, name);
  struct stat st;
  bool known = look(outdir, name, &st);
  if (known && is_begun(outdir, name, &st) &&
      !(before && is_untouched(outdir, before)))
    known = add_entry(self, name, err) == 0;
  outdir->unsure |= !known;
  return 0;
}

/* Forget files that were replaced or removed. */
static void forget(struct cul_outdir *outdir) {
  size_t n = 0;
  for (size_t i = 0; i < outdir->n; i++) {
    struct entry *entry = &outdir->entries[i];
    errno = 0;
    if (entry->ours && is_untouched(outdir, entry)) {
      outdir->entries[n++] = *entry;
      continue;
    }
    outdir->unsure |= entry->ours && errno && !says_gone(errno);
    free(entry->name);
  }
  outdir->n = n;
}

void cul_outdir_close(struct cul_outdir *outdir) {
  const struct walk walk = {outdir, note, outdir};
  struct cul_err none = {0};
  if (!outdir)
    return;
  if (outdir->names[0]) {
    if (!outdir->conf.stays && cul_outdir_has_new(outdir))
      cul_outdir_clear(outdir);
    outdir->unsure = false;
    reread(outdir);
    (void)!walk_in(&walk, "", &none);
    forget(outdir);
    /* The list with the lines of what was begun tells no less. */
    if (outdir->n && !outdir->unsure)
      (void)!write_list(outdir, &none);
    else if (!outdir->unsure)
      drop(outdir, list_name);
  }
  release(outdir);
}
