/* What the input shows: see cul_target_classify. */
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "target.h"

void cul_target_hurry(struct cul_target *target, bool on) {
  const struct cul_signature *sig = &target->original.verdict.sig;
  target->probe.deadline.provisional = on;
  target->probe.deadline.spinning = on && strcmp(sig->text, "spinning") == 0;
  target->oracle_conf.hang.provisional = on;
}

/* The input ends, late: what takes a third of that is a timeout too. */
static void take_late_end(struct cul_target *target, uint64_t late_us) {
  uint64_t third_ms = late_us / 3000;
  if (target->oracle_conf.hang.limit_ms > third_ms)
    target->oracle_conf.hang.limit_ms = third_ms;
  target->probe.deadline.slowest_us = 0;
  free(target->found);
  target->found = cul_xasprintf(
      "it ended well, after %.1f s: sought is what computes for more than "
      "%.1f s (--timeout SECONDS says another number)",
      (double)late_us / 1e6, (double)target->oracle_conf.hang.limit_ms / 1e3);
}

/* A timeout that is sought has a deadline of its own: fixed, and shorter
 * than that of an unknown first run. */
static void fix_deadline(struct cul_target *target) {
  uint64_t late_us;
  if (target->original.verdict.sig.kind != CUL_KIND_TIMEOUT)
    return;
  late_us = cul_late_us(&target->oracle_conf, &target->original.records[0]);
  if (late_us)
    take_late_end(target, late_us);
  target->probe.deadline.fixed = true;
  target->probe.request.wall_ms = target->oracle_conf.hang.limit_ms;
  cul_target_hurry(target, target->oracle_conf.hang.limit_ms >
                                   CUL_SHORTEST_DEADLINE_MS &&
                               !cul_target_flaky(target, NULL));
}

/* Where no run fails, will it be run again with addresses of chance? */
static bool may_come_by_chance(const struct cul_target *target) {
  return !target->script.contract && !target->engine.argv &&
         !cul_target_whole(target) &&
         !(target->probe.request.flags & CUL_RUN_RANDOMIZE);
}

/* Learn from the runs had so far and those that are wanted beside them. */
static int learn(struct cul_target *target, struct cul_err *err) {
  struct cul_placed placed = {0};
  bool left = false;
  int rc = cul_target_place(target, CUL_SLOT_ORIGINAL, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, cul_target_subject_given(&target->subject),
                         err);
  placed.art.cmd = &target->tool.command;
  target->probe.learning.may_repeat_all = may_come_by_chance(target);
  target->probe.learning.outside_wanted = cul_target_wants_outside(target);
  if (rc == 0 && !target->tool.recalled && target->original.n == 0 &&
      !(target->probe.request.flags & CUL_RUN_WHERE))
    rc = cul_target_trace(target, &placed, err);
  if (rc == 0)
    rc = cul_target_know_roles(target, &placed, err);
  if (rc == 0)
    rc = cul_probe_judge(&target->probe, &placed.art, true, &target->original,
                         err);
  target->probe.learning.outside_wanted = false;
  if (rc == 0)
    rc = cul_target_compare_outside(target, &placed, &left, err);
  if (rc == 0 && left) {
    cul_judged_release(&target->original);
    rc = cul_probe_judge(&target->probe, &placed.art, true, &target->original,
                         err);
  }
  if (rc == 0 && target->script.contract &&
      target->oracle_conf.script.sense == CUL_SENSE_UNKNOWN)
    rc = cul_target_find_sense(target, err);
  target->classified = rc == 0;
  if (rc == 0)
    fix_deadline(target);
  cul_placed_release(&placed);
  return rc;
}

int cul_target_learn_anew(struct cul_target *target, struct cul_err *err) {
  struct cul_placed placed = {0};
  int rc = cul_target_place(target, CUL_SLOT_ORIGINAL, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, cul_target_subject_given(&target->subject),
                         err);
  placed.art.cmd = &target->tool.command;
  if (rc == 0)
    rc = cul_probe_judge(&target->probe, &placed.art, true, &target->original,
                         err);
  cul_placed_release(&placed);
  return rc;
}

/* A fault of which nothing is said but the signal: any other fault would be
 * taken for it. */
static bool is_mute(const struct cul_target *target) {
  const struct cul_signature *sig = &target->original.verdict.sig;
  return target->original.verdict.answer == CUL_SAME &&
         sig->kind == CUL_KIND_SIGNAL && sig->n_frames == 0 && !sig->text[0] &&
         strcmp(target->oracle->name, "crash") == 0 &&
         !cul_target_flaky(target, NULL);
}

static int learn_with(struct cul_target *target, uint32_t flags,
                      struct cul_err *err) {
  target->probe.request.flags = flags;
  cul_judged_release(&target->original);
  return learn(target, err);
}

/* No run failed, and addresses were the same in all. */
static bool shows_nothing(const struct cul_target *target) {
  return target->original.verdict.answer == CUL_PASSES &&
         may_come_by_chance(target);
}

/* What reads memory that is not its own may only fail where the kernel places
 * it as it does for the user.  If not there either, all stays as it was. */
static int learn_by_chance(struct cul_target *target, uint32_t flags,
                           struct cul_err *err) {
  struct cul_judged fixed = target->original;
  int rc;
  target->original = (struct cul_judged){0};
  rc = learn_with(target, flags | CUL_RUN_RANDOMIZE, err);
  if (rc == 0 && target->original.verdict.answer != CUL_PASSES) {
    cul_judged_release(&fixed);
    free(target->found);
    target->found = cul_xasprintf(
        "it fails where its memory lies by chance only: each run has "
        "addresses of its own");
    return 0;
  }
  cul_judged_release(&target->original);
  target->original = fixed;
  target->probe.request.flags = flags;
  return rc;
}

int cul_target_classify(struct cul_target *target, struct cul_err *err) {
  uint32_t flags = target->probe.request.flags;
  int rc = learn(target, err);
  if (rc == 0 && shows_nothing(target)) {
    rc = learn_by_chance(target, flags, err);
    flags = target->probe.request.flags;
  }
  if (rc < 0 || !is_mute(target))
    return rc;
  rc = learn_with(target, flags | CUL_RUN_WHERE, err);
  if (rc == 0 && (target->original.verdict.answer != CUL_SAME ||
                  target->original.verdict.sig.n_frames == 0))
    rc = learn_with(target, flags, err);
  return rc;
}

/* May the first run be ended before its limit?  Not by what counts or
 * measures runs, nor where the user has said how long a timeout is. */
static bool may_be_hasty(const struct cul_target *target) {
  return strcmp(target->oracle->name, "crash") == 0 &&
         target->oracle_conf.repeat.runs == 0 &&
         target->oracle_conf.timeout_ms > target->oracle_conf.hang.limit_ms;
}

int cul_target_classify_soon(struct cul_target *target, struct cul_err *err) {
  struct cul_request *request = &target->probe.request;
  struct cul_oracle_conf *conf = &target->oracle_conf;
  uint64_t whole_ms = request->wall_ms;
  int rc;
  if (!may_be_hasty(target))
    return cul_target_classify(target, err);
  conf->hang.hasty = true;
  request->wall_ms = conf->hang.limit_ms;
  rc = learn(target, err);
  if (rc < 0 || target->probe.deadline.fixed)
    return rc;
  conf->hang.hasty = false;
  request->wall_ms = whole_ms;
  if (target->original.n > 0 &&
      target->original.records[0].end == CUL_DEADLINE) {
    conf->hang.waited = target->original.records[0].pace == CUL_PACE_WAITING;
    cul_judged_release(&target->original);
  }
  return cul_target_classify(target, err);
}

int cul_target_classify_again(struct cul_target *target, struct cul_err *err) {
  cul_target_hurry(target, false);
  target->oracle_conf.hang.hasty = false;
  target->oracle_conf.hang.waited = false;
  target->probe.deadline.fixed = false;
  target->probe.request.wall_ms = target->oracle_conf.timeout_ms;
  cul_judged_release(&target->original);
  return cul_target_classify(target, err);
}

int cul_target_doubt(struct cul_target *target, struct cul_err *err) {
  cul_repeat_doubt(target->probe.oracle_self);
  target->oracle_conf.crash.layouts = 0;
  return learn(target, err);
}
