/* What a tree of processes does with its time: can it run, and does it?
 *
 * Read from /proc for the live tasks (threads) below this process: their
 * state; the time that each has run and that it has stood in a run queue,
 * ready to run while others had the processor (schedstat, in ns; Linux with
 * CONFIG_SCHED_INFO, as every distribution builds it; 0 without).  A task that
 * stands in write(2) on a pipe whose reader is culprit is one that could run:
 * only the reader is late.  (Its file "syscall", and the link of that
 * descriptor; where they may not be read it counts as waiting.) */
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
  bool writes;        /* some task is held up by a pipe of ours */
  bool runnable;      /* some task runs, stands in a run queue, or writes */
};

/* Everything below the calling process.  pipes: inodes of those that culprit
 * reads.  Errors: what cannot be read is left out. */
void cul_pace_take(const ino_t pipes[2], struct cul_pace_sample *out);

/* Of a tree that began at start_us: how long did the load of others keep it
 * from running?  While one of its tasks computes, no other is kept from it. */
uint64_t cul_pace_held_us(const struct cul_pace_sample *sample,
                          uint64_t start_us);

/* What the tree did from the first of n samples to the last (in that order).
 * The load of the machine stretches the time in which a task can run, and not
 * that in which none can: so that time is compared with the time computed.
 * Two thirds of one of both tell; MIXED where neither has as much. */
enum cul_pace cul_pace_tell(const struct cul_pace_sample *samples, size_t n);

#endif
