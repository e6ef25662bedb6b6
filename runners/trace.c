/* The supervisor's half of a trace: see trace.h.  Every reported call is
 * looked at while its process waits, then continues unchanged.  A file that
 * the tree wrote is no part of the tool: what was opened for writing is
 * compared, at the end, with what it was when first seen. */
#include "trace.h"

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
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fileset.h"
#include "program.h"
#include "trace_calls.h"

enum { MAX_SCRIPTS = 5, MAX_ARGS = 4096 };

struct cul_trace {
  const struct cul_plan *plan;
  int socket, listener;       /* -1 = none (yet) */
  struct cul_fileset files;   /* by the name the tool used */
  struct cul_fileset written; /* by real name: opened for writing */
  char tmp[PATH_MAX];         /* real name of the private TMPDIR */
  char *wrapped;              /* last program given the command's arguments */
  bool started, script;       /* the tool runs; it is a script */
  const char *escape;         /* why the trace is not closed; NULL = it is */
};

/* One reported call. */
struct report {
  uint64_t id;
  pid_t pid;
  const uint64_t *args;
};

/* A file looked at. */
struct sight {
  struct stat st;
  char real[PATH_MAX];
};

struct cul_trace *cul_trace_new(const struct cul_plan *plan, int socket) {
  struct cul_trace *t = cul_xcalloc(1, sizeof *t);
  t->plan = plan;
  t->socket = socket;
  t->listener = -1;
  if (!realpath(plan->tmp, t->tmp))
    snprintf(t->tmp, sizeof t->tmp, "%s", plan->tmp);
  return t;
}

int cul_trace_fd(const struct cul_trace *t) {
  return t->listener >= 0 ? t->listener : t->socket;
}

static void escape(struct cul_trace *t, const char *why) {
  if (!t->escape)
    t->escape = why;
}

/* Read len bytes of the caller's memory. */
static bool read_memory(struct cul_trace *t, const struct report *r,
                        uint64_t from, void *out, size_t len) {
  struct iovec here = {out, len}, there = {(void *)(uintptr_t)from, len};
  ssize_t n = process_vm_readv(r->pid, &here, 1, &there, 1, 0);
  if (n < 0 && errno == EPERM)
    escape(t, "the memory of a process it started cannot be read");
  return n == (ssize_t)len;
}

/* Read a string of less than size bytes; pages behind its end may be
 * missing, so no read crosses a page before the end is seen. */
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

static bool below(const char *path, const char *dir) {
  size_t n = strlen(dir);
  return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool is_virtual(const char *path) {
  return below(path, "/proc") || below(path, "/dev") || below(path, "/sys");
}

/* "/proc/PID/NAME" as a path. */
static bool read_link(pid_t pid, const char *name, char *out) {
  char link[64];
  ssize_t n;
  snprintf(link, sizeof link, "/proc/%d/%.30s", (int)pid, name);
  n = readlink(link, out, PATH_MAX - 1);
  out[n > 0 ? n : 0] = '\0';
  return n > 0 && out[0] == '/';
}

/* Drop "//" and "/./" ; ".." stays, it may lead out of a link. */
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

/* The absolute name of the path argument, as the caller would resolve it. */
static bool read_path(struct cul_trace *t, const struct report *r, int dir,
                      uint64_t address, char *out) {
  static const char self[] = "/proc/self/";
  char path[PATH_MAX], base[PATH_MAX], name[32];
  if (!read_text(t, r, address, path, sizeof path))
    return false;
  if (strncmp(path, self, sizeof self - 1) == 0)
    return read_link(r->pid, path + sizeof self - 1, out);
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

/* What stands under the name; false where nothing does. */
static bool look(const char *path, struct sight *out) {
  char link[32];
  ssize_t n;
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &out->st)) {
    if (fd >= 0)
      close(fd);
    return false;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  n = readlink(link, out->real, sizeof out->real - 1);
  out->real[n > 0 ? n : 0] = '\0';
  close(fd);
  return true;
}

static bool matters(const struct cul_trace *t, const struct sight *sight) {
  return S_ISREG(sight->st.st_mode) && !is_virtual(sight->real) &&
         !below(sight->real, t->tmp);
}

static void note(struct cul_trace *t, const char *path,
                 const struct sight *sight, unsigned flag) {
  struct cul_file *file = cul_fileset_put(&t->files, path, NULL);
  file->flags |= flag;
  if (!file->real)
    file->real = cul_xstrdup(sight->real);
  if (strchr(path, '\n'))
    escape(t, "it uses a file whose name holds a line break");
}

/* The real name that a file will get which is not there yet. */
static bool future_name(const char *path, char *out) {
  char parent[PATH_MAX];
  const char *slash = strrchr(path, '/');
  struct sight dir;
  snprintf(parent, sizeof parent, "%.*s/", (int)(slash - path), path);
  return look(parent, &dir) &&
         snprintf(out, PATH_MAX, "%s%s", dir.real, slash) < PATH_MAX;
}

/* The tree may be about to write, make or replace the file. */
static void note_write(struct cul_trace *t, const char *path) {
  struct sight sight;
  struct cul_file *file;
  bool there = look(path, &sight), added;
  if (there && !matters(t, &sight))
    return;
  if (!there && !future_name(path, sight.real))
    return;
  file = cul_fileset_put(&t->written, sight.real, &added);
  if (!added)
    return;
  if (there)
    file->seen = sight.st;
  else
    file->flags |= CUL_FILE_FRESH;
}

static void note_open(struct cul_trace *t, const char *path, uint64_t flags) {
  struct sight sight;
  if (is_virtual(path) || (flags & (O_PATH | O_DIRECTORY)))
    return;
  if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)))
    note_write(t, path);
  if ((flags & O_ACCMODE) != O_WRONLY && !(flags & O_TRUNC) &&
      look(path, &sight) && matters(t, &sight) && access(path, R_OK) == 0)
    note(t, path, &sight, CUL_FILE_READ);
}

/* Programs that gain rights by exec lose them under a filter, and may not be
 * looked into. */
static bool gains_rights(const char *path, const struct stat *st) {
  char any[4];
  return ((st->st_mode & S_ISUID) && st->st_uid != geteuid()) ||
         ((st->st_mode & S_ISGID) && st->st_gid != getegid()) ||
         (geteuid() != 0 &&
          (getxattr(path, "security.capability", any, 0) > 0));
}

/* The program and the chain of interpreters behind it.  True when the kernel
 * will run it. */
static bool note_exec(struct cul_trace *t, const char *path, int depth) {
  struct cul_program program;
  struct sight sight;
  if (depth > MAX_SCRIPTS || !look(path, &sight) ||
      !S_ISREG(sight.st.st_mode) || access(path, X_OK))
    return false;
  if (matters(t, &sight))
    note(t, path, &sight, CUL_FILE_EXECUTED);
  if (gains_rights(path, &sight.st))
    escape(t, "it runs a program that gains privileges (setuid)");
  cul_program_read(path, &program);
  if (program.kind == CUL_PROGRAM_FOREIGN)
    escape(t, "it runs a program of another architecture");
  if (program.kind == CUL_PROGRAM_SCRIPT)
    note_exec(t, program.interpreter, depth + 1);
  else if (program.interpreter[0] && look(program.interpreter, &sight))
    note(t, program.interpreter, &sight, CUL_FILE_READ);
  if (!t->started)
    t->script = program.kind != CUL_PROGRAM_NATIVE;
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

/* True when the call's arguments end in all arguments of the command, and not
 * because an interpreter was given the script itself. */
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

static void take_exec(struct cul_trace *t, const struct report *r, int dir,
                      uint64_t path_at, uint64_t argv_at) {
  char path[PATH_MAX];
  struct sight sight;
  if (!read_path(t, r, dir, path_at, path) || !note_exec(t, path, 0))
    return;
  if (t->started && t->script && forwards(t, r, argv_at) &&
      look(path, &sight)) {
    free(t->wrapped);
    t->wrapped = cul_xstrdup(sight.real);
  }
  t->started = true;
}

static void take_open(struct cul_trace *t, const struct report *r, int dir,
                      uint64_t path_at, uint64_t flags) {
  char path[PATH_MAX];
  if (read_path(t, r, dir, path_at, path))
    note_open(t, path, flags);
}

static void take_name(struct cul_trace *t, const struct report *r, int dir,
                      uint64_t path_at) {
  char path[PATH_MAX];
  if (read_path(t, r, dir, path_at, path))
    note_write(t, path);
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

static void take_call(struct cul_trace *t, const struct report *r, int nr) {
  const uint64_t *a = r->args;
  const struct cul_trace_call *call = cul_trace_calls;
  const struct cul_trace_call *end = call + cul_n_trace_calls;
  while (call < end && call->nr != nr)
    call++;
  /* clone and unshare are reported for a mount namespace only; an x32 call
   * has no name here and cannot be read. */
  switch (call < end ? call->kind : CUL_CALL_MOUNTS) {
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
    take_name(t, r, AT_FDCWD, a[1]);
    break;
  case CUL_CALL_NAMEAT:
    take_name(t, r, (int)a[2], a[3]);
    break;
  case CUL_CALL_CLONE3:
    if (first_field(t, r, a[0]) & CLONE_NEWNS)
      escape(t, mounts_text);
    break;
  case CUL_CALL_MOUNTS:
    escape(t, mounts_text);
    break;
  case CUL_CALL_HIDDEN:
    escape(t, "it opens files in ways that cannot be traced (io_uring)");
    break;
  }
}

static void take_listener(struct cul_trace *t) {
  char space[CMSG_SPACE(sizeof t->listener)], byte;
  struct iovec data = {&byte, 1};
  struct msghdr msg = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = space,
                       .msg_controllen = sizeof space};
  ssize_t n = recvmsg(t->socket, &msg, MSG_CMSG_CLOEXEC);
  struct cmsghdr *c = n == 1 ? CMSG_FIRSTHDR(&msg) : NULL;
  if (c && c->cmsg_type == SCM_RIGHTS)
    memcpy(&t->listener, CMSG_DATA(c), sizeof t->listener);
  close(t->socket);
  t->socket = -1;
}

void cul_trace_advance(struct cul_trace *t, short revents) {
  struct seccomp_notif call = {0};
  struct seccomp_notif_resp answer = {.flags =
                                          SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  uint64_t args[6];
  if (t->listener < 0) {
    take_listener(t);
    return;
  }
  /* Hung up: no process is left under the filter, and to receive would wait
   * for ever. */
  if (!(revents & POLLIN)) {
    close(t->listener);
    t->listener = -1;
    return;
  }
  if (ioctl(t->listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
    return; /* the caller died first */
  memcpy(args, call.data.args, sizeof args);
  take_call(t, &(struct report){call.id, (pid_t)call.pid, args}, call.data.nr);
  answer.id = call.id;
  /* ENOENT: the caller died meanwhile, and what was read may be a
   * stranger's; that would only make the identity larger. */
  ioctl(t->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static bool same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
         a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
         a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* True where the tree made or changed the file. */
static bool is_own(const struct cul_trace *t, const struct cul_file *file) {
  const struct cul_file *w = cul_fileset_find(&t->written, file->real);
  struct stat now;
  return w && ((w->flags & CUL_FILE_FRESH) || stat(file->real, &now) ||
               !same_file(&now, &w->seen));
}

static void print_files(struct cul_trace *t, char letter, struct cul_buf *out) {
  for (size_t i = 0; i < t->files.n; i++) {
    const struct cul_file *file = &t->files.items[i];
    bool executed = file->flags & CUL_FILE_EXECUTED;
    if (executed == (letter == 'x') && !is_own(t, file))
      cul_buf_addf(out, "%c %s\n", letter, file->name);
  }
}

bool cul_trace_finish(struct cul_trace *t, struct cul_buf *out) {
  bool closed;
  if (!t->started)
    escape(t, "the kernel does not let it be traced");
  closed = !t->escape;
  if (!closed)
    cul_buf_addf(out, "! %s\n", t->escape);
  cul_fileset_sort(&t->files);
  print_files(t, 'r', out);
  if (t->wrapped)
    cul_buf_addf(out, "w %s\n", t->wrapped);
  print_files(t, 'x', out);
  if (t->socket >= 0)
    close(t->socket);
  if (t->listener >= 0)
    close(t->listener);
  cul_fileset_release(&t->files);
  cul_fileset_release(&t->written);
  free(t->wrapped);
  free(t);
  return closed;
}
