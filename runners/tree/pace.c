/* Samples the tasks below this process: see pace.h. */
#include "pace.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"

/* Tasks below this depth are not counted: only a tool out of control makes such
 * trees. */
enum { MAX_DEPTH = 16 };

static bool read_file(const char *path, char *text, size_t size) {
  ssize_t n;
  int fd;
  fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  n = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, text, size - 1));
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  return n > 0;
}

/* Read a file of a task as a string; false: the task has ended. */
static bool read_of(const char *pid, const char *tid, const char *name,
                    char *text, size_t size) {
  char path[128];
  snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/%s", pid, tid, name);
  return read_file(path, text, size);
}

/* Parse "NUMBER 0xFIRST ...".  Returns whether the call is a write, to *fd. */
static bool take_call(const char *text, unsigned long long *fd) {
  char *at;
  long number = strtol(text, &at, 10);
  *fd = strtoull(at, NULL, 16);
  return at != text && (number == SYS_write || number == SYS_writev);
}

/* Is the link "pipe:[INODE]" one of the pipes? */
static bool is_pipe(const char *text, const ino_t pipes[2]) {
  unsigned long long inode;
  if (strncmp(text, "pipe:[", 6) != 0)
    return false;
  inode = strtoull(text + 6, NULL, 10);
  return inode == pipes[0] || inode == pipes[1];
}

/* Is the task blocked in a write to one of the pipes? */
static bool is_writing(const char *pid, const char *tid, const ino_t pipes[2]) {
  char text[512], path[128];
  unsigned long long fd;
  ssize_t n;
  if (!read_of(pid, tid, "syscall", text, sizeof text) || !take_call(text, &fd))
    return false;
  snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/fd/%llu", pid, tid, fd);
  n = readlink(path, text, sizeof text - 1);
  text[n > 0 ? n : 0] = '\0';
  return is_pipe(text, pipes);
}

/* Parse "RAN WAITED TIMES", in nanoseconds. */
static void take_schedstat(const char *text, struct cul_pace_sample *out) {
  char *at;
  out->cpu_us += strtoull(text, &at, 10) / 1000;
  out->queued_us += strtoull(at, NULL, 10) / 1000;
}

/* The state in "PID (NAME) STATE ...", or 0.  The name may contain any
 * characters, so it ends at the last ')'. */
static char state_of(const char *stat) {
  const char *at = strrchr(stat, ')');
  return at && at[1] ? at[2] : '\0';
}

/* One sample of the tree. */
struct look {
  const ino_t *pipes;
  struct cul_pace_sample *out;
  struct cul_pace_tasks *tasks; /* or NULL */
};

/* The text behind field `field` of stat (3: its state), or NULL. */
static const char *behind_field(const char *stat, int field) {
  const char *at = strrchr(stat, ')');
  for (int i = 2; at && i <= field; i++)
    at = strchr(at + 1, ' ');
  return at;
}

static void list_task(const char *pid, const char *tid, const char *stat,
                      struct cul_pace_tasks *tasks) {
  enum { BEFORE_SIZE = 22 };
  const char *size = behind_field(stat, BEFORE_SIZE);
  if (tasks->n < sizeof tasks->items / sizeof *tasks->items)
    tasks->items[tasks->n++] = (struct cul_pace_task){
        (pid_t)strtol(pid, NULL, 10), (pid_t)strtol(tid, NULL, 10),
        state_of(stat), size ? strtoull(size, NULL, 10) : 0};
}

static void take_task(const char *pid, const char *tid, struct look *look) {
  struct cul_pace_sample *out = look->out;
  char text[512], state;
  if (read_of(pid, tid, "schedstat", text, sizeof text))
    take_schedstat(text, out);
  if (!read_of(pid, tid, "stat", text, sizeof text) ||
      !(state = state_of(text)))
    return;
  if (look->tasks)
    list_task(pid, tid, text, look->tasks);
  out->writes |= state != 'R' && is_writing(pid, tid, look->pipes);
  out->runnable |= state == 'R' || out->writes;
}

/* The time of its children that have ended: fields 16 and 17 of stat, in
 * ticks. */
static uint64_t ended_of(const char *stat) {
  enum { BEFORE_TIMES = 15 };
  unsigned long long user = 0, system = 0;
  const char *at = behind_field(stat, BEFORE_TIMES);
  return at && sscanf(at, " %llu %llu", &user, &system) == 2 ? user + system
                                                             : 0;
}

static void take_ended(const char *pid, struct cul_pace_sample *out) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  if (read_file(path, text, sizeof text))
    out->cpu_us += ended_of(text) * (1000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void take_children(const char *pid, const char *tid, int depth,
                          struct look *look);

static void take_process(const char *pid, bool itself, int depth,
                         struct look *look) {
  char path[64];
  struct dirent *e;
  DIR *dir;
  if (!itself)
    take_ended(pid, look->out);
  snprintf(path, sizeof path, "/proc/%.20s/task", pid);
  dir = opendir(path);
  while (dir && (e = readdir(dir))) {
    if (!isdigit((unsigned char)e->d_name[0]))
      continue;
    if (!itself)
      take_task(pid, e->d_name, look);
    take_children(pid, e->d_name, depth, look);
  }
  if (dir)
    closedir(dir);
}

static void take_children(const char *pid, const char *tid, int depth,
                          struct look *look) {
  char text[4096], *at = text;
  if (depth == MAX_DEPTH || !read_of(pid, tid, "children", text, sizeof text))
    return;
  /* A truncated number at the end has no space after it. */
  for (char *end; (end = strchr(at, ' ')); at = end + 1) {
    *end = '\0';
    take_process(at, false, depth + 1, look);
  }
}

void cul_pace_take(const ino_t pipes[2], struct cul_pace_sample *out,
                   struct cul_pace_tasks *tasks) {
  struct look look = {pipes, out, tasks};
  char pid[24];
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  /* Tasks are read one by one.  If two tasks wake each other alternately,
   * neither may seem able to run, so sample twice. */
  for (int i = 0; i < 2; i++) {
    *out = (struct cul_pace_sample){.at_us = cul_now_us()};
    if (tasks)
      tasks->n = 0;
    take_process(pid, true, 0, &look);
    if (out->runnable)
      break;
  }
}

uint64_t cul_pace_held_us(const struct cul_pace_sample *sample,
                          uint64_t start_us) {
  uint64_t all_us = sample->at_us - start_us;
  uint64_t idle_us = all_us > sample->cpu_us ? all_us - sample->cpu_us : 0;
  return sample->queued_us < idle_us ? sample->queued_us : idle_us;
}

enum cul_pace cul_pace_tell(const struct cul_pace_sample *samples, size_t n) {
  double all, busy, idle, computed = 0;
  size_t runnable = 0, writes = 0;
  if (n < 2)
    return CUL_PACE_UNKNOWN;
  for (size_t i = 0; i < n; i++) {
    runnable += samples[i].runnable;
    writes += samples[i].writes;
  }
  all = (double)(samples[n - 1].at_us - samples[0].at_us);
  if (samples[n - 1].cpu_us > samples[0].cpu_us)
    computed = (double)(samples[n - 1].cpu_us - samples[0].cpu_us);
  idle = all * (double)(n - runnable) / (double)n;
  busy = all * (double)writes / (double)n + computed;
  if (runnable == n || busy >= 2 * idle)
    return CUL_PACE_SPINNING;
  /* The tree could hardly run, so its pace is unknown. */
  if (runnable > 0 && busy + idle < all / 10)
    return CUL_PACE_MIXED;
  return 2 * busy <= idle ? CUL_PACE_WAITING : CUL_PACE_MIXED;
}
