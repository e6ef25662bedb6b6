/* Processes and their pipes: see process_pool.h. */
#include "process_pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../probe/target/findings.h"
#include "../../runners/remote/hosts.h"
#include "../../runners/tree/guard.h"

enum { MAX_WORKERS = 512, TICK_MS = 200 };
/* The signal that asks a worker to end, and the time that it has for this. */
enum { TELL = SIGUSR2, GRACE_US = 3 * 1000 * 1000 };
/* MOST_DEATHS: how often a job is repeated whose worker was killed.
 * MOST_REFUSALS: if the machine refuses to make a process, and no worker is
 * running, the pool tries again so often, after increasing pauses (6 s in
 * all). */
enum { MOST_DEATHS = 2, MOST_REFUSALS = 8, FIRST_PAUSE_US = 25 * 1000 };

struct worker {
  pid_t pid; /* 0: free */
  int fd;
  size_t job;
  struct cul_buf said;
  bool out; /* the connection to its places is lost */
};

struct pool {
  const struct cul_process_pool *conf;
  struct worker workers[MAX_WORKERS];
  size_t n_workers, n_running, n_out, next, n;
  size_t *again; /* n_again jobs to repeat */
  size_t n_again;
  unsigned char *deaths; /* deaths of workers, by job */
  unsigned refusals;     /* consecutive refusals by the machine */
  bool told;             /* TELL was sent to the workers */
  uint64_t over_us;      /* when the time limit was reached; 0: not yet */
};

/* ---- in the worker ---- */

static json_t *error_of(const struct cul_err *err) {
  return json_pack("{s:i, s:o, s:o}", "code", err->code, "what",
                   cul_report_string(err->what), "advice",
                   cul_report_string(err->advice));
}

static void write_all(int fd, const char *text, size_t len) {
  while (len > 0) {
    ssize_t n = write(fd, text, len);
    if (n < 0 && errno != EINTR)
      _exit(1);
    text += n > 0 ? n : 0;
    len -= n > 0 ? (size_t)n : 0;
  }
}

/* Workers ignore interrupts; the parent sends TELL instead, exactly once.  A
 * terminal, or a program that ends a process group, signals parent and workers,
 * and a second signal would end a worker at once. */
static void pass_over(int signal_number) { (void)signal_number; }

static void watch_parent(void) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction none = {.sa_handler = pass_over}, end;
  sigemptyset(&none.sa_mask);
  sigaction(SIGTERM, NULL, &end);
  sigaction(TELL, &end, NULL);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ends); i++)
    sigaction(ends[i], &none, NULL);
}

/* Globals, because a handler of quick_exit has no argument. */
static pid_t worker_pid;
static int worker_fd;

/* A handler of quick_exit(3), which cul_no_memory calls: report to the parent
 * that memory ran out. */
static void say_no_memory(void) {
  static const char words[] =
      "{\"code\": -6, \"what\": \"a worker of triage has no memory left\", "
      "\"advice\": \"allow more memory, or give fewer workers (-j)\"}";
  if (getpid() == worker_pid)
    write_all(worker_fd, words, sizeof words - 1);
}

_Noreturn static void be_worker(const struct pool *c, const struct worker *w,
                                size_t job, int fd, pid_t parent) {
  const struct cul_process_pool *conf = c->conf;
  struct cul_err err = {0};
  json_t *result, *answer;
  char *text;
  prctl(PR_SET_NAME, "culprit-triage");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  watch_parent();
  worker_pid = getpid();
  worker_fd = fd;
  (void)at_quick_exit(say_no_memory); /* without the handler, the worker only
                                         ends without a report */
  if (getppid() != parent)
    _exit(1);
  if (conf->conf->part) {
    conf->conf->part[0] = (size_t)(w - c->workers);
    conf->conf->part[1] = c->n_workers;
  }
  result = conf->work(conf->self, job, &err);
  answer = result ? json_pack("{s:o}", "ok", result) : error_of(&err);
  text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
  if (!text)
    _exit(1);
  write_all(fd, text, strlen(text));
  _exit(0);
}

/* ---- in the parent ---- */

static bool has_more(const struct pool *c) {
  return c->n_again > 0 || c->next < c->n;
}

/* The machine refuses a process or a pipe.  If a worker is running, wait for
 * its end; otherwise pause and try again. */
static int put_off(struct pool *c, const char *what, struct cul_err *err) {
  int error = errno;
  if (c->n_running > 0)
    return 0;
  if (c->refusals == MOST_REFUSALS)
    return cul_fail(err, CUL_EENV,
                    "end other programs, or give fewer jobs with -j",
                    "cannot make %s: %s", what, strerror(error));
  usleep((useconds_t)FIRST_PAUSE_US << c->refusals++);
  return 0;
}

static int start(struct pool *c, struct worker *w, struct cul_err *err) {
  pid_t parent = getpid();
  size_t job = c->n_again > 0 ? c->again[c->n_again - 1] : c->next;
  int fds[2];
  if (pipe(fds) < 0)
    return put_off(c, "a pipe to a worker", err);
  fflush(NULL);
  w->pid = fork();
  if (w->pid == 0) {
    close(fds[0]);
    cul_status_view(NULL); /* the parent shows the status */
    be_worker(c, w, job, fds[1], parent);
  }
  close(fds[1]);
  if (w->pid < 0) {
    w->pid = 0;
    close(fds[0]);
    return put_off(c, "a process for a worker", err);
  }
  if (c->n_again > 0)
    c->n_again--;
  else
    c->next++;
  c->refusals = 0;
  w->fd = fds[0];
  w->job = job;
  cul_buf_clear(&w->said);
  c->n_running++;
  return 0;
}

static int take(struct pool *c, struct worker *w, struct cul_err *err) {
  json_t *answer = json_loadb(w->said.data, w->said.len, 0, NULL);
  json_t *ok = json_object_get(answer, "ok");
  const char *what = json_string_value(json_object_get(answer, "what"));
  int code = (int)json_integer_value(json_object_get(answer, "code"));
  int rc = 0;
  if (ok)
    rc = c->conf->take(c->conf->self, w->job, ok, err);
  else if (code == CUL_EENV && what && c->conf->conf->environment.n_on &&
           c->n_out + 1 < c->n_workers) {
    cul_status_note(UINT64_MAX, "%s; going on elsewhere", what);
    w->out = true;
    c->n_out++;
    c->again[c->n_again++] = w->job;
  } else if (code && what)
    rc = cul_fail(err, code,
                  json_string_value(json_object_get(answer, "advice")), "%s",
                  what);
  else if (c->deaths[w->job]++ < MOST_DEATHS)
    c->again[c->n_again++] = w->job;
  else
    rc = cul_fail(err, CUL_EENV,
                  "allow more memory, or ask for fewer jobs (-j), and run the "
                  "same command again",
                  "a worker of triage died repeatedly");
  json_decref(answer);
  return rc;
}

/* Reap a worker that has closed its pipe, and take its result.  wanted: report
 * errors. */
static int finish(struct pool *c, struct worker *w, bool wanted,
                  struct cul_err *err) {
  int rc;
  close(w->fd);
  while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
    ;
  w->pid = 0;
  c->n_running--;
  rc = wanted ? take(c, w, err) : take(c, w, &(struct cul_err){0});
  return wanted ? rc : 0;
}

static bool read_some(struct worker *w) {
  char piece[1 << 14];
  ssize_t n = read(w->fd, piece, sizeof piece);
  if (n > 0)
    cul_buf_add(&w->said, piece, (size_t)n);
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Pass an interrupt of this process on to the workers. */
static void pass_on(struct pool *c) {
  if (c->told || !c->conf->conf->interrupted || !*c->conf->conf->interrupted)
    return;
  c->told = true;
  for (size_t i = 0; i < c->n_workers; i++)
    if (c->workers[i].pid)
      kill(c->workers[i].pid, TELL);
}

/* Continue workers that a tool has stopped.  Kill the workers if the time limit
 * was reached GRACE_US ago; the processes that they leave end with the job. */
static void keep_going(struct pool *c) {
  uint64_t now = cul_now_us();
  bool late;
  if (!c->over_us && cul_triage_time_left(c->conf->conf, &(struct cul_err){0}))
    c->over_us = now;
  late = c->over_us && now - c->over_us >= GRACE_US;
  for (size_t i = 0; i < c->n_workers; i++) {
    pid_t pid = c->workers[i].pid;
    if (pid)
      (void)cul_guard_is_sound(pid);
    if (pid && late)
      kill(pid, SIGKILL);
  }
}

/* Wait for results.  rc: an earlier error; then results are still taken, but
 * their errors are ignored. */
static int wait_for_some(struct pool *c, int rc, struct cul_err *err) {
  struct pollfd fds[MAX_WORKERS];
  for (size_t i = 0; i < c->n_workers; i++)
    fds[i] =
        (struct pollfd){c->workers[i].pid ? c->workers[i].fd : -1, POLLIN, 0};
  poll(fds, (nfds_t)c->n_workers, TICK_MS);
  cul_status_beat();
  pass_on(c);
  keep_going(c);
  for (size_t i = 0; i < c->n_workers; i++) {
    struct worker *w = &c->workers[i];
    int found;
    if (!w->pid || !fds[i].revents || read_some(w))
      continue;
    found = finish(c, w, rc == 0, err);
    rc = rc ? rc : found;
  }
  return rc;
}

static int start_some(struct pool *c, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < c->n_workers && has_more(c) && rc == 0; i++)
    if (!c->workers[i].pid && !c->workers[i].out)
      rc = start(c, &c->workers[i], err);
  return rc;
}

/* The number of workers; with --on, each has at least one place. */
static size_t workers_of(const struct cul_process_pool *pool) {
  long places = (long)cul_hosts_places(&pool->conf->environment);
  long n = pool->workers > 0 ? pool->workers
           : places          ? places
                             : sysconf(_SC_NPROCESSORS_ONLN);
  if (places && n > places)
    n = places;
  return n < 1 ? 1 : n > MAX_WORKERS ? MAX_WORKERS : (size_t)n;
}

int cul_process_pool_run(const struct cul_process_pool *pool, size_t n,
                         struct cul_err *err) {
  struct pool c = {.conf = pool, .n = n};
  int rc = 0;
  c.again = cul_xcalloc(n + 1, sizeof *c.again);
  c.deaths = cul_xcalloc(n + 1, sizeof *c.deaths);
  c.n_workers = workers_of(pool);
  while (c.n_running || (rc == 0 && has_more(&c))) {
    if (rc == 0)
      rc = cul_triage_time_left(pool->conf, err);
    if (rc == 0)
      rc = start_some(&c, err);
    if (c.n_running)
      rc = wait_for_some(&c, rc, err);
  }
  if (rc == 0) /* the time limit may have ended the last ones early */
    rc = cul_triage_time_left(pool->conf, err);
  for (size_t i = 0; i < c.n_workers; i++)
    cul_buf_release(&c.workers[i].said);
  free(c.again);
  free(c.deaths);
  return rc;
}
