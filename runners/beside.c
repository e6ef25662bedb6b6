/* A command that runs beside a job: see beside.h. */
#include "beside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/files/fd.h"

/* The child of the supervisor becomes the command. */
static _Noreturn void become(char *const *argv, const char *dir) {
  static const int back[] = {SIGCHLD, SIGPIPE, SIGXFSZ, SIGINT,
                             SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(back); i++)
    signal(back[i], SIG_DFL);
  if (!dir || chdir(dir) == 0)
    execv("/bin/sh", argv);
  _exit(127);
}

static _Noreturn void supervise(char *const *argv, const char *dir, int out,
                                int ended, pid_t job) {
  int status = 0, in = TEMP_FAILURE_RETRY(open("/dev/null", O_RDONLY));
  pid_t pid;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != job)
    _exit(1);
  signal(SIGCHLD, SIG_DFL);
  dup2(in, STDIN_FILENO);
  if (out >= 0)
    dup2(out, STDERR_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  ended = dup2(ended, STDERR_FILENO + 1);
  close_range(STDERR_FILENO + 2, ~0U, 0);
  pid = fork();
  if (pid == 0) {
    close(ended);
    become(argv, dir);
  }
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  (void)!cul_write_all(ended, &status, sizeof status);
  _exit(pid < 0);
}

int cul_beside_start(struct cul_beside *beside, char *const *argv,
                     const char *dir, int out) {
  pid_t job = getpid();
  int ends[2], why;
  *beside = (struct cul_beside){0, -1};
  if (pipe2(ends, O_CLOEXEC) < 0)
    return errno;
  fflush(stdout);
  beside->pid = fork();
  why = errno;
  if (beside->pid == 0)
    supervise(argv, dir, out, ends[1], job);
  close(ends[1]);
  if (beside->pid < 0) {
    beside->pid = 0;
    close(ends[0]);
    return why;
  }
  setpgid(beside->pid, beside->pid); /* the fork does it, too: one is first */
  beside->fd = ends[0];
  return 0;
}

int cul_beside_finish(struct cul_beside *beside, bool all) {
  int status = 0;
  if (cul_read_all(beside->fd, &status, sizeof status) != 1)
    status = SIGKILL;
  if (all)
    kill(-beside->pid, SIGKILL);
  close(beside->fd);
  *beside = (struct cul_beside){0, -1};
  return status;
}

void cul_beside_kill(struct cul_beside *beside) {
  if (beside->pid == 0)
    return;
  kill(-beside->pid, SIGKILL);
  close(beside->fd);
  *beside = (struct cul_beside){0, -1};
}
