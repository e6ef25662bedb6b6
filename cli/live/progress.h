/* What a reduce job shows while it works: one live line on a terminal, with
 * keys that steer the job; one line per accepted step elsewhere; JSON objects
 * for programs; nothing with --quiet. */
#ifndef CUL_CLI_LIVE_PROGRESS_H
#define CUL_CLI_LIVE_PROGRESS_H

#include <stdio.h>

#include "../../base/terminal/terminal.h"
#include "../../reducer/job/job.h"

enum { CUL_PROGRESS_SAMPLES = 32 };

struct cul_progress {
  FILE *out;
  bool quiet;  /* no words */
  bool live;   /* a line that is drawn again and again, and keys */
  bool events; /* JSON */
  bool blocks; /* the terminal shows UTF-8 */
  bool colour;
  struct cul_reduce_wishes wishes; /* by keys; of the job's conf */
  uint64_t drawn_us;               /* last time the line was drawn, or told */
  struct cul_progress_sample {
    uint64_t us, asked;
  } samples[CUL_PROGRESS_SAMPLES]; /* a ring of the last minute; empty: us 0 */
  size_t sample;                   /* the newest */
  uint32_t mutation;               /* that was asked for last ... */
  uint64_t entered;                /* ... since so many candidates */
  uint64_t stepped;                /* candidates at the last accepted step */
  uint64_t executed, moved_us;     /* when the last run ended, for stalls */
  bool stalled;
  bool said_subject, said_repeated, said_divergence;
};

/* out: for words.  The watcher borrows progress; so does a job whose
 * conf->wishes is progress->wishes. */
struct cul_reduce_watcher cul_progress_begin(struct cul_progress *progress,
                                             FILE *out, bool quiet,
                                             enum cul_display display);
/* Wipe the live line, and give the terminal back. */
void cul_progress_end(struct cul_progress *progress);

#endif
