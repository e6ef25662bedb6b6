/* What a tree of processes does with its time: can it run, and does it?
 *
 * Read from /proc for the live tasks (threads) below this process: their
 * state, and the time that each has stood in a run queue, ready to run while
 * others had the processor (second number of schedstat, in ns; Linux with
 * CONFIG_SCHED_INFO, as every distribution builds it; 0 without). */
#ifndef CUL_RUNNERS_PACE_H
#define CUL_RUNNERS_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct cul_pace_sample {
  uint64_t queued_us; /* in run queues, all tasks together */
  bool runnable;      /* some task runs or stands in a run queue */
};

/* Everything below the calling process.  Errors: what cannot be read is left
 * out. */
void cul_pace_take(struct cul_pace_sample *out);

#endif
