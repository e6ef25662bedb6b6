/* The last words of a worker process. The main program does not reap these
 * processes, and many are not even its children, so each process must itself
 * report how it died. A handler of fatal signals, and of exit() called by a
 * library, sends the signal and the end of standard error, which is a memfd, as
 * one message. SIGIO signals that the client closed its end; then a child that
 * is busy or hangs exits. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/again.h"
#include "last_words.h"
#include "wire.h"

#define STACK_BYTES (64 * 1024)

/* Read the end of standard error.  Async-signal-safe. */
static void read_stderr(char *text, size_t size) {
  struct stat st;
  off_t from = 0;
  ssize_t n;
  text[0] = '\0';
  if (fstat(STDERR_FILENO, &st) < 0)
    return;
  if (st.st_size > (off_t)size - 1)
    from = st.st_size - (off_t)size + 1;
  n = TEMP_FAILURE_RETRY(pread(STDERR_FILENO, text, size - 1, from));
  text[n > 0 ? n : 0] = '\0';
}

static void say(int signal) {
  struct cul_wire_died words;
  words.signal = signal;
  read_stderr(words.text, sizeof words.text);
  (void)cul_wire_send(CUL_WIRE_FD, CUL_WIRE_DIED, &words, sizeof words, -1);
}

static void on_fatal(int signal) {
  say(signal);
  /* SA_RESETHAND: this time the signal kills. */
  raise(signal);
}

/* exit() was called by a library: skip its other handlers, as the state of the
 * process is unknown. */
static void on_exit_call(void) {
  say(0);
  _exit(1);
}

static void on_io(int signal) {
  struct pollfd client = {.fd = CUL_WIRE_FD, .events = POLLIN};
  (void)signal;
  if (poll(&client, 1, 0) > 0 && client.revents & (POLLHUP | POLLERR))
    _exit(0);
}

static void catch_signals(void) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL,  SIGFPE, SIGABRT,
                              SIGTRAP, SIGSYS, SIGTERM, SIGXCPU};
  struct sigaction action = {.sa_handler = on_fatal,
                             .sa_flags =
                                 SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
  /* Deep recursion overflows the normal stack. Never freed. */
  stack_t stack = {.ss_sp = cul_xmalloc(STACK_BYTES), .ss_size = STACK_BYTES};
  sigaltstack(&stack, NULL);
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(fatal); i++)
    sigaction(fatal[i], &action, NULL);
  action.sa_handler = on_io;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(SIGIO, &action, NULL);
}

void cul_last_words_inherit(void) {
  unsigned n = 0;
  int fd;
  while ((fd = memfd_create("culprit-stderr", MFD_CLOEXEC)) < 0 &&
         cul_wait_again(n++, errno))
    ;
  if (fd >= 0) {
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    close(fd);
  }
  fcntl(CUL_WIRE_FD, F_SETOWN, getpid());
  fcntl(CUL_WIRE_FD, F_SETFL, fcntl(CUL_WIRE_FD, F_GETFL) | O_ASYNC);
  /* The client may have closed its end before O_ASYNC was set. */
  on_io(SIGIO);
}

void cul_last_words_install(void) {
  catch_signals();
  atexit(on_exit_call);
  (void)at_quick_exit(on_exit_call);
  cul_last_words_inherit();
}
