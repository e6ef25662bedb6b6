/* Work in forks: see apart.h. */
#include "apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/again.h"
#include "../../base/files/fd.h"
#include "../../base/files/file.h"

enum {
  MOST_DEATHS = 16, /* after so many, the rest is not tried */
  FORK_S = 5,       /* the life time of a fork */
  PIPE_FD = 3       /* in a fork; all descriptors above are closed */
};

/* Precedes the bytes that fn appended for i. */
struct header {
  uint64_t i, len;
};

static void leave_handlers(void) {
  static const int signals[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,
                                SIGABRT, SIGTRAP, SIGSYS, SIGTERM,
                                SIGXCPU, SIGIO,   SIGALRM};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(signals); i++)
    signal(signals[i], SIG_DFL);
}

/* Redirect the standard descriptors, so that no output of a dying fork reaches
 * the peers of this process. */
static void take_descriptors(int fd) {
  int null = TEMP_FAILURE_RETRY(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  if (fd != PIPE_FD && dup2(fd, PIPE_FD) < 0)
    _exit(1);
  close_range(PIPE_FD + 1, ~0U, 0);
}

static void work(size_t first, size_t n, int fd, cul_apart_fn *fn, void *arg) {
  struct cul_buf out = {0};
  prctl(PR_SET_NAME, "culprit-asking");
  leave_handlers();
  take_descriptors(fd);
  alarm(FORK_S);
  for (size_t i = first; i < n; i++) {
    struct header header = {.i = i};
    cul_buf_clear(&out);
    cul_buf_add(&out, &header, sizeof header);
    fn(arg, i, &out);
    header.len = out.len - sizeof header;
    memcpy(out.data, &header, sizeof header);
    if (cul_write_all(PIPE_FD, out.data, out.len) < 0)
      break;
  }
  _exit(0);
}

/* Wait for the end of the fork, which is bounded by FORK_S. */
static void await(pid_t pid) {
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
}

static pid_t start(size_t first, size_t n, int fd, cul_apart_fn *fn,
                   void *arg) {
  unsigned tries = 0;
  pid_t pid;
  while ((pid = fork()) < 0 && cul_wait_again(tries++, errno))
    ;
  if (pid == 0)
    work(first, n, fd, fn, arg);
  return pid;
}

/* Pass the complete answers of a fork to told; returns the number of the first
 * i without one. */
static size_t read_all(int fd, size_t first, size_t n, cul_apart_told_fn *told,
                       void *arg) {
  off_t size = lseek(fd, 0, SEEK_END), at = 0;
  size_t next = first;
  char *data =
      size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
  struct header header;
  if (!data || data == MAP_FAILED)
    return next;
  while (size - at >= (off_t)sizeof header) {
    memcpy(&header, data + at, sizeof header);
    at += (off_t)sizeof header;
    if (header.i != next || next >= n || header.len > (uint64_t)(size - at))
      break;
    told(arg, next++, &(struct cul_bytes){data + at, header.len});
    at += (off_t)header.len;
  }
  munmap(data, (size_t)size);
  return next;
}

void cul_apart(size_t n, cul_apart_fn *fn, cul_apart_told_fn *told, void *arg) {
  size_t next = 0;
  for (int deaths = 0; next < n && deaths < MOST_DEATHS; deaths++) {
    int fd = memfd_create("culprit-apart", MFD_CLOEXEC);
    pid_t pid = fd < 0 ? -1 : start(next, n, fd, fn, arg);
    if (pid > 0) {
      await(pid);
      next = read_all(fd, next, n, told, arg);
    }
    if (fd >= 0)
      close(fd);
    if (pid < 0)
      break;
    if (next < n)
      told(arg, next++, NULL);
  }
  while (next < n)
    told(arg, next++, NULL);
}
