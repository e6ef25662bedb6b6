/* See strays.h. */
#include "strays.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../base/buf.h"
#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "proc.h"

static bool is_dead(const struct cul_proc *proc) {
  return strchr("ZXx", proc->state);
}

/* All visible processes of the machine. */
struct table {
  struct cul_proc *items;
  bool *below; /* it descends from one of the roots */
  size_t n;
};

static void read_all(struct table *table) {
  table->items = cul_proc_all(&table->n);
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

/* End a process with its group, because a group dies at once and cannot escape
 * by forking.  But not a group outside a tool's session, which may be that of
 * culprit. */
static void end_one(const struct cul_proc *proc, const pid_t *roots, size_t n) {
  if (proc->group > 1 && proc->group != getpgrp() &&
      proc->session != getsid(0) && !is_among(proc->group, roots, n))
    kill(-proc->group, SIGKILL);
  kill(proc->pid, SIGKILL);
}

/* End the descendants of the roots.  Returns the number that were alive. */
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

bool cul_strays_end_below(const pid_t *roots, size_t n, uint64_t until_us) {
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

/* Children that existed before the job.  Global, because it describes the
 * process. */
static struct {
  pid_t *pids;
  size_t n;
} kept;

static bool is_of_this_job(const struct cul_proc *proc) {
  return proc->parent == getpid() && proc->session != getsid(0) &&
         !is_dead(proc) && !is_among(proc->pid, kept.pids, kept.n);
}

/* Is it a fork of this process or a program that was installed with culprit? */
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
  return n < 0 || strstr(program, "/culprit-worker-") ||
         strstr(program, "/culprit-starter");
}

enum { MOST_CHILDREN = 4096 };

void cul_strays_end(bool all) {
  pid_t *pids = cul_xcalloc(MOST_CHILDREN, sizeof *pids);
  size_t n = cul_proc_children(pids, MOST_CHILDREN);
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

void cul_strays_resume(void) {
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

void cul_strays_spare(void) {
  kept.pids = cul_xreallocarray(kept.pids, MOST_CHILDREN, sizeof *kept.pids);
  kept.n = cul_proc_children(kept.pids, MOST_CHILDREN);
}
