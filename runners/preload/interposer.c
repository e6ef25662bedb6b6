/* Detects when a tool first looks at the candidate: interposes every function
 * of libc that opens a file or returns its size and age.
 *
 * Only the leader of the tool's session waits as a server (server.h), be it the
 * original program or one that it executed in its place. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "scripts.h"
#include "server.h"

/* Of CULPRIT_SERVER=SECONDS:PATH; NULL: this process does not wait. */
static const char *candidate;
/* The imports at the head of the candidate are being made. */
static bool imports;

static bool has_socket(void) {
  int type = 0;
  socklen_t len = sizeof type;
  struct stat out, err;
  return getsockopt(CUL_SERVER_SOCKET, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
         type == SOCK_SEQPACKET && fstat(CUL_SERVER_SOCKET, &out) == 0 &&
         fstat(2, &err) == 0 && out.st_ino == err.st_ino;
}

/* A child of the leader has what the leader knows, and is not the tool: a shell
 * that redirects the input of one of its commands looks at it in a child. */
static bool is_leader(void) { return getsid(0) == getpid(); }

/* A tool that does not get there in time dies of the alarm. */
__attribute__((constructor)) static void arm(void) {
  const char *word = getenv("CULPRIT_SERVER");
  char *path;
  if (!word || !is_leader() || !has_socket())
    return;
  alarm((unsigned)strtoul(word, &path, 10));
  candidate = *path == ':' ? path + 1 : NULL;
}

static bool is_candidate(int dir, const char *path) {
  struct stat there, here;
  if (strcmp(path, candidate) == 0)
    return true;
  return strcmp(cul_basename(path), cul_basename(candidate)) == 0 &&
         syscall(SYS_newfstatat, dir, path, &there, 0) == 0 &&
         syscall(SYS_newfstatat, AT_FDCWD, candidate, &here, 0) == 0 &&
         there.st_ino == here.st_ino && there.st_dev == here.st_dev;
}

/* As in CPython. */
typedef int ask_function(void);
typedef int ensure_function(void);
typedef void release_function(int);
typedef int run_function(const char *);

static void *find(const char *name) { return dlsym(RTLD_DEFAULT, name); }

/* In an interpreter that is about to open its script: make the imports of the
 * variable, which runs code of the tool (imports.py), by the functions that the
 * interpreter has for extensions.  Nothing happens in another program, or if
 * the interpreter runs something else than this script.  False: the process is
 * not as it would be after the imports of the script itself. */
static bool make_imports(void) {
  ask_function *is_initialized;
  ensure_function *ensure;
  release_function *release;
  run_function *run;
  int state, rc;
  *(void **)&is_initialized = find("Py_IsInitialized");
  *(void **)&ensure = find("PyGILState_Ensure");
  *(void **)&release = find("PyGILState_Release");
  *(void **)&run = find("PyRun_SimpleString");
  if (!is_initialized || !ensure || !release || !run || !is_initialized())
    return true;
  state = ensure();
  rc = run((const char *)cul_python_scripts[0].data);
  release(state);
  return rc == 0;
}

/* What loaded the library is no business of what the tool starts. */
static void clean_environment(void) {
  const char *loaded = getenv("LD_PRELOAD");
  const char *rest = loaded ? strchr(loaded, ':') : NULL;
  if (rest)
    setenv("LD_PRELOAD", rest + 1, 1);
  else
    unsetenv("LD_PRELOAD");
  unsetenv("CULPRIT_SERVER");
  unsetenv("CULPRIT_IMPORTS");
}

static void intercept(int dir, const char *path) {
  int error = errno;
  if (candidate && path && is_candidate(dir, path) && is_leader()) {
    const char *wanted = getenv("CULPRIT_IMPORTS");
    /* an import that looks at the script may depend on all of it */
    if (imports)
      _exit(1);
    imports = wanted && *wanted;
    clean_environment();
    if (imports && !make_imports())
      _exit(1);
    candidate = NULL;
    alarm(0);
    cul_server_wait();
  }
  errno = error;
}

/* The function that the tool meant. */
#define MEANT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* The mode of a file that is made stands behind the flags. */
#define OPENS(name)                                                            \
  int name(const char *path, int flags, ...) {                                 \
    va_list rest;                                                              \
    mode_t mode = 0;                                                           \
    va_start(rest, flags);                                                     \
    if (flags & (O_CREAT | __O_TMPFILE))                                       \
      mode = va_arg(rest, mode_t);                                             \
    va_end(rest);                                                              \
    intercept(AT_FDCWD, path);                                                 \
    return MEANT(name)(path, flags, mode);                                     \
  }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                         \
  int name(int dir, const char *path, int flags, ...) {                        \
    va_list rest;                                                              \
    mode_t mode = 0;                                                           \
    va_start(rest, flags);                                                     \
    if (flags & (O_CREAT | __O_TMPFILE))                                       \
      mode = va_arg(rest, mode_t);                                             \
    va_end(rest);                                                              \
    intercept(dir, path);                                                      \
    return MEANT(name)(dir, path, flags, mode);                                \
  }
OPENS_AT(openat)
OPENS_AT(openat64)

/* What programs call that are built with _FORTIFY_SOURCE, and of old libc. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
int __xstat(int version, const char *path, struct stat *out);
int __xstat64(int version, const char *path, struct stat64 *out);
int __lxstat(int version, const char *path, struct stat *out);
int __lxstat64(int version, const char *path, struct stat64 *out);
int __fxstatat(int version, int dir, const char *path, struct stat *out,
               int flags);
int __fxstatat64(int version, int dir, const char *path, struct stat64 *out,
                 int flags);

/* The others: the result, the name, what it takes in, what it is called with,
 * the directory that the path counts from. */
#define LOOKS(result, name, takes, gives, dir)                                 \
  result name takes {                                                          \
    intercept(dir, path);                                                      \
    return MEANT(name) gives;                                                  \
  }
LOOKS(int, __open_2, (const char *path, int flags), (path, flags), AT_FDCWD)
LOOKS(int, __open64_2, (const char *path, int flags), (path, flags), AT_FDCWD)
LOOKS(int, __openat_2, (int dir, const char *path, int flags),
      (dir, path, flags), dir)
LOOKS(int, __openat64_2, (int dir, const char *path, int flags),
      (dir, path, flags), dir)
LOOKS(FILE *, fopen, (const char *path, const char *mode), (path, mode),
      AT_FDCWD)
LOOKS(FILE *, fopen64, (const char *path, const char *mode), (path, mode),
      AT_FDCWD)
LOOKS(FILE *, freopen, (const char *path, const char *mode, FILE *file),
      (path, mode, file), AT_FDCWD)
LOOKS(FILE *, freopen64, (const char *path, const char *mode, FILE *file),
      (path, mode, file), AT_FDCWD)
LOOKS(int, stat, (const char *path, struct stat *out), (path, out), AT_FDCWD)
LOOKS(int, stat64, (const char *path, struct stat64 *out), (path, out),
      AT_FDCWD)
LOOKS(int, lstat, (const char *path, struct stat *out), (path, out), AT_FDCWD)
LOOKS(int, lstat64, (const char *path, struct stat64 *out), (path, out),
      AT_FDCWD)
LOOKS(int, fstatat, (int dir, const char *path, struct stat *out, int flags),
      (dir, path, out, flags), dir)
LOOKS(int, fstatat64,
      (int dir, const char *path, struct stat64 *out, int flags),
      (dir, path, out, flags), dir)
LOOKS(int, statx,
      (int dir, const char *path, int flags, unsigned mask, struct statx *out),
      (dir, path, flags, mask, out), dir)
LOOKS(int, __xstat, (int version, const char *path, struct stat *out),
      (version, path, out), AT_FDCWD)
LOOKS(int, __xstat64, (int version, const char *path, struct stat64 *out),
      (version, path, out), AT_FDCWD)
LOOKS(int, __lxstat, (int version, const char *path, struct stat *out),
      (version, path, out), AT_FDCWD)
LOOKS(int, __lxstat64, (int version, const char *path, struct stat64 *out),
      (version, path, out), AT_FDCWD)
LOOKS(int, __fxstatat,
      (int version, int dir, const char *path, struct stat *out, int flags),
      (version, dir, path, out, flags), dir)
LOOKS(int, __fxstatat64,
      (int version, int dir, const char *path, struct stat64 *out, int flags),
      (version, dir, path, out, flags), dir)
