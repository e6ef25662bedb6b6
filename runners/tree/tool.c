/* From a fresh fork to the tool: session, limits, descriptors, exec.  A
 * failure goes through the notify pipe, so that "the tool cannot be started"
 * never looks like "the tool failed". */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../trace/trace.h"

/* More than tools need: what has no end is meant. */
#define MOST_FILE_BYTES ((rlim_t)64 << 30)
enum { MOST_TASKS = 32 * 1024 }; /* processes and threads */

static _Noreturn void give_up(const struct cul_tool_fds *fds,
                              enum cul_tool_step step) {
  struct cul_tool_failure failure = {step, errno};
  /* An exit status would be taken for the tool's. */
  if (write(fds->notify, &failure, sizeof failure) != sizeof failure)
    kill(getpid(), SIGKILL);
  _exit(127);
}

/* What is lower stays so. */
static void lower_limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit old, new;
  if (getrlimit(resource, &old))
    return;
  new.rlim_max = hard < old.rlim_max ? hard : old.rlim_max;
  new.rlim_cur = soft < old.rlim_cur ? soft : old.rlim_cur;
  setrlimit(resource, &new);
}

static void set_limits(const struct cul_plan *plan) {
  lower_limit(RLIMIT_CORE, 0, 0);
  /* The kernel sends SIGXCPU at the soft limit and SIGKILL at the hard. */
  if (plan->cpu_s)
    lower_limit(RLIMIT_CPU, plan->cpu_s, plan->cpu_s + 1);
  if (plan->as_bytes)
    lower_limit(RLIMIT_AS, plan->as_bytes, plan->as_bytes);
  if (plan->box.parts & CUL_PART_LIMITS) {
    lower_limit(RLIMIT_FSIZE, MOST_FILE_BYTES, MOST_FILE_BYTES);
    lower_limit(RLIMIT_NOFILE, CUL_BOX_FILES, CUL_BOX_FILES);
  }
  /* Elsewhere it counts what else the user runs. */
  if (plan->box.parts & CUL_PART_USERS)
    lower_limit(RLIMIT_NPROC, MOST_TASKS, MOST_TASKS);
}

/* When memory runs out the tool goes first, not culprit. */
static void offer_to_oom_killer(void) {
  int fd = TEMP_FAILURE_RETRY(
      open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (fd < 0)
    return;
  if (write(fd, "500", 3) < 0)
    errno = 0; /* already above, for instance inside a pod */
  close(fd);
}

/* All others are close-on-exec: the supervisor holds none but its own. */
static void connect_fds(const struct cul_plan *plan,
                        const struct cul_tool_fds *fds) {
  /* A pipe in the candidate's place would be waited for, and culprit's own
   * process with it. */
  int in = TEMP_FAILURE_RETRY(open(plan->input ? plan->input : "/dev/null",
                                   O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (in < 0 || fcntl(in, F_SETFL, 0) < 0)
    give_up(fds, CUL_STEP_INPUT);
  if (in != 0 && dup2(in, 0) < 0)
    give_up(fds, CUL_STEP_INPUT);
  if (in != 0)
    close(in);
  if (dup2(fds->out, 1) < 0 || dup2(fds->err, 2) < 0)
    give_up(fds, CUL_STEP_EXEC);
}

/* A file that execve refuses with ENOEXEC is a shell script without "#!", as
 * for every shell, unless its first bytes are not text. */
static bool is_text(const char *path) {
  char head[128];
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  ssize_t n = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, head, sizeof head));
  if (fd >= 0)
    close(fd);
  return n >= 0 && !memchr(head, 0, (size_t)n) &&
         (n < 4 || memcmp(head, "\177ELF", 4) != 0);
}

static _Noreturn void exec_program(const struct cul_plan *plan,
                                   const struct cul_tool_fds *fds) {
  char *typed = plan->argv[1];
  errno = ENOENT;
  if (plan->path)
    execve(plan->path, plan->argv + 1, plan->envp);
  if (errno != ENOEXEC)
    give_up(fds, CUL_STEP_EXEC);
  if (!is_text(plan->path)) {
    errno = ENOEXEC;
    give_up(fds, CUL_STEP_FOREIGN);
  }
  plan->argv[1] = plan->path;
  execve(plan->argv[0], plan->argv, plan->envp);
  plan->argv[1] = typed;
  give_up(fds, CUL_STEP_EXEC);
}

void cul_tool_exec(const struct cul_plan *plan,
                   const struct cul_tool_fds *fds) {
  int persona = personality(0xffffffff);
  sigset_t none;

  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (persona >= 0)
    personality(plan->randomize
                    ? (unsigned long)persona & ~(unsigned long)ADDR_NO_RANDOMIZE
                    : (unsigned long)persona | ADDR_NO_RANDOMIZE);
  offer_to_oom_killer();
  connect_fds(plan, fds);
  if (plan->cwd && chdir(plan->cwd))
    give_up(fds, CUL_STEP_CWD);
  set_limits(plan);
  if (fds->trace >= 0 && cul_trace_install(fds->trace, !plan->trace) < 0)
    give_up(fds, CUL_STEP_BOX);
  if (cul_box_give_up(&plan->box) || cul_box_restrict(fds->rules))
    give_up(fds, CUL_STEP_BOX);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (plan->body)
    _exit(plan->body(plan->arg));
  exec_program(plan, fds);
}
