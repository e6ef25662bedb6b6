/* A hash table of files: see fileset.h. */
#include "fileset.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../../base/again.h"
#include "../../base/buf.h"
#include "../../base/digest.h"
#include "../../base/sandbox.h"
#include "program.h"

enum cul_file_flags {
  CUL_FILE_READ = 1 << 0,
  CUL_FILE_EXECUTED = 1 << 1,
  CUL_FILE_FRESH = 1 << 2,  /* did not exist when first seen */
  CUL_FILE_LOOKED = 1 << 3, /* its existence was queried */
  CUL_FILE_LISTED = 1 << 4, /* a directory whose names were read */
  CUL_FILE_TIMED = 1 << 5,  /* LOOKED, by a call that returns its times */
};

static size_t slot_of(const struct cul_fileset *set, const char *name) {
  size_t at = cul_digest_of(name, strlen(name)).w[0] & (set->room - 1);
  while (set->items[at].name && strcmp(set->items[at].name, name) != 0)
    at = (at + 1) & (set->room - 1);
  return at;
}

static void grow(struct cul_fileset *set) {
  struct cul_fileset old = *set;
  set->room = old.room ? old.room * 2 : 256;
  set->items = cul_xcalloc(set->room, sizeof *set->items);
  for (size_t i = 0; i < old.room; i++)
    if (old.items[i].name)
      set->items[slot_of(set, old.items[i].name)] = old.items[i];
  free(old.items);
}

/* The entry with that name, added if necessary (zero except for the name).
 * *added may be NULL.  Valid until the next call. */
static struct cul_file *fileset_put(struct cul_fileset *set, const char *name,
                                    bool *added) {
  size_t at;
  if (set->n * 2 >= set->room)
    grow(set);
  at = slot_of(set, name);
  if (added)
    *added = !set->items[at].name;
  if (!set->items[at].name) {
    set->items[at].name = cul_xstrdup(name);
    set->n++;
  }
  return &set->items[at];
}

/* The entry, or NULL. */
static const struct cul_file *fileset_find(const struct cul_fileset *set,
                                           const char *name) {
  size_t at;
  if (!set->room)
    return NULL;
  at = slot_of(set, name);
  return set->items[at].name ? &set->items[at] : NULL;
}

static int compare(const void *a, const void *b) {
  const struct cul_file *x = a, *y = b;
  return strcmp(x->name, y->name);
}

/* Move the entries to the front, sorted by name; then only release is
 * allowed. */
static void fileset_sort(struct cul_fileset *set) {
  size_t n = 0;
  for (size_t i = 0; i < set->room; i++)
    if (set->items[i].name)
      set->items[n++] = set->items[i];
  if (n)
    qsort(set->items, n, sizeof *set->items, compare);
  set->room = n;
}

static void fileset_release(struct cul_fileset *set) {
  for (size_t i = 0; i < set->room; i++) {
    free(set->items[i].name);
    free(set->items[i].real);
  }
  free(set->items);
  *set = (struct cul_fileset){0};
}

/* ---- lookup ---- */

/* Digests of what a program sees when it looks for a name or reads the names in
 * a directory. */

static int at(int dir) { return dir < 0 ? AT_FDCWD : dir; }

/* Ignores the size of a directory, which depends on its history. */
static void hash_stat(struct cul_hasher *h, const struct stat *st) {
  bool file = S_ISREG(st->st_mode), dir = S_ISDIR(st->st_mode);
  cul_hasher_field(h, file ? "f" : dir ? "d" : "o");
  cul_hasher_u64(h, file ? (uint64_t)st->st_size : 0);
  cul_hasher_u64(h, file || dir ? st->st_mode & 07777 : 0);
}

void cul_lookup_hash(struct cul_hasher *h, int dir, const char *name) {
  char target[PATH_MAX];
  struct stat st;
  ssize_t n = readlinkat(at(dir), name, target, sizeof target - 1);
  target[n > 0 ? n : 0] = '\0';
  cul_hasher_field(h, name);
  if (fstatat(at(dir), name, &st, 0) == 0)
    hash_stat(h, &st);
  else
    cul_hasher_field(h, "-");
  cul_hasher_field(h, n > 0 ? target : NULL);
}

static bool is_left_out(const char *name) {
  return !strcmp(name, ".") || !strcmp(name, "..") ||
         !strcmp(name, "__pycache__") || cul_text_ends(name, ".pyc");
}

static int lookup_compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names that count, sorted; heap.  Names of directories end in '/'. */
static char **read_names(DIR *open,
                         bool (*is_spared)(void *self, const char *name),
                         void *self, size_t *n) {
  char **out = NULL;
  size_t room = 0;
  *n = 0;
  for (struct dirent *e; (e = readdir(open));) {
    if (is_left_out(e->d_name) || (is_spared && is_spared(self, e->d_name)))
      continue;
    if (*n == room) {
      room = room ? 2 * room : 64;
      out = cul_xreallocarray(out, room, sizeof *out);
    }
    out[(*n)++] =
        cul_xasprintf("%s%s", e->d_name, e->d_type == DT_DIR ? "/" : "");
  }
  if (*n)
    qsort(out, *n, sizeof *out, lookup_compare);
  return out;
}

void cul_listing_hash(struct cul_hasher *h, int dir, const char *name,
                      bool (*is_spared)(void *self, const char *name),
                      void *self) {
  int fd = TEMP_FAILURE_RETRY(
      openat(at(dir), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR *open = fd < 0 ? NULL : fdopendir(fd);
  size_t n = 0;
  char **found = open ? read_names(open, is_spared, self, &n) : NULL;
  cul_hasher_field(h, name);
  for (size_t i = 0; i < n; i++) {
    cul_hasher_field(h, found[i]);
    free(found[i]);
  }
  cul_hasher_field(h, NULL);
  free(found);
  if (open)
    closedir(open);
  else if (fd >= 0)
    close(fd);
}

/* Can every user create files in the directory, as in /tmp?  Its names are
 * arbitrary then. */
static bool listing_is_public(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && (st.st_mode & S_ISVTX) &&
         (st.st_mode & S_IWOTH);
}

/* ---- seen ---- */

/* Records what a traced process tree uses: programs, files, names that it looks
 * for, directories that it reads, and inputs that are not files.
 *
 * A file that the tree made is not part of the tool.  So each file that is
 * opened for writing is compared, at the end, with its state when it was first
 * seen. */

const char cul_seen_setuid[] =
    "it runs a program that gains privileges (setuid)";

enum { MAX_SCRIPTS = 5, MAX_LOOKED = 200000, MAX_REFUSED = 4 };

/* The state of a file. */
struct sight {
  struct stat st;
  char real[PATH_MAX];
};

static bool below(const char *path, const char *dir) {
  size_t n = strlen(dir);
  return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static const char shared_memory[] = "/dev/shm";

/* Is it a file that the kernel generates?  A plain file below /dev is a real
 * one. */
static bool is_virtual(const char *path) {
  return below(path, "/proc") || below(path, "/sys");
}

/* Is it a device that behaves the same for all programs? */
static bool is_common_device(const char *path) {
  static const char *const common[] = {
      "/dev/null",    "/dev/zero", "/dev/full",   "/dev/tty",    "/dev/random",
      "/dev/urandom", "/dev/pts",  "/dev/stdin",  "/dev/stdout", "/dev/stderr",
      "/dev/fd",      "/dev/ptmx", "/dev/console"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(common); i++)
    if (below(path, common[i]))
      return true;
  return false;
}

static const char unseen_file[] =
    "culprit could not look at a file that the tool uses";

/* Does the error mean that the file does not exist or is invisible to the
 * tool? */
static bool is_absence(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES ||
         error == ELOOP || error == ENAMETOOLONG;
}

static bool look_by_descriptor(const char *path, struct sight *out) {
  char link[32];
  ssize_t n = -1;
  int error, fd = TEMP_FAILURE_RETRY(open(path, O_PATH | O_CLOEXEC));
  if (fd < 0)
    return false;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (fstat(fd, &out->st) == 0)
    n = readlink(link, out->real, sizeof out->real - 1);
  error = errno;
  out->real[n > 0 ? n : 0] = '\0';
  close(fd);
  errno = error;
  return n > 0;
}

/* The same without a descriptor, but slower. */
static bool look_by_name(const char *path, struct sight *out) {
  return stat(path, &out->st) == 0 && realpath(path, out->real);
}

/* Look up the file; false: it does not exist.  If descriptors or memory run
 * out, the lookup is retried, and finally the trace is marked as incomplete: a
 * file that was overlooked would not become part of the tool's identity. */
static bool look(struct cul_seen *seen, const char *path, struct sight *out) {
  if (look_by_descriptor(path, out))
    return true;
  if (errno == ENOENT || errno == ENOTDIR)
    return false;
  for (unsigned n = 0; !look_by_name(path, out);)
    if (is_absence(errno))
      return false;
    else if (!cul_wait_again(n++, errno)) {
      cul_seen_escape(seen, unseen_file);
      return false;
    }
  return true;
}

bool cul_seen_real(struct cul_seen *seen, const char *path, char *out) {
  struct sight sight;
  bool there = look(seen, path, &sight);
  snprintf(out, PATH_MAX, "%s", there ? sight.real : "");
  return there;
}

void cul_seen_init(struct cul_seen *seen, const char *tmp) {
  *seen = (struct cul_seen){.escape = NULL};
  if (!realpath(tmp, seen->tmp))
    snprintf(seen->tmp, sizeof seen->tmp, "%s", tmp);
}

void cul_seen_escape(struct cul_seen *seen, const char *why) {
  if (!seen->escape)
    seen->escape = why;
}

static bool matters(const struct cul_seen *seen, const struct sight *sight) {
  return S_ISREG(sight->st.st_mode) && !is_virtual(sight->real) &&
         !below(sight->real, seen->tmp);
}

static bool is_spared(const struct cul_seen *seen, const char *real) {
  return seen->sandbox && !cul_paths_cover(seen->own, real) &&
         cul_sandbox_spares(seen->sandbox, real);
}

static bool is_covered(const struct cul_seen *seen, const char *real) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(seen->allowed); i++)
    if (seen->allowed[i] && cul_paths_cover(seen->allowed[i], real))
      return true;
  return false;
}

static bool is_allowed(const struct cul_seen *seen, const char *real) {
  return is_covered(seen, real) && !is_spared(seen, real);
}

static void note(struct cul_seen *seen, const char *path,
                 const struct sight *sight, unsigned flag) {
  struct cul_file *file;
  if (seen->abroad && seen->allowed[1] &&
      cul_paths_cover(seen->allowed[1], sight->real) &&
      !(seen->allowed[0] && cul_paths_cover(seen->allowed[0], sight->real)))
    return;
  file = fileset_put(&seen->files, path, NULL);
  file->flags |= flag;
  if (!file->real)
    file->real = cul_xstrdup(sight->real);
  if (strchr(path, '\n'))
    cul_seen_escape(seen, "it uses a file whose name holds a line break");
}

/* The real path that a new file at `path` will have. */
static bool future_name(struct cul_seen *seen, const char *path, char *out) {
  char parent[PATH_MAX];
  const char *slash = strrchr(path, '/');
  struct sight dir;
  snprintf(parent, sizeof parent, "%.*s/", (int)(slash - path), path);
  return look(seen, parent, &dir) &&
         snprintf(out, PATH_MAX, "%s%s", dir.real[1] ? dir.real : "", slash) <
             PATH_MAX;
}

/* Is the file in a place of the run that is ignored (abroad)?  The name
 * suffices, unless it contains "..". */
static bool is_at_home(struct cul_seen *seen, const char *path) {
  char real[PATH_MAX];
  return seen->abroad &&
         is_covered(seen, strstr(path, "/../") && future_name(seen, path, real)
                              ? real
                              : path);
}

/* Record that the tree queries the existence of a file, on which its behaviour
 * may depend. */
static void add_look(struct cul_seen *seen, const char *path, unsigned flag) {
  if (is_virtual(path) || below(path, seen->tmp) || is_common_device(path) ||
      is_at_home(seen, path))
    return;
  if (seen->files.n >= MAX_LOOKED) {
    cul_seen_escape(seen, "it looks for more than 200,000 names");
    return;
  }
  fileset_put(&seen->files, path, NULL)->flags |= flag;
  if (strchr(path, '\n'))
    cul_seen_escape(seen, "it uses a file whose name holds a line break");
}

static void add_unseen(struct cul_seen *seen, char *phrase) {
  for (char *at = phrase; *at; at++)
    if ((unsigned char)*at < ' ')
      *at = '?';
  fileset_put(&seen->unseen, phrase, NULL);
  free(phrase);
}

/* Is it a socket that the C library uses for users, hosts or logs? */
static bool is_common_socket(const char *path) {
  return strstr(path, "/nscd/") || below(path, "/dev/log") ||
         below(path, "/run/systemd") || below(path, "/var/run/systemd");
}

void cul_seen_socket(struct cul_seen *seen, int family) {
  if (!seen->family && family != AF_UNIX)
    seen->family = family;
}

void cul_seen_server(struct cul_seen *seen, char *address) {
  if (!is_common_socket(address) && !below(address, seen->tmp))
    add_unseen(seen, cul_xasprintf("what the server at %s answers", address));
  free(address);
}

static bool is_fresh(const struct cul_seen *seen, const char *real) {
  const struct cul_file *file = fileset_find(&seen->written, real);
  return file && (file->flags & CUL_FILE_FRESH);
}

/* Is the file directly in /dev/shm, or in a directory there that the tree made?
 * All files in a directory of another program belong to that program. */
static bool is_in_own_memory(const struct cul_seen *seen, const char *real) {
  char dir[PATH_MAX];
  snprintf(dir, sizeof dir, "%.*s", (int)(strrchr(real, '/') - real), real);
  return strcmp(dir, shared_memory) == 0 || is_fresh(seen, dir);
}

/* Did the tree make the file in /dev/shm?  Then it is no change, because each
 * run can have a private /dev/shm.  For an untraced run this is unknown. */
static bool is_own_memory(struct cul_seen *seen, const char *real) {
  struct stat st;
  if (seen->allowed[0] || seen->no_memory || !below(real, shared_memory))
    return false;
  if (strcmp(real, shared_memory) == 0 || is_fresh(seen, real))
    return true;
  if (!is_in_own_memory(seen, real) || lstat(real, &st) == 0 || errno != ENOENT)
    return false;
  fileset_put(&seen->written, real, NULL)->flags |= CUL_FILE_FRESH;
  return true;
}

/* Record a change; real: the real path of a file or directory. */
static void add_change(struct cul_seen *seen, const char *real) {
  if (is_virtual(real) || below(real, seen->tmp) ||
      (below(real, "/dev") && !below(real, shared_memory)) ||
      is_allowed(seen, real) || is_own_memory(seen, real))
    return;
  seen->refused |= is_spared(seen, real);
  if (seen->changed.n >= MAX_LOOKED) {
    cul_seen_escape(seen, "it changes more than 200,000 files");
    return;
  }
  fileset_put(&seen->changed, real, NULL);
  if (strchr(real, '\n'))
    cul_seen_escape(seen, "it uses a file whose name holds a line break");
}

/* Remove slashes at the end; false: the last component is "." or "..". */
static bool strip_end(char *path) {
  size_t n = strlen(path);
  const char *last;
  while (n > 1 && path[n - 1] == '/')
    path[--n] = '\0';
  last = strrchr(path, '/');
  last = last ? last + 1 : path;
  return strcmp(last, ".") != 0 && strcmp(last, "..") != 0;
}

void cul_seen_change(struct cul_seen *seen, const char *path, bool kept) {
  char real[PATH_MAX];
  if (!future_name(seen, path, real))
    return;
  if (!kept)
    add_change(seen, real);
  else if (strip_end(real) && !is_virtual(real) && !below(real, seen->tmp) &&
           !below(real, "/dev") && !is_allowed(seen, real) &&
           seen->kept.n < MAX_LOOKED && !strchr(real, '\n'))
    fileset_put(&seen->kept, real, NULL);
}

/* Truncate path to the directory that contains both. */
static void common_dir(char *path, const char *other) {
  size_t same = 0, at = 0;
  while (path[at] && path[at] == other[at]) {
    if (path[at] == '/')
      same = at;
    at++;
  }
  path[same ? same : 1] = '\0';
}

/* Is dir the directory of the job, with the candidates and TMPDIRs?  The
 * sandbox treats it as one place. */
static bool is_of_job(const struct cul_seen *seen, const char *dir) {
  size_t n = strlen(dir);
  struct stat st;
  return strncmp(seen->tmp, dir, n) == 0 && seen->tmp[n] == '/' &&
         !strchr(seen->tmp + n + 1, '/') && stat(dir, &st) == 0 &&
         st.st_uid == geteuid() && (st.st_mode & 0777) == 0700;
}

void cul_seen_move(struct cul_seen *seen, const char *from, const char *to) {
  char dir[PATH_MAX], other[PATH_MAX];
  if (!future_name(seen, from, dir) || !future_name(seen, to, other))
    return;
  common_dir(dir, other);
  if (strcmp(dir, seen->tmp) != 0 && !below(dir, seen->tmp) &&
      !is_of_job(seen, dir) && seen->moved.n < MAX_LOOKED)
    fileset_put(&seen->moved, dir, NULL);
}

/* Record that the tree may write, create or replace the file. */
void cul_seen_write(struct cul_seen *seen, const char *path) {
  struct sight sight;
  struct cul_file *file;
  bool there = look(seen, path, &sight), added;
  if (!there && !future_name(seen, path, sight.real))
    return;
  add_change(seen, sight.real);
  if ((there && !matters(seen, &sight)) || is_allowed(seen, sight.real))
    return;
  file = fileset_put(&seen->written, sight.real, &added);
  if (!added)
    return;
  if (there)
    file->seen = sight.st;
  else
    file->flags |= CUL_FILE_FRESH;
}

void cul_seen_look(struct cul_seen *seen, const char *path, bool times) {
  add_look(seen, path, CUL_FILE_LOOKED | (times ? CUL_FILE_TIMED : 0));
}

/* Has the pipe a name that the tree did not make?  Others have no path. */
static bool is_pipe_of_others(const struct cul_seen *seen, const char *real) {
  return real[0] == '/' && !below(real, seen->tmp) &&
         !fileset_find(&seen->changed, real) && !is_covered(seen, real);
}

/* Record the opening of a directory, device or pipe. */
static void add_other(struct cul_seen *seen, const char *path,
                      const struct sight *sight, bool reads) {
  if (S_ISDIR(sight->st.st_mode))
    add_look(seen, path, CUL_FILE_LISTED);
  else if (S_ISCHR(sight->st.st_mode) && !is_common_device(sight->real))
    add_unseen(seen, cul_xasprintf("what the device %s does", sight->real));
  else if (S_ISFIFO(sight->st.st_mode) && reads &&
           is_pipe_of_others(seen, sight->real))
    add_unseen(seen, cul_xasprintf("what comes through the pipe %s", path));
}

void cul_seen_open(struct cul_seen *seen, const char *path, uint64_t flags) {
  struct sight sight;
  bool there;
  if (is_virtual(path))
    return;
  there = look(seen, path, &sight);
  if (there && S_ISDIR(sight.st.st_mode) && (flags & O_TMPFILE) == O_TMPFILE)
    add_change(seen, sight.real);
  if (there && !S_ISREG(sight.st.st_mode) && !(flags & O_PATH)) {
    add_other(seen, path, &sight, (flags & O_ACCMODE) != O_WRONLY);
    return;
  }
  if ((flags & O_PATH) || (!there && !(flags & O_CREAT))) {
    add_look(seen, path, CUL_FILE_LOOKED);
    return;
  }
  if (there && (flags & O_CREAT) && (flags & O_EXCL)) { /* EEXIST */
    add_look(seen, path, CUL_FILE_LOOKED);
    return;
  }
  if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)))
    cul_seen_write(seen, path);
  if ((flags & O_ACCMODE) != O_WRONLY && !(flags & O_TRUNC) && there &&
      matters(seen, &sight) && access(path, R_OK) == 0)
    note(seen, path, &sight, CUL_FILE_READ);
}

/* Does the program gain privileges by exec?  It does not under a seccomp
 * filter, and it cannot be inspected. */
static bool gains_rights(const char *path, const struct stat *st) {
  char any[4];
  return ((st->st_mode & S_ISUID) && st->st_uid != geteuid()) ||
         ((st->st_mode & S_ISGID) && st->st_gid != getegid()) ||
         (geteuid() != 0 &&
          (getxattr(path, "security.capability", any, 0) > 0));
}

/* Record a program and its chain of interpreters.  Returns whether the kernel
 * will run it. */
static bool add_exec(struct cul_seen *seen, const char *path, int depth,
                     bool *script) {
  struct cul_program program;
  struct sight sight;
  if (depth > MAX_SCRIPTS || !look(seen, path, &sight) ||
      !S_ISREG(sight.st.st_mode) || access(path, X_OK))
    return false;
  if (matters(seen, &sight))
    note(seen, path, &sight, CUL_FILE_EXECUTED);
  if (gains_rights(path, &sight.st))
    cul_seen_escape(seen, cul_seen_setuid);
  cul_program_read(path, &program);
  if (program.kind == CUL_PROGRAM_FOREIGN)
    cul_seen_escape(seen, "it runs a program built for another architecture");
  if (program.kind == CUL_PROGRAM_UNKNOWN)
    cul_seen_escape(seen, unseen_file);
  if (program.kind == CUL_PROGRAM_SCRIPT)
    add_exec(seen, program.interpreter, depth + 1, script);
  else if (program.interpreter[0] && look(seen, program.interpreter, &sight))
    note(seen, program.interpreter, &sight, CUL_FILE_READ);
  *script = program.kind != CUL_PROGRAM_NATIVE;
  return true;
}

bool cul_seen_exec(struct cul_seen *seen, const char *path, bool *script) {
  bool runs = add_exec(seen, path, 0, script);
  if (!runs)
    add_look(seen, path, CUL_FILE_LOOKED);
  return runs;
}

static bool same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
         a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
         a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Did the tree make or change the file? */
static bool is_own(struct cul_seen *seen, const struct cul_file *file) {
  struct sight sight;
  const struct cul_file *w;
  struct stat now;
  if (file->real)
    snprintf(sight.real, sizeof sight.real, "%s", file->real);
  else if (!look(seen, file->name, &sight) &&
           !future_name(seen, file->name, sight.real))
    return false;
  w = fileset_find(&seen->written, sight.real);
  return w && ((w->flags & CUL_FILE_FRESH) || stat(sight.real, &now) ||
               !same_file(&now, &w->seen));
}

/* Does the tree write into the directory? */
static bool is_bytecode(const char *real) {
  const char *at = strstr(real, "/__pycache__");
  return at && (at[12] == '/' || at[12] == '\0');
}

static bool is_written_in(struct cul_seen *seen, const char *path) {
  struct sight dir;
  size_t n;
  if (!look(seen, path, &dir))
    return false;
  n = strlen(dir.real);
  for (size_t i = 0; i < seen->written.room; i++) {
    const char *name = seen->written.items[i].name;
    if (name && strncmp(name, dir.real, n) == 0 && name[n] == '/' &&
        !strchr(name + n + 1, '/') && !is_bytecode(name))
      return true;
  }
  return false;
}

/* The letter of the file in the list: see struct cul_record. */
static char letter_of(const struct cul_file *file) {
  if (file->flags & CUL_FILE_EXECUTED)
    return 'x';
  if (file->flags & CUL_FILE_READ)
    return 'r';
  return file->flags & CUL_FILE_LISTED ? 'l' : 'p';
}

/* Could the user have changed the file?  Judged by the present permissions. */
static bool may_change(const char *real, bool frozen) {
  char parent[PATH_MAX];
  const char *slash = strrchr(real, '/');
  bool there = access(real, F_OK) == 0;
  snprintf(parent, sizeof parent, "%.*s/", (int)(slash - real), real);
  return access(there ? real : parent, W_OK) == 0 || (frozen && errno == EROFS);
}

void cul_seen_print_refused(struct cul_seen *seen, bool frozen,
                            struct cul_buf *out) {
  size_t left = MAX_REFUSED;
  fileset_sort(&seen->changed);
  for (size_t i = 0; i < seen->changed.n && left; i++) {
    const char *real = seen->changed.items[i].name;
    if (is_bytecode(real) || is_allowed(seen, real) ||
        !may_change(real, frozen) || strchr(real, '\n'))
      continue;
    cul_buf_addf(out, "d %s\n", real);
    left--;
  }
}

static void print_files(struct cul_seen *seen, char letter,
                        struct cul_buf *out) {
  for (size_t i = 0; i < seen->files.n; i++) {
    const struct cul_file *file = &seen->files.items[i];
    if (letter_of(file) == letter && !is_own(seen, file))
      cul_buf_addf(out, "%c %s\n", letter, file->name);
  }
}

/* List the plain files whose times were queried.  The times of directories
 * change with every new file, so they are not listed. */
static void print_timed(struct cul_seen *seen, struct cul_buf *out) {
  for (size_t i = 0; i < seen->files.n; i++) {
    const struct cul_file *file = &seen->files.items[i];
    struct stat st;
    if ((file->flags & CUL_FILE_TIMED) && stat(file->name, &st) == 0 &&
        S_ISREG(st.st_mode) && !is_own(seen, file))
      cul_buf_addf(out, "t %s\n", file->name);
  }
}

/* The entry in a sorted set, or NULL. */
static struct cul_file *sorted_find(const struct cul_fileset *set,
                                    const char *name) {
  const struct cul_file key = {.name = (char *)name};
  return set->n ? bsearch(&key, set->items, set->n, sizeof key, compare) : NULL;
}

/* Give files that were both changed and read the flag READ.  The set of changed
 * files is sorted. */
static void mark_read_back(struct cul_seen *seen) {
  for (size_t i = 0; i < seen->files.n; i++) {
    const struct cul_file *file = &seen->files.items[i];
    struct sight sight;
    struct cul_file *changed;
    const char *real = file->real ? file->real : sight.real;
    if (!(file->flags & (CUL_FILE_READ | CUL_FILE_EXECUTED)) ||
        (!file->real && !look(seen, file->name, &sight) &&
         !future_name(seen, file->name, sight.real)))
      continue;
    changed = sorted_find(&seen->changed, real);
    if (changed)
      changed->flags |= CUL_FILE_READ;
  }
}

/* Drop the listings of directories in which the tree writes or every user can,
 * because their names change all the time. */
static void give_up_listings(struct cul_seen *seen) {
  for (size_t i = 0; i < seen->files.n; i++) {
    struct cul_file *file = &seen->files.items[i];
    if (letter_of(file) != 'l' ||
        !(is_written_in(seen, file->name) || listing_is_public(file->name)))
      continue;
    file->flags &= ~(unsigned)CUL_FILE_LISTED;
    add_unseen(seen,
               cul_xasprintf("which files come and go in %s", file->name));
  }
}

void cul_seen_print(struct cul_seen *seen, const char *wrapped,
                    struct cul_buf *out) {
  if (seen->escape)
    cul_buf_addf(out, "! %s\n", seen->escape);
  fileset_sort(&seen->files);
  give_up_listings(seen);
  fileset_sort(&seen->unseen);
  fileset_sort(&seen->changed);
  mark_read_back(seen);
  for (size_t i = 0; i < seen->changed.n; i++)
    if (seen->changed.items[i].flags & CUL_FILE_READ)
      cul_buf_addf(out, "b %s\n", seen->changed.items[i].name);
  print_files(seen, 'l', out);
  for (size_t i = 0; i < seen->changed.n; i++)
    cul_buf_addf(out, "o %s\n", seen->changed.items[i].name);
  fileset_sort(&seen->kept);
  for (size_t i = 0; i < seen->kept.n; i++)
    cul_buf_addf(out, "k %s\n", seen->kept.items[i].name);
  fileset_sort(&seen->moved);
  for (size_t i = 0; i < seen->moved.n; i++)
    cul_buf_addf(out, "m %s\n", seen->moved.items[i].name);
  if (seen->family)
    cul_buf_addf(out, "n %d\n", seen->family);
  print_files(seen, 'p', out);
  print_files(seen, 'r', out);
  print_timed(seen, out);
  for (size_t i = 0; i < seen->unseen.n; i++)
    cul_buf_addf(out, "u %s\n", seen->unseen.items[i].name);
  if (wrapped)
    cul_buf_addf(out, "w %s\n", wrapped);
  print_files(seen, 'x', out);
}

void cul_seen_release(struct cul_seen *seen) {
  fileset_release(&seen->files);
  fileset_release(&seen->written);
  fileset_release(&seen->changed);
  fileset_release(&seen->kept);
  fileset_release(&seen->moved);
  fileset_release(&seen->unseen);
}
