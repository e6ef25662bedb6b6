/* Runners: request -> record.  Asynchronous; one poll loop owns all runs. */
#ifndef CUL_RUNNERS_RUNNER_H
#define CUL_RUNNERS_RUNNER_H

#include <poll.h>

#include "../base/run.h"

struct cul_run; /* one run in flight; private to its runner */

#define CUL_RUN_MAX_FDS 4

struct cul_runner {
  const char *name, *summary;
  /* Start.  tmp: a directory the runner may use for the run's private TMPDIR
   * (made by the caller, emptied by the runner: the directory that had this
   * name, and is request->tmp_ino, before the tool started); all arguments are
   * borrowed until the run is done or cancelled.  Errors: EUSAGE (template),
   * EENV. */
  int (*start)(const struct cul_artefact *artefact,
               const struct cul_request *request, const char *tmp,
               struct cul_run **out, struct cul_err *err);
  /* What to poll: fills out[0..n), n <= max; returns n. */
  size_t (*fds)(const struct cul_run *run, struct pollfd *out, size_t max);
  /* Called when one of the fds is ready, or any time: never blocks.  When
   * done, out is filled (owned by the caller) and the run is freed. */
  int (*advance)(struct cul_run *run, struct cul_record *out, bool *done,
                 struct cul_err *err);
  /* Kill the whole tree, wait for it (2 s at most, from the first call of
   * this or hang_up on), free the run. */
  void (*cancel)(struct cul_run *run);
  /* Begin to cancel: of many runs, all before the first is waited for.
   * May be NULL. */
  void (*hang_up)(struct cul_run *run);
  bool live; /* an artefact with a live_fd needs no files */
};

/* The table of runners, from list.h; ends with NULL. */
extern const struct cul_runner *const cul_runners[];
const struct cul_runner *cul_runner_find(const char *name);

/* The first file that the run was to change and the sandbox did not let it;
 * heap, NULL = none. */
char *cul_record_refused(const struct cul_record *record);
/* The machine refused the run, or ended it: EENV, with what it says. */
int cul_record_fail(const struct cul_record *record, struct cul_err *err);

/* What the machine refuses one run it refuses the next: once one was asked for
 * in vain, for 20 s, those of the next minute are for half a second each, until
 * one that was refused is had.  From now on that holds for this process and all
 * that it forks together; else for each alone. */
void cul_runners_share(void);

/* How long a run is waited for: while left(self) returns 0, asked every
 * 100 ms. */
struct cul_patience {
  int (*left)(const void *self, struct cul_err *err);
  const void *self; /* borrowed */
};

/* Run one request to its end (start, poll, advance).  patience: NULL, or when
 * it ends the run is cancelled and its error returned.  A run that the machine
 * ended is had again, three times at most; by the second of these it is not. */
CUL_MUST_CHECK int cul_run_wait(const struct cul_runner *runner,
                                const struct cul_artefact *artefact,
                                const struct cul_request *request,
                                const char *tmp,
                                const struct cul_patience *patience,
                                struct cul_record *out, struct cul_err *err);
CUL_MUST_CHECK int cul_run_wait_once(const struct cul_runner *runner,
                                     const struct cul_artefact *artefact,
                                     const struct cul_request *request,
                                     const char *tmp,
                                     const struct cul_patience *patience,
                                     struct cul_record *out,
                                     struct cul_err *err);

#endif
