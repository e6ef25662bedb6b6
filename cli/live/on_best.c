/* See on_best.h.
 *
 * A fork of culprit runs the command, because the runners treat children that
 * are other programs as strays, and because SIGCHLD is ignored, so that their
 * status is lost. */
#include "on_best.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"

static const uint64_t patience_us = 60 * 1000 * 1000;

/* The child of the supervisor becomes the command. */
static _Noreturn void become(const char *command, const char *path) {
  static const int back[] = {SIGCHLD, SIGPIPE, SIGXFSZ, SIGINT,
                             SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1};
  char *const argv[] = {(char *)"sh",
                        (char *)"-c",
                        (char *)"eval \"$1\" '\"$2\"'",
                        (char *)"culprit",
                        (char *)command,
                        (char *)path,
                        NULL};
  for (size_t i = 0; i < sizeof back / sizeof back[0]; i++)
    signal(back[i], SIG_DFL);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  execv("/bin/sh", argv);
  _exit(127);
}

/* The supervisor, a fork of culprit: holds no descriptor of the job open. */
static _Noreturn void supervise(const struct cul_on_best *on, int out,
                                pid_t job) {
  int status = 0, in = TEMP_FAILURE_RETRY(open("/dev/null", O_RDONLY));
  pid_t pid;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != job)
    _exit(1);
  signal(SIGCHLD, SIG_DFL);
  dup2(in, STDIN_FILENO);
  out = dup2(out, STDERR_FILENO + 1);
  close_range(STDERR_FILENO + 2, ~0U, 0);
  pid = fork();
  if (pid == 0) {
    close(out);
    become(on->command, on->path);
  }
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  (void)!cul_write_all(out, &status, sizeof status);
  _exit(pid < 0);
}

static void say(struct cul_on_best *on, const char *what, int number) {
  if (on->said)
    return;
  on->said = true;
  cul_status_make_way();
  cul_say(stderr, "note: --watch-best: `%s` %s %d; the job goes on\n",
          on->command, what, number);
}

static void start(struct cul_on_best *on) {
  pid_t job = getpid();
  int ends[2];
  on->due = false;
  if (pipe2(ends, O_CLOEXEC) < 0) {
    say(on, "cannot be started: error", errno);
    return;
  }
  fflush(stdout);
  on->pid = fork();
  if (on->pid == 0)
    supervise(on, ends[1], job);
  close(ends[1]);
  if (on->pid < 0) {
    say(on, "cannot be started: error", errno);
    on->pid = 0;
    close(ends[0]);
    return;
  }
  setpgid(on->pid, on->pid); /* also done by the fork: the first one counts */
  on->fd = ends[0];
}

/* Has the command ended within wait_ms? */
static bool is_over(struct cul_on_best *on, int wait_ms) {
  struct pollfd poll_fd = {.fd = on->fd, .events = POLLIN};
  int status = 0;
  if (poll(&poll_fd, 1, wait_ms) <= 0)
    return false;
  if (cul_read_all(on->fd, &status, sizeof status) != 1)
    say(on, "was killed, signal", SIGKILL);
  else if (WIFSIGNALED(status))
    say(on, "was killed, signal", WTERMSIG(status));
  else if (WEXITSTATUS(status))
    say(on, "ended with status", WEXITSTATUS(status));
  close(on->fd);
  on->pid = 0;
  return true;
}

void cul_on_best_improved(struct cul_on_best *on, const char *path) {
  if (!on->command)
    return;
  if (!on->path)
    on->path = cul_xasprintf("%s%s", path[0] == '-' ? "./" : "", path);
  on->due = true;
  cul_on_best_tick(on);
}

void cul_on_best_tick(struct cul_on_best *on) {
  if (on->pid > 0)
    (void)is_over(on, 0);
  if (on->pid == 0 && on->due)
    start(on);
}

void cul_on_best_end(struct cul_on_best *on) {
  uint64_t until = cul_now_us() + patience_us;
  while ((on->pid > 0 || on->due) && cul_now_us() < until &&
         !cul_status_interrupted()) {
    if (on->pid > 0 && !is_over(on, 100))
      cul_status_beat();
    if (on->pid == 0 && on->due)
      start(on);
  }
  if (on->pid > 0) {
    kill(-on->pid, SIGKILL);
    say(on, "was killed as the job ended, signal", SIGKILL);
    close(on->fd);
    on->pid = 0;
  }
  free(on->path);
  on->path = NULL;
}
