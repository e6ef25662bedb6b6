/* See slurm.h. */
#include "slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../base/buf.h"
#include "../../base/clock.h"
#include "../../base/status.h"

/* Limits for the time in which salloc releases the allocation, and for the time
 * that culprit waits for it at its end. */
enum { RELEASE_MS = 60 * 1000, GOODBYE_MS = 10 * 1000 };
enum { MOST_TASKS = 4096 };

struct cul_allocation {
  pid_t pid;     /* the process that runs salloc; 0: culprit did not make the
                    allocation */
  int control;   /* closing it ends the allocation; -1: none */
  int out, said; /* output of salloc's command, and of salloc; -1: none */
  struct cul_buf words; /* an incomplete line of said */
  char *last;           /* the last line of said, or NULL */
  char **places;
  size_t n;
};

static void close_fd(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

/* ---- the process that holds salloc ---- */

/* The command of salloc: it prints the granted allocation, and runs as long as
 * its standard input is open. */
static const char script_text[] =
    "echo; echo culprit-granted; env | grep '^SLURM_'; echo culprit-end; "
    "cat >/dev/null";

static _Noreturn void become_salloc(const char *options, const int fds[3]) {
  char *text = cul_xasprintf("exec salloc --no-kill %s sh -c \"$1\"", options);
  char *script = cul_xstrdup(script_text);
  char shell[] = "sh", option[] = "-c";
  char *argv[] = {shell, option, text, shell, script, NULL};
  sigset_t none;
  sigemptyset(&none);
  for (int i = SIGHUP; i <= SIGTERM; i++)
    signal(i, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int i = 0; i < 3; i++)
    if (dup2(fds[i], i) < 0)
      _exit(126);
  signal(SIGPIPE, SIG_IGN); /* nobody may read its last output */
  execv("/bin/sh", argv);
  _exit(127);
}

/* Run salloc, and end the allocation when culprit ends, for any reason: salloc
 * releases it when its command ends, or cancels its request when it receives a
 * signal. */
static _Noreturn void hold(const char *options, int control, int out,
                           int said) {
  struct pollfd ends[2];
  int input[2];
  pid_t pid;
  prctl(PR_SET_NAME, "culprit-slurm");
  setsid();
  signal(SIGCHLD, SIG_DFL);
  for (int i = SIGHUP; i <= SIGTERM; i++)
    if (i != SIGKILL)
      signal(i, SIG_IGN);
  if (pipe2(input, O_CLOEXEC) < 0 || (pid = fork()) < 0)
    _exit(126);
  if (pid == 0)
    become_salloc(options, (const int[]){input[0], out, said});
  if (dup2(control, 0) < 0 || dup2(input[1], 1) < 0)
    _exit(126);
  close_range(2, ~0U, 0);
  ends[0] = (struct pollfd){0, POLLIN, 0};
  ends[1] = (struct pollfd){(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0};
  while (poll(ends, 2, -1) < 0 && errno == EINTR)
    ;
  if (!ends[1].revents) {
    close(1);
    kill(pid, SIGTERM);
    cul_wait_readable(ends[1].fd, RELEASE_MS);
  }
  kill(pid, SIGKILL);
  _exit(0);
}

static bool spawn(struct cul_allocation *slurm, const char *options) {
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  bool ok = true;
  for (int i = 0; i < 3 && ok; i++)
    ok = pipe2(pipes[i], O_CLOEXEC) == 0;
  slurm->pid = ok ? fork() : -1;
  if (slurm->pid == 0) {
    /* above 2, because 0 to 2 become those of salloc */
    int control = fcntl(pipes[0][0], F_DUPFD_CLOEXEC, 3);
    int out = fcntl(pipes[1][1], F_DUPFD_CLOEXEC, 3);
    int said = fcntl(pipes[2][1], F_DUPFD_CLOEXEC, 3);
    close(pipes[0][1]);
    hold(options, control, out, said);
  }
  close_fd(&pipes[0][0]);
  close_fd(&pipes[1][1]);
  close_fd(&pipes[2][1]);
  slurm->control = pipes[0][1];
  slurm->out = pipes[1][0];
  slurm->said = pipes[2][0];
  return slurm->pid > 0;
}

/* ---- output of salloc ---- */

/* Show each complete line of salloc once. */
static void tell(struct cul_allocation *slurm) {
  struct cul_buf *words = &slurm->words;
  char piece[4096], *end;
  ssize_t n;
  if (slurm->said < 0)
    return;
  while ((n = read(slurm->said, piece, sizeof piece)) > 0)
    cul_buf_add(words, piece, (size_t)n);
  if (n == 0 && words->len)
    cul_buf_adds(words, "\n");
  while (words->len && (end = memchr(words->data, '\n', words->len))) {
    size_t len = (size_t)(end - words->data);
    if (len) {
      free(slurm->last);
      slurm->last = cul_xstrndup(words->data, len < 300 ? len : 300);
      cul_status_note(UINT64_MAX, "%s", slurm->last);
    }
    words->len -= len + 1;
    memmove(words->data, end + 1, words->len);
  }
  if (n == 0)
    close_fd(&slurm->said);
}

/* Wait for the complete output of script_text.  False: salloc has ended. */
static bool is_granted(struct cul_allocation *slurm, struct cul_buf *text) {
  char piece[4096];
  ssize_t n = read(slurm->out, piece, sizeof piece);
  if (n > 0)
    cul_buf_add(text, piece, (size_t)n);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static int wait_for_grant(struct cul_allocation *slurm, const char *options,
                          const struct cul_patience *patience,
                          struct cul_buf *text, struct cul_err *err) {
  int rc = 0;
  bool is_there = true;
  if (!spawn(slurm, options))
    return cul_fail(err, CUL_EENV, "end other programs",
                    "cannot start salloc: %s", strerror(errno));
  fcntl(slurm->out, F_SETFL, O_NONBLOCK);
  fcntl(slurm->said, F_SETFL, O_NONBLOCK);
  while (rc == 0 && is_there && !strstr(cul_buf_str(text), "\nculprit-end\n")) {
    struct pollfd ends[] = {{slurm->out, POLLIN, 0}, {slurm->said, POLLIN, 0}};
    (void)poll(ends, 2, 100);
    cul_status_beat();
    is_there = is_granted(slurm, text);
    tell(slurm);
    rc = patience->left(patience->self, err);
  }
  if (rc == 0 && !is_there) {
    for (int i = 0; i < 20 && slurm->said >= 0; i++) {
      (void)poll(&(struct pollfd){slurm->said, POLLIN, 0}, 1, 100);
      tell(slurm);
    }
    rc = cul_fail(err, CUL_EENV,
                  "try salloc with these options by hand, or start "
                  "culprit in an allocation",
                  "--slurm: salloc gave no allocation: %s",
                  slurm->last ? slurm->last : "it said nothing");
  }
  return rc;
}

/* ---- places ---- */

/* The variables of an allocation, as lines; NULL: those of this process. */
struct granted {
  const char *lines;
};

/* The value of a variable, heap; NULL: it is not set. */
static char *get(const struct granted *from, const char *name) {
  char *key, *value = NULL;
  const char *at;
  if (!from->lines)
    return getenv(name) ? cul_xstrdup(getenv(name)) : NULL;
  key = cul_xasprintf("\n%s=", name);
  at = strstr(from->lines, key);
  if (at) {
    at += strlen(key);
    value = cul_xstrndup(at, strcspn(at, "\n"));
  }
  free(key);
  return value;
}

/* The same, but only a value that needs no quoting in a shell. */
static char *get_word(const struct granted *from, const char *name) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:._-";
  char *value = get(from, name);
  if (!value || (*value && !value[strspn(value, plain)]))
    return value;
  free(value);
  return NULL;
}

/* Read the next number of a list such as "2(x3),1".  *times: the number of
 * nodes to which it applies. */
static const char *next_of(const char *at, unsigned long *value,
                           unsigned long *times) {
  char *end;
  *value = strtoul(at, &end, 10);
  *times = 1;
  if (end == at)
    return NULL;
  if (strncmp(end, "(x", 2) == 0) {
    *times = strtoul(end + 2, &end, 10);
    end += *end == ')';
  }
  return end + (*end == ',');
}

/* Number k of such a list; 0: the list is shorter. */
static unsigned long number_of(const char *list, unsigned long k) {
  unsigned long value, times;
  while (list && *list && (list = next_of(list, &value, &times))) {
    if (k < times)
      return value;
    k -= times;
  }
  return 0;
}

/* The GPUs of one of so many tasks: "a100:2" of "a100:4" for 2 tasks; NULL:
 * fewer GPUs than tasks.  Heap. */
static char *share_of(const char *gpus, unsigned long tasks) {
  const char *colon = strrchr(gpus, ':');
  const char *number = colon ? colon + 1 : gpus;
  unsigned long share = strtoul(number, NULL, 10) / (tasks ? tasks : 1);
  return share ? cul_xasprintf("%.*s%lu", (int)(number - gpus), gpus, share)
               : NULL;
}

/* Append the options for the share of one of n tasks of a node.  Without them,
 * a step would get the whole node, and the next one would wait. */
static void add_share(const struct granted *from, unsigned long node,
                      unsigned long n, struct cul_buf *out) {
  char *cpus = get_word(from, "SLURM_CPUS_PER_TASK");
  char *all_cpus = get(from, "SLURM_JOB_CPUS_PER_NODE");
  char *memory = get_word(from, "SLURM_MEM_PER_CPU");
  char *gpu_memory = get_word(from, "SLURM_MEM_PER_GPU");
  char *gpus = get_word(from, "SLURM_GPUS_PER_TASK");
  char *node_gpus = get_word(from, "SLURM_GPUS_PER_NODE");
  unsigned long share =
      cpus ? strtoul(cpus, NULL, 10) : number_of(all_cpus, node) / n;
  if (!gpus && node_gpus)
    gpus = share_of(node_gpus, n);
  cul_buf_addf(out, " --cpus-per-task=%lu", share ? share : 1);
  if (memory)
    cul_buf_addf(out, " --mem-per-cpu=%s", memory);
  else if (gpu_memory)
    cul_buf_addf(out, " --mem-per-gpu=%s", gpu_memory);
  else
    cul_buf_adds(out, " --mem=0"); /* all memory, but shared */
  if (gpus)
    cul_buf_addf(out, " --gpus-per-task=%s", gpus);
  free(cpus);
  free(all_cpus);
  free(memory);
  free(gpu_memory);
  free(gpus);
  free(node_gpus);
}

/* Unset variables that srun reads as options and that concern all tasks. */
static void add_unset(struct cul_buf *out) {
  static const char *const names[] = {
      "SLURM_NTASKS_PER_NODE", "SLURM_NTASKS_PER_CORE",
      "SLURM_NTASKS_PER_GPU",  "SLURM_GPUS",
      "SLURM_GPUS_PER_NODE",   "SLURM_MEM_PER_NODE",
      "SLURM_DISTRIBUTION",    "SLURM_HOSTFILE",
      "SLURM_CPU_BIND",        "SLURM_EXCLUSIVE",
      "SLURM_THREADS_PER_CORE"};
  bool any = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (getenv(names[i])) {
      cul_buf_addf(out, "%s -u %s", any ? "" : "env", names[i]);
      any = true;
    }
  cul_buf_adds(out, any ? " " : "");
}

/* The command for task `id` of a node; heap.  --unbuffered: otherwise srun
 * would wait for newlines, which frames lack.  --immediate: do not wait for a
 * node that is down.  --export: pass only the variables by which a home and
 * programs are found there. */
static char *place_of(const struct granted *from, const char *id,
                      unsigned long node, unsigned long tasks) {
  struct cul_buf out = {0};
  add_unset(&out);
  cul_buf_addf(&out,
               "srun --jobid=%s --nodes=1 --ntasks=1 --relative=%lu --exact "
               "--quiet --unbuffered --immediate=60 "
               "--export=HOME,LOGNAME,PATH,USER",
               id, node);
  add_share(from, node, tasks, &out);
  return cul_buf_take(&out);
}

static int read_places(struct cul_allocation *slurm, const struct granted *from,
                       struct cul_err *err) {
  char *id = get_word(from, "SLURM_JOB_ID");
  char *tasks = get(from, "SLURM_TASKS_PER_NODE");
  const char *at = tasks;
  unsigned long n, times, node = 0;
  slurm->places = cul_xcalloc(MOST_TASKS + 1, sizeof *slurm->places);
  while (id && at && *at && (at = next_of(at, &n, &times)))
    for (; times > 0; times--, node++)
      for (unsigned long i = 0; i < n && slurm->n < MOST_TASKS; i++)
        slurm->places[slurm->n++] = place_of(from, id, node, n);
  free(id);
  free(tasks);
  return slurm->n ? 0
                  : cul_fail(err, CUL_EENV,
                             "give --ntasks, or start culprit where salloc or "
                             "sbatch start programs",
                             "--slurm: the allocation names no tasks "
                             "(SLURM_JOB_ID, SLURM_TASKS_PER_NODE)");
}

static void close_slurm(struct cul_allocation *slurm) {
  int end = -1;
  if (!slurm)
    return;
  tell(slurm);
  if (slurm->pid > 0)
    end = (int)syscall(SYS_pidfd_open, slurm->pid, 0);
  close_fd(&slurm->control);
  if (end >= 0)
    cul_wait_readable(end, GOODBYE_MS);
  close_fd(&end);
  close_fd(&slurm->out);
  close_fd(&slurm->said);
  for (size_t i = 0; i < slurm->n; i++)
    free(slurm->places[i]);
  free(slurm->places);
  free(slurm->last);
  cul_buf_release(&slurm->words);
  free(slurm);
}

static int open_slurm(const char *options, const struct cul_patience *patience,
                      struct cul_allocation **out, struct cul_err *err) {
  struct cul_allocation *slurm = cul_xcalloc(1, sizeof *slurm);
  struct cul_buf text = {0};
  struct granted from = {NULL};
  const char *id = getenv("SLURM_JOB_ID");
  int rc = 0;
  *slurm = (struct cul_allocation){.control = -1, .out = -1, .said = -1};
  if (id && *id) {
    cul_status_note(UINT64_MAX, "--slurm: the allocation %s is used", id);
  } else {
    rc = wait_for_grant(slurm, options, patience, &text, err);
    from.lines = cul_buf_str(&text);
  }
  if (rc == 0)
    rc = read_places(slurm, &from, err);
  cul_buf_release(&text);
  if (rc < 0) {
    close_slurm(slurm);
    slurm = NULL;
  }
  *out = slurm;
  return rc;
}

static const char *const *places(const struct cul_allocation *slurm,
                                 size_t *n) {
  *n = slurm->n;
  return (const char *const *)slurm->places;
}

const struct cul_scheduler cul_scheduler_slurm = {.name = "slurm",
                                                  .open = open_slurm,
                                                  .places = places,
                                                  .close = close_slurm};
