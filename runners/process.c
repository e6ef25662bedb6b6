/* The process runner: one run of a program, start to record.
 *
 * culprit forks a supervisor per run (supervisor.h) and keeps four ends of
 * pipes: the tool's standard output and error, the outcome, and a control
 * pipe whose closing kills the run.  Nothing here blocks except cancel. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/file.h"
#include "capture.h"
#include "process.h"

enum { STREAMS = 2, CHUNK = 64 * 1024, KEPT = 1024 * 1024 };

struct cul_run {
  struct cul_plan plan;
  pid_t supervisor; /* -1: the launch failed, fork_error says why */
  int fork_error;
  int streams[STREAMS]; /* stdout, stderr; -1 once they are at their end */
  int result, control;
  struct cul_capture kept[STREAMS];
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

static int make_pipes(int pipes[PIPES][2], struct cul_err *err) {
  for (int i = 0; i < PIPES; i++)
    if (cul_process_pipe(pipes[i])) {
      int error = errno;
      while (i-- > 0) {
        close(pipes[i][0]);
        close(pipes[i][1]);
      }
      return cul_fail(err, CUL_EENV,
                      "raise the limit of open files (ulimit -n) or ask for "
                      "fewer workers (-j)",
                      "cannot make a pipe: %s", strerror(error));
    }
  return 0;
}

/* Namespaces run out on their own; what is asked for strictly is had or not. */
static bool may_do_without(const struct cul_plan *plan, int error) {
  return !(plan->box.parts & (CUL_PART_READS | CUL_PART_NET)) &&
         (error == ENOSPC || error == EUSERS || error == EPERM);
}

pid_t cul_process_fork(const struct cul_supervision *s) {
  sigset_t all, old;
  pid_t pid;
  struct cul_supervision own = *s;
  int error;
  sigfillset(&all);
  /* A handler of culprit must not run in the child. */
  sigprocmask(SIG_BLOCK, &all, &old);
  own.boxed = true;
  pid = cul_box_fork(s->plan->box.parts);
  if (pid < 0 && may_do_without(s->plan, errno)) {
    own.boxed = false;
    pid = fork();
  }
  if (pid == 0)
    cul_supervise(&own);
  error = errno;
  sigprocmask(SIG_SETMASK, &old, NULL);
  errno = error;
  return pid;
}

static pid_t fork_supervisor(const struct cul_artefact *artefact,
                             const struct cul_supervision *s) {
  (void)artefact;
  return cul_process_fork(s);
}

static void run_free(struct cul_run *run) {
  for (int i = 0; i < STREAMS; i++) {
    close_fd(&run->streams[i]);
    cul_capture_release(&run->kept[i]);
  }
  close_fd(&run->result);
  close_fd(&run->control);
  cul_buf_release(&run->outcome);
  cul_plan_release(&run->plan);
  /* Its last deed was to write the outcome; with SIGCHLD ignored the kernel
   * reaps it and this returns ECHILD. */
  if (run->supervisor > 0)
    waitpid(run->supervisor, NULL, 0);
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
    cul_capture_init(&run->kept[i], cap);
    fcntl(run->streams[i], F_SETFL, O_NONBLOCK);
  }
  fcntl(run->result, F_SETFL, O_NONBLOCK);
}

int cul_process_start(const struct cul_artefact *artefact,
                      const struct cul_request *request, const char *tmp,
                      cul_launch *launch, struct cul_run **out,
                      struct cul_err *err) {
  struct cul_run *run = cul_xcalloc(1, sizeof *run);
  int pipes[PIPES][2];
  int rc = cul_plan_init(&run->plan, artefact, request, tmp, err);
  if (!rc)
    rc = make_pipes(pipes, err);
  if (rc) {
    cul_plan_release(&run->plan);
    free(run);
    return rc;
  }
  run->supervisor = launch(artefact, &(struct cul_supervision){
                                         .plan = &run->plan,
                                         .out = pipes[OUT][1],
                                         .err = pipes[ERR][1],
                                         .control = pipes[CONTROL][0],
                                         .result = pipes[RESULT][1],
                                     });
  run->fork_error = errno;
  keep_ends(run, pipes, request->out_bytes ? request->out_bytes : KEPT);
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

/* Take what waits in a stream, at most `chunks` reads so that one flood does
 * not starve the other runs. */
static void drain(struct cul_run *run, int i, int chunks) {
  char data[CHUNK];
  while (run->streams[i] >= 0 && chunks-- > 0) {
    ssize_t n = read(run->streams[i], data, sizeof data);
    if (n > 0)
      cul_capture_add(&run->kept[i], data, (size_t)n);
    else if (n < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    else
      close_fd(&run->streams[i]);
  }
}

/* True once the outcome and its trace lines are here, or never will be. */
static bool take_outcome(struct cul_run *run) {
  struct cul_buf *buf = &run->outcome;
  for (;;) {
    struct cul_outcome o;
    ssize_t n;
    if (buf->len >= sizeof o) {
      memcpy(&o, buf->data, sizeof o);
      if (buf->len == sizeof o + o.files_len)
        return true;
    }
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

/* Tell the user in record->err what culprit, not the tool, found. */
static void explain(const struct cul_run *run, const struct cul_outcome *o,
                    struct cul_buf *out) {
  const struct cul_plan *plan = &run->plan;
  const char *name = plan->path ? plan->path : plan->argv[1];
  const char *why = strerror(o->failure.error);
  if (o->end == CUL_MACHINE && o->stuck)
    cul_buf_addf(out, "process %d of %s does not die of SIGKILL", o->stuck,
                 name);
  else if (o->failure.step == CUL_STEP_LOST)
    cul_buf_addf(out, "the process that watched over %s was killed", name);
  else if (o->failure.step == CUL_STEP_UNBORN)
    cul_buf_addf(out, "the process that was to become %s was killed", name);
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
  else if (o->failure.step == CUL_STEP_BOX)
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

static void fill_record(struct cul_run *run, struct cul_record *out) {
  struct cul_outcome o = {.end = CUL_MACHINE,
                          .failure = {CUL_STEP_LOST, ECHILD}};
  if (run->supervisor < 0)
    o.failure = (struct cul_tool_failure){CUL_STEP_FORK, run->fork_error};
  if (run->outcome.len >= sizeof o)
    memcpy(&o, run->outcome.data, sizeof o);
  *out = (struct cul_record){
      .end = (enum cul_end)o.end,
      .status = o.status,
      .wall_us = o.wall_us,
      .cpu_us = o.cpu_us,
      .pace = (enum cul_pace)o.pace,
      .rss_bytes = o.rss_bytes,
      .trace_closed = o.trace_closed != 0,
  };
  out->truncated = cul_capture_take(&run->kept[0], &out->out) +
                   cul_capture_take(&run->kept[1], &out->err);
  if (o.end == CUL_NOT_STARTED || o.end == CUL_MACHINE)
    explain(run, &o, &out->err);
  if (run->outcome.len == sizeof o + o.files_len)
    cul_buf_add(&out->files, run->outcome.data + sizeof o, o.files_len);
}

int cul_process_advance(struct cul_run *run, struct cul_record *out, bool *done,
                        struct cul_err *err) {
  /* A pipe holds 1 MiB at most; a process outside the tree that still writes
   * cannot keep the run from ending. */
  enum { SOME = 16, ALL = 32 };
  (void)err;
  *done = take_outcome(run);
  for (int i = 0; i < STREAMS; i++)
    drain(run, i, *done ? ALL : SOME);
  if (!*done)
    return 0;
  fill_record(run, out);
  run_free(run);
  return 0;
}

void cul_process_cancel(struct cul_run *run) {
  char byte;
  close_fd(&run->control);
  fcntl(run->result, F_SETFL, 0);
  errno = 0;
  /* The supervisor holds the other end until the tree is dead. */
  while (read(run->result, &byte, 1) > 0 || errno == EINTR)
    errno = 0;
  run_free(run);
}

const struct cul_runner cul_runner_process = {
    .name = "process",
    .summary = "start the command as a process of its own for every run",
    .start = start,
    .fds = cul_process_fds,
    .advance = cul_process_advance,
    .cancel = cul_process_cancel,
};
