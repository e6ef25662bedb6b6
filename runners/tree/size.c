/* See size.h. */
#include "size.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/buf.h"
#include "proc.h"

static int by_pid(const void *a, const void *b) {
  const struct cul_proc *x = a, *y = b;
  return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Move those below this process to the front; how many they are.  Parents come
 * first, but where the numbers began anew between them. */
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

/* "NAME:   12 kB" in bytes; 0 where it does not stand there. */
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

/* One process after another takes long where there are many. */
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

void cul_size_take(bool alone, bool precise, size_t most,
                   struct cul_size *out) {
  size_t n = alone ? count_all() : 0;
  struct cul_proc *all;
  if (n > most + 1) {
    *out = (struct cul_size){.processes = n - 1};
    return;
  }
  all = cul_proc_all(&n);
  if (!alone)
    n = keep_below(all, n);
  *out = (struct cul_size){.processes = alone && n ? n - 1 : n};
  for (size_t i = 0; i < n && out->processes <= most; i++)
    if (all[i].pid != getpid())
      out->bytes += bytes_of(all[i].pid, precise);
  free(all);
}
