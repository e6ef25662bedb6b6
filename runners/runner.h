/* Runners turn a request into a record, asynchronously; one poll loop owns all
 * runs. */
#ifndef CUL_RUNNERS_RUNNER_H
#define CUL_RUNNERS_RUNNER_H

#include <poll.h>

#include "../base/patience.h"
#include "../base/run.h"

struct cul_run; /* one run in flight; private to its runner */

#define CUL_RUN_MAX_FDS 4

struct cul_runner {
  const char *name, *summary;
  /* Start a run.  tmp: the run's private TMPDIR, made by the caller.  The
   * runner empties it: only the directory that had this name, and was
   * request->tmp_ino, before the tool started.  All arguments are borrowed
   * until the run is done or cancelled.  Errors: EUSAGE (template), EENV. */
  int (*start)(const struct cul_artefact *artefact,
               const struct cul_request *request, const char *tmp,
               struct cul_run **out, struct cul_err *err);
  /* The descriptors to poll: fills out[0..n), n <= max; returns n. */
  size_t (*fds)(const struct cul_run *run, struct pollfd *out, size_t max);
  /* Called when one of the fds is ready, or any time: never blocks.  When
   * done, out is filled (owned by the caller) and the run is freed; after an
   * error the caller cancels it. */
  int (*advance)(struct cul_run *run, struct cul_record *out, bool *done,
                 struct cul_err *err);
  /* Kill the whole tree, wait for it (2 s at most, from the first call of
   * this or hang_up on), free the run. */
  void (*cancel)(struct cul_run *run);
  /* Begin to cancel, without waiting: call it for all of many runs before the
   * first cancel.  May be NULL. */
  void (*hang_up)(struct cul_run *run);
  bool live; /* an artefact with a live_fd needs no files */
};

/* The table of runners, from list.h; ends with NULL. */
extern const struct cul_runner *const cul_runners[];
const struct cul_runner *cul_runner_find(const char *name);

/* The first file to which the sandbox refused the run a change; heap, NULL =
 * none. */
char *cul_record_refused(const struct cul_record *record);
/* The error for a run that the machine refused or ended: EENV, with the
 * reason. */
int cul_record_fail(const struct cul_record *record, struct cul_err *err);

/* Share the retry limit between this process and all its forks from now on.
 * The limit: a machine that refuses one run will refuse the next, so after a
 * run was retried in vain for 20 s, runs of the next minute are retried for
 * half a second each, until a refused one succeeds.  Without this call each
 * process has its own limit. */
void cul_runners_share(void);

/* Run one request to its end (start, poll, advance).  patience: may be NULL;
 * when it ends, the run is cancelled and its error returned.  cul_run_wait
 * repeats a run that the machine ended, three times at most; cul_run_wait_once
 * does not. */
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
