/* See on_best.h. */
#include "on_best.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"

static const uint64_t patience_us = 60 * 1000 * 1000;

static void say(struct cul_on_best *on, const char *what, int number) {
  if (on->said)
    return;
  on->said = true;
  cul_status_make_way();
  cul_say(stderr, "note: --watch-best: `%s` %s %d; the job goes on\n",
          on->command, what, number);
}

static void start(struct cul_on_best *on) {
  char *const argv[] = {(char *)"sh",
                        (char *)"-c",
                        (char *)"eval \"$1\" '\"$2\"'",
                        (char *)"culprit",
                        (char *)on->command,
                        on->path,
                        NULL};
  int why = cul_beside_start(&on->beside, argv, NULL, -1);
  on->due = false;
  if (why)
    say(on, "cannot be started: error", why);
}

/* Has the command ended within wait_ms? */
static bool is_over(struct cul_on_best *on, int wait_ms) {
  struct pollfd poll_fd = {.fd = on->beside.fd, .events = POLLIN};
  int status;
  if (poll(&poll_fd, 1, wait_ms) <= 0)
    return false;
  status = cul_beside_finish(&on->beside, false);
  if (WIFSIGNALED(status))
    say(on, "was killed, signal", WTERMSIG(status));
  else if (WEXITSTATUS(status))
    say(on, "ended with status", WEXITSTATUS(status));
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
  if (on->beside.pid > 0)
    (void)is_over(on, 0);
  if (on->beside.pid == 0 && on->due)
    start(on);
}

void cul_on_best_end(struct cul_on_best *on) {
  uint64_t until = cul_now_us() + patience_us;
  while ((on->beside.pid > 0 || on->due) && cul_now_us() < until &&
         !cul_status_interrupted()) {
    if (on->beside.pid > 0 && !is_over(on, 100))
      cul_status_beat();
    if (on->beside.pid == 0 && on->due)
      start(on);
  }
  if (on->beside.pid > 0) {
    cul_beside_kill(&on->beside);
    say(on, "was killed as the job ended, signal", SIGKILL);
  }
  free(on->path);
  on->path = NULL;
}
