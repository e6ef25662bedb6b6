/* The table of runners, and a function that makes one run and waits: see
 * runner.h. */
#include <errno.h>
#include <string.h>

#include "../base/again.h"
#include "../base/status.h"
#include "runner.h"

#define CUL_RUNNER(symbol) extern const struct cul_runner cul_runner_##symbol;
#include "list.h"
#undef CUL_RUNNER

const struct cul_runner *const cul_runners[] = {
#define CUL_RUNNER(symbol) &cul_runner_##symbol,
#include "list.h"
#undef CUL_RUNNER
    NULL,
};

const struct cul_runner *cul_runner_find(const char *name) {
  for (const struct cul_runner *const *r = cul_runners; *r; r++)
    if (strcmp((*r)->name, name) == 0)
      return *r;
  return NULL;
}

char *cul_record_refused(const struct cul_record *record) {
  const char *line = cul_buf_str(&record->files);
  return strncmp(line, "d ", 2) == 0
             ? cul_xstrndup(line + 2, strcspn(line + 2, "\n"))
             : NULL;
}

int cul_record_fail(const struct cul_record *record, struct cul_err *err) {
  struct cul_bytes why = cul_record_why(record);
  return cul_fail(err, CUL_EENV,
                  "allow more memory, processes and open files, or give fewer "
                  "workers (-j); then run the same command again",
                  "the machine %s: %.*s",
                  cul_is_transient(record->status)
                      ? "refuses to start a run"
                      : "ended a run in every attempt",
                  (int)why.len, why.data);
}

int cul_run_wait_once(const struct cul_runner *runner,
                      const struct cul_artefact *artefact,
                      const struct cul_request *request, const char *tmp,
                      const struct cul_patience *patience,
                      struct cul_record *out, struct cul_err *err) {
  struct cul_run *run;
  bool done = false;
  int rc = runner->start(artefact, request, tmp, &run, err);
  while (!rc && !done) {
    struct pollfd fds[CUL_RUN_MAX_FDS];
    size_t n = runner->fds(run, fds, CUL_RUN_MAX_FDS);
    rc = patience ? patience->left(patience->self, err) : 0;
    if (rc < 0) {
      runner->cancel(run);
      return rc;
    }
    if (poll(fds, n, 100) < 0 && errno != EINTR && !cul_is_transient(errno)) {
      runner->cancel(run);
      return cul_fail(err, CUL_EINTERNAL, "", "poll: %s", strerror(errno));
    }
    cul_status_beat();
    rc = runner->advance(run, out, &done, err);
    if (rc < 0)
      runner->cancel(run);
  }
  return rc;
}

int cul_run_wait(const struct cul_runner *runner,
                 const struct cul_artefact *artefact,
                 const struct cul_request *request, const char *tmp,
                 const struct cul_patience *patience, struct cul_record *out,
                 struct cul_err *err) {
  enum { MOST = 3 }; /* repetitions; refusals of the machine were retried */
  int rc =
      cul_run_wait_once(runner, artefact, request, tmp, patience, out, err);
  for (int i = 0; i < MOST && rc == 0 && out->end == CUL_MACHINE &&
                  !cul_is_transient(out->status);
       i++) {
    cul_record_release(out);
    rc = cul_run_wait_once(runner, artefact, request, tmp, patience, out, err);
  }
  return rc;
}
