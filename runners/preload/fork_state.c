/* The state that a fork needs to continue as the process would have: see
 * server.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "server.h"

/* Entries of a directory but "." and ".."; -1: it cannot be read. */
static int count_entries(const char *path) {
  DIR *dir = opendir(path);
  struct dirent *e;
  int n = 0;
  if (!dir)
    return -1;
  while ((e = readdir(dir)))
    n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
  closedir(dir);
  return n;
}

static bool has_printed(void) {
  int waiting = 0;
  return ioctl(CUL_SERVER_SOCKET, SIOCOUTQ, &waiting) || waiting;
}

static bool has_children(void) {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

static bool has_written(void) {
  const char *tmp = getenv("TMPDIR");
  return !tmp || count_entries(tmp) != 0;
}

/* Threads of libraries that know of forks (OpenBLAS) end before one. */
static bool has_threads(void) {
  pid_t pid = fork();
  if (pid == 0)
    _exit(0);
  return pid < 0 || TEMP_FAILURE_RETRY(waitpid(pid, NULL, 0)) != pid ||
         count_entries("/proc/self/task") != 1;
}

/* "FROM-TO rw-s ...": memory that it writes and others see. */
static bool is_shared(const char *line) {
  const char *rights = strchr(line, ' ');
  return rights && strnlen(rights, 5) == 5 && rights[2] == 'w' &&
         rights[4] == 's';
}

/* A long line comes in parts: those behind the first are of its path. */
static bool has_shared(FILE *maps) {
  char line[512];
  bool found = false, begins = true;
  while (!found && fgets(line, sizeof line, maps)) {
    found = begins && is_shared(line);
    begins = strchr(line, '\n') != NULL;
  }
  return found;
}

static bool shares_memory(void) {
  FILE *maps = fopen("/proc/self/maps", "re");
  bool found = !maps || has_shared(maps);
  if (maps)
    fclose(maps);
  return found;
}

static int reopen(int fd, int flags) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return TEMP_FAILURE_RETRY(
      open(path, O_RDONLY | O_CLOEXEC | (flags & O_NONBLOCK)));
}

/* 0: a fork cannot have it for itself. */
static unsigned char kind_of(int fd) {
  struct stat st;
  int flags = fcntl(fd, F_GETFL), again;
  if (flags < 0 || fstat(fd, &st))
    return 0;
  if (S_ISCHR(st.st_mode))
    return 1;
  if ((!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) ||
      (flags & O_ACCMODE) != O_RDONLY)
    return 0;
  again = reopen(fd, flags);
  if (again < 0)
    return 0;
  close(again);
  return 2;
}

static bool take_descriptors(struct cul_fork_state *state) {
  DIR *dir = opendir("/proc/self/fd");
  struct dirent *e;
  bool ok = dir != NULL;
  while (ok && (e = readdir(dir))) {
    int fd = (int)strtol(e->d_name, NULL, 10);
    if (!isdigit((unsigned char)e->d_name[0]) || fd == dirfd(dir))
      continue;
    ok = fd < CUL_MOST_FDS;
    if (ok)
      state->open[fd] = fd < 3 ? 1 : kind_of(fd);
    ok = ok && state->open[fd];
  }
  if (dir)
    closedir(dir);
  return ok;
}

bool cul_fork_state_take(struct cul_fork_state *state) {
  *state = (struct cul_fork_state){0};
  if (has_printed() || has_children() || has_written() || shares_memory() ||
      !take_descriptors(state) || has_threads())
    return false;
  for (int n = 1; n < NSIG; n++)
    sigaction(n, NULL, &state->actions[n]);
  sigprocmask(SIG_SETMASK, NULL, &state->mask);
  prctl(PR_GET_NAME, state->name);
  return true;
}

/* A descriptor shares its place in the file with those it was forked from. */
static void separate(int fd) {
  int flags = fcntl(fd, F_GETFL), own = fcntl(fd, F_GETFD);
  off_t place = lseek(fd, 0, SEEK_CUR);
  int again = reopen(fd, flags);
  if (again < 0)
    _exit(126);
  lseek(again, place, SEEK_SET);
  dup3(again, fd, own & FD_CLOEXEC ? O_CLOEXEC : 0);
  close(again);
}

static void restore_descriptors(const struct cul_fork_state *state) {
  for (int fd = 3; fd < CUL_MOST_FDS; fd++) {
    if (state->open[fd] == 2)
      separate(fd);
    else if (!state->open[fd])
      close(fd);
  }
}

void cul_fork_state_restore(const struct cul_fork_state *state) {
  restore_descriptors(state);
  for (int n = 1; n < NSIG; n++)
    sigaction(n, &state->actions[n], NULL);
  prctl(PR_SET_NAME, state->name);
  sigprocmask(SIG_SETMASK, &state->mask, NULL);
}
