/* See proc.h. */
#include "proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "../../base/buf.h"
#include "../../base/files/file.h"

static ssize_t read_text(const char *path, char *text, size_t size) {
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  ssize_t n = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, text, size - 1));
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  return n;
}

/* Parse "PID (NAME) STATE PARENT GROUP SESSION ...". */
static bool take_stat(const char *text, struct cul_proc *out) {
  int parent, group, session;
  /* the name may contain any characters, so it ends at the last ')' */
  const char *at = strrchr(text, ')');
  char state;
  if (!at ||
      sscanf(at + 1, " %c %d %d %d", &state, &parent, &group, &session) != 4)
    return false;
  *out = (struct cul_proc){
      .parent = parent, .group = group, .session = session, .state = state};
  return true;
}

bool cul_proc_look(pid_t pid, struct cul_proc *out) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (read_text(path, text, sizeof text) <= 0 || !take_stat(text, out))
    return false;
  out->pid = pid;
  return true;
}

void cul_proc_name(pid_t pid, char out[CUL_PROC_NAME]) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
  read_text(path, out, CUL_PROC_NAME);
  out[strcspn(out, "\n")] = '\0';
}

struct cul_proc *cul_proc_all(size_t *n) {
  DIR *dir = opendir("/proc");
  struct dirent *entry;
  struct cul_proc *all = NULL;
  size_t room = 0;
  *n = 0;
  while (dir && (entry = readdir(dir))) {
    if (!isdigit((unsigned char)entry->d_name[0]))
      continue;
    if (*n == room) {
      room = room ? 2 * room : 256;
      all = cul_xreallocarray(all, room, sizeof *all);
    }
    *n += cul_proc_look((pid_t)strtol(entry->d_name, NULL, 10), &all[*n]);
  }
  if (dir)
    closedir(dir);
  return all;
}

/* List the children on kernels that do not. */
static size_t scan_children(pid_t *out, size_t max) {
  size_t n_all, n = 0;
  struct cul_proc *all = cul_proc_all(&n_all);
  for (size_t i = 0; i < n_all && n < max; i++)
    if (all[i].parent == getpid())
      out[n++] = all[i].pid;
  free(all);
  return n;
}

/* Parse "PID PID ".  A truncated number would denote another process. */
static size_t read_pids(const char *text, pid_t *out, size_t max) {
  const char *end;
  size_t n = 0;
  for (const char *at = text; n < max && (end = strchr(at, ' ')); at = end + 1)
    out[n++] = (pid_t)strtol(at, NULL, 10);
  return n;
}

size_t cul_proc_children(pid_t *out, size_t max) {
  char path[64], text[16384];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  if (read_text(path, text, sizeof text) < 0)
    return scan_children(out, max);
  return read_pids(text, out, max);
}

/* ---- holders of a pipe ---- */

/* Does the line "flags:\t0OCTAL" of /proc/PID/fdinfo/FD allow writing? */
static bool can_write(const char *text) {
  const char *flags = strstr(text, "flags:");
  return flags && (strtol(flags + 6, NULL, 8) & O_ACCMODE) != O_RDONLY;
}

/* Is /proc/PID/fd/NAME the writing end of the pipe? */
static bool is_writer(int fd_dir, pid_t pid, const char *name, ino_t pipe) {
  char path[320], text[256];
  struct stat st;
  if (fstatat(fd_dir, name, &st, 0) < 0 || !S_ISFIFO(st.st_mode) ||
      st.st_ino != pipe)
    return false;
  snprintf(path, sizeof path, "/proc/%d/fdinfo/%.255s", (int)pid, name);
  read_text(path, text, sizeof text);
  return can_write(text);
}

static bool writes_to(pid_t pid, ino_t pipe) {
  char path[64];
  struct dirent *entry;
  bool found = false;
  DIR *dir;
  snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
  dir = opendir(path);
  while (dir && !found && (entry = readdir(dir)))
    found = isdigit((unsigned char)entry->d_name[0]) &&
            is_writer(dirfd(dir), pid, entry->d_name, pipe);
  if (dir)
    closedir(dir);
  return found;
}

size_t cul_proc_writers(int fd, pid_t *out, size_t max) {
  struct stat st;
  struct cul_proc *all;
  size_t n_all, n = 0;
  if (fstat(fd, &st) < 0)
    return 0;
  all = cul_proc_all(&n_all);
  for (size_t i = 0; i < n_all && n < max; i++) {
    char name[CUL_PROC_NAME];
    pid_t pid = all[i].pid;
    if (pid == getpid() || !writes_to(pid, st.st_ino))
      continue;
    out[n++] = pid;
    cul_proc_name(pid, name);
    if (strcmp(name, CUL_GUARD_NAME) == 0) {
      out[n - 1] = out[0];
      out[0] = pid;
    }
  }
  free(all);
  return n;
}
