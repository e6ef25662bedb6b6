/* Measures whether a tree of processes can run, and whether it computes.
 *
 * Source: /proc of the live tasks (threads) below this process.  Read are each
 * task's state, the time that it has run and the time that it has waited in a
 * run queue, ready to run (schedstat, in ns; Linux with CONFIG_SCHED_INFO, as
 * in every distribution; 0 without).  A task blocked in write(2) on a pipe that
 * culprit reads counts as able to run: only the reader is late.  (This is read
 * from its file "syscall" and the link of that descriptor; where they are not
 * readable, the task counts as waiting.) */
#ifndef CUL_RUNNERS_TREE_PACE_H
#define CUL_RUNNERS_TREE_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../base/run.h"

struct cul_pace_sample {
  uint64_t at_us;     /* cul_now_us() */
  uint64_t queued_us; /* in run queues, all tasks together */
  uint64_t cpu_us;    /* computed, children that ended included */
  bool writes;        /* some task is blocked by a pipe that culprit reads */
  bool runnable;      /* some task runs, waits in a run queue, or writes */
};

/* Tasks below this process, at most as many as here. */
struct cul_pace_tasks {
  size_t n;
  struct cul_pace_task {
    pid_t pid, tid;
    char state;      /* as in ps(1) */
    uint64_t mapped; /* bytes of its address space */
  } items[64];
};

/* Sample all tasks below the calling process.  pipes: inodes of the pipes that
 * culprit reads.  tasks: gets a list of them; may be NULL.  Errors: unreadable
 * tasks are left out. */
void cul_pace_take(const ino_t pipes[2], struct cul_pace_sample *out,
                   struct cul_pace_tasks *tasks);

/* How long did other load keep a tree that began at start_us from running?
 * Time in which one of its tasks computes does not count. */
uint64_t cul_pace_held_us(const struct cul_pace_sample *sample,
                          uint64_t start_us);

/* The pace of the tree from the first to the last of n samples, in that order.
 * Load on the machine lengthens the time in which a task can run, but not the
 * time in which none can; so the latter is compared with the time computed.  A
 * share of two thirds decides; MIXED where neither has as much. */
enum cul_pace cul_pace_tell(const struct cul_pace_sample *samples, size_t n);

#endif
