/* What a reduce job shows while it works: one live line on a terminal, one
 * line per accepted step elsewhere, nothing with --quiet. */
#ifndef CUL_CLI_PROGRESS_H
#define CUL_CLI_PROGRESS_H

#include <stdio.h>

#include "../reducer/job/job.h"

struct cul_progress {
  FILE *out;
  bool quiet, live;
  uint64_t drawn_us;            /* last time the live line was drawn */
  uint64_t rate_us, rate_asked; /* start of the window of candidates/s */
  double rate;
  uint64_t executed, moved_us; /* when the last run ended, for stalls */
  bool stalled;
  bool said_subject, said_repeated, said_divergence;
};

void cul_progress_init(struct cul_progress *progress, FILE *out, bool quiet);
struct cul_reduce_watcher cul_progress_watcher(struct cul_progress *progress);
/* Wipe the live line. */
void cul_progress_end(struct cul_progress *progress);

#endif
