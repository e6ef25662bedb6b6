/* Compares the outcome of the input inside and outside the sandbox: see
 * target.h. */
#include <stdlib.h>

#include "../../base/files/file.h"
#include "../trial.h"
#include "target.h"

void cul_target_seal(struct cul_target *target) {
  cul_environment_sandbox(target->tool.environment)->sealed = true;
}

/* May another run tell?  Not of what is measured, nor of what needs its whole
 * deadline each time. */
static bool may_compare(const struct cul_target *target) {
  const struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  return sandbox->mode == CUL_SANDBOX_AUTO && cul_sandbox_parts(sandbox) &&
         !sandbox->compared && !cul_target_whole(target) &&
         !target->engine.argv;
}

bool cul_target_wants_outside(const struct cul_target *target) {
  return may_compare(target) && target->original.n == 0;
}

static int run_once(struct cul_target *target, struct cul_placed *placed,
                    uint32_t flags, struct cul_record *out,
                    struct cul_err *err) {
  struct cul_request request = target->probe.request;
  char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_ORIGINAL);
  int rc =
      cul_placed_fill(placed, cul_target_subject_given(&target->subject), err);
  cul_record_release(out);
  request.cmd = &target->tool.command;
  request.flags |= flags | CUL_RUN_NO_CACHE;
  if (rc == 0)
    rc = cul_workplace_claim_tmp(target->probe.place, tmp, &request, err);
  if (rc == 0)
    rc = cul_probe_run_apart(&target->probe, &placed->art, &request, tmp, out,
                             err);
  if (rc == 0)
    cul_trial_collect(&target->probe, &placed->art, request.cmd, out);
  free(tmp);
  return rc;
}

static bool same_end(const struct cul_record *a, const struct cul_record *b) {
  return a->end == b->end && a->status == b->status;
}

/* Two runs each: what differs from run to run says nothing. */
static int differs(struct cul_target *target, struct cul_placed *placed,
                   struct cul_record *outside, bool *out, struct cul_err *err) {
  struct cul_record inside = {0}, again = {0};
  int rc = run_once(target, placed, 0, &inside, err);
  *out = false;
  if (rc == 0 && !same_end(&inside, outside)) {
    rc = run_once(target, placed, 0, &again, err);
    *out = rc == 0 && same_end(&inside, &again);
    if (*out)
      rc = run_once(target, placed, CUL_RUN_OUTSIDE, &again, err);
    *out = *out && rc == 0 && same_end(outside, &again);
  }
  cul_record_release(&inside);
  cul_record_release(&again);
  return rc;
}

/* Take parts away, the least first, until it does the same: a run outside has
 * none of them. */
static int leave_out(struct cul_target *target, struct cul_placed *placed,
                     const struct cul_record *outside, struct cul_err *err) {
  static const uint32_t steps[] = {CUL_PART_LIMITS,
                                   CUL_PART_PIDS | CUL_PART_USERS};
  struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  struct cul_record inside = {0};
  bool same = false;
  int rc = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(steps) && rc == 0 && !same; i++) {
    cul_sandbox_leave_out(sandbox, steps[i],
                          "the command does otherwise in it");
    if (i + 1 < CUL_ARRAY_SIZE(steps))
      rc = run_once(target, placed, 0, &inside, err);
    same = rc == 0 && same_end(&inside, outside);
  }
  cul_record_release(&inside);
  return rc;
}

/* It does now this, now that, in the sandbox: one run alone was outside. */
static bool varies(const struct cul_judged *original) {
  const struct cul_record *inside =
      &original->records[original->n > 2 ? original->n - 1 : 0];
  size_t others = 0;
  for (size_t i = 0; i < original->n; i++)
    others += !same_end(&original->records[i], inside);
  return others > 1;
}

/* The failure is there, in all runs, of which one was outside where there were
 * two; or they are of earlier jobs: nothing is to be asked. */
static bool is_clear(const struct cul_target *target) {
  const struct cul_judged *original = &target->original;
  return original->n == 0 || original->records[0].end == CUL_DEADLINE ||
         original->records[0].cached || varies(original) ||
         (original->verdict.answer == CUL_SAME &&
          !cul_target_flaky(target, NULL));
}

int cul_target_compare_outside(struct cul_target *target,
                               struct cul_placed *placed, bool *left,
                               struct cul_err *err) {
  const struct cul_judged *original = &target->original;
  struct cul_record outside = {0};
  bool differ = false;
  int rc;
  *left = false;
  if (!may_compare(target) || is_clear(target))
    return 0;
  cul_environment_sandbox(target->tool.environment)->compared = true;
  rc = run_once(target, placed, CUL_RUN_OUTSIDE, &outside, err);
  for (size_t i = 0; i < original->n && rc == 0; i++)
    differ |= !same_end(&original->records[i], &outside);
  differ = differ && outside.end != CUL_MACHINE;
  if (rc == 0 && differ)
    rc = differs(target, placed, &outside, &differ, err);
  if (rc == 0 && differ)
    rc = leave_out(target, placed, &outside, err);
  *left = rc == 0 && differ;
  cul_record_release(&outside);
  return rc;
}
