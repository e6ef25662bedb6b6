/* Commits as a space: see tester.h.  What was built is named by what the test
 * reads of it. */
#include "tester.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/status.h"
#include "../build/build_log.h"

/* ---- builds ---- */

struct cul_test *cul_tester_of(struct cul_tester *tester, uint32_t commit) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(tester->tests); i++)
    if (tester->tests[i].live && tester->tests[i].commit == commit)
      return &tester->tests[i];
  return NULL;
}

int cul_tester_begin(struct cul_tester *tester, const struct cul_point *point,
                     int i, bool teaching, int *fd, struct cul_err *err) {
  struct cul_test *test = cul_tester_of(tester, point->ids[0]);
  if (test)
    test->live = false; /* one that was cancelled */
  tester->tests[i] = (struct cul_test){.commit = point->ids[0],
                                       .attempt = point->ids[1],
                                       .live = true,
                                       .teaching = teaching};
  return cul_builder_begin(tester->builder, i, point->ids[0], fd, err);
}

static int begin(void *self, const struct cul_point *point, int i, int *fd,
                 struct cul_err *err) {
  return cul_tester_begin(self, point, i, false, fd, err);
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

/* Which artefact was built?  Where that is not known, its run is traced. */
static void name_artefact(struct cul_tester *tester, int i) {
  struct cul_test *test = &tester->tests[i];
  struct cul_builder_slot *slot = &tester->builder->slots[i];
  struct cul_artefact_class *one =
      cul_classes_find(tester->classes, test->commit);
  struct cul_digest name;
  if (!one && cul_builder_find(tester->builder, i, &name)) {
    one = cul_classes_set(tester->classes, test->commit, &name);
    if (one && one->member != CUL_DAG_NONE)
      test->end = CUL_TEST_SAME;
    else if (one)
      test->attempt = one->trials++;
  }
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
    name_artefact(tester, i);
    out->valid = test->end == CUL_TEST_ANSWERED;
    out->art = slot->art;
    why = "the same artefact as a commit before";
    break;
  case CUL_PLACE_FAILED:
    cul_ledger_keep_failed(tester->ledger, tester->range, test->commit, why);
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
  snprintf(out->why, sizeof out->why, "%.159s", test->why);
}

int cul_tester_built(struct cul_tester *tester, int i, struct cul_built *out,
                     struct cul_err *err) {
  struct cul_builder_slot *slot = &tester->builder->slots[i];
  int rc = cul_builder_built(tester->builder, i, err);
  *out = (struct cul_built){.valid = false};
  if (rc < 0)
    return rc;
  note_build(tester, slot, tester->tests[i].commit);
  if (slot->place.files.n_pointers)
    cul_lacking_say_pointers(tester->builder->lacking, &slot->place.files);
  cul_sandboxes_refused(tester->sandboxes, "build", slot->name,
                        slot->place.refused,
                        slot->place.state == CUL_PLACE_REFUSED);
  slot->place.fresh = false;
  take_build(tester, i, out);
  return 0;
}

static int built(void *self, int i, struct cul_built *out,
                 struct cul_err *err) {
  return cul_tester_built(self, i, out, err);
}

/* ---- runs ---- */

/* A program that is no part of the commit is missing. */
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
    snprintf(test->why, sizeof test->why, "%.*s",
             (int)strcspn(cul_buf_str(&record->err), "\n"),
             cul_buf_str(&record->err));
}

/* The first run of an artefact: what it read is its name. */
static void learn_artefact(struct cul_tester *tester, int i,
                           const struct cul_record *record) {
  struct cul_test *test = &tester->tests[i];
  struct cul_cache *cache = tester->ledger->cache;
  struct cul_request request = tester->probe.request;
  struct cul_artefact_class *one;
  struct cul_digest name, trial;
  struct cul_err ignored = {0};
  bool known =
      cul_builder_learn(tester->builder, i, cul_buf_str(&record->files), &name);
  request.flags |= CUL_RUN_TRACE;
  one = cul_classes_set(tester->classes, test->commit, known ? &name : NULL);
  if (!one)
    return;
  test->attempt = one->trials++;
  trial = cul_artefact_class_trial(one, test->attempt);
  if (cache)
    (void)!cul_cache_put(cache, &trial, &request, record, &ignored);
}

/* What a run read that was refused a write is not what another one reads: the
 * commit stands by itself in this job. */
static void stand_alone(struct cul_tester *tester, struct cul_test *test) {
  struct cul_artefact_class *one =
      cul_classes_set(tester->classes, test->commit, NULL);
  if (one)
    test->attempt = one->trials++;
}

static void take_trace(struct cul_tester *tester, int i,
                       const struct cul_record *record) {
  struct cul_test *test = &tester->tests[i];
  if (test->teaching)
    cul_sandboxes_learn(tester->sandboxes, tester->probe.request.cmd, record);
  if (!record->trace_closed)
    test->end = CUL_TEST_ESCAPED;
  else if (cul_classes_find(tester->classes, test->commit))
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

/* The probe tells of each run (see struct cul_watcher). */
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
  drop(self, i); /* nothing is kept: the next step may go anywhere */
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
  return cul_fail(err, CUL_EENV,
                  "mend it; the same command goes on where it stopped", "%s",
                  tester->trouble);
}
