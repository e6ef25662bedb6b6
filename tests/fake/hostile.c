/* A tool that works against what watches it, then does its work: complains of
 * "four" where the last argument, a file, holds that word.
 *   stop-parent, seize-parent, kill-parent   what started it
 *   kill-on-three        the same, unless "three" stands in the last argument
 *   stop-all NAMESPACE   whatever it may signal, in another process namespace
 *                        than that one alone (readlink /proc/self/ns/pid)
 *   daemon FILE          leaves a process that appends to FILE for a minute
 *   bomb                 leaves 200 processes
 *   forks N              forks, and so do all of these, until there are N;
 * unless "three" stands in the last argument memory N             takes N GiB,
 * unless "three" stands there fill N               N files in TMPDIR write FILE
 * unless "three" stands in the last argument touch FILE           its mode,
 * owner, times and attributes, unless "three" stands in the last argument
 *   log FILE             appends to FILE and aborts where it cannot, unless
 *                        "three" stands in the last argument
 *   rename               a file from TMPDIR to its working directory
 *   forbid               its own TMPDIR
 *   connect PORT         of this machine; exit status 3 where it cannot
 *   calls                those by which a tool could leave its sandbox; prints
 *                        the error of each
 *   none
 * What stops or seizes then waits for ever, unless the last argument holds
 * "five". */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int holds(const char *path, const char *word) {
  static char text[65536];
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  text[n] = '\0';
  if (f)
    fclose(f);
  return strstr(text, word) != NULL;
}

static bool append(const char *path) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
  if (fd >= 0 && write(fd, "evil\n", 5) < 0)
    _exit(9);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

/* Who is root may try so. */
static void make_mounts_writable(void) {
  const unsigned long long attributes[4] = {0, 1, 0, 0};
  mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL);
  syscall(442 /* mount_setattr */, AT_FDCWD, "/", 0x8000, attributes,
          sizeof attributes);
}

/* All ways that leave what stands in it. */
static void touch(const char *path) {
  int fd = open(path, O_RDONLY);
  struct timespec old[2] = {{1, 0}, {1, 0}};
  chmod(path, 0777);
  fchmod(fd, 0777);
  if (chown(path, getuid(), getgid()) < 0 || fchown(fd, getuid(), getgid()) < 0)
    perror("chown");
  utimensat(AT_FDCWD, path, old, 0);
  futimens(fd, old);
  setxattr(path, "user.evil", "x", 1, 0);
  fsetxattr(fd, "user.evil", "x", 1, 0);
  close(fd);
}

static int carry(void) {
  char from[512];
  snprintf(from, sizeof from, "%s/carried", getenv("TMPDIR"));
  append(from);
  return rename(from, "carried");
}

static void wait_for_ever(const char *input) {
  while (!holds(input, "five"))
    sleep(1);
}

/* Never where it would hit what is not this test's. */
static void stop_all(const char *outer) {
  char own[64];
  ssize_t n = readlink("/proc/self/ns/pid", own, sizeof own - 1);
  own[n > 0 ? n : 0] = '\0';
  if (n > 0 && strncmp(outer, "pid:", 4) == 0 && strcmp(own, outer) != 0)
    kill(-1, SIGSTOP);
}

static void leave_daemon(const char *path) {
  if (fork())
    return;
  setsid();
  if (fork())
    _exit(0);
  for (int i = 0; i < 600; i++) {
    append(path);
    usleep(100 * 1000);
  }
  _exit(0);
}

static void leave_many(void) {
  for (int i = 0; i < 200; i++)
    if (fork() == 0) {
      setsid();
      sleep(60);
      _exit(0);
    }
}

static void fork_on(int n) {
  int *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  while (__atomic_add_fetch(made, 1, __ATOMIC_RELAXED) < n)
    if (fork() < 0)
      break;
  sleep(60);
}

static void take_memory(size_t gib) {
  const size_t step = (size_t)64 << 20;
  for (size_t i = 0; i < gib * 16; i++) {
    char *more = malloc(step);
    if (more)
      memset(more, 1, step);
  }
  sleep(60);
}

static void fill(const char *dir, int n) {
  for (int i = 0; i < n; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%d", dir, i);
    close(open(path, O_WRONLY | O_CREAT, 0600));
  }
}

static int reach(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET,
                           .sin_port = htons((unsigned short)port)};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
}

/* A call with arguments that name nothing; errno. */
static int error_of(long number) {
  errno = 0;
  return syscall(number, -1L, 0L, -1L, 0L, 0L, 0L) < 0 ? errno : 0;
}

#ifdef __x86_64__
/* The same by its number for i386, in a process of its own: a machine without
 * such calls kills it. */
static int foreign_error_of(long number) {
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    long rc;
    __asm__ volatile("int $0x80"
                     : "=a"(rc)
                     : "a"(number), "b"(-1L), "c"(0L), "d"(-1L), "S"(0L),
                       "D"(0L)
                     : "memory", "r8", "r9", "r10", "r11");
    _exit((int)rc < 0 ? -(int)rc : 0);
  }
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
#endif

static void try_calls(void) {
  static const struct {
    const char *name;
    long number, foreign;
  } calls[] = {{"add_key", SYS_add_key, 286},
               {"request_key", SYS_request_key, 287},
               {"keyctl", SYS_keyctl, 288},
               {"mount", SYS_mount, 21},
               {"chroot", SYS_chroot, 61},
               {"pivot_root", SYS_pivot_root, 217},
               {"setns", SYS_setns, 346},
               {"open_by_handle_at", SYS_open_by_handle_at, 342},
               {"io_uring_setup", 425, 425},
               {"move_mount", 429, 429},
               {"mount_setattr", 442, 442}};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    printf("%s: %d\n", calls[i].name, error_of(calls[i].number));
  fflush(stdout);
#ifdef __x86_64__
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    printf("%s of i386: %d\n", calls[i].name,
           foreign_error_of(calls[i].foreign));
    fflush(stdout); /* no fork prints it again */
  }
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    printf("%s of x32: %d\n", calls[i].name,
           error_of(calls[i].number | 0x40000000));
#endif
  fflush(stdout);
}

int main(int argc, char **argv) {
  const char *input = argv[argc - 1], *verb = argc > 2 ? argv[1] : "none";
  const char *word = argc > 3 ? argv[2] : "";
  if (strcmp(verb, "stop-parent") == 0)
    kill(getppid(), SIGSTOP);
  else if (strcmp(verb, "kill-parent") == 0 ||
           (strcmp(verb, "kill-on-three") == 0 && !holds(input, "three")))
    kill(getppid(), SIGKILL);
  else if (strcmp(verb, "stop-all") == 0)
    stop_all(word);
  else if (strcmp(verb, "daemon") == 0)
    leave_daemon(word);
  else if (strcmp(verb, "bomb") == 0)
    leave_many();
  else if (strcmp(verb, "forks") == 0 && !holds(input, "three"))
    fork_on(atoi(word));
  else if (strcmp(verb, "memory") == 0 && !holds(input, "three"))
    take_memory((size_t)atoi(word));
  else if (strcmp(verb, "fill") == 0)
    fill(getenv("TMPDIR"), atoi(word));
  else if (strcmp(verb, "forbid") == 0)
    chmod(getenv("TMPDIR"), 0);
  else if (strcmp(verb, "write") == 0 && !holds(input, "three"))
    append(word);
  else if (strcmp(verb, "log") == 0 && !holds(input, "three") &&
           !append(word)) {
    fputs("fatal error: cannot write the log\n", stderr);
    abort();
  } else if (strcmp(verb, "touch") == 0 && !holds(input, "three")) {
    make_mounts_writable();
    touch(word);
  } else if (strcmp(verb, "touch-plainly") == 0 && !holds(input, "three"))
    touch(word);
  else if (strcmp(verb, "rename") == 0 && carry())
    return 4;
  else if (strcmp(verb, "connect") == 0 && !reach(atoi(word)))
    return 3;
  else if (strcmp(verb, "calls") == 0)
    try_calls();
  else if (strcmp(verb, "seize-parent") == 0 &&
           ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0)
    ptrace(PTRACE_INTERRUPT, getppid(), NULL, NULL);
  if (strstr(verb, "stop-") || strstr(verb, "seize-"))
    wait_for_ever(input);
  if (!holds(input, "four"))
    return 0;
  fputs("error: four\n", stderr);
  return 1;
}
