/* The first run of a job, traced to record what the tool executes and reads.
 * One run is little evidence, so a second one runs in parallel if a worker is
 * free. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/again.h"
#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../trial.h"
#include "target.h"

enum { TRACED, BESIDE, MOST };

/* A run of the original, in a slot of its own. */
struct first {
  const struct cul_placed *placed;
  int slot;
  struct cul_request request;
  struct cul_run *run; /* in flight; or NULL */
  char *tmp;
  uint64_t start_us;
  bool ended;
  unsigned lost; /* runs that the machine ended */
  struct cul_record record;
};
enum { MOST_LOST = 3 };

/* Will the oracle want a second run whatever the first one shows?  Not if it
 * asks for runs of other commands, or judges many runs together. */
static bool may_have_two(const struct cul_target *target) {
  const struct cul_probe *probe = &target->probe;
  for (size_t role = 0; role < CUL_N_ROLES; role++)
    if (probe->roles[role].name)
      return false;
  return probe->workers > 1 && probe->budget.max_runs != 1 &&
         target->oracle_conf.repeat.runs != 1 && !target->script.contract &&
         !target->engine.argv && !cul_target_whole(target);
}

static int start(struct cul_target *target, struct first *first,
                 struct cul_err *err) {
  int rc;
  if (!first->tmp)
    first->tmp = cul_xasprintf("%s/t%04d", target->dir, first->slot);
  rc = cul_workplace_claim_tmp(target->probe.place, first->tmp, &first->request,
                               err);
  first->start_us = cul_now_us();
  if (rc == 0)
    cul_status_run_started(first->request.wall_ms);
  return rc ? rc
            : target->probe.runner->start(&first->placed->art, &first->request,
                                          first->tmp, &first->run, err);
}

static void note(struct cul_target *target, struct first *first, bool killed) {
  struct cul_counts *counts = &target->probe.counts;
  cul_probe_tell_ended(&target->probe, first->slot, first->start_us, killed);
  counts->killed += killed;
  cul_status_run_ended(killed ? 0 : first->record.wall_us + 1);
  if (killed)
    return;
  first->ended = true;
  cul_trial_collect(&target->probe, &first->placed->art, first->request.cmd,
                    &first->record);
  counts->executed++;
  counts->by_phase[CUL_RUNS_CLASSIFY]++;
  counts->oracle_cpu_us += first->record.cpu_us;
}

static int advance(struct cul_target *target, struct first *first,
                   struct cul_err *err) {
  bool done = false;
  int rc = first->run ? target->probe.runner->advance(
                            first->run, &first->record, &done, err)
                      : 0;
  if (rc < 0 || !done)
    return rc;
  first->run = NULL;
  if (first->record.end == CUL_MACHINE &&
      !cul_is_transient(
          first->record.status) && /* for which it was asked long */
      first->lost++ < MOST_LOST) { /* which says nothing of the tool */
    cul_record_release(&first->record);
    note(target, first, true);
    return start(target, first, err);
  }
  note(target, first, false);
  return 0;
}

static void hang_up(struct cul_target *target, struct first *first) {
  const struct cul_runner *runner = target->probe.runner;
  if (first->run && runner->hang_up)
    runner->hang_up(first->run);
}

static void cancel(struct cul_target *target, struct first *first) {
  if (!first->run)
    return;
  target->probe.runner->cancel(first->run);
  first->run = NULL;
  note(target, first, true);
}

/* Have the runs ended?  If the traced run hits the deadline, the second one is
 * not waited for: a timeout is confirmed later, alone. */
static bool is_over(const struct first firsts[MOST]) {
  return !firsts[TRACED].run &&
         (!firsts[BESIDE].run || firsts[TRACED].record.end == CUL_DEADLINE);
}

static int wait_for(struct cul_target *target, struct first firsts[MOST],
                    struct cul_err *err) {
  int rc = 0;
  while (rc == 0 && !is_over(firsts)) {
    struct pollfd fds[MOST * CUL_RUN_MAX_FDS];
    size_t n = 0;
    for (size_t i = 0; i < MOST; i++)
      if (firsts[i].run)
        n += target->probe.runner->fds(firsts[i].run, fds + n, CUL_RUN_MAX_FDS);
    rc = cul_probe_time_left(&target->probe, err);
    if (rc < 0)
      return rc;
    if (poll(fds, n, 100) < 0 && errno != EINTR)
      return cul_fail(err, CUL_EINTERNAL, "", "poll: %s", strerror(errno));
    cul_probe_tick(&target->probe);
    for (size_t i = 0; i < MOST && rc == 0; i++)
      rc = advance(target, &firsts[i], err);
  }
  return rc;
}

static int run(struct cul_target *target, struct first firsts[MOST],
               struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < MOST && rc == 0; i++)
    if (firsts[i].placed)
      rc = start(target, &firsts[i], err);
  if (rc == 0)
    rc = wait_for(target, firsts, err);
  /* Both end at once: they have one time to end in, not one after the other. */
  for (size_t i = 0; i < MOST; i++)
    hang_up(target, &firsts[i]);
  for (size_t i = 0; i < MOST; i++)
    cancel(target, &firsts[i]);
  return rc;
}

/* Store the record, unless its end may differ another time. */
static int store(struct cul_target *target, struct first *first,
                 struct cul_err *err) {
  struct cul_probe *probe = &target->probe;
  if (!target->cache || first->record.end == CUL_DEADLINE ||
      (probe->lost_status && first->record.status == probe->lost_status))
    return 0;
  first->request.cmd = probe->request.cmd;
  first->request.tool = probe->request.tool;
  first->request.flags = probe->request.flags;
  return cul_cache_put(target->cache, &first->placed->art.digest,
                       &first->request, &first->record, err);
}

/* Take the tool's identity from the traced run, and the runs as the first of
 * the classification.  A traced run whose trace has gaps does not count: it may
 * have run otherwise.  Nor does any traced run if runs are measured, since a
 * tracer costs time. */
static int take(struct cul_target *target, struct first firsts[MOST],
                struct cul_err *err) {
  struct cul_record *traced = &firsts[TRACED].record;
  struct cul_judged *original = &target->original;
  bool drop = !traced->trace_closed || cul_target_whole(target);
  const struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  int rc;
  cul_identity_release(
      &target->tool.identity); /* of an earlier classification */
  rc = cul_identity_learn(target->cache, &target->tool.command, traced,
                          target->dir, &target->tool.identity, err);
  cul_buf_release(&traced->files);
  if (rc < 0)
    return rc;
  cul_stamps_add(&target->stamps, &target->tool.command,
                 &target->tool.identity);
  target->probe.request.tool = cul_identity_key(&target->tool.identity);
  if (sandbox && sandbox->shared.n && firsts[BESIDE].ended)
    return 0; /* each may have read what the other one wrote */
  original->records = cul_xcalloc(MOST, sizeof *original->records);
  for (size_t i = drop ? BESIDE : TRACED; i < MOST && rc == 0; i++) {
    if (!firsts[i].ended)
      continue;
    firsts[i].request.attempt = (uint32_t)original->n;
    rc = store(target, &firsts[i], err);
    original->records[original->n++] = firsts[i].record;
    firsts[i].record = (struct cul_record){0};
  }
  return rc;
}

/* Show how many runs are left, as far as that is known before the first run. */
static void expect_runs(const struct cul_target *target) {
  uint32_t runs = target->oracle_conf.repeat.runs;
  for (size_t role = 0; role < CUL_N_ROLES; role++)
    if (target->probe.roles[role].name)
      return;
  if (!cul_target_whole(target))
    cul_status_runs_left(runs ? runs : MOST);
}

int cul_target_trace(struct cul_target *target, const struct cul_placed *placed,
                     struct cul_err *err) {
  struct cul_placed beside = {0};
  struct first firsts[MOST] = {
      {.placed = placed,
       .slot = CUL_SLOT_ORIGINAL,
       .request = target->probe.request},
      {.slot = CUL_SLOT_OTHER, .request = target->probe.request}};
  int rc = 0;
  expect_runs(target);
  for (size_t i = 0; i < MOST; i++) {
    firsts[i].request.cmd = &target->tool.command;
    firsts[i].request.stay = cul_early_hangs_ask(&target->probe.early, true);
  }
  firsts[TRACED].request.flags |= CUL_RUN_TRACE | CUL_RUN_NO_CACHE;
  firsts[BESIDE].request.flags |= CUL_RUN_NO_CACHE;
  if (may_have_two(target)) {
    firsts[BESIDE].placed = &beside;
    if (target->probe.learning.outside_wanted) {
      firsts[BESIDE].request.flags |= CUL_RUN_OUTSIDE;
      target->probe.learning.outside_wanted = false;
    }
    rc = cul_target_place(target, CUL_SLOT_OTHER, &beside, err);
    if (rc == 0)
      rc = cul_placed_fill(&beside, cul_target_subject_given(&target->subject),
                           err);
  }
  beside.art.cmd = placed->art.cmd;
  if (rc == 0)
    rc = run(target, firsts, err);
  if (rc == 0)
    rc = take(target, firsts, err);
  for (size_t i = 0; i < MOST; i++) {
    free(firsts[i].tmp);
    cul_record_release(&firsts[i].record);
  }
  cul_placed_release(&beside);
  return rc;
}
