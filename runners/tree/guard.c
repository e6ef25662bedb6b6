/* See guard.h. */
#include "guard.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/beneath.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "proc.h"
#include "strays.h"

static const uint64_t second = 1000 * 1000;

bool cul_guard_reap(pid_t pid, unsigned ms) {
  int end = (int)syscall(SYS_pidfd_open, pid, 0);
  bool gone = end < 0; /* or the kernel has no pidfds */
  if (end >= 0) {
    gone = cul_wait_readable(end, ms);
    close(end);
  }
  return waitpid(pid, NULL, WNOHANG) > 0 || gone;
}

bool cul_guard_is_sound(pid_t supervisor) {
  struct cul_proc proc;
  if (!cul_proc_look(supervisor, &proc)) /* or /proc is not available */
    return kill(supervisor, 0) == 0 && !cul_proc_look(getpid(), &proc);
  if (proc.state == 'T')
    kill(supervisor, SIGCONT);
  return !strchr("TtDZXx", proc.state);
}

void cul_guard_see_off(pid_t guard, uint64_t start_us) {
  bool gone;
  do {
    gone = cul_guard_reap(guard, 20);
    if (!gone)
      cul_guard_is_sound(guard);
  } while (!gone && cul_now_us() - start_us < second);
  if (!gone && cul_strays_end_below(&guard, 1, start_us + 2 * second))
    waitpid(guard, NULL, WNOHANG);
}

void cul_guard_empty_tmp(const struct cul_plan *plan) {
  int tmp = cul_supervised_tmp(plan);
  if (tmp >= 0) {
    (void)!cul_beneath_empty(tmp, NULL);
    close(tmp);
  }
}

static const char *why_not_started(const struct cul_plan *plan, int error) {
  struct stat st;
  if (!plan->path)
    return "not found in PATH";
  if (stat(plan->path, &st))
    return strerror(error);
  if (S_ISDIR(st.st_mode))
    return "it is a directory";
  if (error == EACCES)
    return "permission denied; is it executable (chmod +x)?";
  if (error == ENOENT)
    return "the interpreter in its first line, or its loader, does not exist";
  return strerror(error);
}

void cul_guard_explain(const struct cul_plan *plan, const struct cul_outcome *o,
                       struct cul_buf *out) {
  const char *name = plan->path ? plan->path : plan->argv[1];
  const char *why = strerror(o->failure.error);
  if (o->end == CUL_MACHINE && o->stuck)
    cul_buf_addf(out, "process %d of %s does not die of SIGKILL", o->stuck,
                 name);
  else if (o->failure.step == CUL_STEP_LOST)
    cul_buf_addf(out, "the supervisor of %s was killed", name);
  else if (o->failure.step == CUL_STEP_UNBORN)
    cul_buf_addf(out, "the process that was to become %s was killed", name);
  else if (o->failure.step == CUL_STEP_STARVED)
    cul_buf_addf(out, "the supervisor of %s has no memory", name);
  else if (o->end == CUL_MACHINE && o->failure.error)
    cul_buf_addf(out, "cannot make a process for %s: %s", name, why);
  else if (o->end == CUL_MACHINE)
    cul_buf_addf(out, "%s was killed while the machine ran out of memory",
                 name);
  else if (o->failure.step == CUL_STEP_CWD)
    cul_buf_addf(out, "cannot start %s in %s: %s", name, plan->cwd, why);
  else if (o->failure.step == CUL_STEP_INPUT)
    cul_buf_addf(out, "cannot open %s as standard input of %s: %s",
                 plan->input ? plan->input : "/dev/null", name, why);
  else if (o->failure.step == CUL_STEP_BOX || o->failure.step == CUL_STEP_ENTER)
    cul_buf_addf(out, "cannot start %s in a sandbox: %s", name, why);
  else if (o->failure.step == CUL_STEP_FOREIGN)
    cul_buf_addf(out,
                 "cannot start %s: neither a program of this machine nor a "
                 "script",
                 name);
  else
    cul_buf_addf(out, "cannot start %s: %s", name,
                 why_not_started(plan, o->failure.error));
  cul_buf_addc(out, '\n');
}

bool cul_guard_leave_box(struct cul_plan *plan,
                         const struct cul_tool_failure *why) {
  const uint32_t strict = CUL_PART_READS | CUL_PART_NET | CUL_PART_SOCKETS;
  uint32_t lost = 0;
  if (why->step == CUL_STEP_ENTER)
    lost = CUL_PART_PIDS | CUL_PART_USERS;
  if (why->step == CUL_STEP_BOX)
    lost = CUL_PART_DOMAIN | CUL_PART_WRITES | CUL_PART_WATCH;
  if (!(plan->box.parts & lost) || (plan->box.parts & strict))
    return false;
  plan->box.parts &= ~lost;
  /* Later runs would wait for this part as long, so do without it.  This is not
   * a property of the tool, so results of runs stay valid. */
  plan->sandbox->given &= ~lost;
  cul_status_transient(CUL_TRANSIENT_BOX,
                       "note:      the machine refuses to start a run in its "
                       "sandbox (%s): further runs are made without that part",
                       strerror(why->error));
  return true;
}
