/* Reads keys from the terminal: see keys.h. */
#include "keys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

#include "../../base/files/file.h"

/* A global: there is one terminal, and signal handlers use this too. */
static struct {
  struct termios given, ours; /* original modes; modes while keys are read */
  pid_t
      owner; /* the process that changed the modes; forks do not restore them */
  volatile sig_atomic_t taken;
  int guard; /* write end of the pipe that the guard reads; 0: no guard */
} terminal;

static bool is_same(const struct termios *a, const struct termios *b) {
  return a->c_lflag == b->c_lflag && a->c_iflag == b->c_iflag &&
         a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
         a->c_cc[VMIN] == b->c_cc[VMIN] && a->c_cc[VTIME] == b->c_cc[VTIME];
}

static bool is_foreground(void) { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

/* Restore the modes of the terminal. Also called in signal handlers. */
static void give_back(void) {
  if (!terminal.taken || terminal.owner != getpid())
    return;
  terminal.taken = 0;
  if (is_foreground())
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal.given);
}

/* The guard process: the end of its pipe means that culprit has ended. It
 * restores the modes only if they are still culprit's: a shell may have set
 * others. */
static _Noreturn void watch(int pipe_end) {
  struct termios now;
  char none;
  setpgid(0, 0);
  prctl(PR_SET_NAME, "culprit-keys");
  signal(SIGTTOU, SIG_IGN); /* the guard is not in the foreground */
  signal(SIGUSR1, SIG_IGN);
  signal(SIGTSTP, SIG_DFL);
  pipe_end = dup2(pipe_end, STDERR_FILENO + 1);
  close_range(STDERR_FILENO + 2, ~0U, 0);
  while (read(pipe_end, &none, 1) < 0 && errno == EINTR)
    ;
  if (tcgetattr(STDIN_FILENO, &now) == 0 && is_same(&now, &terminal.ours))
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal.given);
  _exit(0);
}

static void post_guard(void) {
  int ends[2];
  pid_t pid;
  if (terminal.guard || pipe2(ends, O_CLOEXEC) < 0)
    return;
  pid = fork();
  if (pid == 0) {
    close(ends[1]);
    watch(ends[0]);
  }
  close(ends[0]);
  if (pid > 0)
    terminal.guard = ends[1];
  else
    close(ends[1]);
}

/* Ctrl-Z: restore the modes for the next user of the terminal. */
static void stop(int number) {
  const struct sigaction again = {
      .sa_handler = stop, .sa_flags = SA_RESETHAND | SA_NODEFER | SA_RESTART};
  int error = errno;
  give_back();
  raise(number); /* the default action stops culprit here */
  sigaction(number, &again, NULL);
  errno = error;
}

static void take_stops(void) {
  const struct sigaction action = {
      .sa_handler = stop, .sa_flags = SA_RESETHAND | SA_NODEFER | SA_RESTART};
  struct sigaction old;
  if (sigaction(SIGTSTP, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
    sigaction(SIGTSTP, &action, NULL);
}

static bool take(void) {
  struct termios now;
  if (!isatty(STDIN_FILENO) || !is_foreground() ||
      tcgetattr(STDIN_FILENO, &now) < 0)
    return false;
  if (!terminal.owner || !is_same(&now, &terminal.ours))
    terminal.given = now;
  terminal.ours = terminal.given;
  terminal.ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  terminal.ours.c_cc[VMIN] = terminal.ours.c_cc[VTIME] =
      0; /* reads never wait */
  terminal.owner = getpid();
  post_guard();
  take_stops();
  terminal.taken = 1; /* set first: a signal may arrive */
  if (tcsetattr(STDIN_FILENO, TCSANOW, &terminal.ours) == 0)
    return true;
  terminal.taken = 0;
  return false;
}

int cul_keys_read(void) {
  unsigned char key = 0;
  if (terminal.taken ? !is_foreground() : !take())
    return 0;
  return read(STDIN_FILENO, &key, 1) == 1 ? key : 0;
}

void cul_keys_end(void) {
  give_back();
  if (terminal.owner != getpid() || !terminal.guard)
    return;
  close(terminal.guard);
  terminal.guard = 0;
}
