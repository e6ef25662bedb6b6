/* See proc.h. */
#include "proc.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/file.h"

static ssize_t read_text(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  return n;
}

bool cul_proc_look(pid_t pid, struct cul_proc *out) {
  char path[64], text[1024];
  int parent, group, session;
  const char *at;
  char state;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (read_text(path, text, sizeof text) <= 0)
    return false;
  /* The name may hold anything up to the last ')'. */
  at = strrchr(text, ')');
  if (!at ||
      sscanf(at + 1, " %c %d %d %d", &state, &parent, &group, &session) != 4)
    return false;
  *out = (struct cul_proc){.pid = pid,
                           .parent = parent,
                           .group = group,
                           .session = session,
                           .state = state};
  return true;
}

static bool is_dead(const struct cul_proc *proc) {
  return strchr("ZXx", proc->state);
}

/* All processes of the machine, as far as they can be seen. */
struct table {
  struct cul_proc *items;
  bool *below; /* descends from the roots */
  size_t n;
};

static void read_all(struct table *table) {
  DIR *dir = opendir("/proc");
  struct dirent *entry;
  size_t room = 0;
  *table = (struct table){0};
  while (dir && (entry = readdir(dir))) {
    if (!isdigit((unsigned char)entry->d_name[0]))
      continue;
    if (table->n == room) {
      room = room ? 2 * room : 256;
      table->items =
          cul_xreallocarray(table->items, room, sizeof *table->items);
    }
    table->n += cul_proc_look((pid_t)strtol(entry->d_name, NULL, 10),
                              &table->items[table->n]);
  }
  if (dir)
    closedir(dir);
  table->below = cul_xcalloc(table->n + 1, sizeof *table->below);
}

static void release(struct table *table) {
  free(table->items);
  free(table->below);
}

static bool is_among(pid_t pid, const pid_t *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == pid)
      return true;
  return false;
}

static bool has_parent_below(const struct table *table, size_t at) {
  for (size_t i = 0; i < table->n; i++)
    if (table->below[i] && table->items[i].pid == table->items[at].parent)
      return true;
  return false;
}

static void mark(struct table *table, const pid_t *roots, size_t n) {
  bool more = true;
  while (more) {
    more = false;
    for (size_t i = 0; i < table->n; i++)
      if (!table->below[i] && (is_among(table->items[i].pid, roots, n) ||
                               is_among(table->items[i].parent, roots, n) ||
                               has_parent_below(table, i)))
        table->below[i] = more = true;
  }
}

/* A group dies at once and cannot fork away.  One that is not in a tool's
 * session, which every tool begins, may be ours. */
static void end_one(const struct cul_proc *proc, const pid_t *roots, size_t n) {
  if (proc->group > 1 && proc->group != getpgrp() &&
      proc->session != getsid(0) && !is_among(proc->group, roots, n))
    kill(-proc->group, SIGKILL);
  kill(proc->pid, SIGKILL);
}

/* Returns how many were alive. */
static size_t end_below(const pid_t *roots, size_t n) {
  struct table table;
  size_t alive = 0;
  read_all(&table);
  mark(&table, roots, n);
  for (size_t i = 0; i < table.n; i++)
    if (table.below[i] && !is_among(table.items[i].pid, roots, n) &&
        !is_dead(&table.items[i])) {
      end_one(&table.items[i], roots, n);
      alive++;
    }
  release(&table);
  return alive;
}

static void rest(void) {
  const struct timespec some = {.tv_nsec = 2 * 1000 * 1000};
  nanosleep(&some, NULL);
}

bool cul_proc_end(const pid_t *roots, size_t n, uint64_t until_us) {
  size_t alive = n;
  while (alive > 0 && (alive = end_below(roots, n)) > 0 &&
         cul_now_us() < until_us)
    rest();
  for (size_t i = 0; i < n; i++)
    kill(roots[i], SIGKILL);
  for (size_t i = 0; i < n; i++) {
    struct cul_proc proc;
    while (cul_proc_look(roots[i], &proc) && !is_dead(&proc)) {
      if (cul_now_us() >= until_us)
        return false;
      rest();
    }
  }
  return alive == 0;
}

/* ---- who holds a pipe ---- */

/* Is /proc/PID/fd/NAME an end of the pipe that can be written to? */
static bool is_writer(int fd_dir, pid_t pid, const char *name, ino_t pipe) {
  char path[320], text[256];
  const char *flags;
  struct stat st;
  if (fstatat(fd_dir, name, &st, 0) < 0 || !S_ISFIFO(st.st_mode) ||
      st.st_ino != pipe)
    return false;
  snprintf(path, sizeof path, "/proc/%d/fdinfo/%.255s", (int)pid, name);
  read_text(path, text, sizeof text);
  flags = strstr(text, "flags:");
  return flags && (strtol(flags + 6, NULL, 8) & O_ACCMODE) != O_RDONLY;
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

static bool is_guard(pid_t pid) {
  char path[64], name[32];
  snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
  return read_text(path, name, sizeof name) > 0 &&
         strcmp(name, "culprit-guard\n") == 0;
}

size_t cul_proc_writers(int fd, pid_t *out, size_t max) {
  struct stat st;
  struct table table;
  size_t n = 0;
  if (fstat(fd, &st) < 0)
    return 0;
  read_all(&table);
  for (size_t i = 0; i < table.n && n < max; i++) {
    pid_t pid = table.items[i].pid;
    if (pid == getpid() || !writes_to(pid, st.st_ino))
      continue;
    out[n++] = pid;
    if (is_guard(pid)) {
      out[n - 1] = out[0];
      out[0] = pid;
    }
  }
  release(&table);
  return n;
}

/* ---- strays ---- */

/* Children that were there before the job; as there is one process. */
static struct {
  pid_t *pids;
  size_t n;
} kept;

/* The children of this process; n of them, at most max. */
static size_t list_children(pid_t *out, size_t max) {
  char path[64], text[16384], *at = text;
  struct table table;
  size_t n = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  if (read_text(path, text, sizeof text) >= 0) {
    /* A number that is cut off would be that of another process. */
    for (char *end; n < max && (end = strchr(at, ' ')); at = end + 1)
      out[n++] = (pid_t)strtol(at, NULL, 10);
    return n;
  }
  read_all(&table); /* a kernel that does not list them */
  for (size_t i = 0; i < table.n && n < max; i++)
    if (table.items[i].parent == getpid())
      out[n++] = table.items[i].pid;
  release(&table);
  return n;
}

static bool is_of_this_job(const struct cul_proc *proc) {
  return proc->parent == getpid() && proc->session != getsid(0) &&
         !is_dead(proc) && !is_among(proc->pid, kept.pids, kept.n);
}

/* A fork of this process, or a program that was installed with it. */
static bool is_own(pid_t pid) {
  char path[64], program[4096];
  struct stat its, ours;
  ssize_t n;
  snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
  if (stat(path, &its) == 0 && stat("/proc/self/exe", &ours) == 0 &&
      its.st_dev == ours.st_dev && its.st_ino == ours.st_ino)
    return true;
  n = readlink(path, program, sizeof program - 1);
  program[n > 0 ? n : 0] = '\0';
  return n < 0 || strstr(program, "/culprit-workshop-");
}

enum { MOST_CHILDREN = 4096 };

void cul_proc_end_strays(bool all) {
  pid_t *pids = cul_xcalloc(MOST_CHILDREN, sizeof *pids);
  size_t n = list_children(pids, MOST_CHILDREN);
  for (size_t i = 0; i < n; i++) {
    struct cul_proc proc;
    if (!cul_proc_look(pids[i], &proc) || !is_of_this_job(&proc) ||
        (!all && is_own(pids[i])))
      continue;
    end_below(&pids[i], 1);
    end_one(&proc, NULL, 0);
  }
  free(pids);
}

void cul_proc_resume(void) {
  const pid_t self = getpid();
  struct table table;
  read_all(&table);
  mark(&table, &self, 1);
  for (size_t i = 0; i < table.n; i++)
    if (table.below[i] && table.items[i].state == 'T' &&
        table.items[i].pid != self && is_own(table.items[i].pid))
      kill(table.items[i].pid, SIGCONT);
  release(&table);
}

void cul_proc_keep(void) {
  kept.pids = cul_xreallocarray(kept.pids, MOST_CHILDREN, sizeof *kept.pids);
  kept.n = list_children(kept.pids, MOST_CHILDREN);
}
