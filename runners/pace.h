/* What a tree of processes does with its time: can it run, and does it?
 *
 * Read from /proc for the live tasks (threads) below this process: their
 * state, and the time that each has stood in a run queue, ready to run while
 * others had the processor (second number of schedstat, in ns; Linux with
 * CONFIG_SCHED_INFO, as every distribution builds it; 0 without).  A task that
 * stands in write(2) on a pipe whose reader is culprit is one that could run:
 * only the reader is late.  (Its file "syscall", and the link of that
 * descriptor; where they may not be read it counts as waiting.) */
#ifndef CUL_RUNNERS_PACE_H
#define CUL_RUNNERS_PACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cul_pace_sample {
  uint64_t queued_us; /* in run queues, all tasks together */
  bool runnable;      /* some task runs, stands in a run queue, or writes */
};

/* Everything below the calling process.  pipes: inodes of those that culprit
 * reads.  Errors: what cannot be read is left out. */
void cul_pace_take(const ino_t pipes[2], struct cul_pace_sample *out);

#endif
