/* Hanging runs: which functions they stay in.  Shared by runners, oracles and
 * probe, to recognize a hang before its deadline (runners/stacks/). */
#ifndef CUL_BASE_STAY_H
#define CUL_BASE_STAY_H

#include <stdbool.h>
#include <stdint.h>

enum { CUL_STAY_MOST = 48, CUL_STAY_MOST_FRAMES = 192 };

/* The functions that were on the stack in all samples from some moment on. */
struct cul_stay {
  uint32_t n;   /* 0: unknown */
  bool waiting; /* no task could run; false: some task computed */
  bool many;    /* several tasks computed at once: the innermost functions are
                   unknown */
  uint64_t reached_us; /* from the start to that moment: computing time, or
                          (waiting) time without delays by other load */
  uint64_t places[CUL_STAY_MOST]; /* hashes; innermost first */
};

/* The part of a request that concerns hangs. */
struct cul_stay_wish {
  bool learn;           /* report where the run stayed until its deadline */
  struct cul_stay stay; /* n > 0: end the run when it stays there, */
  uint64_t after_us;    /* but not before this time, */
  uint64_t settled_us;  /* and only after it has stayed for this long; both are
                           measured as reached_us */
};

/* What was observed in a run. */
struct cul_stayed {
  bool early; /* it was ended before its deadline, because it stayed */
  struct cul_stay stay; /* with learn: where it stayed */
  uint64_t longest_us;  /* the longest time that it stayed where
                           cul_stay_wish.stay says */
};

#endif
