/* Faults at a chosen call of culprit:  LD_PRELOAD=libinject.so
 *   INJECT=ROLE:CLASS:N:ACTION[:TIMES][;...]  INJECT_FILE=FILE  culprit ...
 *
 * From the N-th call on (counted from 1, over all processes of the role) ACTION
 * is done TIMES times (default 1, 0 = for ever).  FILE counts, see inject.h; it
 * is made where it is missing, and INJECT may be left out to count alone.
 *
 * ROLE     main, guard (above a tool), start (below a guard, before exec), fork
 *          (any other fork of main), worker, child (a fork of it), any
 * CLASS    see CLASSES below
 * ACTION, one of
 *
 * - ENOSPC, EIO, ... or a number: the call fails; of sqlite: busy, locked,
 *   nomem, readonly, ioerr, corrupt, full, cantopen
 * - short: half of what is to be read or written
 * - kill, term, int, quit, hup, usr1, stop, segv: a signal to the process
 *   before the call; with "-after" behind it after the call; with "@main" at
 *   the end to the main program
 * - deep: before the call, the stack is used up
 * - real+S, real-S, mono+S: from then on a clock differs by S seconds
 *
 * Only culprit's own programs are touched.  Both variables and LD_PRELOAD leave
 * the environment before main, so no tool sees them and no key holds them; its
 * workers get them back. */
#include "inject.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MAX_AIMS = 8 };

static const char *const roles[N_ROLES] = {"main", "guard",  "start",
                                           "fork", "worker", "child"};
static const char *const classes[N_CLASSES] = {CLASS_NAMES};

struct aim {
  int role, class; /* role -1 = any */
  uint64_t at, times;
  int error; /* an errno, or a code of SQLite; 0 = none */
  int sig;
  bool after, to_main, half, real, deep;
  int64_t jump_s;
};

/* What is to be done at one call. */
struct shot {
  int error, sig;
  bool half, to_main;
};

/* A preload library has nowhere else to keep them. */
static struct inject_file *shared;
static struct aim aims[MAX_AIMS];
static int n_aims;
static int role = -1; /* -1: not one of ours */
static pid_t role_pid;
static char *library, *spec, *file;

static const struct {
  const char *name;
  int value;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},
              {"EAGAIN", EAGAIN}, {"EMFILE", EMFILE}, {"ENFILE", ENFILE},
              {"ENOMEM", ENOMEM}, {"EACCES", EACCES}, {"EPERM", EPERM},
              {"ENOENT", ENOENT}, {"EROFS", EROFS},   {"EDQUOT", EDQUOT},
              {"EFBIG", EFBIG},   {"EBUSY", EBUSY},   {"ENOSYS", ENOSYS},
              {"ELOOP", ELOOP},   {"ESTALE", ESTALE}, {"EPIPE", EPIPE},
              {"EEXIST", EEXIST}, {"busy", 5},        {"locked", 6},
              {"nomem", 7},       {"readonly", 8},    {"ioerr", 10},
              {"corrupt", 11},    {"full", 13},       {"cantopen", 14}},
  signals[] = {{"kill", SIGKILL}, {"term", SIGTERM}, {"int", SIGINT},
               {"quit", SIGQUIT}, {"hup", SIGHUP},   {"usr1", SIGUSR1},
               {"stop", SIGSTOP}, {"segv", SIGSEGV}};

static _Noreturn void refuse(const char *what) {
  dprintf(2, "inject: %s: %s\n", what, spec ? spec : "");
  _exit(97);
}

static int index_of(const char *const *names, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (!strcmp(names[i], name))
      return i;
  return -1;
}

static void read_action(struct aim *a, char *text) {
  char *main_at = strstr(text, "@main"), *after = strstr(text, "-after");
  if (main_at)
    *main_at = '\0', a->to_main = true;
  if (after)
    *after = '\0', a->after = true;
  if (!strncmp(text, "real", 4) || !strncmp(text, "mono", 4)) {
    a->real = text[0] == 'r';
    a->jump_s = strtoll(text + 4, NULL, 10);
    return;
  }
  a->half = !strcmp(text, "short");
  a->deep = !strcmp(text, "deep");
  a->error = (int)strtol(text, NULL, 10);
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (!strcmp(text, errors[i].name))
      a->error = errors[i].value;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (!strcmp(text, signals[i].name))
      a->sig = signals[i].value;
  if (!a->half && !a->deep && !a->error && !a->sig)
    refuse("no such action");
}

static void read_aims(const char *text) {
  char copy[1024], *rest = copy, *one;
  snprintf(copy, sizeof copy, "%s", text);
  while ((one = strsep(&rest, ";")) && n_aims < MAX_AIMS) {
    struct aim *a = &aims[n_aims++];
    char *who = strsep(&one, ":"), *what = one ? strsep(&one, ":") : NULL;
    char *at = one ? strsep(&one, ":") : NULL;
    char *action = one ? strsep(&one, ":") : NULL;
    if (!action)
      refuse("ROLE:CLASS:N:ACTION[:TIMES] is wanted");
    a->role = index_of(roles, N_ROLES, who);
    a->class = index_of(classes, N_CLASSES, what);
    a->at = strtoull(at, NULL, 10);
    a->times = one ? strtoull(one, NULL, 10) : 1;
    if (a->class < 0 || (a->role < 0 && strcmp(who, "any")))
      refuse("no such role or class");
    read_action(a, action);
  }
}

static void open_shared(void) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, file,
                        O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void *at;
  if (fd < 0 || syscall(SYS_ftruncate, fd, sizeof *shared))
    refuse(file);
  at = (void *)syscall(SYS_mmap, NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                       MAP_SHARED, fd, 0);
  if (at == MAP_FAILED)
    refuse(file);
  syscall(SYS_close, fd);
  shared = at;
}

static char *taken(const char *name) {
  const char *value = getenv(name);
  char *copy = value ? strdup(value) : NULL;
  unsetenv(name);
  return copy;
}

__attribute__((constructor)) static void begin(void) {
  char path[4096], *name;
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  path[n > 0 ? n : 0] = '\0';
  name = strrchr(path, '/');
  if (!name || !getenv("INJECT_FILE"))
    return;
  int mine = !strcmp(name, "/culprit")           ? MAIN
             : !strcmp(name, "/culprit-starter") ? FORK
             : strstr(name, "/culprit-worker-")  ? WORKER
                                                 : -1;
  if (mine < 0)
    return;
  library = taken("LD_PRELOAD");
  spec = taken("INJECT");
  file = taken("INJECT_FILE");
  if (spec && *spec)
    read_aims(spec);
  open_shared();
  role_pid = getpid();
  if (mine == MAIN)
    shared->main_pid = role_pid;
  role = mine;
}

/* A vfork's child shares this memory. */
static int role_now(void) {
  if (role < 0 || getpid() == role_pid)
    return role;
  return START;
}

static void forked(void) {
  if (role < 0)
    return;
  role_pid = getpid();
  role = role == MAIN || role == FORK     ? FORK
         : role == GUARD || role == START ? START
                                          : CHILD;
}

static void note(const char *call, const char *path, const void *from) {
  Dl_info at = {0};
  dladdr(from, &at);
  snprintf(shared->hit, sizeof shared->hit, "%s(%.80s) from %s+0x%lx", call,
           path ? path : "", at.dli_fname ? at.dli_fname : "",
           (unsigned long)((const char *)from - (const char *)at.dli_fbase));
  shared->hit_pid = (int32_t)syscall(SYS_getpid);
  __atomic_fetch_add(&shared->fired, 1, __ATOMIC_SEQ_CST);
}

static void send_signal(const struct shot *shot) {
  pid_t pid = shot->to_main ? shared->main_pid : (pid_t)syscall(SYS_getpid);
  if (shot->sig)
    syscall(SYS_kill, pid, shot->sig);
}

/* No end of it is met. */
static int use_up_stack(const volatile int *below) {
  volatile int here[256] = {0};
  here[0] = *below + 1;
  return here[0] > 0 ? use_up_stack(here) + here[0] : 0;
}

/* Count a call, and do what is asked before it; what is left is for later. */
static struct shot aim_at(enum inject_class class, const char *call,
                          const char *path, const void *from) {
  /* What is called to take notes is no call of the program's. */
  static __thread bool busy __attribute__((tls_model("initial-exec")));
  struct shot shot = {0};
  int mine = role_now(), kept = errno;
  if (mine < 0 || busy)
    return shot;
  busy = true;
  uint64_t n =
      __atomic_add_fetch(&shared->counts[mine][class], 1, __ATOMIC_SEQ_CST);
  uint64_t all = __atomic_add_fetch(&shared->any[class], 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < n_aims; i++) {
    const struct aim *a = &aims[i];
    uint64_t seen = a->role < 0 ? all : n;
    if (a->class != (int)class || (a->role >= 0 && a->role != mine) ||
        seen < a->at || (a->times && seen >= a->at + a->times))
      continue;
    note(call, path, from);
    shot.error = a->error;
    shot.half = a->half;
    shot.sig = a->sig;
    shot.to_main = a->to_main;
    if (a->deep)
      use_up_stack(&(int){0});
    if (a->jump_s)
      shared->jump_s[!a->real] += a->jump_s;
    if (!a->after)
      send_signal(&shot), shot.sig = 0;
  }
  busy = false;
  errno = kept;
  return shot;
}

static void finish(const struct shot *shot) {
  int kept = errno;
  if (shot->sig)
    send_signal(shot);
  errno = kept;
}

#define FROM __builtin_return_address(0)
#define REAL(name)                                                             \
  ({                                                                           \
    static __typeof__(&name) real;                                             \
    if (!real)                                                                 \
      real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                       \
    real;                                                                      \
  })
/* A call that fails with FAILED; PATH says on what. */
#define HOOK(class, type, failed, name, params, args, path)                    \
  type name params {                                                           \
    struct shot shot = aim_at(class, #name, path, FROM);                       \
    if (shot.error) {                                                          \
      errno = shot.error;                                                      \
      return failed;                                                           \
    }                                                                          \
    type done = REAL(name) args;                                               \
    finish(&shot);                                                             \
    return done;                                                               \
  }
/* One that moves SIZE bytes. */
#define HOOK_SIZED(class, name, params, args)                                  \
  ssize_t name params {                                                        \
    struct shot shot = aim_at(class, #name, NULL, FROM);                       \
    if (shot.error) {                                                          \
      errno = shot.error;                                                      \
      return -1;                                                               \
    }                                                                          \
    if (shot.half && size > 1)                                                 \
      size /= 2;                                                               \
    ssize_t done = REAL(name) args;                                            \
    finish(&shot);                                                             \
    return done;                                                               \
  }

#include "inject_calls.h"
