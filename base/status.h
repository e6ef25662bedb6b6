/* What the process is doing, for a viewer that shows it while the process
 * waits.
 *
 * There is one terminal and one status, so the status is global: any code that
 * waits can report that time passes. */
#ifndef CUL_BASE_STATUS_H
#define CUL_BASE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct cul_status {
  char task[160];    /* "mlir-opt on a.mlir"; "" = none is named */
  uint64_t since_us; /* start of the task, or of the first viewer where no task
                        is named; all times on cul_now_us() */
  uint64_t runs;     /* of the task that have ended */
  uint64_t last_us;  /* duration of the last of these */
  unsigned running;  /* runs under way */
  uint64_t started_us; /* start of the last of these */
  uint64_t limit_us;   /* time limit of that run; 0: not known */
  uint64_t of;         /* expected number of runs in all; 0: not known */
};

/* A viewer; members may be NULL.  Called in the process that waits. */
struct cul_status_viewer {
  void *self;
  /* Time has passed. */
  void (*beat)(void *self, const struct cul_status *status);
  /* A line to show at once if about left_us of work follows. */
  void (*note)(void *self, const char *line, uint64_t left_us);
  /* Something else is about to be shown. */
  void (*make_way)(void *self);
};

/* Set the viewer; borrowed.  NULL: none, as in a fork. */
void cul_status_view(const struct cul_status_viewer *viewer);

/* Begin a task; the count of runs restarts. */
void cul_status_task(const char *fmt, ...) CUL_PRINTF(1, 2);
/* limit_ms: time limit of the run; 0: none. */
void cul_status_run_started(uint64_t limit_ms);
/* n runs of the task remain, including those under way. */
void cul_status_runs_left(uint64_t n);
/* took_us: of a run that was waited for, else 0. */
void cul_status_run_ended(uint64_t took_us);
/* Call it every 100 ms while waiting. */
void cul_status_beat(void);
/* The same for loops over very many elements: call it for each; i: its
 * index. */
static inline void cul_status_pass(uint64_t i) {
  if ((i & 0xfffff) == 0xfffff)
    cul_status_beat();
}
void cul_status_note(uint64_t left_us, const char *fmt, ...) CUL_PRINTF(2, 3);
/* Transient refusals of the machine.  The job continues, and each kind is
 * reported once. */
enum cul_transient {
  CUL_TRANSIENT_START,  /* a process, or the pipes to it */
  CUL_TRANSIENT_BOX,    /* the sandbox of a run */
  CUL_TRANSIENT_GUARD,  /* the process that watched over a run died */
  CUL_TRANSIENT_WORKER, /* a process that makes candidates */
  CUL_TRANSIENT_LOCK,   /* a file system without locks */
  CUL_TRANSIENT_EARLY,  /* a run was taken for endless, and was not */
  CUL_TRANSIENT_CHANCE, /* candidates failed by chance, where the input always
                        does */
  CUL_N_TRANSIENTS
};
void cul_status_transient(enum cul_transient kind, const char *fmt, ...)
    CUL_PRINTF(2, 3);
void cul_status_make_way(void);

/* Set the flag that becomes non-zero when the user interrupts; borrowed, NULL:
 * none. */
void cul_status_watch(const volatile int *flag);
/* Has the user interrupted?  Code that waits, or reads without a bound, must
 * then give up. */
bool cul_status_interrupted(void);

#endif
