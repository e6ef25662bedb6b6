/* A user's command that is run each time the best result improves, with the
 * result's path as its last argument.
 *
 * It runs in parallel with the job, as the user, outside any sandbox; its
 * standard input is empty, its output goes to standard error.  There is one run
 * at a time: improvements during a run cause one more run after it. */
#ifndef CUL_CLI_LIVE_ON_BEST_H
#define CUL_CLI_LIVE_ON_BEST_H

#include <stdbool.h>

#include "../../runners/beside.h"

struct cul_on_best {
  const char *command; /* for /bin/sh; borrowed; NULL: nothing is run */
  char *path;          /* of the result; heap */
  struct cul_beside beside;
  bool due;  /* the result is newer than the last run */
  bool said; /* its failure was reported */
};

/* The result at path has improved. */
void cul_on_best_improved(struct cul_on_best *on, const char *path);
/* Check whether the command has ended, and start another run if one is due.
 * Does not wait. */
void cul_on_best_tick(struct cul_on_best *on);
/* At the end of the job: run the command for the last result, too.  Waits for
 * it for 60 s at most or until the user interrupts, then kills it. */
void cul_on_best_end(struct cul_on_best *on);

#endif
