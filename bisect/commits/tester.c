/* Commits as a space: see tester.h.  A build is identified by the files that
 * the test reads from it. */
#include "tester.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../build/build_log.h"

/* ---- builds ---- */

struct cul_test *cul_tester_of(struct cul_tester *tester, uint32_t commit) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(tester->tests); i++)
    if (tester->tests[i].live && tester->tests[i].commit == commit)
      return &tester->tests[i];
  return NULL;
}

static int begin_test(struct cul_tester *tester, const struct cul_point *point,
                      int i, bool teaching, int *fd, struct cul_err *err) {
  struct cul_test *test = cul_tester_of(tester, point->ids[0]);
  if (test)
    test->live = false; /* a cancelled one */
  tester->tests[i] = (struct cul_test){.commit = point->ids[0],
                                       .attempt = point->ids[1],
                                       .live = true,
                                       .teaching = teaching};
  return cul_builder_begin(tester->builder, i, point->ids[0], fd, err);
}

static int begin(void *self, const struct cul_point *point, int i, int *fd,
                 struct cul_err *err) {
  return begin_test(self, point, i, false, fd, err);
}

static void note_build(struct cul_tester *tester,
                       const struct cul_builder_slot *slot, uint32_t commit) {
  bool ready = slot->place.state == CUL_PLACE_READY;
  struct cul_journal_event event = {.commit = commit,
                                    .build = true,
                                    .answer = ready ? CUL_PASSES : CUL_INVALID,
                                    .us = slot->place.wall_us};
  if (!slot->place.fresh || slot->place.state == CUL_PLACE_TROUBLE)
    return;
  cul_archive_build(tester->archive, slot->name, slot->place.log);
  tester->journal->built++;
  tester->journal->failed += !ready;
  snprintf(event.why, sizeof event.why, "%s", slot->place.why);
  cul_journal_add(tester->journal, &event);
}

/* Name the built artefact; if it is unknown, its run is traced. */
static void name_artefact(struct cul_tester *tester, int i) {
  struct cul_test *test = &tester->tests[i];
  struct cul_builder_slot *slot = &tester->builder->slots[i];
  struct cul_artefact_class *one =
      cul_classes_find(tester->classes, test->commit);
  struct cul_digest name;
  struct cul_buf outside = {0};
  if (!one && cul_builder_find(tester->builder, i, &name, &outside)) {
    one = cul_classes_set(tester->classes, test->commit, &name,
                          cul_buf_str(&outside));
    if (one && one->member != CUL_DAG_NONE)
      test->end = CUL_TEST_SAME;
    else if (one)
      test->attempt = one->trials++;
  }
  cul_buf_release(&outside);
  slot->art.digest = cul_digest_of(slot->name, strlen(slot->name));
  slot->art.run_flags = CUL_RUN_TRACE | CUL_RUN_NO_CACHE;
  if (one) {
    slot->art.digest = cul_artefact_class_trial(one, test->attempt);
    slot->art.run_flags = test->teaching ? CUL_RUN_TRACE : 0;
  }
}

static void take_build(struct cul_tester *tester, int i,
                       struct cul_built *out) {
  struct cul_test *test = &tester->tests[i];
  struct cul_builder_slot *slot = &tester->builder->slots[i];
  const char *why = slot->place.why;
  switch (slot->place.state) {
  case CUL_PLACE_READY:
    cul_ledger_keep_build(tester->ledger, tester->range, test->commit,
                          slot->place.outside, NULL);
    name_artefact(tester, i);
    out->valid = test->end == CUL_TEST_ANSWERED;
    out->art = slot->art;
    why = "the same artefact as a commit before";
    break;
  case CUL_PLACE_FAILED:
    cul_ledger_keep_build(tester->ledger, tester->range, test->commit,
                          slot->place.outside, why);
    break;
  case CUL_PLACE_LACKING:
  case CUL_PLACE_REFUSED:
    break;
  case CUL_PLACE_TROUBLE:
    test->end = CUL_TEST_TROUBLE;
    break;
  }
  snprintf(test->why, sizeof test->why, "%s", why);
  if (slot->place.state != CUL_PLACE_READY)
    cul_lacking_blame(tester->builder->lacking, tester->range, test->commit,
                      test->why);
  cul_phrase(out->why, sizeof out->why, "%s", test->why);
}

/* Say which files the Makefile seems not to know, or that it fails where
 * products of another commit are. */
static void say_stale(struct cul_tester *tester,
                      const struct cul_builder_slot *slot) {
  const struct cul_stale *stale = &slot->place.stale;
  size_t skip = strlen(slot->place.dir) + 1;
  if (stale->with[0])
    cul_notices_say(tester->notices,
                    "%.12s: --build did nothing with %s, although %s changed, "
                    "which was read with it: built anew in an empty "
                    "directory",
                    slot->name, stale->file + skip, stale->with + skip);
  else if (stale->file[0])
    cul_notices_say(tester->notices,
                    "%.12s: --build did nothing with %s, which changed: built "
                    "anew in an empty directory",
                    slot->name, stale->file + skip);
  else if (slot->place.anew && slot->place.state == CUL_PLACE_READY)
    cul_notices_say(tester->notices,
                    "%.12s: --build failed with what another commit's build "
                    "left, and succeeded in an empty directory",
                    slot->name);
}

static int built(void *self, int i, struct cul_built *out,
                 struct cul_err *err) {
  struct cul_tester *tester = self;
  struct cul_builder_slot *slot = &tester->builder->slots[i];
  int rc = cul_builder_built(tester->builder, i, err);
  *out = (struct cul_built){.valid = false};
  if (rc == 0 && slot->place.pending)
    *out = (struct cul_built){.pending = true, .fd = slot->place.fd};
  if (rc < 0 || slot->place.pending)
    return rc;
  note_build(tester, slot, tester->tests[i].commit);
  if (slot->place.fresh)
    say_stale(tester, slot);
  cul_lacking_say_files(tester->builder->lacking, &slot->place.files);
  cul_sandboxes_refused(tester->sandboxes, "build", slot->name,
                        slot->place.refused,
                        slot->place.state == CUL_PLACE_REFUSED);
  slot->place.fresh = false;
  take_build(tester, i, out);
  return 0;
}

/* ---- runs ---- */

/* Is a program missing that is not part of the commit? */
static bool lacks_tool(const struct cul_tester *tester,
                       const struct cul_record *record) {
  return record->end == CUL_NOT_STARTED && tester->outside;
}

static void find_trouble(const struct cul_tester *tester,
                         const struct cul_record *record,
                         struct cul_test *test) {
  if (record->end == CUL_MACHINE || lacks_tool(tester, record))
    test->end = CUL_TEST_TROUBLE;
  else
    test->doubtful = (record->end == CUL_SIGNALED && record->status == 9) ||
                     cul_is_trouble(cul_buf_str(&record->err));
  if (test->end != CUL_TEST_TROUBLE && !test->doubtful)
    return;
  if (record->end == CUL_SIGNALED)
    snprintf(test->why, sizeof test->why, "the test was killed (SIGKILL)");
  else
    cul_phrase(test->why, sizeof test->why, "%.*s",
               (int)strcspn(cul_buf_str(&record->err), "\n"),
               cul_buf_str(&record->err));
}

/* A run that read other files than those of other workers is no answer. */
static bool is_astray(struct cul_tester *tester, int i) {
  struct cul_test *test = &tester->tests[i];
  if (!tester->builder->slots[i].place.astray)
    return false;
  test->end = CUL_TEST_TROUBLE;
  snprintf(test->why, sizeof test->why,
           "the test read other files than those of other workers");
  return true;
}

/* After the first run of an artefact, name it by the files that the run
 * read. */
static void learn_artefact(struct cul_tester *tester, int i,
                           const struct cul_record *record) {
  struct cul_test *test = &tester->tests[i];
  struct cul_cache *cache = tester->ledger->cache;
  struct cul_request request = tester->probe.request;
  struct cul_artefact_class *one;
  struct cul_digest name, trial;
  struct cul_err ignored = {0};
  struct cul_buf outside = {0};
  bool known = cul_builder_learn(tester->builder, i,
                                 cul_buf_str(&record->files), &name, &outside);
  if (is_astray(tester, i)) {
    cul_buf_release(&outside);
    return;
  }
  request.flags |= CUL_RUN_TRACE;
  one = cul_classes_set(tester->classes, test->commit, known ? &name : NULL,
                        cul_buf_str(&outside));
  cul_buf_release(&outside);
  if (!one)
    return;
  test->attempt = one->trials++;
  trial = cul_artefact_class_trial(one, test->attempt);
  if (cache)
    (void)!cul_cache_put(cache, &trial, &request, record, &ignored);
}

/* A run with a refused write reads other files than another run would: the
 * commit forms a class of its own in this job. */
static void stand_alone(struct cul_tester *tester, struct cul_test *test) {
  struct cul_artefact_class *one =
      cul_classes_set(tester->classes, test->commit, NULL, NULL);
  if (one)
    test->attempt = one->trials++;
}

/* Answers of commits whose reads are not all known hold while those that are
 * known stay the same. */
static void note_reads(struct cul_tester *tester, int i,
                       const struct cul_record *record) {
  struct cul_digest name;
  struct cul_buf outside = {0};
  char *files = cul_xasprintf("! more\n%s", cul_buf_str(&record->files));
  (void)cul_builder_learn(tester->builder, i, files, &name, &outside);
  free(files);
  if (!is_astray(tester, i))
    cul_ledger_keep_build(tester->ledger, tester->range,
                          tester->tests[i].commit, cul_buf_str(&outside), NULL);
  cul_buf_release(&outside);
}

static void take_trace(struct cul_tester *tester, int i,
                       const struct cul_record *record) {
  struct cul_test *test = &tester->tests[i];
  if (test->teaching)
    cul_sandboxes_learn(tester->sandboxes, tester->probe.request.cmd, record);
  if (!record->trace_closed) {
    test->end = CUL_TEST_ESCAPED;
    note_reads(tester, i, record);
  } else if (cul_classes_find(tester->classes, test->commit))
    return;
  else if (test->refused)
    stand_alone(tester, test);
  else
    learn_artefact(tester, i, record);
}

static void find_refused(struct cul_tester *tester, int i,
                         const struct cul_record *record) {
  char *refused = cul_record_refused(record);
  if (refused) {
    tester->tests[i].refused = true;
    cul_sandboxes_refused(tester->sandboxes, "test",
                          tester->builder->slots[i].name, refused, true);
  }
  free(refused);
}

/* Called by the probe after each run (struct cul_watcher). */
static void ran(void *self, int i, const struct cul_record *record) {
  struct cul_tester *tester = self;
  const struct cul_builder_slot *slot = &tester->builder->slots[i];
  struct cul_test *test = &tester->tests[i];
  bool first = test->run_us == 0;
  if (!slot->used)
    return;
  test->run_us += record->wall_us + 1;
  if (!record->cached) {
    cul_archive_run(tester->archive, slot->name, test->attempt, record);
    find_trouble(tester, record, test);
  }
  find_refused(tester, i, record);
  if (first && test->end == CUL_TEST_ANSWERED && !test->doubtful &&
      slot->art.run_flags & CUL_RUN_TRACE)
    take_trace(tester, i, record);
}

void cul_tester_watch(struct cul_tester *tester) {
  tester->probe.watcher = (struct cul_watcher){.self = tester, .ran = ran};
}

/* ---- the space ---- */

static int materialise(void *self, int i, struct cul_err *err) {
  (void)self, (void)i, (void)err;
  return 0;
}

static void drop(void *self, int i) {
  struct cul_tester *tester = self;
  cul_builder_drop(tester->builder, i);
}

static int commit(void *self, int i, const struct cul_point *point,
                  const struct cul_built *result, struct cul_err *err) {
  (void)point, (void)result, (void)err;
  drop(self, i); /* keep nothing: the next step may use any slot */
  return 0;
}

struct cul_space cul_tester_space(struct cul_tester *tester) {
  return (struct cul_space){.name = "commits",
                            .self = tester,
                            .begin = begin,
                            .built = built,
                            .materialise = materialise,
                            .commit = commit,
                            .drop = drop};
}

/* ---- the machine ---- */

bool cul_tester_again(struct cul_tester *tester, uint32_t tries,
                      const struct cul_test *test, uint64_t *pause_us) {
  double pause = tester->retry_pause_s;
  char hex[CUL_COMMIT_HEX];
  cul_commit_hex(&tester->range->history.ids[test->commit], hex);
  if ((int64_t)tries > tester->retries) {
    free(tester->trouble);
    tester->trouble = cul_xasprintf("%.12s: %s (%u time%s)", hex, test->why,
                                    tries, cul_s(tries));
    return false;
  }
  cul_notices_say(tester->notices, "%.12s: %s; again in %g s", hex, test->why,
                  pause);
  *pause_us = (uint64_t)(pause * 1e6);
  return true;
}

int cul_tester_fail(const struct cul_tester *tester, struct cul_err *err) {
  return cul_fail(err, CUL_EENV, "fix it; the same command continues", "%s",
                  tester->trouble);
}

/* ---- one test, waited for ---- */

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
  int rc;
  do {
    rc = wait_built(tester, slot->place.fd, err);
    if (rc == 0)
      rc = built(tester, i, &result, err);
  } while (rc == 0 && result.pending);
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
    cul_sought_note(tester->sought, purpose, &judged.records[judged.n - 1],
                    verdict->answer);
  cul_judged_release(&judged);
  return rc;
}

/* Does a run with this purpose show to which places tests may write? */
static bool teaches(const struct cul_tester *tester, enum cul_purpose purpose) {
  return purpose == CUL_TO_LEARN && cul_sandboxes_may_learn(tester->sandboxes);
}

/* Test the commit once, by a build and a run. */
static int try_once(struct cul_tester *tester, uint32_t commit,
                    enum cul_purpose purpose, struct cul_verdict *verdict,
                    struct cul_err *err) {
  struct cul_artefact_class *one = cul_classes_find(tester->classes, commit);
  uint32_t ids[2] = {commit, one ? one->trials++ : 0};
  struct cul_point point = {ids, 2};
  int fd, rc = begin_test(tester, &point, CUL_MAX_WORKERS,
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
    return; /* the build is noted already */
  cul_journal_add(tester->journal, &event);
  if (!recalled && !test->refused)
    cul_tester_keep(tester, test->commit, test->attempt, verdict);
}

/* ---- remembered verdicts ---- */

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

/* Judge a record made by another job, or by this one before it was killed.  If
 * the oracle needs more records, they must be run. */
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
    cul_sought_note(tester->sought, purpose, &record, verdict->answer);
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

/* Recall the next run of the commit's class, if it is known. */
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
