/* Functions used by all parts of a job: see job.h. */
#include "job.h"

#include "../../base/clock.h"
#include "../../base/files/file.h"

const char *cul_reduce_phase_name(enum cul_reduce_phase phase) {
  static const char *const names[] = {"classify", "pass",  "form",    "command",
                                      "cut",      "delta", "minimal", "finish"};
  return names[phase];
}

double cul_reduce_seconds(const struct cul_reduce *job) {
  return (double)(cul_now_us() - job->start_us) / 1e6;
}

void cul_reduce_enter(struct cul_reduce *job, enum cul_reduce_phase phase) {
  static const enum cul_run_phase runs[] = {
      CUL_RUNS_CLASSIFY, CUL_RUNS_SEARCH, CUL_RUNS_CLASSIFY, CUL_RUNS_SEARCH,
      CUL_RUNS_SEARCH,   CUL_RUNS_SEARCH, CUL_RUNS_MINIMAL,  CUL_RUNS_CONFIRM};
  job->phase = phase;
  job->target.probe.phase = runs[phase];
  if (job->watcher.phase)
    job->watcher.phase(job->watcher.self, job);
}

void cul_reduce_name_points(struct cul_reduce *job) {
  const struct cul_reduce_subject *subject = &job->subject;
  bool flaky = cul_target_flaky(&job->target, NULL);
  struct cul_digest command;
  struct cul_hasher *h;
  job->subject.space.job = job->digest;
  if (!flaky && !job->target.places.n &&
      !job->target.oracle_conf.crash.layouts && !subject->reread.on)
    return;
  /* Keep separate answers: for a flaky failure one run does not answer for
   * many, and with fewer known places or heap layouts a point was judged
   * differently.  The same text has other sites in another form; the command is
   * as short there as it became before. */
  h = cul_hasher_new();
  cul_hasher_add(h, &job->digest, sizeof job->digest);
  if (flaky)
    cul_hasher_field(h, "flaky");
  if (subject->reread.on) {
    command = cul_command_digest(cul_target_command(&job->target)->argv);
    cul_hasher_field(h, cul_form_name(subject->form.form));
    cul_hasher_add(h, &command, sizeof command);
  }
  cul_hasher_u64(h, job->target.places.n);
  cul_hasher_u64(h, job->target.oracle_conf.crash.layouts);
  job->subject.space.job = cul_hasher_finish(h);
}
