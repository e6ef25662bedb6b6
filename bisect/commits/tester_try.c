/* One test of a commit, waited for, or remembered: see tester.h. */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../base/status.h"
#include "tester.h"

static int wait_until(const struct cul_tester *tester, uint64_t when,
                      struct cul_err *err) {
  int rc = cul_probe_time_left(&tester->probe, err);
  while (rc == 0 && cul_now_us() < when) {
    uint64_t left = when - cul_now_us();
    usleep(left < 100000 ? (useconds_t)left : 100000);
    rc = cul_probe_time_left(&tester->probe, err);
  }
  return rc;
}

static int wait_built(const struct cul_tester *tester, int fd,
                      struct cul_err *err) {
  struct pollfd pollfd = {.fd = fd, .events = POLLIN};
  int rc = 0;
  while (rc == 0 && fd >= 0 && poll(&pollfd, 1, 100) <= 0)
    cul_status_beat(), rc = cul_probe_time_left(&tester->probe, err);
  return rc;
}

static int judge(struct cul_tester *tester, enum cul_purpose purpose,
                 struct cul_verdict *verdict, struct cul_err *err) {
  const int i = CUL_MAX_WORKERS;
  const struct cul_builder_slot *slot = &tester->builder->slots[i];
  struct cul_judged judged = {0};
  struct cul_built result = {0};
  int rc = wait_built(tester, slot->place.fd, err);
  if (rc == 0)
    rc = cul_tester_built(tester, i, &result, err);
  if (rc == 0 && !result.valid) {
    *verdict = (struct cul_verdict){.answer = CUL_INVALID, .confidence = 1};
    snprintf(verdict->why, sizeof verdict->why, "%s", tester->tests[i].why);
    return 0;
  }
  if (rc == 0)
    rc = cul_probe_judge(&tester->probe, &slot->art, purpose == CUL_TO_LEARN,
                         &judged, err);
  if (rc == 0)
    *verdict = judged.verdict;
  if (rc == 0 && judged.n > 0)
    cul_sought_heed(tester->sought, purpose, &judged.records[judged.n - 1],
                    verdict->answer);
  cul_judged_release(&judged);
  return rc;
}

/* Does a run with this purpose show where tests may write? */
static bool teaches(const struct cul_tester *tester, enum cul_purpose purpose) {
  return purpose == CUL_TO_LEARN && cul_sandboxes_may_learn(tester->sandboxes);
}

/* Once, by a build and a run. */
static int try_once(struct cul_tester *tester, uint32_t commit,
                    enum cul_purpose purpose, struct cul_verdict *verdict,
                    struct cul_err *err) {
  struct cul_artefact_class *one = cul_classes_find(tester->classes, commit);
  uint32_t ids[2] = {commit, one ? one->trials++ : 0};
  struct cul_point point = {ids, 2};
  int fd, rc = cul_tester_begin(tester, &point, CUL_MAX_WORKERS,
                                teaches(tester, purpose), &fd, err);
  if (rc == 0)
    rc = judge(tester, purpose, verdict, err);
  cul_builder_drop(tester->builder, CUL_MAX_WORKERS);
  return rc;
}

static void take(struct cul_tester *tester, const struct cul_test *test,
                 bool recalled, const struct cul_verdict *verdict) {
  struct cul_journal_event event = {.commit = test->commit,
                                    .attempt = test->attempt,
                                    .answer = verdict->answer,
                                    .recalled = recalled,
                                    .us = test->run_us};
  snprintf(event.why, sizeof event.why, "%s", verdict->why);
  if (verdict->answer == CUL_INVALID)
    return; /* the build was noted */
  cul_journal_add(tester->journal, &event);
  if (!recalled && !test->refused)
    cul_tester_keep(tester, test->commit, test->attempt, verdict);
}

/* ---- what is remembered ---- */

void cul_tester_keep(struct cul_tester *tester, uint32_t commit,
                     uint32_t attempt, const struct cul_verdict *verdict) {
  const struct cul_artefact_class *one =
      cul_classes_find(tester->classes, commit);
  struct cul_digest trial;
  if (!one)
    return;
  trial = cul_artefact_class_trial(one, attempt);
  cul_ledger_keep_verdict(tester->ledger, &trial, verdict);
}

/* A record that another job made, or this one before it was killed.  Where
 * the oracle wants more than one, they are to be run. */
static int judge_record(struct cul_tester *tester,
                        const struct cul_digest *trial,
                        enum cul_purpose purpose, struct cul_verdict *verdict,
                        bool *found, struct cul_err *err) {
  const struct cul_probe *probe = &tester->probe;
  struct cul_record record = {0};
  struct cul_request request = probe->request;
  struct cul_wants more = {0};
  bool teaching = teaches(tester, purpose);
  int rc;
  if (!probe->cache)
    return 0;
  request.flags |= teaching ? CUL_RUN_TRACE : 0;
  rc = cul_cache_get(probe->cache, trial, &request, &record, found, err);
  if (rc < 0 || !*found)
    return rc;
  if (teaching)
    cul_sandboxes_learn(tester->sandboxes, request.cmd, &record);
  *verdict = (struct cul_verdict){0};
  if (purpose == CUL_TO_LEARN)
    rc = probe->oracle->learn(probe->oracle_self, &record, 1, &more, verdict,
                              err);
  else
    rc = probe->oracle->judge(probe->oracle_self, &record, 1, &more, verdict,
                              err);
  *found = rc == 0 && more.n == 0;
  if (*found)
    cul_sought_heed(tester->sought, purpose, &record, verdict->answer);
  cul_record_release(&record);
  return rc;
}

int cul_tester_recall(struct cul_tester *tester, const struct cul_digest *trial,
                      enum cul_purpose purpose, struct cul_verdict *verdict,
                      bool *found, struct cul_err *err) {
  *found = purpose == CUL_TO_JUDGE &&
           cul_ledger_verdict(tester->ledger, trial, verdict);
  return *found ? 0 : judge_record(tester, trial, purpose, verdict, found, err);
}

/* The next run of the commit's class, where it is known. */
static int recall(struct cul_tester *tester, uint32_t commit,
                  enum cul_purpose purpose, struct cul_verdict *verdict,
                  bool *found, struct cul_err *err) {
  struct cul_artefact_class *one = cul_classes_find(tester->classes, commit);
  struct cul_test test = {.commit = commit};
  struct cul_digest trial;
  int rc;
  *found = false;
  if (!one)
    return 0;
  test.attempt = one->trials;
  trial = cul_artefact_class_trial(one, test.attempt);
  rc = cul_tester_recall(tester, &trial, purpose, verdict, found, err);
  if (rc < 0 || !*found)
    return rc;
  one->trials++;
  take(tester, &test, true, verdict);
  return 0;
}

int cul_tester_try(struct cul_tester *tester, uint32_t commit,
                   enum cul_purpose purpose, struct cul_verdict *verdict,
                   struct cul_err *err) {
  const struct cul_test *test = &tester->tests[CUL_MAX_WORKERS];
  uint64_t pause;
  bool found;
  int rc = recall(tester, commit, purpose, verdict, &found, err);
  for (uint32_t tries = 1; rc == 0 && !found; tries++) {
    rc = try_once(tester, commit, purpose, verdict, err);
    if (rc < 0)
      break;
    found = test->end == CUL_TEST_ANSWERED &&
            !(test->doubtful && verdict->answer != CUL_SAME);
    if (found)
      take(tester, test, false, verdict);
    else if (test->end == CUL_TEST_ESCAPED)
      tester->classes->by_tree = true;
    else if (!cul_tester_again(tester, tries, test, &pause))
      rc = cul_tester_fail(tester, err);
    else
      rc = wait_until(tester, cul_now_us() + pause, err);
  }
  return rc;
}
