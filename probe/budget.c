/* Checks whether time and runs are left; everything that runs the tool asks
 * here. */
#include "../base/clock.h"
#include "../base/files/file.h"
#include "probe.h"
#include "workplace.h"

static int fail_spent(const char *which, struct cul_err *err) {
  return cul_fail(err, CUL_EBUDGET,
                  "the best result is written; raise the limit and run the "
                  "same command to continue",
                  "%s reached", which);
}

static bool is_late(const struct cul_probe *probe) {
  uint64_t deadline_us = probe->budget.deadline_us;
  return deadline_us && cul_now_us() >= deadline_us;
}

static bool has_no_runs(const struct cul_probe *probe) {
  uint64_t most = probe->budget.max_runs;
  return most && cul_counts_ended(&probe->counts) >= most;
}

/* If a tool has changed, answers that are not stored yet may be of the changed
 * one: flush the cache, whose guard drops them. */
static int check_tools(const struct cul_probe *probe, bool now,
                       struct cul_err *err) {
  struct cul_err ignored = {0};
  int rc =
      probe->doubt.stamps ? cul_stamps_check(probe->doubt.stamps, now, err) : 0;
  if (rc < 0)
    (void)!cul_cache_flush(probe->cache, &ignored);
  return rc;
}

int cul_probe_tools_hold(const struct cul_probe *probe, bool now,
                         struct cul_err *err) {
  return check_tools(probe, now, err);
}

int cul_probe_time_left(const struct cul_probe *probe, struct cul_err *err) {
  if (probe->interrupted && *probe->interrupted)
    return cul_fail(err, CUL_EINTR, "run the same command again to continue",
                    "interrupted");
  if (is_late(probe))
    return fail_spent("--max-time", err);
  return check_tools(probe, false, err);
}

bool cul_probe_is_spent(const struct cul_probe *probe) {
  return has_no_runs(probe) || is_late(probe);
}

int cul_probe_budget_left(const struct cul_probe *probe, struct cul_err *err) {
  const struct cul_budget *budget = &probe->budget;
  int rc = cul_probe_time_left(probe, err);
  if (rc < 0)
    return rc;
  if (has_no_runs(probe))
    return fail_spent("--max-runs", err);
  if (budget->stop_at_ops && probe->best_ops <= budget->stop_at_ops)
    return fail_spent("--stop-at-ops", err);
  return 0;
}

static int left(const void *self, struct cul_err *err) {
  return cul_probe_time_left(self, err);
}

struct cul_patience cul_probe_patience(const struct cul_probe *probe) {
  return (struct cul_patience){left, probe};
}

int cul_probe_try(const struct cul_probe *probe,
                  const struct cul_runner *runner,
                  const struct cul_artefact *artefact,
                  const struct cul_request *request, const char *tmp,
                  struct cul_record *record, struct cul_err *err) {
  struct cul_patience patience = cul_probe_patience(probe);
  struct cul_request in = *request;
  int rc = cul_probe_time_left(probe, err);
  if (rc == 0)
    rc = cul_workplace_claim_tmp(probe->place, tmp, &in, err);
  if (rc == 0)
    rc = cul_run_wait(runner, artefact, &in, tmp, &patience, record, err);
  return rc;
}

int cul_probe_ask_machine(const struct cul_probe *probe,
                          const struct cul_artefact *artefact,
                          const struct cul_command *like, const char *tmp,
                          bool *lost, struct cul_err *err) {
  static const char *const argv[] = {"/bin/sh", "-c", ":", NULL};
  const struct cul_command nothing = {
      .argv = argv, .environment = like->environment, .hosts = like->hosts};
  struct cul_request request = {.role = "nothing", .cmd = &nothing};
  struct cul_record record = {0};
  int rc = cul_probe_try(probe, probe->runner, artefact, &request, tmp, &record,
                         err);
  *lost = rc == 0 && record.end == CUL_MACHINE;
  cul_record_release(&record);
  return rc;
}

int cul_probe_wait(const struct cul_probe *probe,
                   const struct cul_runner *runner,
                   const struct cul_artefact *artefact,
                   const struct cul_request *request, const char *tmp,
                   struct cul_record *record, struct cul_err *err) {
  int rc = cul_probe_try(probe, runner, artefact, request, tmp, record, err);
  return rc == 0 && record->end == CUL_MACHINE ? cul_record_fail(record, err)
                                               : rc;
}
