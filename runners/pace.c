/* The tasks below this process: see pace.h. */
#include "pace.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Deeper trees are those of a tool gone wild; it is counted as far as here. */
enum { MAX_DEPTH = 16 };

/* A file of a task as a string; false where it is gone. */
static bool read_of(const char *pid, const char *tid, const char *name,
                    char *text, size_t size) {
  char path[128];
  ssize_t n;
  int fd;
  snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/%s", pid, tid, name);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  n = fd < 0 ? -1 : read(fd, text, size - 1);
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  return n > 0;
}

/* Does it stand in a write to one of the pipes?  "NUMBER 0xFIRST ...". */
static bool is_writing(const char *pid, const char *tid, const ino_t pipes[2]) {
  char text[512], path[128], *at;
  unsigned long long fd;
  ssize_t n;
  long number;
  if (!read_of(pid, tid, "syscall", text, sizeof text))
    return false;
  number = strtol(text, &at, 10);
  fd = strtoull(at, NULL, 16);
  if (at == text || (number != SYS_write && number != SYS_writev))
    return false;
  snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/fd/%llu", pid, tid, fd);
  n = readlink(path, text, sizeof text - 1);
  text[n > 0 ? n : 0] = '\0';
  if (strncmp(text, "pipe:[", 6) != 0)
    return false;
  fd = strtoull(text + 6, NULL, 10);
  return fd == pipes[0] || fd == pipes[1];
}

static void take_task(const char *pid, const char *tid, const ino_t pipes[2],
                      struct cul_pace_sample *out) {
  char text[512], *at;
  if (read_of(pid, tid, "schedstat", text, sizeof text)) {
    strtoull(text, &at, 10);
    out->queued_us += strtoull(at, NULL, 10) / 1000;
  }
  /* The name before the state may hold anything, up to the last ')'. */
  if (read_of(pid, tid, "stat", text, sizeof text) &&
      (at = strrchr(text, ')')) && at[1])
    out->runnable |= at[2] == 'R' || is_writing(pid, tid, pipes);
}

static void take_children(const char *pid, const char *tid, int depth,
                          const ino_t pipes[2], struct cul_pace_sample *out);

static void take_process(const char *pid, bool itself, int depth,
                         const ino_t pipes[2], struct cul_pace_sample *out) {
  char path[64];
  struct dirent *e;
  DIR *dir;
  snprintf(path, sizeof path, "/proc/%.20s/task", pid);
  dir = opendir(path);
  while (dir && (e = readdir(dir))) {
    if (!isdigit((unsigned char)e->d_name[0]))
      continue;
    if (!itself)
      take_task(pid, e->d_name, pipes, out);
    take_children(pid, e->d_name, depth, pipes, out);
  }
  if (dir)
    closedir(dir);
}

static void take_children(const char *pid, const char *tid, int depth,
                          const ino_t pipes[2], struct cul_pace_sample *out) {
  char text[4096], *at = text;
  if (depth == MAX_DEPTH || !read_of(pid, tid, "children", text, sizeof text))
    return;
  /* A number cut off at the end has no space behind it. */
  for (char *end; (end = strchr(at, ' ')); at = end + 1) {
    *end = '\0';
    take_process(at, false, depth + 1, pipes, out);
  }
}

void cul_pace_take(const ino_t pipes[2], struct cul_pace_sample *out) {
  char pid[24];
  *out = (struct cul_pace_sample){0};
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  take_process(pid, true, 0, pipes, out);
}
