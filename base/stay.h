/* Where a run that does not end stays: what runners, oracles and probe share
 * about hangs that are known before their deadline (runners/stacks/). */
#ifndef CUL_BASE_STAY_H
#define CUL_BASE_STAY_H

#include <stdbool.h>
#include <stdint.h>

enum { CUL_STAY_MOST = 48, CUL_STAY_MOST_FRAMES = 192 };

/* The functions on the stacks in all samples from one moment on. */
struct cul_stay {
  uint32_t n;          /* 0: unknown */
  bool waiting;        /* no task could run; else: some task computed */
  bool many;           /* several tasks ran at a time: innermost is unknown */
  uint64_t reached_us; /* from the start to that moment: what it computed, or
                          (waiting) time in which no load held it up */
  uint64_t places[CUL_STAY_MOST]; /* hashes; innermost first */
};

/* What a request asks of its run. */
struct cul_stay_wish {
  bool learn;           /* tell where the run stayed until its deadline */
  struct cul_stay stay; /* n > 0: end the run once it stays there: */
  uint64_t after_us;    /* ... not before this time, */
  uint64_t settled_us;  /* ... and when it has stayed there for so long; both
                           as reached_us */
};

/* What a run showed. */
struct cul_stayed {
  bool early;           /* it was ended before its deadline, by its stay */
  struct cul_stay stay; /* learn: where it stayed */
  uint64_t longest_us;  /* the longest stay at the place that was asked for */
};

#endif
