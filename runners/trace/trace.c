/* The supervisor's half of a trace: see trace.h.  Each reported call is
 * inspected while its process waits, and then continues unchanged. */
#include "trace.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../../base/again.h"
#include "calls.h"
#include "fileset.h"
#include "seccomp.h"

enum { MAX_ARGS = 4096 };
/* Bytes of all calls that are reported. */
enum { MAX_CALLS = 256 << 10 };

/* Linux 6.6: SECCOMP_IOCTL_NOTIF_SET_FLAGS. */
#define NOTIFY_FLAGS SECCOMP_IOW(4, uint64_t)
enum { SYNC_WAKE_UP = 1 };

/* A file that a process of a build read first, with what such processes read
 * besides: the first 32 bits of the digests of the names in the directory. */
struct reader {
  char *name;
  uint32_t *files;
  size_t n, room;
};

/* A thread, and for the first one of a process the number of its reader + 1. */
struct thread {
  pid_t id, process;
  size_t reader;
};

/* What processes of a build read in its directory. */
struct readers {
  struct reader *items;
  struct thread *threads; /* open addressing; id 0 = free */
  size_t n, room, n_threads, thread_room;
  size_t pairs; /* of all readers */
};

struct cul_trace {
  const struct cul_plan *plan;
  int socket, listener; /* -1: none yet */
  struct cul_seen seen;
  char *wrapped; /* the last program that received the command's arguments */
  bool started, script;   /* started: the tool runs; script: it is a script */
  struct cul_buf calls;   /* lines "a CALL\n": see struct cul_record */
  bool more_calls;        /* there were more, so none is reported */
  struct readers readers; /* of a build */
  bool barred;            /* a call was refused that a run needs if it makes
                             it */
};

/* One reported call. */
struct report {
  uint64_t id;
  pid_t pid;
  const uint64_t *args;
};

static void allow_own(struct cul_trace *t) {
  t->seen.allowed[0] = &t->plan->box.own;
  t->seen.allowed[1] = t->plan->box.writes;
}

/* Can the sandbox not give each run a private /dev/shm?  Then writes there
 * count as changes. */
static bool lacks_memory(const struct cul_sandbox *sandbox) {
  const uint32_t needs = CUL_PART_PIDS | CUL_PART_MOUNTS;
  return sandbox && (sandbox->given & ~sandbox->without & needs) != needs;
}

struct cul_trace *cul_trace_new(const struct cul_plan *plan, int socket) {
  struct cul_trace *t = cul_xcalloc(1, sizeof *t);
  t->plan = plan;
  t->socket = socket;
  t->listener = -1;
  cul_seen_init(&t->seen, plan->tmp);
  if (!plan->trace || plan->abroad)
    allow_own(t);
  t->seen.abroad = plan->trace && plan->abroad;
  t->seen.no_memory = lacks_memory(plan->sandbox);
  if (plan->box.parts & CUL_PART_WATCH) {
    t->seen.sandbox = plan->box.spares;
    t->seen.own = &plan->box.own;
  }
  return t;
}

int cul_trace_fd(const struct cul_trace *t) {
  return t->listener >= 0 ? t->listener : t->socket;
}

/* Read len bytes of the caller's memory. */
static bool read_memory(struct cul_trace *t, const struct report *r,
                        uint64_t from, void *out, size_t len) {
  struct iovec here = {out, len}, there = {(void *)(uintptr_t)from, len};
  ssize_t n = process_vm_readv(r->pid, &here, 1, &there, 1, 0);
  if (n < 0 && errno == EPERM)
    cul_seen_escape(&t->seen,
                    "the memory of a process it started cannot be read");
  return n == (ssize_t)len;
}

/* Read a string of less than size bytes.  Pages after its end may be unmapped,
 * so each read ends at a page boundary. */
static bool read_text(struct cul_trace *t, const struct report *r,
                      uint64_t from, char *out, size_t size) {
  size_t len = 0;
  while (from && len < size) {
    size_t n = 4096 - ((from + len) & 4095);
    if (n > size - len)
      n = size - len;
    if (!read_memory(t, r, from + len, out + len, n))
      return false;
    if (memchr(out + len, '\0', n))
      return true;
    len += n;
  }
  return false;
}

/* Read the link "/proc/PID/NAME". */
static bool read_link(pid_t pid, const char *name, char *out) {
  char link[64];
  ssize_t n;
  snprintf(link, sizeof link, "/proc/%d/%.30s", (int)pid, name);
  n = readlink(link, out, PATH_MAX - 1);
  out[n > 0 ? n : 0] = '\0';
  return n > 0 && out[0] == '/';
}

/* Remove "//" and "/./".  ".." stays, because the component before it may be a
 * link. */
static void squeeze(char *path) {
  char *to = path;
  for (const char *at = path; *at;) {
    if (at[0] == '/' && (at[1] == '/' || (at[1] == '.' && at[2] == '/')))
      at += at[1] == '/' ? 1 : 2;
    else
      *to++ = *at++;
  }
  *to = '\0';
}

/* Resolve NAME or NAME/REST below /proc/self: "exe", "cwd/x", "fd/3/x". */
static bool read_self(const struct report *r, const char *path, char *out) {
  size_t skip = strncmp(path, "fd/", 3) == 0 ? 3 : 0;
  size_t n = skip + strcspn(path + skip, "/");
  char link[32], base[PATH_MAX];
  if (n >= sizeof link)
    return false;
  snprintf(link, sizeof link, "%.*s", (int)n, path);
  return read_link(r->pid, link, base) &&
         snprintf(out, PATH_MAX, "%s%s", base, path + n) < PATH_MAX;
}

/* The absolute name of the path argument, as the caller would resolve it. */
static bool read_path(struct cul_trace *t, const struct report *r, int dir,
                      uint64_t address, char *out) {
  static const char self[] = "/proc/self/";
  char path[PATH_MAX], base[PATH_MAX], name[32];
  if (!read_text(t, r, address, path, sizeof path))
    return false;
  if (strncmp(path, self, sizeof self - 1) == 0)
    return read_self(r, path + sizeof self - 1, out);
  snprintf(name, sizeof name, "fd/%d", dir);
  if (path[0] == '/')
    base[0] = '\0';
  else if (!read_link(r->pid, dir == AT_FDCWD ? "cwd" : name, base))
    return false;
  if (snprintf(out, PATH_MAX, "%s%s%s", base, *path && *base ? "/" : "",
               path) >= PATH_MAX)
    return false;
  squeeze(out);
  return true;
}

/* Read the caller's argv pointers; their number, or 0. */
static size_t read_argv(struct cul_trace *t, const struct report *r,
                        uint64_t address, uint64_t *out) {
  size_t n = 0;
  while (n < MAX_ARGS &&
         read_memory(t, r, address + n * sizeof *out, &out[n], sizeof *out) &&
         out[n])
    n++;
  return n < MAX_ARGS ? n : 0;
}

static bool same_text(struct cul_trace *t, const struct report *r,
                      uint64_t address, const char *want) {
  size_t size = strlen(want) + 1;
  char *got = cul_xmalloc(size);
  bool same = read_text(t, r, address, got, size) && strcmp(got, want) == 0;
  free(got);
  return same;
}

/* Do the call's arguments end in all arguments of the command?  False if the
 * kernel added them because the command is a script. */
static bool forwards(struct cul_trace *t, const struct report *r,
                     uint64_t address) {
  char *const *own = t->plan->argv + 2;
  uint64_t *argv = cul_xcalloc(MAX_ARGS, sizeof *argv);
  size_t n_own = 0, n = read_argv(t, r, address, argv);
  bool same;
  while (own[n_own])
    n_own++;
  same = n_own > 0 && n > n_own;
  for (size_t i = 0; same && i < n_own; i++)
    same = same_text(t, r, argv[n - n_own + i], own[i]);
  if (same && n > n_own + 1)
    same = !same_text(t, r, argv[n - n_own - 1], t->plan->path);
  free(argv);
  return same;
}

/* Append a word of a call; false: it has one of the marks. */
static bool add_word(char *word, struct cul_buf *out) {
  const char marks[] = {CUL_CALL_NEXT, CUL_CALL_LINE, '\0'};
  if (strpbrk(word, marks))
    return false;
  for (char *at = word; (at = strchr(at, '\n')); at++)
    *at = CUL_CALL_LINE;
  cul_buf_addf(out, "%s%c", word, CUL_CALL_NEXT);
  return true;
}

/* Append the line of a call; false: it cannot be read, or is too long. */
static bool read_call(struct cul_trace *t, const struct report *r,
                      const char *path, uint64_t argv_at, struct cul_buf *out) {
  uint64_t *argv = cul_xcalloc(MAX_ARGS, sizeof *argv);
  size_t n = read_argv(t, r, argv_at, argv);
  char program[PATH_MAX], dir[PATH_MAX], *word = cul_xmalloc(MAX_CALLS);
  bool good;
  snprintf(program, sizeof program, "%s", path);
  cul_buf_adds(out, "a ");
  good = n > 0 && read_link(r->pid, "cwd", dir) && add_word(dir, out) &&
         add_word(program, out);
  for (size_t i = 1; i < n && good; i++)
    good = read_text(t, r, argv[i], word, MAX_CALLS) && add_word(word, out) &&
           out->len < MAX_CALLS;
  if (good)
    out->data[out->len - 1] = '\n';
  free(word);
  free(argv);
  return good;
}

/* Note the arguments of a program.  If not all calls fit, none is reported:
 * those that do may not be the ones that matter. */
static void take_call_text(struct cul_trace *t, const struct report *r,
                           const char *path, uint64_t argv_at) {
  struct cul_buf text = {0};
  if (!t->plan->trace || t->plan->abroad || t->more_calls)
    return;
  if (!read_call(t, r, path, argv_at, &text) ||
      t->calls.len + text.len > MAX_CALLS)
    t->more_calls = true;
  else if (!strstr(cul_buf_str(&t->calls), cul_buf_str(&text)))
    cul_buf_add(&t->calls, text.data, text.len);
  cul_buf_release(&text);
}

/* ---- which files a process of a build reads together ---- */

/* More are not kept: what is missing makes no build stale. */
enum { MAX_PAIRS = 1 << 23 };

static struct thread *thread_slot(struct readers *readers, pid_t id) {
  size_t at = (size_t)id & (readers->thread_room - 1);
  while (readers->threads[at].id && readers->threads[at].id != id)
    at = (at + 1) & (readers->thread_room - 1);
  return &readers->threads[at];
}

static void grow_threads(struct readers *readers) {
  struct readers old = *readers;
  readers->thread_room = old.thread_room ? old.thread_room * 2 : 256;
  readers->threads =
      cul_xcalloc(readers->thread_room, sizeof *readers->threads);
  for (size_t i = 0; i < old.thread_room; i++)
    if (old.threads[i].id)
      *thread_slot(readers, old.threads[i].id) = old.threads[i];
  free(old.threads);
}

/* The process of a thread; the thread itself if it cannot be known. */
static pid_t process_of(pid_t thread) {
  char name[64], line[256];
  int process = thread;
  FILE *file;
  snprintf(name, sizeof name, "/proc/%d/status", (int)thread);
  file = fopen(name, "re");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Tgid: %d", &process) == 1)
      break;
  if (file)
    fclose(file);
  return process;
}

/* The entry of a thread, added if necessary; valid until the next call. */
static struct thread *thread_put(struct readers *readers, pid_t id) {
  struct thread *thread;
  if (readers->n_threads * 2 >= readers->thread_room)
    grow_threads(readers);
  thread = thread_slot(readers, id);
  if (!thread->id) {
    *thread = (struct thread){.id = id, .process = process_of(id)};
    readers->n_threads++;
  }
  return thread;
}

static int compare_numbers(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Sort the files, each once. */
static void settle(struct readers *readers, struct reader *reader) {
  size_t n = 0;
  if (reader->n)
    qsort(reader->files, reader->n, sizeof *reader->files, compare_numbers);
  for (size_t i = 0; i < reader->n; i++)
    if (n == 0 || reader->files[i] != reader->files[n - 1])
      reader->files[n++] = reader->files[i];
  readers->pairs -= reader->n - n;
  reader->n = n;
}

static void add_pair(struct readers *readers, struct reader *reader,
                     const char *name) {
  if (readers->pairs >= MAX_PAIRS)
    return;
  if (reader->n == reader->room) {
    settle(readers, reader); /* many are read again and again */
    if (reader->n * 2 >= reader->room)
      reader->room = reader->room ? reader->room * 2 : 16;
    reader->files =
        cul_xreallocarray(reader->files, reader->room, sizeof *reader->files);
  }
  reader->files[reader->n++] = (uint32_t)cul_digest_of(name, strlen(name)).w[0];
  readers->pairs++;
}

static size_t new_reader(struct readers *readers, const char *name) {
  if (readers->n == readers->room) {
    readers->room = readers->room ? readers->room * 2 : 256;
    readers->items = cul_xreallocarray(readers->items, readers->room,
                                       sizeof *readers->items);
  }
  readers->items[readers->n] = (struct reader){.name = cul_xstrdup(name)};
  return ++readers->n;
}

/* The name in the run's own directory, which contains it. */
static const char *name_below(const struct cul_paths *own, const char *path) {
  for (size_t i = 0; i < own->n; i++) {
    size_t n = strlen(own->items[i]);
    if (strncmp(path, own->items[i], n) == 0 && path[n] == '/')
      return path + n + 1;
  }
  return path;
}

/* Note that a process of a build reads a file of its directory, by its name
 * without "..". */
static void take_reader(struct cul_trace *t, const struct report *r,
                        const char *path, uint64_t flags) {
  const uint64_t others = O_PATH | O_DIRECTORY | O_TRUNC;
  struct readers *readers = &t->readers;
  struct thread *thread;
  char real[PATH_MAX];
  size_t tmp = strlen(t->plan->tmp);
  if (!t->plan->trace || !t->plan->abroad || flags & others ||
      (flags & O_ACCMODE) == O_WRONLY)
    return;
  if (strstr(path, "/../") && cul_seen_real(&t->seen, path, real))
    path = real;
  if (!cul_paths_cover(&t->plan->box.own, path) ||
      strncmp(path, t->plan->tmp, tmp) == 0 || strpbrk(path, "\t\n") ||
      (path != real && !cul_seen_real(&t->seen, path, real)))
    return;
  thread = thread_put(readers, r->pid);
  if (thread->process != thread->id)
    thread = thread_put(readers, thread->process);
  if (!thread->reader)
    thread->reader = new_reader(readers, path);
  add_pair(readers, &readers->items[thread->reader - 1],
           name_below(&t->plan->box.own, path));
}

static int by_name(const void *a, const void *b) {
  const struct reader *x = a, *y = b;
  return strcmp(x->name, y->name);
}

static void print_readers(struct readers *readers, struct cul_buf *out) {
  if (readers->n)
    qsort(readers->items, readers->n, sizeof *readers->items, by_name);
  for (size_t i = 0; i < readers->n; i++) {
    struct reader *reader = &readers->items[i];
    settle(readers, reader);
    if (i == 0 || strcmp(reader->name, reader[-1].name) != 0)
      cul_buf_addf(out, "%ss %s", i ? "\n" : "", reader->name);
    for (size_t j = 0; j < reader->n; j++)
      cul_buf_addf(out, "\t%x", reader->files[j]);
  }
  if (readers->n)
    cul_buf_addc(out, '\n');
}

static void readers_release(struct readers *readers) {
  for (size_t i = 0; i < readers->n; i++) {
    free(readers->items[i].name);
    free(readers->items[i].files);
  }
  free(readers->items);
  free(readers->threads);
}

static void take_exec(struct cul_trace *t, const struct report *r, int dir,
                      uint64_t path_at, uint64_t argv_at) {
  char path[PATH_MAX], real[PATH_MAX];
  bool script;
  if (!read_path(t, r, dir, path_at, path) ||
      !cul_seen_exec(&t->seen, path, &script))
    return;
  take_call_text(t, r, path, argv_at);
  if (t->plan->trace && t->plan->abroad) /* another program reads from now on */
    *thread_put(&t->readers, r->pid) =
        (struct thread){.id = r->pid, .process = process_of(r->pid)};
  if (t->started && t->script && forwards(t, r, argv_at) &&
      cul_seen_real(&t->seen, path, real)) {
    free(t->wrapped);
    t->wrapped = cul_xstrdup(real);
  }
  if (!t->started)
    t->script = script;
  t->started = true;
}

static void take_open(struct cul_trace *t, const struct report *r, int dir,
                      uint64_t path_at, uint64_t flags) {
  char path[PATH_MAX];
  if (!read_path(t, r, dir, path_at, path))
    return;
  cul_seen_open(&t->seen, path, flags);
  take_reader(t, r, path, flags);
}

static void take_name(struct cul_trace *t, const struct report *r, int dir,
                      uint64_t path_at) {
  char path[PATH_MAX];
  if (read_path(t, r, dir, path_at, path))
    cul_seen_write(&t->seen, path);
}

/* Note that the caller writes an open file; a file without a name is
 * ignored. */
static void take_open_file(struct cul_trace *t, const struct report *r,
                           int fd) {
  char name[64], path[PATH_MAX];
  struct stat st;
  snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)r->pid, fd);
  if (stat(name, &st) || !st.st_nlink)
    return;
  snprintf(name, sizeof name, "fd/%d", fd);
  if (read_link(r->pid, name, path))
    cul_seen_change(&t->seen, path, false);
}

static bool is_there(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0 || errno != ENOENT;
}

/* Something is made there.  What there is stays, whatever may be written:
 * "mkdir -p" asks for each directory above.  It still tells where another input
 * would be written to. */
static void take_make(struct cul_trace *t, const struct report *r, int dir,
                      uint64_t path_at) {
  char path[PATH_MAX];
  struct stat st;
  if (!read_path(t, r, dir, path_at, path))
    return;
  if (lstat(path, &st) == 0)
    cul_seen_change(&t->seen, path, true);
  else if (errno == ENOENT)
    cul_seen_change(&t->seen, path, false);
}

/* Note that the call changes or removes an entry. */
static void take_change(struct cul_trace *t, const struct report *r, int dir,
                        uint64_t path_at) {
  char path[PATH_MAX];
  if (read_path(t, r, dir, path_at, path) && is_there(path))
    cul_seen_change(&t->seen, path, false);
}

static void take_move(struct cul_trace *t, const struct report *r,
                      const int dirs[2], uint64_t from_at, uint64_t to_at) {
  char from[PATH_MAX], to[PATH_MAX];
  if (read_path(t, r, dirs[0], from_at, from) &&
      read_path(t, r, dirs[1], to_at, to))
    cul_seen_move(&t->seen, from, to);
  take_change(t, r, dirs[0], from_at);
  take_name(t, r, dirs[1], to_at);
}

/* Under its second name, a file can be read without a trace. */
static void take_hard(struct cul_trace *t, const struct report *r,
                      const int dirs[2], uint64_t from_at, uint64_t to_at) {
  take_open(t, r, dirs[0], from_at, O_RDONLY);
  take_move(t, r, dirs, from_at, to_at);
}

static void take_look(struct cul_trace *t, const struct report *r,
                      enum cul_trace_kind kind) {
  bool times = kind == CUL_CALL_STAT || kind == CUL_CALL_STATAT;
  bool by_dir = kind == CUL_CALL_LOOKAT || kind == CUL_CALL_STATAT;
  int dir = by_dir ? (int)r->args[0] : AT_FDCWD;
  uint64_t path_at = r->args[by_dir];
  char path[PATH_MAX], first;
  /* An empty name asks for the open file itself. */
  if (read_memory(t, r, path_at, &first, 1) && first &&
      read_path(t, r, dir, path_at, path))
    cul_seen_look(&t->seen, path, times);
}

static void take_connect(struct cul_trace *t, const struct report *r,
                         uint64_t at, uint64_t len) {
  union {
    struct sockaddr any;
    struct sockaddr_un local;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    char bytes[sizeof(struct sockaddr_un) + 1];
  } to;
  char name[INET6_ADDRSTRLEN];
  memset(&to, 0, sizeof to);
  if (len > sizeof(struct sockaddr_un))
    len = sizeof(struct sockaddr_un);
  if (len < sizeof(sa_family_t) || !read_memory(t, r, at, &to, len))
    return;
  if (to.any.sa_family == AF_UNIX && to.local.sun_path[0] == '/')
    cul_seen_server(&t->seen, cul_xstrdup(to.local.sun_path));
  else if (to.any.sa_family == AF_INET &&
           inet_ntop(AF_INET, &to.four.sin_addr, name, sizeof name))
    cul_seen_server(&t->seen, cul_xasprintf("%s:%u", name,
                                            (unsigned)ntohs(to.four.sin_port)));
  else if (to.any.sa_family == AF_INET6 &&
           inet_ntop(AF_INET6, &to.six.sin6_addr, name, sizeof name))
    cul_seen_server(&t->seen, cul_xasprintf("[%s]:%u", name,
                                            (unsigned)ntohs(to.six.sin6_port)));
}

/* First field of a struct argument: the flags of open_how and clone_args. */
static uint64_t first_field(struct cul_trace *t, const struct report *r,
                            uint64_t address) {
  uint64_t value = 0;
  read_memory(t, r, address, &value, sizeof value);
  return value;
}

static const char mounts_text[] =
    "it changes its view of the file system (chroot, mount namespace)";

static void take_mounts(struct cul_trace *t, const struct report *r,
                        enum cul_trace_kind kind, uint64_t arguments) {
  if (kind != CUL_CALL_CLONE3 || (first_field(t, r, arguments) & CLONE_NEWNS))
    cul_seen_escape(&t->seen, mounts_text);
}

/* Handle calls that change entries of directories. */
static void take_names(struct cul_trace *t, const struct report *r,
                       enum cul_trace_kind kind) {
  const uint64_t *a = r->args;
  switch (kind) {
  case CUL_CALL_NAME:
    take_move(t, r, (const int[]){AT_FDCWD, AT_FDCWD}, a[0], a[1]);
    break;
  case CUL_CALL_NAMEAT:
    take_move(t, r, (const int[]){(int)a[0], (int)a[2]}, a[1], a[3]);
    break;
  case CUL_CALL_HARD:
    take_hard(t, r, (const int[]){AT_FDCWD, AT_FDCWD}, a[0], a[1]);
    break;
  case CUL_CALL_HARDAT:
    take_hard(t, r, (const int[]){(int)a[0], (int)a[2]}, a[1], a[3]);
    break;
  case CUL_CALL_LINK:
    take_make(t, r, AT_FDCWD, a[1]);
    break;
  case CUL_CALL_LINKAT:
    take_make(t, r, (int)a[1], a[2]);
    break;
  case CUL_CALL_MAKE:
    take_make(t, r, AT_FDCWD, a[0]);
    break;
  case CUL_CALL_MAKEAT:
    take_make(t, r, (int)a[0], a[1]);
    break;
  case CUL_CALL_CHANGE:
    take_change(t, r, AT_FDCWD, a[0]);
    break;
  case CUL_CALL_CHANGEAT:
    /* with a NULL path, utimensat(2) changes the file at the descriptor */
    if (!a[1])
      take_open_file(t, r, (int)a[0]);
    else
      take_change(t, r, (int)a[0], a[1]);
    break;
  case CUL_CALL_OPEN_FILE:
    take_open_file(t, r, (int)a[0]);
    break;
  default:
    break;
  }
}

static const char hidden_text[] =
    "it opens files in ways that cannot be traced (io_uring)";

static const struct cul_trace_call *find_call(int nr) {
  for (size_t i = 0; i < cul_n_trace_calls; i++)
    if (cul_trace_table[i].nr == nr)
      return &cul_trace_table[i];
  return NULL;
}

/* clone and unshare are only reported for mount namespaces.  An x32 call is not
 * in the table and cannot be read. */
static enum cul_trace_kind kind_of(int nr) {
  const struct cul_trace_call *call = find_call(nr);
  return call ? call->kind : CUL_CALL_MOUNTS;
}

static void take_call(struct cul_trace *t, const struct report *r, int nr) {
  const uint64_t *a = r->args;
  const enum cul_trace_kind kind = kind_of(nr);
  switch (kind) {
  case CUL_CALL_EXEC:
    take_exec(t, r, AT_FDCWD, a[0], a[1]);
    break;
  case CUL_CALL_EXECAT:
    take_exec(t, r, (int)a[0], a[1], a[2]);
    break;
  case CUL_CALL_OPEN:
    take_open(t, r, AT_FDCWD, a[0], a[1]);
    break;
  case CUL_CALL_CREAT:
    take_open(t, r, AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC);
    break;
  case CUL_CALL_OPENAT:
    take_open(t, r, (int)a[0], a[1], a[2]);
    break;
  case CUL_CALL_OPENAT2:
    take_open(t, r, (int)a[0], a[1], first_field(t, r, a[2]));
    break;
  case CUL_CALL_NAME:
  case CUL_CALL_NAMEAT:
  case CUL_CALL_HARD:
  case CUL_CALL_HARDAT:
  case CUL_CALL_LINK:
  case CUL_CALL_LINKAT:
  case CUL_CALL_MAKE:
  case CUL_CALL_MAKEAT:
  case CUL_CALL_CHANGE:
  case CUL_CALL_CHANGEAT:
  case CUL_CALL_OPEN_FILE:
    take_names(t, r, kind);
    break;
  case CUL_CALL_LOOK:
  case CUL_CALL_STAT:
  case CUL_CALL_LOOKAT:
  case CUL_CALL_STATAT:
    take_look(t, r, kind);
    break;
  case CUL_CALL_SOCKET:
    cul_seen_socket(&t->seen, (int)a[0]);
    break;
  case CUL_CALL_CONNECT:
    take_connect(t, r, a[1], a[2]);
    break;
  case CUL_CALL_CLONE3:
  case CUL_CALL_MOUNTS:
    take_mounts(t, r, kind, a[0]);
    break;
  case CUL_CALL_HIDDEN:
    cul_seen_escape(&t->seen, hidden_text);
    break;
  }
}

/* Receive the listener.  Without one, the kernel refused it, and the socket is
 * at its end. */
static bool take_listener(struct cul_trace *t) {
  char space[CMSG_SPACE(sizeof t->listener)], byte;
  struct iovec data = {&byte, 1};
  struct msghdr msg = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = space,
                       .msg_controllen = sizeof space};
  struct cmsghdr *c;
  unsigned tries = 0;
  ssize_t n;
  while ((n = recvmsg(t->socket, &msg, MSG_CMSG_CLOEXEC)) < 0)
    if (!cul_wait_again(tries++, errno))
      return false;
  c = n == 1 ? CMSG_FIRSTHDR(&msg) : NULL;
  errno = EMFILE; /* the kernel omits the descriptor if the table is full */
  if (n == 1 && (!c || c->cmsg_type != SCM_RIGHTS))
    return false;
  if (c)
    memcpy(&t->listener, CMSG_DATA(c), sizeof t->listener);
  /* Caller and supervisor run alternately; on one processor, switching is
   * faster. */
  if (t->listener >= 0)
    ioctl(t->listener, NOTIFY_FLAGS, SYNC_WAKE_UP);
  close(t->socket);
  t->socket = -1;
  return true;
}

/* Refuse a call after which files may change unseen, where files are guarded.
 * False: go on. */
static bool refuse_unread(struct cul_trace *t,
                          const struct seccomp_data *call) {
  bool foreign =
      call->arch != CUL_NATIVE_ARCH || (unsigned)call->nr >= CUL_X32_BIT;
  const struct cul_trace_call *known = foreign ? NULL : find_call(call->nr);
  if (!cul_trace_guards(t->plan) ||
      (!foreign && !(known && cul_trace_hides(known))))
    return false;
  /* without io_uring, programs do otherwise */
  t->barred |= foreign || known->kind == CUL_CALL_MOUNTS;
  return true;
}

bool cul_trace_advance(struct cul_trace *t, short revents) {
  struct seccomp_notif call = {0};
  struct seccomp_notif_resp answer = {.flags =
                                          SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  uint64_t args[6];
  if (t->listener < 0) {
    return take_listener(t);
  }
  /* Hung up: no process uses the filter any more, so receiving would block for
   * ever. */
  if (!(revents & POLLIN)) {
    close(t->listener);
    t->listener = -1;
    return true;
  }
  if (ioctl(t->listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
    return true; /* the caller died first */
  memcpy(args, call.data.args, sizeof args);
  if (call.data.arch != CUL_NATIVE_ARCH)
    cul_seen_escape(&t->seen, "it makes calls of another architecture");
  else
    take_call(t, &(struct report){call.id, (pid_t)call.pid, args},
              call.data.nr);
  answer.id = call.id;
  if (t->seen.refused) {
    answer.flags = 0;
    answer.error = -EACCES;
    t->seen.refused = false;
  }
  if (refuse_unread(t, &call.data)) {
    answer.flags = 0;
    answer.error = -ENOSYS;
  }
  /* ENOENT: the caller died meanwhile, and the data may be that of another
   * process; then the identity only contains more files. */
  ioctl(t->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  return true;
}

bool cul_trace_finish(struct cul_trace *t, struct cul_buf *out) {
  const struct cul_box *box = &t->plan->box;
  bool closed;
  if (t->plan->trace && !t->started)
    cul_seen_escape(&t->seen, "the kernel does not let it be traced");
  closed = !t->seen.escape;
  if (box->parts & CUL_PART_WATCH) {
    allow_own(t);
    cul_seen_print_refused(&t->seen, box->parts & CUL_PART_MOUNTS, out);
    if (t->barred)
      cul_buf_addf(out, "d %s\n", box->spares->spared.opened.items[0]);
  }
  if (t->plan->trace)
    cul_seen_print(&t->seen, t->wrapped, out);
  if (!t->more_calls)
    cul_buf_add(out, t->calls.data, t->calls.len);
  print_readers(&t->readers, out);
  readers_release(&t->readers);
  if (t->socket >= 0)
    close(t->socket);
  if (t->listener >= 0)
    close(t->listener);
  cul_seen_release(&t->seen);
  cul_buf_release(&t->calls);
  free(t->wrapped);
  free(t);
  return closed;
}
