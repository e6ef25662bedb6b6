/* A worker program: started by culprit with a socket, or by a person with
 * options (command.h). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/stack.h"
#include "command.h"
#include "engine_runs.h"
#include "last_words.h"
#include "server.h"
#include "spawn.h"

/* When memory runs out, the kernel should kill a candidate, not the main
 * program. */
static void offer_to_oom_killer(void) {
  int fd = TEMP_FAILURE_RETRY(
      open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (fd < 0)
    return;
  (void)!write(fd, "500", 3);
  close(fd);
}

struct words {
  int argc;
  char **argv;
};

static int be_worker(void *arg) {
  const struct words *words = arg;
  struct rlimit no_core = {0, 0};
  struct cul_session session = {0};
  struct cul_err untold = {0};
  if (words->argc > 1 && strcmp(words->argv[1], "--run") == 0)
    return cul_session_run_file(words->argc, words->argv);
  if (words->argc > 1 && strcmp(words->argv[1], CUL_WORKER_SERVE) != 0)
    return cul_session_command(words->argc, words->argv);
  setrlimit(RLIMIT_CORE, &no_core);
  signal(SIGCHLD, SIG_IGN); /* no wait for children */
  signal(SIGPIPE, SIG_IGN);
  offer_to_oom_killer();
  cul_heap_open(&session.heap);
  cul_last_words_install();
  /* The client has checked the plugin; if it cannot be loaded, its mutation is
   * missing here. */
  if (words->argc > 3 && strcmp(words->argv[2], CUL_WORKER_PLUGIN) == 0)
    (void)!cul_session_plug(&session, words->argv[3], &untold);
  else if (words->argc > 3)
    session.entries = cul_xstrdup(words->argv[3]);
  cul_session_prepare(&session, words->argc, words->argv);
  cul_session_serve(&session);
  _exit(0);
}

int main(int argc, char **argv) {
  return cul_stack_call(be_worker, &(struct words){argc, argv});
}
