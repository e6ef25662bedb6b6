/* What the process is doing, for whoever shows it while it waits.
 *
 * There is one terminal and one status: this is not handed around, so that
 * whatever waits, wherever, can say that time passes. */
#ifndef CUL_BASE_STATUS_H
#define CUL_BASE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct cul_status {
  char task[160];      /* "mlir-opt on a.mlir"; "" = none is named */
  uint64_t since_us;   /* the task began, or, where none is named, the first
                          viewer came; all times on cul_now_us() */
  uint64_t runs;       /* of it that have ended */
  uint64_t last_us;    /* how long the last of them took */
  unsigned running;    /* runs under way */
  uint64_t started_us; /* the last of them began */
  uint64_t limit_us;   /* that it may take; 0: not known */
  uint64_t of;         /* so many runs it will be, by what is known now; 0: none
                          knows */
};

/* Who shows it; members may be NULL.  Called in the process that waits. */
struct cul_status_viewer {
  void *self;
  /* Time has passed. */
  void (*beat)(void *self, const struct cul_status *status);
  /* Something to know at once, if about so much time is to follow. */
  void (*note)(void *self, const char *line, uint64_t left_us);
  /* Something else is about to be shown. */
  void (*make_way)(void *self);
};

/* From now on this one is told; borrowed.  NULL: nobody, as in a fork. */
void cul_status_view(const struct cul_status_viewer *viewer);

/* What is done from now on; runs are counted anew. */
void cul_status_task(const char *fmt, ...) CUL_PRINTF(1, 2);
/* limit_ms: the run is ended by then; 0: it is not. */
void cul_status_run_started(uint64_t limit_ms);
/* So many runs of the task are to follow, those under way included. */
void cul_status_runs_left(uint64_t n);
/* took_us: of a run that was waited for, else 0. */
void cul_status_run_ended(uint64_t took_us);
/* Call it every 100 ms while waiting. */
void cul_status_beat(void);
/* The same in a loop over very many elements, at each of them; i: its number.
 */
static inline void cul_status_pass(uint64_t i) {
  if ((i & 0xfffff) == 0xfffff)
    cul_status_beat();
}
void cul_status_note(uint64_t left_us, const char *fmt, ...) CUL_PRINTF(2, 3);
/* Of a machine that refuses something for a while: the job goes on; each kind
 * is said once. */
enum cul_hiccup {
  CUL_HICCUP_START,  /* a process, or the pipes to it */
  CUL_HICCUP_BOX,    /* the sandbox of a run */
  CUL_HICCUP_GUARD,  /* the process that watched over a run died */
  CUL_HICCUP_WORKER, /* a process that makes candidates */
  CUL_HICCUP_LOCK,   /* a file system without locks */
  CUL_N_HICCUPS
};
void cul_status_hiccup(enum cul_hiccup kind, const char *fmt, ...)
    CUL_PRINTF(2, 3);
void cul_status_make_way(void);

/* The flag that becomes non-zero when the user asks to end; borrowed, NULL:
 * nobody asks. */
void cul_status_watch(const volatile int *flag);
/* Has the user asked to end?  Whatever waits, or reads without end in sight,
 * gives up then. */
bool cul_status_interrupted(void);

#endif
