/* The process runner: one run of a program, start to record.
 *
 * culprit forks a supervisor per run (supervisor.h) and keeps four ends of
 * pipes: the tool's standard output and error, the outcome, and a control pipe
 * whose closing kills the run.  Only cancel blocks, and not for long.
 *
 * The supervisor enforces the deadline and kills the tree.  It runs as the same
 * user as the tool, which may stop, trace or kill it; then the deadline is
 * enforced here (is_stuck), and the tree is killed from here (strays.h).  A run
 * that the machine refuses to start waits here, too. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../base/again.h"
#include "../base/clock.h"
#include "../base/files/file.h"
#include "../base/status.h"
#include "tree/guard.h"
#include "tree/proc.h"
#include "tree/strays.h"

/* ---- the output ---- */

/* The output of a tool up to a limit: its beginning and its end. */
struct capture {
  size_t cap;          /* bytes kept at most */
  struct cul_buf head; /* up to cap / 2 */
  char *ring;          /* the last cap - cap / 2 of the rest */
  uint64_t total;      /* bytes seen */
};

static void capture_init(struct capture *c, size_t cap) {
  *c = (struct capture){.cap = cap};
}

/* Append to the ring; seen: bytes that went into it before. */
static void ring_add(struct capture *c, uint64_t seen, const char *data,
                     size_t len) {
  size_t room = c->cap - c->cap / 2;
  if (!c->ring)
    c->ring = cul_xmalloc(room);
  if (len > room) {
    seen += len - room;
    data += len - room;
    len = room;
  }
  while (len) {
    size_t at = (size_t)(seen % room);
    size_t n = len < room - at ? len : room - at;
    memcpy(c->ring + at, data, n);
    seen += n;
    data += n;
    len -= n;
  }
}

static void capture_add(struct capture *c, const char *data, size_t len) {
  size_t half = c->cap / 2;
  size_t n = half > c->head.len ? half - c->head.len : 0;
  if (n > len)
    n = len;
  cul_buf_add(&c->head, data, n);
  c->total += n;
  if (len > n)
    ring_add(c, c->total - half, data + n, len - n);
  c->total += len - n;
}

static void capture_release(struct capture *c) {
  cul_buf_release(&c->head);
  free(c->ring);
  *c = (struct capture){.cap = c->cap};
}

/* Move the text out, with a line that gives the number of bytes cut; returns
 * that number.  The capture is released. */
static uint64_t capture_take(struct capture *c, struct cul_buf *out) {
  size_t half = c->cap / 2, room = c->cap - half;
  uint64_t rest = c->total - c->head.len;
  uint64_t cut = rest > room ? rest - room : 0;
  size_t at = cut ? (size_t)(rest % room) : 0;

  *out = c->head;
  c->head = (struct cul_buf){0};
  if (cut)
    cul_buf_addf(out, "\n[... %" PRIu64 " bytes cut ...]\n", cut);
  if (cut)
    cul_buf_add(out, c->ring + at, room - at);
  if (rest)
    cul_buf_add(out, c->ring, cut ? at : (size_t)rest);
  capture_release(c);
  return cut;
}

/* ---- the run ---- */

enum { STREAMS = 2, CHUNK = 64 * 1024, KEPT = 1024 * 1024 };

static const uint64_t second = 1000 * 1000;

struct cul_run {
  struct cul_plan plan;
  const struct cul_artefact *artefact; /* borrowed */
  cul_launch *launch;
  size_t cap;       /* bytes kept of each stream */
  pid_t supervisor; /* -1: the launch failed, fork_error has the reason; 0: it
                       is not a child of this process, and not found yet */
  int fork_error;
  uint64_t start_us;
  uint64_t asked_us;    /* the first launch that was refused; 0 = none */
  uint64_t again_us;    /* when to launch again; 0 = it is launched */
  unsigned refused;     /* launches */
  uint64_t hung_up_us;  /* 0 = not cancelled */
  uint64_t looked_us;   /* at the supervisor */
  uint64_t sound_us;    /* when it was seen to run, or to wait, last */
  bool forced;          /* killed from here */
  bool deaf;            /* part of its output cannot be read */
  bool unheard;         /* the starter has not started it */
  int streams[STREAMS]; /* stdout, stderr; -1 once they are at their end */
  int result, control;
  struct capture kept[STREAMS];
  struct cul_buf outcome; /* bytes of struct cul_outcome and trace lines */
};

static void close_fd(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

int cul_process_pipe(int ends[2]) {
  int low[2], error;
  if (pipe2(low, O_CLOEXEC))
    return -1;
  if (low[0] > STDERR_FILENO && low[1] > STDERR_FILENO) {
    memcpy(ends, low, sizeof low);
    return 0;
  }
  for (int i = 0; i < 2; i++)
    ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
  error = errno;
  close(low[0]);
  close(low[1]);
  if (ends[0] >= 0 && ends[1] >= 0)
    return 0;
  close_fd(&ends[0]);
  close_fd(&ends[1]);
  errno = error;
  return -1;
}

/* The four pipes: out, err, result, control. */
enum { OUT, ERR, RESULT, CONTROL, PIPES };

/* -1 with errno. */
static int make_pipes(int pipes[PIPES][2]) {
  for (int i = 0; i < PIPES; i++)
    if (cul_process_pipe(pipes[i])) {
      int error = errno;
      while (i-- > 0) {
        close(pipes[i][0]);
        close(pipes[i][1]);
      }
      errno = error;
      return -1;
    }
  return 0;
}

static pid_t fork_supervisor(const struct cul_artefact *artefact,
                             const struct cul_supervision *s) {
  (void)artefact;
  return cul_supervisor_fork(s);
}

static void let_go_of_fds(struct cul_run *run) {
  for (int i = 0; i < STREAMS; i++) {
    close_fd(&run->streams[i]);
    capture_release(&run->kept[i]);
  }
  close_fd(&run->result);
  close_fd(&run->control);
  cul_buf_release(&run->outcome);
}

/* All that the supervisor had is dead before it speaks; its own last moment
 * takes as long as some tools.  Where SIGCHLD is ignored it leaves no zombie,
 * and only its network has to be free again. */
static bool is_awaited(const struct cul_run *run) {
  struct sigaction children;
  return run->plan.box.network || sigaction(SIGCHLD, NULL, &children) < 0 ||
         children.sa_handler != SIG_IGN;
}

static void run_free(struct cul_run *run) {
  bool waits = is_awaited(run);
  let_go_of_fds(run);
  if (run->supervisor > 0 && (run->forced || !waits))
    waitpid(run->supervisor, NULL, WNOHANG);
  else if (run->supervisor > 0 && cul_guard_reap(run->supervisor, 1000))
    cul_box_give_network(&run->plan.box, run->plan.sandbox);
  cul_plan_release(&run->plan);
  free(run);
}

/* Our ends of the pipes; the others are closed. */
static void keep_ends(struct cul_run *run, int pipes[PIPES][2], size_t cap) {
  run->streams[0] = pipes[OUT][0];
  run->streams[1] = pipes[ERR][0];
  run->result = pipes[RESULT][0];
  run->control = pipes[CONTROL][1];
  close(pipes[OUT][1]);
  close(pipes[ERR][1]);
  close(pipes[RESULT][1]);
  close(pipes[CONTROL][0]);
  for (int i = 0; i < STREAMS; i++) {
    capture_init(&run->kept[i], cap);
    fcntl(run->streams[i], F_SETFL, O_NONBLOCK);
  }
  fcntl(run->result, F_SETFL, O_NONBLOCK);
}

/* Errors: -1 with errno; 0 where only the fork failed, see fork_error. */
static int launch(struct cul_run *run) {
  int pipes[PIPES][2];
  run->deaf = false;
  if (make_pipes(pipes)) {
    run->supervisor = -1;
    run->fork_error = errno;
    return -1;
  }
  run->supervisor = run->launch(run->artefact, &(struct cul_supervision){
                                                   .plan = &run->plan,
                                                   .out = pipes[OUT][1],
                                                   .err = pipes[ERR][1],
                                                   .control = pipes[CONTROL][0],
                                                   .result = pipes[RESULT][1],
                                               });
  run->fork_error = errno;
  run->start_us = run->sound_us = run->looked_us = cul_now_us();
  keep_ends(run, pipes, run->cap);
  return run->supervisor < 0 ? (errno = run->fork_error, -1) : 0;
}

/* When a run was given up that the machine had refused for long; 0: see
 * cul_runners_share. */
static _Atomic uint64_t of_process, *in_vain_us = &of_process;

void cul_runners_share(void) {
  void *page = mmap(NULL, sizeof *in_vain_us, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED && in_vain_us == &of_process)
    in_vain_us = page;
}

/* A launch was refused.  False: for good. */
static bool postpone(struct cul_run *run, int error) {
  static const uint64_t most_us = 200 * 1000;
  uint64_t now = cul_now_us(), pause_us = 1000ULL << run->refused;
  bool again = *in_vain_us && now - *in_vain_us < 60 * second;
  if (!cul_is_transient(error))
    return false;
  if (!run->asked_us)
    run->asked_us = now;
  if (now - run->asked_us > (again ? second / 2 : 20 * second)) {
    *in_vain_us = now;
    return false;
  }
  if (run->refused < 8)
    run->refused++;
  run->again_us = now + (pause_us < most_us ? pause_us : most_us);
  let_go_of_fds(run);
  run->supervisor = -1;
  if (run->refused > 4)
    cul_status_transient(CUL_TRANSIENT_START,
                         "note:      the machine refuses to start a run (%s): "
                         "trying again, with fewer at a time",
                         strerror(error));
  return true;
}

/* A transient refusal ends within a few milliseconds; the caller that waits for
 * the run returns after 100 ms at the latest. */
static void launch_patiently(struct cul_run *run) {
  enum { AT_ONCE = 4 };
  run->again_us = 0;
  for (unsigned i = 0; launch(run) < 0 && postpone(run, run->fork_error); i++) {
    uint64_t now = cul_now_us();
    struct timespec pause = {0};
    if (i == AT_ONCE || run->refused > AT_ONCE)
      return;
    if (run->again_us > now)
      pause.tv_nsec = (long)(run->again_us - now) * 1000;
    nanosleep(&pause, NULL);
    run->again_us = 0;
  }
}

int cul_process_start(const struct cul_artefact *artefact,
                      const struct cul_request *request, const char *tmp,
                      cul_launch *launcher, struct cul_run **out,
                      struct cul_err *err) {
  struct cul_run *run = cul_xcalloc(1, sizeof *run);
  int rc = cul_plan_init(&run->plan, artefact, request, tmp, err);
  if (rc) {
    cul_plan_release(&run->plan);
    free(run);
    return rc;
  }
  run->artefact = artefact;
  run->launch = launcher;
  run->cap = request->out_bytes ? request->out_bytes : KEPT;
  run->streams[0] = run->streams[1] = run->result = run->control = -1;
  launch_patiently(run);
  *out = run;
  return 0;
}

static int start(const struct cul_artefact *artefact,
                 const struct cul_request *request, const char *tmp,
                 struct cul_run **out, struct cul_err *err) {
  return cul_process_start(artefact, request, tmp, fork_supervisor, out, err);
}

size_t cul_process_fds(const struct cul_run *run, struct pollfd *out,
                       size_t max) {
  const int all[] = {run->result, run->streams[0], run->streams[1]};
  size_t n = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(all) && n < max; i++)
    if (all[i] >= 0)
      out[n++] = (struct pollfd){all[i], POLLIN, 0};
  return n;
}

/* Read pending data of a stream, with at most `chunks` reads, so that one flood
 * does not starve the other runs; at the end of the run read everything. */
static void drain(struct cul_run *run, int i, int chunks) {
  char data[CHUNK];
  while (run->streams[i] >= 0 && chunks-- > 0) {
    ssize_t n = TEMP_FAILURE_RETRY(read(run->streams[i], data, sizeof data));
    if (n > 0)
      capture_add(&run->kept[i], data, (size_t)n);
    else if (n < 0 && errno == EAGAIN)
      return;
    else
      run->deaf |= n < 0, close_fd(&run->streams[i]);
  }
}

/* Read the supervisor's report, with the place to which its run wrote.  False:
 * it is incomplete. */
static bool is_told(const struct cul_run *run, struct cul_outcome *out) {
  if (run->outcome.len < sizeof *out)
    return false;
  memcpy(out, run->outcome.data, sizeof *out);
  return run->outcome.len == sizeof *out + out->files_len;
}

/* True once the outcome and its trace lines are here, or never will be. */
static bool take_outcome(struct cul_run *run) {
  struct cul_buf *buf = &run->outcome;
  for (;;) {
    struct cul_outcome o;
    ssize_t n;
    if (is_told(run, &o))
      return true;
    cul_buf_reserve(buf, 4096);
    n = read(run->result, buf->data + buf->len, buf->cap - buf->len - 1);
    if (n < 0)
      return errno != EAGAIN && errno != EINTR;
    if (n == 0)
      return true;
    buf->len += (size_t)n;
    buf->data[buf->len] = '\0';
  }
}

static struct cul_outcome outcome_of(const struct cul_run *run) {
  uint64_t us = cul_now_us() - run->start_us;
  struct cul_outcome o;
  if (!run->deaf && is_told(run, &o))
    return o;
  o = (struct cul_outcome){.end = CUL_MACHINE,
                           .failure = {CUL_STEP_LOST, ECHILD}};
  if (run->supervisor < 0)
    o.failure = (struct cul_tool_failure){CUL_STEP_FORK, run->fork_error};
  if (run->forced && !run->unheard && run->plan.wall_ms &&
      us >= run->plan.wall_ms * 1000)
    o = (struct cul_outcome){.end = CUL_DEADLINE, .wall_us = us};
  return o;
}

static bool says(const struct cul_buf *text, int error) {
  return strstr(cul_buf_str(text), strerror(error)) != NULL;
}

/* The failure of a tool for lack of disk space is not an answer about its
 * input. */
static void find_lack_of_room(struct cul_record *record) {
  bool ended = record->end == CUL_EXITED || record->end == CUL_SIGNALED;
  if (!record->full || !ended ||
      (record->end == CUL_EXITED && record->status == 0) ||
      !(says(&record->err, ENOSPC) || says(&record->out, ENOSPC) ||
        says(&record->err, EDQUOT) || says(&record->out, EDQUOT)))
    return;
  record->end = CUL_MACHINE;
  record->status = 0;
  cul_buf_clear(&record->err);
  cul_buf_addf(&record->err,
               "no room is left where the tool writes (TMPDIR): %s\n",
               strerror(ENOSPC));
}

static void fill_record(struct cul_run *run, struct cul_record *out) {
  struct cul_outcome o = outcome_of(run);
  *out = (struct cul_record){
      .end = (enum cul_end)o.end,
      .status = o.end == CUL_MACHINE ? o.failure.error : o.status,
      .wall_us = o.wall_us,
      .cpu_us = o.cpu_us,
      .pace = (enum cul_pace)o.pace,
      .limit = (enum cul_limit)o.limit,
      .stayed = o.stayed,
      .rss_bytes = o.rss_bytes,
      .full = o.full != 0,
      .trace_closed = o.trace_closed != 0,
  };
  out->truncated = capture_take(&run->kept[0], &out->out) +
                   capture_take(&run->kept[1], &out->err);
  if (o.end == CUL_NOT_STARTED || o.end == CUL_MACHINE)
    cul_guard_explain(&run->plan, &o, &out->err);
  find_lack_of_room(out);
  if (o.files_len)
    cul_buf_add(&out->files, run->outcome.data + sizeof o, o.files_len);
}

/* ---- a supervisor that does not do its work ---- */

/* A killed process is dead, dying, or cannot die. */
static void end_from_here(struct cul_run *run, uint64_t until_us) {
  enum { MOST = 64 };
  pid_t roots[MOST];
  size_t n = cul_proc_writers(run->result, roots, MOST - 1);
  struct cul_proc proc;
  if (run->supervisor > 0 && cul_proc_look(run->supervisor, &proc) &&
      proc.parent == getpid())
    roots[n++] = run->supervisor;
  run->forced = true;
  cul_strays_end_below(roots, n, until_us);
  cul_strays_end(false);
  cul_guard_empty_tmp(&run->plan);
}

/* A guard that is none of our children is found by its end of the pipe. */
static void find_supervisor(struct cul_run *run, uint64_t age_us) {
  enum { MOST = 16 };
  pid_t pids[MOST];
  uint64_t wall_us = run->plan.wall_ms * 1000;
  if (run->supervisor != 0 || !wall_us || age_us < wall_us + second)
    return;
  run->unheard = cul_proc_writers(run->result, pids, MOST) == 0;
  if (!run->unheard)
    run->supervisor = pids[0];
}

/* Looks at the supervisor now and then.  True: it has been stopped, traced or
 * dead for a second, and there is nothing left to wait for. */
static bool is_stuck(struct cul_run *run) {
  static const uint64_t each_us = 90 * 1000, most_s = 140, stretch = 10;
  uint64_t now = cul_now_us(), age_us = now - run->start_us;
  uint64_t wall_us = run->plan.wall_ms * 1000;
  bool out_of_time = wall_us && age_us > stretch * wall_us + most_s * second;
  if (now - run->looked_us < each_us || age_us < second / 2)
    return false;
  run->looked_us = now;
  find_supervisor(run, age_us);
  if (run->supervisor <= 0)
    return run->unheard || out_of_time;
  if (cul_guard_is_sound(run->supervisor))
    run->sound_us = now;
  if (now - run->sound_us > second && wall_us && age_us > wall_us + second / 2)
    return true;
  return out_of_time;
}

/* The supervisor died without a word, or where it stood; its orphans come to
 * this process a moment later than the end of its pipe. */
static void clear_up_after(struct cul_run *run) {
  if (run->supervisor > 0)
    cul_guard_reap(run->supervisor, 1000);
  cul_strays_end(false);
  cul_guard_empty_tmp(&run->plan);
}

/* ---- the end ---- */

/* The tool never ran: the machine lacked a resource for a while, or refused a
 * part of the sandbox.  True: the run is launched again. */
static bool relaunch(struct cul_run *run) {
  pid_t supervisor = run->supervisor;
  struct cul_outcome o;
  bool again = false;
  if (!is_told(run, &o) || !o.failure.error ||
      (o.end != CUL_MACHINE && o.end != CUL_NOT_STARTED))
    return false;
  if (o.end == CUL_MACHINE)
    again = postpone(run, o.failure.error);
  if (!again && cul_guard_leave_box(&run->plan, &o.failure)) {
    let_go_of_fds(run);
    run->again_us = cul_now_us();
    again = true;
  }
  if (again && supervisor > 0)
    cul_guard_reap(supervisor, 1000);
  run->supervisor = again ? -1 : supervisor;
  return again;
}

static bool died(const struct cul_run *run) {
  struct cul_outcome o;
  if (!is_told(run, &o))
    return run->supervisor >= 0;
  return o.end == CUL_MACHINE && o.failure.step == CUL_STEP_STARVED;
}

/* True: it is over, one way or another. */
static bool is_over(struct cul_run *run) {
  if (take_outcome(run)) {
    if (died(run))
      clear_up_after(run);
    return true;
  }
  if (!is_stuck(run))
    return false;
  end_from_here(run, cul_now_us() + second);
  return true;
}

int cul_process_advance(struct cul_run *run, struct cul_record *out, bool *done,
                        struct cul_err *err) {
  /* A pipe holds 1 MiB at most; a process outside the tree that still writes
   * cannot keep the run from ending. */
  enum { SOME = 16, ALL = 32 };
  (void)err;
  *done = false;
  if (run->again_us && cul_now_us() < run->again_us)
    return 0;
  if (run->again_us)
    launch_patiently(run);
  if (run->again_us)
    return 0;
  *done = is_over(run);
  for (int i = 0; i < STREAMS; i++)
    drain(run, i, *done ? ALL : SOME);
  if (!*done || relaunch(run))
    return *done = false, 0;
  fill_record(run, out);
  if (run->asked_us && out->end != CUL_MACHINE)
    *in_vain_us = 0;
  run_free(run);
  return 0;
}

void cul_process_hang_up(struct cul_run *run) {
  close_fd(&run->control);
  if (!run->hung_up_us)
    run->hung_up_us = cul_now_us();
}

/* The supervisor holds the other end until the tree is dead. */
static bool has_ended(const struct cul_run *run) {
  char bytes[4096];
  struct pollfd end = {run->result, POLLIN, 0};
  ssize_t n;
  if (poll(&end, 1, 20) <= 0)
    return false;
  n = read(run->result, bytes, sizeof bytes);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

void cul_process_cancel(struct cul_run *run) {
  cul_process_hang_up(run);
  run->supervisor = run->again_us ? -1 : run->supervisor;
  while (run->result >= 0 && !has_ended(run)) {
    if (run->supervisor > 0)
      cul_guard_is_sound(run->supervisor);
    if (cul_now_us() - run->hung_up_us <= second)
      continue;
    end_from_here(run, run->hung_up_us + 2 * second);
    break;
  }
  run_free(run);
}

const struct cul_runner cul_runner_process = {
    .name = "process",
    .summary = "start the command as a process of its own for every run",
    .start = start,
    .fds = cul_process_fds,
    .advance = cul_process_advance,
    .cancel = cul_process_cancel,
    .hang_up = cul_process_hang_up,
};
