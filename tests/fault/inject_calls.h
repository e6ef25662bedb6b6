/* The calls that inject.c stands before; included there once. */

/* ---- memory: glibc's own names, which need no dlsym ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t size);

#define HOOK_MEMORY(name, params, args)                                        \
  void *name params {                                                          \
    struct shot shot = aim_at(MALLOC, #name, NULL, FROM);                      \
    if (shot.error) {                                                          \
      errno = ENOMEM;                                                          \
      return NULL;                                                             \
    }                                                                          \
    void *done = __libc_##name args;                                           \
    finish(&shot);                                                             \
    return done;                                                               \
  }
HOOK_MEMORY(malloc, (size_t size), (size))
HOOK_MEMORY(calloc, (size_t n, size_t size), (n, size))
HOOK_MEMORY(realloc, (void *at, size_t size), (at, size))

HOOK(MMAP, void *, MAP_FAILED, mmap,
     (void *at, size_t size, int prot, int flags, int fd, off_t from),
     (at, size, prot, flags, fd, from), NULL)
HOOK(MMAP, void *, MAP_FAILED, mmap64,
     (void *at, size_t size, int prot, int flags, int fd, off64_t from),
     (at, size, prot, flags, fd, from), NULL)

/* ---- files ---- */

#define MODE(flags)                                                            \
  ({                                                                           \
    va_list more;                                                              \
    va_start(more, flags);                                                     \
    mode_t m = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;     \
    va_end(more);                                                              \
    m;                                                                         \
  })
HOOK(OPEN, int, -1, open, (const char *path, int flags, ...),
     (path, flags, MODE(flags)), path)
HOOK(OPEN, int, -1, open64, (const char *path, int flags, ...),
     (path, flags, MODE(flags)), path)
HOOK(OPEN, int, -1, openat, (int dir, const char *path, int flags, ...),
     (dir, path, flags, MODE(flags)), path)
HOOK(OPEN, int, -1, openat64, (int dir, const char *path, int flags, ...),
     (dir, path, flags, MODE(flags)), path)
HOOK(OPEN, FILE *, NULL, fopen, (const char *path, const char *mode),
     (path, mode), path)
HOOK(OPEN, FILE *, NULL, fopen64, (const char *path, const char *mode),
     (path, mode), path)
HOOK(OPEN, DIR *, NULL, opendir, (const char *path), (path), path)
HOOK(OPEN, DIR *, NULL, fdopendir, (int fd), (fd), NULL)
HOOK(READ, struct dirent *, NULL, readdir, (DIR * dir), (dir), NULL)
HOOK(READ, struct dirent64 *, NULL, readdir64, (DIR * dir), (dir), NULL)

HOOK_SIZED(READ, read, (int fd, void *data, size_t size), (fd, data, size))
HOOK_SIZED(READ, pread, (int fd, void *data, size_t size, off_t at),
           (fd, data, size, at))
HOOK_SIZED(READ, pread64, (int fd, void *data, size_t size, off64_t at),
           (fd, data, size, at))
HOOK(READ, ssize_t, -1, readv, (int fd, const struct iovec *vec, int n),
     (fd, vec, n), NULL)
HOOK(READ, ssize_t, -1, recvmsg, (int fd, struct msghdr *msg, int flags),
     (fd, msg, flags), NULL)
HOOK(READ, ssize_t, -1, readlink, (const char *path, char *out, size_t size),
     (path, out, size), path)
HOOK(READ, ssize_t, -1, readlinkat,
     (int dir, const char *path, char *out, size_t size),
     (dir, path, out, size), path)

HOOK_SIZED(WRITE, write, (int fd, const void *data, size_t size),
           (fd, data, size))
HOOK_SIZED(WRITE, pwrite, (int fd, const void *data, size_t size, off_t at),
           (fd, data, size, at))
HOOK_SIZED(WRITE, pwrite64, (int fd, const void *data, size_t size, off64_t at),
           (fd, data, size, at))
HOOK(WRITE, ssize_t, -1, writev, (int fd, const struct iovec *vec, int n),
     (fd, vec, n), NULL)
HOOK(WRITE, ssize_t, -1, sendmsg, (int fd, const struct msghdr *msg, int flags),
     (fd, msg, flags), NULL)

HOOK(FSYNC, int, -1, fsync, (int fd), (fd), NULL)
HOOK(FSYNC, int, -1, fdatasync, (int fd), (fd), NULL)
HOOK(TRUNCATE, int, -1, ftruncate, (int fd, off_t size), (fd, size), NULL)
HOOK(TRUNCATE, int, -1, ftruncate64, (int fd, off64_t size), (fd, size), NULL)

HOOK(RENAME, int, -1, rename, (const char *from, const char *to), (from, to),
     to)
HOOK(RENAME, int, -1, renameat,
     (int a, const char *from, int b, const char *to), (a, from, b, to), to)
HOOK(RENAME, int, -1, renameat2,
     (int a, const char *from, int b, const char *to, unsigned flags),
     (a, from, b, to, flags), to)
HOOK(LINK, int, -1, link, (const char *from, const char *to), (from, to), to)
HOOK(LINK, int, -1, linkat,
     (int a, const char *from, int b, const char *to, int flags),
     (a, from, b, to, flags), to)
HOOK(LINK, int, -1, symlink, (const char *from, const char *to), (from, to), to)
HOOK(LINK, int, -1, symlinkat, (const char *from, int dir, const char *to),
     (from, dir, to), to)
HOOK(UNLINK, int, -1, unlink, (const char *path), (path), path)
HOOK(UNLINK, int, -1, unlinkat, (int dir, const char *path, int flags),
     (dir, path, flags), path)
HOOK(UNLINK, int, -1, rmdir, (const char *path), (path), path)
HOOK(UNLINK, int, -1, remove, (const char *path), (path), path)
HOOK(MAKE, int, -1, mkdir, (const char *path, mode_t mode), (path, mode), path)
HOOK(MAKE, int, -1, mkdirat, (int dir, const char *path, mode_t mode),
     (dir, path, mode), path)
HOOK(MAKE, char *, NULL, mkdtemp, (char *path), (path), path)
HOOK(MAKE, int, -1, mkstemp, (char *path), (path), path)
HOOK(MAKE, int, -1, mkostemp, (char *path, int flags), (path, flags), path)
HOOK(MAKE, int, -1, fchmod, (int fd, mode_t mode), (fd, mode), NULL)
HOOK(MAKE, int, -1, chmod, (const char *path, mode_t mode), (path, mode), path)

HOOK(STAT, int, -1, stat, (const char *path, struct stat *out), (path, out),
     path)
HOOK(STAT, int, -1, lstat, (const char *path, struct stat *out), (path, out),
     path)
HOOK(STAT, int, -1, fstat, (int fd, struct stat *out), (fd, out), NULL)
HOOK(STAT, int, -1, fstatat,
     (int dir, const char *path, struct stat *out, int flags),
     (dir, path, out, flags), path)
HOOK(STAT, int, -1, stat64, (const char *path, struct stat64 *out), (path, out),
     path)
HOOK(STAT, int, -1, lstat64, (const char *path, struct stat64 *out),
     (path, out), path)
HOOK(STAT, int, -1, fstat64, (int fd, struct stat64 *out), (fd, out), NULL)
HOOK(STAT, int, -1, access, (const char *path, int mode), (path, mode), path)
HOOK(STAT, int, -1, faccessat, (int dir, const char *path, int mode, int flags),
     (dir, path, mode, flags), path)
HOOK(STAT, char *, NULL, realpath, (const char *path, char *out), (path, out),
     path)
HOOK(LOCK, int, -1, flock, (int fd, int how), (fd, how), NULL)

/* Locks, and copies of descriptors. */
static int real_fcntl(int fd, int how, void *arg) {
  return REAL(fcntl)(fd, how, arg);
}
#define HOOK_FCNTL(name)                                                       \
  int name(int fd, int how, ...) {                                             \
    bool locks = how == F_SETLK || how == F_SETLKW || how == F_OFD_SETLK ||    \
                 how == F_OFD_SETLKW;                                          \
    bool copies = how == F_DUPFD || how == F_DUPFD_CLOEXEC;                    \
    struct shot shot = {0};                                                    \
    va_list more;                                                              \
    va_start(more, how);                                                       \
    void *arg = va_arg(more, void *);                                          \
    va_end(more);                                                              \
    if (locks || copies)                                                       \
      shot = aim_at(locks ? LOCK : PIPE, #name, NULL, FROM);                   \
    if (shot.error) {                                                          \
      errno = shot.error;                                                      \
      return -1;                                                               \
    }                                                                          \
    int done = real_fcntl(fd, how, arg);                                       \
    finish(&shot);                                                             \
    return done;                                                               \
  }
HOOK_FCNTL(fcntl)
HOOK_FCNTL(fcntl64)

/* ---- processes ---- */

pid_t fork(void) {
  struct shot shot = aim_at(FORK_, "fork", NULL, FROM);
  if (shot.error) {
    errno = shot.error;
    return -1;
  }
  pid_t done = REAL(fork)();
  if (done == 0)
    forked();
  else
    finish(&shot);
  return done;
}

/* A wrapper that returns would spoil the stack that the child shares: where to
 * jump to, NULL where the call is to fail. */
__attribute__((used)) void *inject_vfork(void) {
  struct shot shot = aim_at(FORK_, "vfork", NULL, FROM);
  if (shot.error) {
    errno = shot.error;
    return NULL;
  }
  return (void *)REAL(vfork);
}
#if defined __x86_64__
__asm__(".globl vfork\n.type vfork, @function\nvfork:\n"
        "  sub $8, %rsp\n  call inject_vfork\n  add $8, %rsp\n"
        "  test %rax, %rax\n  jz 1f\n  jmp *%rax\n"
        "1: mov $-1, %rax\n  ret\n.size vfork, .-vfork\n");
#elif defined __aarch64__
__asm__(".globl vfork\n.type vfork, %function\nvfork:\n"
        "  stp x29, x30, [sp, -16]!\n  bl inject_vfork\n"
        "  ldp x29, x30, [sp], 16\n  cbz x0, 1f\n  mov x16, x0\n  br x16\n"
        "1: mov x0, -1\n  ret\n.size vfork, .-vfork\n");
#endif

int prctl(int what, ...) {
  va_list more;
  va_start(more, what);
  unsigned long a = va_arg(more, unsigned long);
  unsigned long b = va_arg(more, unsigned long);
  unsigned long c = va_arg(more, unsigned long);
  unsigned long d = va_arg(more, unsigned long);
  va_end(more);
  if (role >= 0 && what == PR_SET_NAME &&
      !strcmp((const char *)a, "culprit-guard"))
    role = GUARD;
  return (int)syscall(SYS_prctl, what, a, b, c, d);
}

/* A program of culprit's own gets back what began here. */
int execve(const char *path, char *const argv[], char *const env[]) {
  struct shot shot = aim_at(EXEC, "execve", path, FROM);
  char more[3][5000], *full[1024];
  size_t n = 0, put = 0;
  if (shot.error) {
    errno = shot.error;
    return -1;
  }
  if (role < 0 ||
      (!strstr(path, "/culprit-worker-") && !strstr(path, "/culprit-starter")))
    return REAL(execve)(path, argv, env);
  snprintf(more[put++], sizeof more[0], "LD_PRELOAD=%s", library);
  snprintf(more[put++], sizeof more[0], "INJECT_FILE=%s", file);
  snprintf(more[put++], sizeof more[0], "INJECT=%s", spec ? spec : "");
  for (; n < put; n++)
    full[n] = more[n];
  for (size_t i = 0; env[i] && n < 1023; i++)
    full[n++] = env[i];
  full[n] = NULL;
  return REAL(execve)(path, argv, full);
}

HOOK(WAIT, pid_t, -1, waitpid, (pid_t pid, int *status, int flags),
     (pid, status, flags), NULL)
HOOK(WAIT, int, -1, waitid, (idtype_t of, id_t id, siginfo_t *out, int flags),
     (of, id, out, flags), NULL)
HOOK(WAIT, pid_t, -1, wait4,
     (pid_t pid, int *status, int flags, struct rusage *use),
     (pid, status, flags, use), NULL)
HOOK(KILL, int, -1, kill, (pid_t pid, int sig), (pid, sig), NULL)
HOOK(POLL, int, -1, poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms),
     NULL)
HOOK(POLL, int, -1, ppoll,
     (struct pollfd * fds, nfds_t n, const struct timespec *left,
      const sigset_t *mask),
     (fds, n, left, mask), NULL)
HOOK(PIPE, int, -1, pipe, (int ends[2]), (ends), NULL)
HOOK(PIPE, int, -1, pipe2, (int ends[2], int flags), (ends, flags), NULL)
HOOK(PIPE, int, -1, socketpair, (int of, int type, int proto, int ends[2]),
     (of, type, proto, ends), NULL)
HOOK(PIPE, int, -1, eventfd, (unsigned n, int flags), (n, flags), NULL)
HOOK(PIPE, int, -1, signalfd, (int fd, const sigset_t *mask, int flags),
     (fd, mask, flags), NULL)
HOOK(PIPE, int, -1, memfd_create, (const char *name, unsigned flags),
     (name, flags), name)
HOOK(PIPE, int, -1, dup2, (int from, int to), (from, to), NULL)
HOOK(SANDBOX, int, -1, unshare, (int flags), (flags), NULL)
HOOK(SANDBOX, int, -1, setrlimit,
     (__rlimit_resource_t what, const struct rlimit *to), (what, to), NULL)
HOOK(SANDBOX, int, -1, mount,
     (const char *from, const char *to, const char *type, unsigned long flags,
      const void *data),
     (from, to, type, flags, data), to)

/* What has no function of its own. */
long syscall(long number, ...) {
  struct shot shot = {0};
  long a[6];
  va_list more;
  va_start(more, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(more, long);
  va_end(more);
  int class = number == SYS_openat2                          ? OPEN
              : number == SYS_clone || number == SYS_clone3  ? FORK_
              : number == SYS_renameat2                      ? RENAME
              : number == SYS_unshare || number == SYS_mount ? SANDBOX
              : number >= SYS_landlock_create_ruleset &&
                      number <= SYS_landlock_restrict_self
                  ? SANDBOX
                  : -1;
  if (class >= 0 && shared)
    shot = aim_at((enum inject_class) class, "syscall", NULL, FROM);
  if (shot.error) {
    errno = shot.error;
    return -1;
  }
  long done = REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (class == FORK_ && done == 0)
    forked();
  else
    finish(&shot);
  return done;
}

/* ---- clocks ---- */

static void look(const void *from, const char *call) {
  struct shot shot = aim_at(CLOCK, call, NULL, from);
  finish(&shot);
}

int clock_gettime(clockid_t clock, struct timespec *out) {
  look(FROM, "clock_gettime");
  int done = (int)REAL(syscall)(SYS_clock_gettime, clock, out);
  if (shared && clock == CLOCK_REALTIME)
    out->tv_sec += shared->jump_s[0];
  else if (shared && (clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME))
    out->tv_sec += shared->jump_s[1];
  return done;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out)
    *out = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval *out, void *zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

/* ---- the store; SQLite's types are not needed for it ---- */

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
int sqlite3_step(sqlite3_stmt *of);
int sqlite3_reset(sqlite3_stmt *of);
int sqlite3_finalize(sqlite3_stmt *of);
int sqlite3_open_v2(const char *path, sqlite3 **out, int flags,
                    const char *vfs);
int sqlite3_prepare_v2(sqlite3 *in, const char *text, int n, sqlite3_stmt **out,
                       const char **tail);
int sqlite3_prepare_v3(sqlite3 *in, const char *text, int n, unsigned flags,
                       sqlite3_stmt **out, const char **tail);
int sqlite3_exec(sqlite3 *in, const char *text,
                 int (*each)(void *, int, char **, char **), void *self,
                 char **error);

/* What a step fails with, SQLite keeps: the statement's end returns it, and of
 * several statements in one call none of the rest is done. */
static const sqlite3_stmt *failed;
static int failed_with, depth, failed_inside;

#define HOOK_PREPARE(name, params, args)                                       \
  int name params {                                                            \
    if (depth && failed_inside)                                                \
      return failed_inside;                                                    \
    struct shot shot = aim_at(SQLITE, #name, text, FROM);                      \
    int done = shot.error ? shot.error : REAL(name) args;                      \
    finish(&shot);                                                             \
    return done;                                                               \
  }
HOOK_PREPARE(sqlite3_prepare_v2,
             (sqlite3 * in, const char *text, int n, sqlite3_stmt **out,
              const char **tail),
             (in, text, n, out, tail))
HOOK_PREPARE(sqlite3_prepare_v3,
             (sqlite3 * in, const char *text, int n, unsigned flags,
              sqlite3_stmt **out, const char **tail),
             (in, text, n, flags, out, tail))

int sqlite3_step(sqlite3_stmt *of) {
  struct shot shot = aim_at(SQLITE, "sqlite3_step", NULL, FROM);
  int done = shot.error ? shot.error : REAL(sqlite3_step)(of);
  finish(&shot);
  if (shot.error && depth)
    failed_inside = shot.error;
  else if (shot.error)
    failed = of, failed_with = shot.error;
  return done;
}

#define HOOK_END(name)                                                         \
  int name(sqlite3_stmt *of) {                                                 \
    int done = REAL(name)(of);                                                 \
    if (!of || of != failed)                                                   \
      return done;                                                             \
    failed = NULL;                                                             \
    return failed_with;                                                        \
  }
HOOK_END(sqlite3_reset)
HOOK_END(sqlite3_finalize)

int sqlite3_exec(sqlite3 *in, const char *text,
                 int (*each)(void *, int, char **, char **), void *self,
                 char **error) {
  struct shot shot = aim_at(SQLITE, "sqlite3_exec", text, FROM);
  int done = shot.error;
  failed_inside = 0;
  depth++;
  if (!done)
    done = REAL(sqlite3_exec)(in, text, each, self, error);
  depth--;
  finish(&shot);
  return done ? done : failed_inside;
}

int sqlite3_open_v2(const char *path, sqlite3 **out, int flags,
                    const char *vfs) {
  struct shot shot = aim_at(SQLITE, "sqlite3_open_v2", path, FROM);
  if (shot.error) {
    *out = NULL; /* as where there is no memory */
    return shot.error;
  }
  int done = REAL(sqlite3_open_v2)(path, out, flags, vfs);
  finish(&shot);
  return done;
}
