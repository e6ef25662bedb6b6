/* A run of the input with its whole time limit: see long_run.h. */
#include "long_run.h"

#include <poll.h>
#include <stdlib.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../trial.h"

static bool is_wanted(const struct cul_target *target) {
  return target->oracle_conf.hang.hasty &&
         target->original.verdict.answer == CUL_SAME &&
         target->original.verdict.sig.kind == CUL_KIND_TIMEOUT;
}

int cul_long_run_start(struct cul_long_run *run, struct cul_target *target,
                       struct cul_err *err) {
  int rc;
  if (!is_wanted(target))
    return 0;
  *run =
      (struct cul_long_run){.target = target, .request = target->probe.request};
  rc = cul_target_place(target, CUL_SLOT_LONG, &run->placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&run->placed,
                         cul_target_subject_given(&target->subject), err);
  run->tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_LONG);
  run->request.cmd = run->placed.art.cmd = &target->tool.command;
  run->request.flags |= CUL_RUN_NO_CACHE | CUL_RUN_GIVEN;
  run->request.wall_ms = target->oracle_conf.timeout_ms;
  run->start_us = cul_now_us();
  if (rc == 0)
    rc = cul_workplace_claim_tmp(target->probe.place, run->tmp, &run->request,
                                 err);
  if (rc == 0)
    rc = target->probe.runner->start(&run->placed.art, &run->request, run->tmp,
                                     &run->run, err);
  return rc;
}

/* One look at the run; errors of the runner show nothing, like a run that the
 * machine ended. */
static void look(struct cul_long_run *run) {
  const struct cul_probe *probe = &run->target->probe;
  struct cul_record record = {0};
  struct cul_err ignored = {0};
  bool done = false;
  int rc = probe->runner->advance(run->run, &record, &done, &ignored);
  if (rc < 0)
    probe->runner->cancel(run->run);
  if (rc < 0 || done)
    run->run = NULL;
  if (rc == 0 && done && record.end != CUL_DEADLINE &&
      record.end != CUL_MACHINE && record.end != CUL_NOT_STARTED)
    run->ended_us = cul_now_us() - run->start_us;
  if (done)
    cul_record_release(&record);
}

static int wait_for(struct cul_long_run *run, struct cul_err *err) {
  while (run->run) {
    struct pollfd fds[CUL_RUN_MAX_FDS];
    const struct cul_probe *probe = &run->target->probe;
    size_t n = probe->runner->fds(run->run, fds, CUL_RUN_MAX_FDS);
    int rc = cul_probe_time_left(probe, err);
    if (rc == CUL_EINTR || rc == CUL_EENV)
      return rc;
    if (rc < 0)
      return *err = (struct cul_err){0}, 0;
    (void)poll(fds, n, 100);
    cul_probe_tick(probe);
    look(run);
  }
  return 0;
}

int cul_long_run_refutes(struct cul_long_run *run, bool wait, bool *refuted,
                         struct cul_err *err) {
  int rc = wait ? wait_for(run, err) : 0;
  if (run->run)
    look(run);
  *refuted = run->ended_us > 0;
  return rc;
}

void cul_long_run_release(struct cul_long_run *run) {
  if (run->run)
    run->target->probe.runner->cancel(run->run);
  if (run->target)
    cul_placed_release(&run->placed);
  free(run->tmp);
  *run = (struct cul_long_run){0};
}
