/* See workplace.h. */
#include "workplace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/file.h"

/* Every process of the job holds the other end: when that is closed, the last
 * has ended, and nobody writes into dir any more. */
static _Noreturn void sweep(const char *dir, int end) {
  char ignored;
  ssize_t n;
  /* Ctrl-C is for the job, not for what cleans up after it. */
  setsid();
  if (end != STDIN_FILENO && dup2(end, STDIN_FILENO) < 0)
    _exit(1);
  /* What waits for the job's output to be closed does not wait for this. */
  close_range(STDIN_FILENO + 1, ~0U, 0);
  if (chdir("/") < 0)
    _exit(1);
  do
    n = read(STDIN_FILENO, &ignored, 1);
  while (n > 0 || (n < 0 && errno == EINTR));
  cul_rmtree(dir);
  _exit(0);
}

/* The end that stays open while the job lives; -1: nobody waits, and what is
 * killed leaves its directory. */
static int start_keeper(const char *dir, pid_t *sweeper) {
  int ends[2], keeper;
  sigset_t all, old;
  pid_t pid;
  if (pipe2(ends, O_CLOEXEC) < 0)
    return -1;
  keeper = fcntl(ends[1], F_DUPFD_CLOEXEC, 3); /* no stream that was closed */
  close(ends[1]);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  pid = keeper < 0 ? -1 : fork();
  if (pid == 0) {
    prctl(PR_SET_NAME, "culprit-sweep");
    close(keeper);
    sweep(dir, ends[0]);
  }
  *sweeper = pid;
  sigprocmask(SIG_SETMASK, &old, NULL);
  close(ends[0]);
  if (pid > 0 || keeper < 0)
    return keeper;
  close(keeper);
  return -1;
}

int cul_workplace_open(struct cul_workplace *place, struct cul_err *err) {
  const char *base = getenv("TMPDIR");
  char *dir = cul_xasprintf("%s/culprit-XXXXXX",
                            base && base[0] == '/' ? base : "/tmp");
  int rc;
  *place = (struct cul_workplace){.keeper = -1};
  if (mkdtemp(dir)) {
    place->dir = dir;
    place->keeper = start_keeper(dir, &place->sweeper);
    return 0;
  }
  rc = cul_fail(err, CUL_EENV, "set TMPDIR to a directory with room",
                "cannot make %s: %s", dir, strerror(errno));
  free(dir);
  return rc;
}

void cul_workplace_close(struct cul_workplace *place) {
  if (!place->dir)
    return;
  cul_rmtree(place->dir);
  if (place->keeper >= 0) {
    /* Nothing is left to do for it. */
    kill(place->sweeper, SIGKILL);
    while (waitpid(place->sweeper, NULL, 0) < 0 && errno == EINTR)
      ;
    close(place->keeper);
  }
  free(place->dir);
  *place = (struct cul_workplace){.keeper = -1};
}

void cul_workplace_cache(const char *dir, const char *path, bool none,
                         struct cul_cache **cache, char **note) {
  char *own = cul_xasprintf("%s/cache.db", dir);
  struct cul_err err = {0};
  *cache = NULL;
  *note = NULL;
  if (cul_cache_open(none ? own : path, cache, note, &err) < 0) {
    free(*note);
    *note = err.code == CUL_EINTR
                ? NULL /* the job is about to see it, too */
                : cul_xasprintf("going on without a cache: %s%s%s", err.what,
                                err.advice[0] ? "; " : "", err.advice);
    *cache = NULL;
  }
  free(own);
}
