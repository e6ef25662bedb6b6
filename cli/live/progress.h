/* The progress display of a reduce job: one live line on a terminal, with keys
 * that steer the job; elsewhere one line per accepted step; JSON objects for
 * programs; nothing with --quiet. */
#ifndef CUL_CLI_LIVE_PROGRESS_H
#define CUL_CLI_LIVE_PROGRESS_H

#include <stdio.h>

#include "../../base/terminal/terminal.h"
#include "../../reducer/job/job.h"

enum { CUL_PROGRESS_SAMPLES = 32 };

struct cul_progress {
  FILE *out;
  bool quiet;  /* no text for people */
  bool live;   /* a line that is redrawn in place, and keys */
  bool events; /* JSON */
  bool blocks; /* the terminal shows UTF-8 */
  bool colour;
  struct cul_reduce_wishes wishes; /* set by keys; used by the job's conf */
  uint64_t drawn_us; /* last time the line was drawn, or an event printed */
  struct cul_progress_sample {
    uint64_t us, asked;
  } samples[CUL_PROGRESS_SAMPLES]; /* a ring of the last minute; empty: us 0 */
  size_t sample;                   /* the newest */
  uint32_t mutation;               /* mutation of the last candidate ... */
  uint64_t entered;            /* ... and the candidate count when it began */
  uint64_t stepped;            /* candidates at the last accepted step */
  uint64_t executed, moved_us; /* when the last run ended, for stalls */
  bool stalled;
  bool said_subject, said_repeated, said_divergence, said_engine, said_left;
  int form; /* of the last step; CUL_N_FORMS: none */
};

/* out: for text.  The watcher borrows progress; so does a job whose
 * conf->wishes is progress->wishes. */
struct cul_reduce_watcher cul_progress_begin(struct cul_progress *progress,
                                             FILE *out, bool quiet,
                                             enum cul_display display);
/* Erase the live line and restore the terminal. */
void cul_progress_end(struct cul_progress *progress);

#endif
