/* Waits for a lock of the store that another process holds, and reports that
 * process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/files/file.h"
#include "../base/status.h"
#include "store.h"

enum {
  STEP_MS = 20,
  SAY_MS = 1000,
  MOST_MS = 4000, /* shorter than a deadline of a run */
  LAST_MS = 300,  /* once the user asks to end: the batch of another process is
                     shorter */
  AGAIN_MS = 10000,
};

/* The inodes of the store's files. */
struct files {
  unsigned long inode[4];
};

static struct files files_of(const struct cul_cache *cache) {
  static const char *const suffix[] = {"", "-wal", "-shm", ".lock"};
  struct files files = {{0}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(suffix); i++) {
    char *path = cul_xasprintf("%s%s", cache->file, suffix[i]);
    struct stat st;
    if (lstat(path, &st) == 0)
      files.inode[i] = (unsigned long)st.st_ino;
    free(path);
  }
  return files;
}

/* The process in a line of /proc/locks, "1: POSIX  ADVISORY  WRITE 123
 * 08:01:456 0 EOF", if it holds a write lock on one of files; 0: another file,
 * a reader or this process. */
static int writer_in(const char *line, const struct files *files) {
  char access[16];
  unsigned long inode;
  int pid;
  if (sscanf(line, "%*s %*s %*s %15s %d %*[^:]:%*[^:]:%lu", access, &pid,
             &inode) != 3 ||
      strcmp(access, "WRITE") != 0 || pid <= 0 || pid == getpid())
    return 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(files->inode); i++)
    if (files->inode[i] == inode)
      return pid;
  return 0;
}

/* The process that holds the lock; 0: unknown. */
static int find_holder(const struct cul_cache *cache) {
  struct files files = files_of(cache);
  FILE *locks = fopen("/proc/locks", "re");
  char line[256];
  int pid = 0;
  while (locks && pid == 0 && fgets(line, sizeof line, locks))
    pid = writer_in(line, &files);
  if (locks)
    fclose(locks);
  return pid;
}

/* Append "process 123 (sqlite3)". */
static void name_holder(const struct cul_cache *cache, struct cul_buf *out) {
  struct cul_err ignored = {0};
  struct cul_buf name = {0};
  int pid = find_holder(cache);
  char *path = cul_xasprintf("/proc/%d/comm", pid);
  if (pid == 0) {
    cul_buf_adds(out, "another process");
  } else {
    cul_buf_addf(out, "process %d", pid);
    if (cul_file_read(path, 64, &name, &ignored) == 0 && name.len > 1) {
      cul_buf_adds(out, " (");
      for (size_t i = 0; i < name.len && name.data[i] != '\n'; i++)
        cul_buf_addc(
            out, name.data[i] > ' ' && name.data[i] < 127 ? name.data[i] : '?');
      cul_buf_addc(out, ')');
    }
  }
  free(path);
  cul_buf_release(&name);
}

static void say_wait(struct cul_cache *cache) {
  struct cul_buf holder = {0};
  if (cache->said_wait)
    return;
  cache->said_wait = true;
  name_holder(cache, &holder);
  cul_status_note(UINT64_MAX, "waiting for %s, which holds the store %s",
                  cul_buf_str(&holder), cache->path);
  cul_buf_release(&holder);
}

bool cul_store_wait(struct cul_cache *cache, int tries) {
  const struct timespec step = {0, STEP_MS * 1000 * 1000};
  uint64_t waited_ms, most_ms, now = cul_now_us();
  if (tries == 0)
    cache->wait_us = now;
  waited_ms = (now - cache->wait_us) / 1000;
  errno = cul_status_interrupted() ? EINTR : EWOULDBLOCK;
  most_ms = cul_status_interrupted() ? LAST_MS : MOST_MS;
  if (waited_ms >= most_ms || now < cache->held_until_us)
    return false;
  if (waited_ms >= SAY_MS)
    say_wait(cache);
  cul_status_beat();
  nanosleep(&step, NULL);
  return true;
}

int cul_store_fail_held(struct cul_cache *cache, struct cul_err *err) {
  struct cul_buf holder = {0};
  name_holder(cache, &holder);
  cul_fail(err, CUL_EENV, "let it end, or set XDG_CACHE_HOME to another place",
           "%s holds the store %s", cul_buf_str(&holder), cache->path);
  cul_buf_release(&holder);
  cache->held_until_us = cul_now_us() + (uint64_t)AGAIN_MS * 1000;
  return err->code;
}
