/* One poll loop per run: see supervisor.h.  The tree is killed by groups,
 * because a group dies at once and cannot fork away; a process that left the
 * group, such as a daemon, becomes a child of the subreaper and is killed with
 * its own group, until no child is left. */
#include "supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/again.h"
#include "../../base/clock.h"
#include "../../base/files/beneath.h"
#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "../trace/trace.h"
#include "pace.h"
#include "proc.h"
#include "stays.h"

struct cul_tool_fds {
  int out, err;
  int notify; /* close-on-exec: end of file shows that exec succeeded */
  int trace;  /* socket for the trace's listener; -1: not traced */
  int rules;  /* rules of its sandbox; -1: none */
};

/* ---- tool ---- */

/* From a fresh fork to the tool: session, limits, descriptors, exec. A
 * failure goes through the notify pipe, so that "the tool cannot be started"
 * never looks like "the tool failed". */

/* More than tools need; these bounds only stop growth without end. */
#define MOST_FILE_BYTES ((rlim_t)64 << 30)
enum { MOST_TASKS = 32 * 1024 }; /* processes and threads */

static _Noreturn void give_up(const struct cul_tool_fds *fds,
                              enum cul_tool_step step) {
  struct cul_tool_failure failure = {step, errno};
  /* an exit status would count as the tool's */
  if (write(fds->notify, &failure, sizeof failure) != sizeof failure)
    kill(getpid(), SIGKILL);
  _exit(127);
}

/* Lower a limit; a limit that is lower already stays. */
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
  /* Without a user namespace, the limit also counts the user's other processes.
   */
  if (plan->box.parts & CUL_PART_USERS)
    lower_limit(RLIMIT_NPROC, MOST_TASKS, MOST_TASKS);
}

/* Make the kernel kill the tool first when memory runs out, not culprit. */
static void offer_to_oom_killer(void) {
  int fd = TEMP_FAILURE_RETRY(
      open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (fd < 0)
    return;
  if (write(fd, "500", 3) < 0)
    errno = 0; /* the score is already higher, for instance in a pod */
  close(fd);
}

/* Connect the tool's descriptors 0 to 2.  All others are close-on-exec. */
static void connect_fds(const struct cul_plan *plan,
                        const struct cul_tool_fds *fds) {
  /* O_NONBLOCK: a pipe in place of the candidate would block this process and
   * culprit */
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

/* Become the tool.  Called in the child; fds are all above 2. */
static void tool_exec(const struct cul_plan *plan,
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
  if (fds->trace >= 0 && cul_trace_install(fds->trace, plan) < 0)
    give_up(fds, CUL_STEP_BOX);
  /* what it resumes is in its sandbox already */
  if (!plan->resumes &&
      (cul_box_give_up(&plan->box) || cul_box_restrict(fds->rules)))
    give_up(fds, CUL_STEP_BOX);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (plan->body)
    _exit(plan->body(plan->arg));
  exec_program(plan, fds);
}

/* ---- the tree: a tool and the processes that it left ---- */

/* All processes below this one, which is their subreaper and has no other
 * children. */
struct tree {
  pid_t tool;           /* leader of its own session */
  int signals;          /* signalfd of SIGCHLD */
  int status;           /* of the tool, once killed */
  uint64_t tool_cpu_us; /* of the tool and the children it waited for */
  pid_t stuck;          /* one that did not die of SIGKILL; 0 = none */
};

/* Freeing many gigabytes of a killed process takes the kernel seconds, on a
 * busy machine tens of seconds. */
enum { GIVE_UP_US = 120 * 1000 * 1000 };

static void drain_signals(int fd) {
  struct signalfd_siginfo info[8];
  while (TEMP_FAILURE_RETRY(read(fd, info, sizeof info)) > 0)
    ;
}

/* Has the tool ended?  It stays a zombie, so that its process id cannot be
 * reused.  Orphans that ended meanwhile are reaped. */
static bool tree_ended(struct tree *tree) {
  drain_signals(tree->signals);
  for (;;) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) {
      if (errno == EINTR)
        continue; /* its SIGCHLD was consumed, so nothing would wake this
                     process again */
      return false;
    }
    if (!info.si_pid)
      return false;
    /* stops of traced tasks are reported as well */
    if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED)
      return false;
    if (info.si_pid == tree->tool)
      return true;
    (void)TEMP_FAILURE_RETRY(waitpid(info.si_pid, NULL, 0));
  }
}

/* Did the tool, which has ended, ever begin?  No if its process still has the
 * name of this one, which it keeps until it executes the tool. */
static bool tree_began(const struct tree *tree) {
  char own[CUL_PROC_NAME], its[CUL_PROC_NAME];
  cul_proc_name(getpid(), own);
  cul_proc_name(tree->tool, its);
  return !own[0] || strcmp(own, its) != 0;
}

static void kill_child(pid_t pid) {
  pid_t group = getpgid(pid);
  /* The group of a descendant is never that of this process, because each tool
   * begins a new session. */
  if (group > 1 && group != getpgrp())
    kill(-group, SIGKILL);
  kill(pid, SIGKILL);
}

/* Kill all direct children.  Their children then become children of this
 * process, and are killed by the next call, as are unlisted ones.  Returns one
 * of them, or 0. */
static pid_t kill_children(void) {
  enum { MOST = 512 };
  pid_t pids[MOST];
  size_t n = cul_proc_children(pids, MOST);
  for (size_t i = 0; i < n; i++)
    kill_child(pids[i]);
  return n ? pids[n - 1] : 0;
}

/* User and system time. */
static uint64_t rusage_us(const struct rusage *use) {
  return (uint64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000 +
         (uint64_t)(use->ru_utime.tv_usec + use->ru_stime.tv_usec);
}

static void reap(struct tree *tree, pid_t pid, int status,
                 const struct rusage *use) {
  if (pid != tree->tool)
    return;
  tree->status = status;
  tree->tool_cpu_us = rusage_us(use);
}

/* Send SIGKILL to every process of the tree until none is left.  After two
 * minutes, with a process that the kernel cannot kill, give up and set
 * stuck. */
static void tree_kill(struct tree *tree) {
  uint64_t give_up = cul_now_us() + GIVE_UP_US;
  kill(-tree->tool, SIGKILL);
  kill(tree->tool, SIGKILL);
  for (;;) {
    struct pollfd wake = {tree->signals, POLLIN, 0};
    struct rusage use;
    int status;
    pid_t pid = wait4(-1, &status, WNOHANG | __WALL, &use), alive;
    if (pid < 0 && errno == EINTR)
      continue;
    if (pid < 0)
      return;
    if (pid > 0) {
      reap(tree, pid, status, &use);
      continue;
    }
    alive = kill_children();
    if (cul_now_us() > give_up) {
      tree->stuck = alive ? alive : tree->tool;
      return;
    }
    poll(&wake, 1, 10);
    drain_signals(tree->signals);
  }
}

/* ---- its size, by /proc ---- */

struct size {
  size_t processes;
  uint64_t bytes; /* memory in use that no file backs */
};

static int by_pid(const void *a, const void *b) {
  const struct cul_proc *x = a, *y = b;
  return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Move the descendants of this process to the front; returns their number.
 * Parents precede their children, unless the process ids wrapped around. */
static size_t keep_below(struct cul_proc *all, size_t n) {
  bool *below = cul_xcalloc(n + 1, sizeof *below), more = true;
  size_t kept = 0;
  qsort(all, n, sizeof *all, by_pid);
  while (more) {
    more = false;
    for (size_t i = 0; i < n; i++) {
      const struct cul_proc key = {.pid = all[i].parent};
      const struct cul_proc *parent =
          below[i] ? NULL : bsearch(&key, all, n, sizeof *all, by_pid);
      if (!parent || (parent->pid != getpid() && !below[parent - all]))
        continue;
      below[i] = more = true;
    }
  }
  for (size_t i = 0; i < n; i++)
    if (below[i])
      all[kept++] = all[i];
  free(below);
  return kept;
}

static void read_text(pid_t pid, const char *name, char *out, size_t size) {
  char path[64];
  int fd;
  ssize_t n;
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  n = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, out, size - 1));
  out[n > 0 ? n : 0] = '\0';
  if (fd >= 0)
    close(fd);
}

/* The value of "NAME: 12 kB" in bytes; 0: not found. */
static uint64_t field(const char *text, const char *name) {
  const char *at = strstr(text, name);
  return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

static uint64_t bytes_of(pid_t pid, bool precise) {
  char text[4096];
  if (precise)
    read_text(pid, "smaps_rollup", text, sizeof text);
  if (precise && strstr(text, "\nPss_Anon:"))
    return field(text, "\nPss_Anon:") + field(text, "\nPss_Shmem:");
  read_text(pid, "status", text, sizeof text);
  return field(text, "\nRssAnon:") + field(text, "\nRssShmem:");
}

/* The number of all visible processes, without reading each: that takes long if
 * there are many. */
static size_t count_all(void) {
  DIR *dir = opendir("/proc");
  struct dirent *entry;
  size_t n = 0;
  while (dir && (entry = readdir(dir)))
    n += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
  if (dir)
    closedir(dir);
  return n;
}

/* Measure all processes below this one.  alone: no other process is in its
 * namespace.  bytes is an upper bound, because memory shared by forks counts
 * for each; precise: the kernel divides shared memory, which takes longer.
 * With more than `most` processes bytes is not measured, and is 0. */
static void size_take(bool alone, bool precise, size_t most, struct size *out) {
  size_t n = alone ? count_all() : 0;
  struct cul_proc *all;
  if (n > most + 1) {
    *out = (struct size){.processes = n - 1};
    return;
  }
  all = cul_proc_all(&n);
  if (!alone)
    n = keep_below(all, n);
  *out = (struct size){.processes = alone && n ? n - 1 : n};
  for (size_t i = 0; i < n && out->processes <= most; i++)
    if (all[i].pid != getpid())
      out->bytes += bytes_of(all[i].pid, precise);
  free(all);
}

/* ---- supervisor ---- */

/* See enum cul_pace and the comment on deadlines in base/run.h. */
enum {
  PACE_SAMPLES = 20, /* the last samples before the deadline decide */
  PACE_STEP_US = 4 * 1000,
  USUAL_STEP_US = 10 * 1000,
  MOST_STEP_US = 100 * 1000,
  MAX_STRETCH = 10
};

struct watch {
  const struct cul_supervision *s;
  struct tree tree;
  struct cul_trace *trace; /* NULL: not traced */
  int notify;
  int tmp; /* the tool's TMPDIR; -1: do not empty it */
  uint64_t start_us, oom_kills;
  uint64_t wake_us;  /* time of the next check; 0: no deadline */
  uint64_t size_us;  /* time of the next check of the tree's size */
  uint64_t stays_us; /* time of the next sample of its stay; 0: not wanted */
  enum cul_limit limit;
  struct cul_pace_sample samples[PACE_SAMPLES]; /* a ring buffer */
  size_t n_samples;
  uint32_t dice;
  ino_t pipes[2];          /* the pipes to which the tool writes */
  struct cul_stays *stays; /* NULL: not requested */
  bool fired, early, stretched, cancelled;
  bool unborn; /* the tool's process was killed before exec */
  int unheard; /* the error for which its calls could not be traced; or 0 */
  enum cul_tool_step step; /* the last step before the tool's process exists */
};

static void close_between(unsigned from, unsigned to) {
  long most = sysconf(_SC_OPEN_MAX);
  if (from > to || close_range(from, to, 0) == 0)
    return;
  /* Linux before 5.9 */
  for (unsigned fd = from; fd <= to && fd < (unsigned)most; fd++)
    close((int)fd);
}

/* Close the descriptors of other runs, which the fork inherited.  Otherwise
 * their supervisors would not notice the death of culprit. */
static void close_others(const int *keep, size_t n) {
  unsigned from = 3;
  for (;;) {
    unsigned next = ~0U;
    for (size_t i = 0; i < n; i++)
      if (keep[i] >= (int)from && (unsigned)keep[i] < next)
        next = (unsigned)keep[i];
    if (next == ~0U)
      break;
    close_between(from, next - 1);
    from = next + 1;
  }
  close_between(from, ~0U);
}

/* Reset all signal handlers.  SIGCHLD and SIGPIPE are blocked and read. */
static int reset_signals(void) {
  sigset_t mask;
  for (int n = 1; n < NSIG; n++)
    signal(n, SIG_DFL);
  sigemptyset(&mask);
  sigaddset(&mask, SIGPIPE);
  sigaddset(&mask, SIGCHLD);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  sigdelset(&mask, SIGPIPE);
  return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Processes of this machine killed for memory since it booted. */
static uint64_t count_oom_kills(void) {
  char text[16384];
  const char *at;
  int fd = TEMP_FAILURE_RETRY(open("/proc/vmstat", O_RDONLY | O_CLOEXEC));
  ssize_t n = fd < 0 ? 0 : TEMP_FAILURE_RETRY(read(fd, text, sizeof text - 1));
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  at = strstr(text, "\noom_kill ");
  return at ? strtoull(at + 10, NULL, 10) : 0;
}

static ino_t inode_of(int fd) {
  struct stat st;
  return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* Must calls be watched?  They must if the sandbox refuses writes, to know
 * which runs had one refused. */
static bool is_watched(const struct cul_plan *plan) {
  return plan->trace || (plan->box.parts & CUL_PART_WATCH);
}

int cul_supervised_tmp(const struct cul_plan *plan) {
  struct stat st;
  int fd = *plan->tmp
               ? TEMP_FAILURE_RETRY(open(plan->tmp, O_RDONLY | O_DIRECTORY |
                                                        O_NOFOLLOW | O_CLOEXEC))
               : -1;
  if (fd < 0 || !plan->tmp_ino)
    return fd;
  if (fstat(fd, &st) == 0 && st.st_dev == plan->tmp_dev &&
      st.st_ino == plan->tmp_ino)
    return fd;
  close(fd);
  return -1;
}

static int start_tool(struct watch *w) {
  int notify[2], trace[2] = {-1, -1}, rules;
  pid_t pid;
  if (pipe2(notify, O_CLOEXEC | O_NONBLOCK))
    return -1;
  if (is_watched(w->s->plan)) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, trace))
      return -1;
    w->trace = cul_trace_new(w->s->plan, trace[0]);
  }
  w->step = CUL_STEP_BOX;
  rules = cul_box_rules(&w->s->plan->box);
  if (rules < 0 && errno)
    return -1;
  w->step = CUL_STEP_FORK;
  w->tmp = cul_supervised_tmp(w->s->plan);
  w->start_us = cul_now_us();
  /* vfork does not copy page tables, which is half the cost of a short run.
   * But with vfork, a tracer could not answer the exec for which it waits. */
  pid = w->s->plan->trace || w->s->plan->body ? fork() : vfork();
  if (pid == 0 && w->s->plan->body && w->tmp >= 0)
    close(w->tmp); /* without exec, close-on-exec has no effect */
  if (pid == 0)
    tool_exec(w->s->plan, &(struct cul_tool_fds){w->s->out, w->s->err,
                                                 notify[1], trace[1], rules});
  /* The tool runs from here on.  No later check reads /proc of this process. */
  prctl(PR_SET_DUMPABLE, 0);
  close(notify[1]);
  if (rules >= 0)
    close(rules);
  w->pipes[0] = inode_of(w->s->out);
  w->pipes[1] = inode_of(w->s->err);
  close(w->s->out);
  close(w->s->err);
  if (trace[1] >= 0)
    close(trace[1]);
  w->notify = notify[0];
  w->tree.tool = pid;
  return pid < 0 ? -1 : 0;
}

static bool has_bounds(const struct watch *w) {
  return w->s->plan->box.memory_bytes > 0;
}

/* The time until the next check; NULL: there is none. */
static const struct timespec *time_left(const struct watch *w,
                                        struct timespec *out) {
  uint64_t now = cul_now_us(), next = w->wake_us, left;
  if (has_bounds(w) && (!next || w->size_us < next))
    next = w->size_us;
  if (w->stays_us && (!next || w->stays_us < next))
    next = w->stays_us;
  left = next > now ? next - now : 0;
  if (!next)
    return NULL;
  *out = (struct timespec){(time_t)(left / 1000000),
                           (long)(left % 1000000) * 1000};
  return out;
}

/* The length of the observation before the deadline: the last quarter of the
 * time, at most the time for PACE_SAMPLES samples; of a short time up to its
 * half, so that the observation does not outlast the deadline.  The samples are
 * far enough apart that a process that computes now and then is not missed by
 * chance. */
static uint64_t looked_at_us(const struct watch *w) {
  uint64_t half_us = w->s->plan->wall_ms * 1000 / 2, us = half_us / 2;
  uint64_t most_us = (uint64_t)MOST_STEP_US * PACE_SAMPLES;
  uint64_t usual_us = (uint64_t)USUAL_STEP_US * PACE_SAMPLES;
  if (us < usual_us)
    us = half_us < usual_us ? half_us : usual_us;
  return us < most_us ? us : most_us;
}

static uint64_t step_us(const struct watch *w) {
  uint64_t us = looked_at_us(w) / PACE_SAMPLES;
  return us > PACE_STEP_US ? us : PACE_STEP_US;
}

/* The time of the next check.  The intervals differ, so that a process that
 * wakes up periodically is not always observed in the same state. */
static uint64_t next_look(struct watch *w, uint64_t now) {
  uint64_t step = step_us(w);
  w->dice = w->dice * 1664525 + 1013904223;
  return now + step / 2 + (w->dice >> 8) % step;
}

static void keep_sample(struct watch *w, const struct cul_pace_sample *sample) {
  if (w->n_samples == PACE_SAMPLES)
    memmove(&w->samples[0], &w->samples[1],
            --w->n_samples * sizeof w->samples[0]);
  w->samples[w->n_samples++] = *sample;
}

/* Call before and at the deadline: is it reached, and what does the tree do?
 * True when both are known; otherwise wake_us is the time of the next check. */
static bool expire(struct watch *w) {
  uint64_t wall_us = w->s->plan->wall_ms * 1000, now, late_us;
  struct cul_pace_sample sample;
  cul_pace_take(w->pipes, &sample, NULL);
  keep_sample(w, &sample);
  now = cul_now_us();
  late_us = w->start_us + wall_us + cul_pace_held_us(&sample, w->start_us);
  w->stretched = now < late_us && now - w->start_us >= MAX_STRETCH * wall_us;
  w->wake_us = next_look(w, now);
  return w->stretched || (now >= late_us && w->n_samples == PACE_SAMPLES);
}

static enum cul_pace pace_of(const struct watch *w) {
  if (w->early)
    return w->s->plan->stay.stay.waiting ? CUL_PACE_WAITING : CUL_PACE_SPINNING;
  return w->stretched ? CUL_PACE_UNKNOWN
                      : cul_pace_tell(w->samples, w->n_samples);
}

/* A check costs at most a twentieth of the time, or comes twice a second; it
 * looks for trees with many processes. */
static uint64_t next_size_us(uint64_t cost_us) {
  enum { LEAST_US = 50 * 1000, MOST_US = 500 * 1000, SHARE = 20 };
  uint64_t pause_us = SHARE * cost_us;
  pause_us = pause_us < LEAST_US ? LEAST_US : pause_us;
  return cul_now_us() + (pause_us < MOST_US ? pause_us : MOST_US);
}

/* Is this the first process of the box's own PID namespace? */
static bool box_holds(const struct cul_box *box) {
  return (box->parts & CUL_PART_PIDS) && getpid() == 1;
}

/* Does the tree exceed a limit?  limit: which one. */
static bool is_outgrown(struct watch *w) {
  const struct cul_box *box = &w->s->plan->box;
  bool alone = w->s->boxed && box_holds(box);
  uint64_t now = cul_now_us();
  struct size size = {0};
  if (!has_bounds(w) || now < w->size_us)
    return false;
  size_take(alone, false, CUL_BOX_PROCESSES, &size);
  if (box->memory_bytes && size.bytes > box->memory_bytes)
    size_take(alone, true, CUL_BOX_PROCESSES, &size);
  w->size_us = next_size_us(cul_now_us() - now);
  if (size.processes > CUL_BOX_PROCESSES)
    w->limit = CUL_LIMIT_PROCESSES;
  else if (box->memory_bytes && size.bytes > box->memory_bytes)
    w->limit = CUL_LIMIT_MEMORY;
  return w->limit != CUL_LIMIT_TIME;
}

/* Has the tool ended, or is it known to hang?  A stop of a task that was not
 * collected by wait(2) would hide the ends of others. */
static bool is_over(struct watch *w) {
  w->early = cul_stays_advance(&w->stays, &w->s->plan->stay, w->start_us,
                               w->s->plan->wall_ms, w->pipes, &w->stays_us);
  w->fired |= w->early;
  return w->early || tree_ended(&w->tree);
}

/* Watch until the tool ends, the deadline passes, or culprit closes its end. */
static void watch_tool(struct watch *w) {
  w->dice = (uint32_t)getpid();
  w->size_us = w->start_us + 50 * 1000; /* most runs have ended by then */
  if (w->s->plan->wall_ms)
    w->wake_us = w->start_us + w->s->plan->wall_ms * 1000 - looked_at_us(w);
  while (!is_over(w)) {
    struct timespec space;
    const struct timespec *left = time_left(w, &space);
    struct pollfd fds[] = {{w->tree.signals, POLLIN, 0},
                           {w->s->control, POLLIN, 0},
                           {w->trace ? cul_trace_fd(w->trace) : -1, POLLIN, 0}};
    if (is_outgrown(w))
      return;
    if (w->wake_us && cul_now_us() >= w->wake_us) {
      w->fired = expire(w);
      if (w->fired)
        return;
      continue;
    }
    if (ppoll(fds, CUL_ARRAY_SIZE(fds), left, NULL) < 0)
      continue;
    if (fds[1].revents) {
      w->cancelled = true;
      return;
    }
    if (fds[2].revents && !cul_trace_advance(w->trace, fds[2].revents)) {
      w->unheard = errno ? errno : EIO;
      return;
    }
  }
}

/* The kernel counts ticks for the limit and time for the usage; on a busy
 * machine the two differ by some percent. */
static bool limit_hit(const struct watch *w, int sig) {
  uint64_t near_us = w->s->plan->cpu_s * 750000;
  return near_us &&
         (sig == SIGXCPU || (sig == SIGKILL && w->tree.tool_cpu_us >= near_us));
}

static void judge_end(const struct watch *w, struct cul_outcome *o) {
  int status = w->tree.status;
  bool killed = WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL
                                    : WEXITSTATUS(status) == 128 + SIGKILL;
  o->end = WIFSIGNALED(status) ? CUL_SIGNALED : CUL_EXITED;
  o->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  if (TEMP_FAILURE_RETRY(read(w->notify, &o->failure, sizeof o->failure)) ==
      sizeof o->failure) {
    /* A transient lack of resources is not an answer about the tool. */
    o->end = cul_is_transient(o->failure.error) ? CUL_MACHINE : CUL_NOT_STARTED;
    o->status = o->failure.error;
  } else if (w->unheard) {
    o->end = CUL_MACHINE;
    o->failure = (struct cul_tool_failure){CUL_STEP_HEAR, w->unheard};
  } else if (w->unborn && o->end == CUL_SIGNALED) {
    o->end = CUL_MACHINE;
    o->failure.step = CUL_STEP_UNBORN;
  } else if (w->tree.stuck) {
    o->end = CUL_MACHINE;
    o->stuck = w->tree.stuck;
  } else if (w->fired && o->end == CUL_SIGNALED && killed) {
    o->end = CUL_DEADLINE;
    o->pace = pace_of(w);
    o->stayed.early = w->early;
  } else if (w->limit != CUL_LIMIT_TIME && killed) {
    o->end = CUL_LIMIT;
    o->status = SIGKILL;
    o->limit = w->limit;
  } else if (o->end == CUL_SIGNALED && limit_hit(w, o->status)) {
    o->end = CUL_LIMIT;
  } else if (killed && count_oom_kills() != w->oom_kills) {
    o->end = CUL_MACHINE;
  }
}

static void measure(struct cul_outcome *o) {
  struct rusage use;
  getrusage(RUSAGE_CHILDREN, &use);
  o->cpu_us = rusage_us(&use);
  o->rss_bytes = (uint64_t)use.ru_maxrss * 1024;
}

/* Is too little room left for a small file, or are no inodes left? */
static bool has_no_room(const struct statvfs *fs) {
  static const uint64_t least = 64 << 10;
  bool root = geteuid() == 0;
  uint64_t blocks = root ? fs->f_bfree : fs->f_bavail;
  return fs->f_blocks &&
         (blocks * fs->f_frsize < least || (fs->f_files && fs->f_favail == 0));
}

/* Is a file system of the run full?  Call this before the files in TMPDIR are
 * removed. */
static bool is_full(const struct watch *w) {
  const char *cwd = w->s->plan->cwd;
  struct statvfs fs;
  return (w->tmp >= 0 && fstatvfs(w->tmp, &fs) == 0 && has_no_room(&fs)) ||
         (cwd && statvfs(cwd, &fs) == 0 && has_no_room(&fs));
}

static void send_outcome(const struct watch *w, struct cul_outcome *o) {
  struct cul_buf files = {0};
  if (w->trace)
    o->trace_closed = cul_trace_finish(w->trace, &files);
  o->files_len = files.len;
  if (cul_write_all(w->s->result, o, sizeof *o) == 0)
    cul_write_all(w->s->result, files.data, files.len);
}

/* An existing name that is not a link does not belong to culprit. */
static int link_candidate(const struct cul_plan *plan) {
  const char *name = strrchr(plan->link, '/') + 1;
  int error,
      rc = -1,
      dir =
          TEMP_FAILURE_RETRY(open(plan->cwd, O_PATH | O_DIRECTORY | O_CLOEXEC));
  char old[2];
  if (dir >= 0 && (readlinkat(dir, name, old, sizeof old) < 0 ||
                   unlinkat(dir, name, 0) == 0))
    rc = symlinkat(plan->link, dir, name);
  error = errno;
  if (dir >= 0)
    close(dir);
  errno = error;
  return rc;
}

/* Prepare the run before the sandbox is entered, because the link is in the
 * user's directory, where the sandbox forbids writing. */
static int prepare(struct watch *w) {
  w->step = CUL_STEP_CWD;
  return w->s->plan->link ? link_candidate(w->s->plan) : 0;
}

/* Enter the sandbox; without namespaces if none could be created. */
static int enter_box(struct watch *w) {
  w->step = CUL_STEP_ENTER;
  if (w->s->boxed && cul_box_enter(&w->s->plan->box))
    return -1;
  w->step = CUL_STEP_FORK;
  return 0;
}

/* Globals, because a handler of quick_exit has no argument. */
static pid_t guard_pid;
static int guard_result;

/* A handler of quick_exit(3): report that memory ran out.  culprit ends the
 * remaining processes of the run. */
static void say_starved(void) {
  const struct cul_outcome o = {.end = CUL_MACHINE,
                                .failure = {CUL_STEP_STARVED, ENOMEM}};
  if (getpid() == guard_pid)
    cul_write_all(guard_result, &o, sizeof o);
}

static void tell_without_memory(const struct cul_supervision *s) {
  guard_pid = getpid();
  guard_result = s->result;
  cul_no_memory_quietly();
  (void)at_quick_exit(
      say_starved); /* without the handler, it only ends without a report */
}

void cul_supervise(const struct cul_supervision *s) {
  struct watch w = {.s = s, .tmp = -1, .step = CUL_STEP_FORK};
  struct cul_outcome o = {0};
  int keep[] = {s->out, s->err, s->control, s->result};

  setsid();
  prctl(PR_SET_NAME, CUL_GUARD_NAME);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  tell_without_memory(s);
  if (!s->plan->resumes)
    close_others(keep, CUL_ARRAY_SIZE(keep));
  w.tree.signals = reset_signals();
  if (w.tree.signals < 0 || prepare(&w) || enter_box(&w) || start_tool(&w)) {
    o.end = CUL_MACHINE;
    o.failure = (struct cul_tool_failure){w.step, errno};
    send_outcome(&w, &o);
    _exit(0);
  }
  w.oom_kills = count_oom_kills();
  watch_tool(&w);
  o.wall_us = cul_now_us() - w.start_us;
  cul_stays_tell(w.stays, &o.stayed);
  w.unborn = !w.fired && !w.unheard && !w.cancelled && !s->plan->body &&
             !s->plan->resumes && !tree_began(&w.tree);
  /* kills all processes of the namespace at once, so none can escape by
   * forking */
  if (s->boxed && box_holds(&s->plan->box))
    kill(-1, SIGKILL);
  tree_kill(&w.tree);
  if (!w.cancelled) {
    judge_end(&w, &o);
    measure(&o);
  }
  o.full = is_full(&w);
  if (w.tmp >= 0)
    (void)!cul_beneath_empty(w.tmp, NULL);
  if (!w.cancelled)
    send_outcome(&w, &o);
  _exit(0);
}
