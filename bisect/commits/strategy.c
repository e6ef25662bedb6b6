/* The strategy: see strategy.h. */
#include "strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"

void cul_strategy_open(struct cul_strategy *strategy, const double *prior,
                       const struct cul_bisect_conf *conf) {
  strategy->bisector = cul_bisector_new(&strategy->range->dag, prior, conf);
}

/* ---- answers ---- */

static enum cul_doubt doubt(const struct cul_strategy *strategy,
                            uint32_t commit, enum cul_answer answer) {
  return cul_lacking_doubt(strategy->tester->builder->lacking, strategy->range,
                           commit, answer);
}

/* Translate an answer of the oracle for the bisector. */
static enum cul_bisect_outcome outcome_of(struct cul_strategy *strategy,
                                          uint32_t commit,
                                          enum cul_answer answer) {
  bool fails = answer == CUL_SAME;
  if ((answer != CUL_SAME && answer != CUL_PASSES) ||
      doubt(strategy, commit, answer) == CUL_DOUBT_NOT)
    return CUL_BISECT_UNTESTABLE;
  /* In a search for a fix, the first commit that passes is sought. */
  return fails != strategy->range->conf.find_fix ? CUL_BISECT_FAILS
                                                 : CUL_BISECT_PASSES;
}

static uint32_t commit_of(const struct cul_strategy *strategy, uint32_t point) {
  return strategy->range->points[point];
}

static void forget_step(struct cul_strategy *strategy, size_t i) {
  strategy->steps[i] = strategy->steps[--strategy->n_steps];
}

/* Take the answer of one run of step i. */
static void take(struct cul_strategy *strategy, size_t i,
                 enum cul_answer answer) {
  struct cul_strategy_step *step = &strategy->steps[i];
  enum cul_bisect_outcome outcome = outcome_of(strategy, step->commit, answer);
  uint32_t point = step->step.point;
  step->ticket = 0;
  step->tries = 0;
  step->left--;
  if (step->left == 0 || outcome == CUL_BISECT_UNTESTABLE)
    forget_step(strategy, i);
  cul_bisector_tell(strategy->bisector, point, outcome);
}

static void note_run(struct cul_strategy *strategy,
                     const struct cul_strategy_step *step, uint64_t us,
                     bool recalled, const struct cul_verdict *verdict) {
  struct cul_journal_event event = {.commit = step->commit,
                                    .attempt = step->attempt,
                                    .answer = verdict->answer,
                                    .recalled = recalled,
                                    .us = us};
  snprintf(event.why, sizeof event.why, "%s", verdict->why);
  if ((verdict->answer == CUL_SAME || verdict->answer == CUL_PASSES) &&
      doubt(strategy, step->commit, verdict->answer) == CUL_DOUBT_NOT) {
    snprintf(event.why, sizeof event.why, "this run is not counted");
    cul_lacking_blame(strategy->tester->builder->lacking, strategy->range,
                      step->commit, event.why);
  }
  cul_journal_add(strategy->tester->journal, &event);
}

static bool is_end(const struct cul_strategy *strategy, uint32_t point) {
  return point == strategy->range->dag.n - 1 || point == strategy->range->dag.n;
}

/* Warn that both ends are the same binary: they differ in no file that the test
 * was seen to read. */
static void distrust(struct cul_strategy *strategy) {
  cul_notices_warn(
      strategy->tester->notices,
      "the test reads the same files at both ends, so it depends on something "
      "else that is unknown, and every commit is run by itself");
  cul_classes_distrust(strategy->tester->classes);
}

/* If the step's point is the same artefact as one with an answer, use that
 * answer.  True: the step has ended. */
static bool unite(struct cul_strategy *strategy, size_t i) {
  struct cul_strategy_step *step = &strategy->steps[i];
  struct cul_artefact_class *one =
      cul_classes_find(strategy->tester->classes, step->commit);
  uint32_t point = step->step.point, member = one ? one->member : point;
  if (member == CUL_DAG_NONE || member == point ||
      cul_bisector_are_same(strategy->bisector, point, member))
    return false;
  if (cul_bisector_same(strategy->bisector, point, member)) {
    strategy->tester->journal->seen[step->commit] |= CUL_SEEN_TOLD;
    cul_builder_keep(strategy->tester->builder, step->commit,
                     cul_bisector_runs(strategy->bisector, member)->fails > 0);
    forget_step(strategy, i);
    return true;
  }
  if (is_end(strategy, point) && is_end(strategy, member))
    distrust(strategy);
  else
    cul_classes_set_apart(strategy->tester->classes, step->commit,
                          commit_of(strategy, member));
  return false;
}

enum standing { TO_RUN, ENDED, WAITS };

static enum standing recall_failure(struct cul_strategy *strategy, size_t i) {
  struct cul_strategy_step *step = &strategy->steps[i];
  struct cul_verdict verdict = {.answer = CUL_INVALID, .confidence = 1};
  if (!cul_ledger_failed(strategy->tester->ledger, strategy->range,
                         step->commit, verdict.why))
    return TO_RUN;
  note_run(strategy, step, 0, true, &verdict);
  take(strategy, i, CUL_INVALID);
  return ENDED;
}

static void take_answer(struct cul_strategy *strategy, size_t i,
                        const struct cul_test *test,
                        const struct cul_verdict *verdict) {
  struct cul_strategy_step *step = &strategy->steps[i];
  struct cul_artefact_class *one;
  uint32_t point = step->step.point, commit;
  enum cul_bisect_outcome outcome =
      outcome_of(strategy, step->commit, verdict->answer);
  step->attempt = test->attempt;
  if (verdict->answer != CUL_INVALID) { /* of a build: noted already */
    note_run(strategy, step, test->run_us, false, verdict);
    if (!test->refused)
      cul_tester_keep(strategy->tester, step->commit, test->attempt, verdict);
  }
  commit = step->commit;
  if (unite(strategy, i)) { /* one more run of the same artefact */
    cul_bisector_tell(strategy->bisector, point, outcome);
    one = cul_classes_find(strategy->tester->classes, commit);
    if (one && outcome != CUL_BISECT_UNTESTABLE)
      one->member = point; /* the answer of the other may be none */
    return;
  }
  one = cul_classes_find(strategy->tester->classes, commit);
  if (one)
    one->member = point;
  if (outcome != CUL_BISECT_UNTESTABLE)
    cul_builder_keep(strategy->tester->builder, step->commit,
                     outcome == CUL_BISECT_FAILS);
  take(strategy, i, verdict->answer);
}

/* Settle a step whose run has ended, unless a doubt about its answer must be
 * settled by an experiment first. */
static enum standing settle_doubtful(struct cul_strategy *strategy, size_t i) {
  struct cul_strategy_step *step = &strategy->steps[i];
  struct cul_test test = step->ended;
  struct cul_verdict verdict = step->verdict;
  if (doubt(strategy, step->commit, verdict.answer) == CUL_DOUBT_TO_TRY)
    return WAITS;
  step->doubtful = false;
  take_answer(strategy, i, &test, &verdict);
  return ENDED;
}

/* Answer the runs of the step that are known already. */
static enum standing settle(struct cul_strategy *strategy, size_t i,
                            uint64_t now) {
  size_t n = strategy->n_steps;
  if (strategy->steps[i].not_before_us > now)
    return WAITS;
  if (strategy->steps[i].doubtful)
    return settle_doubtful(strategy, i);
  while (strategy->n_steps == n) {
    struct cul_strategy_step *step = &strategy->steps[i];
    struct cul_artefact_class *one =
        cul_classes_find(strategy->tester->classes, step->commit);
    struct cul_digest trial;
    struct cul_verdict verdict;
    struct cul_err ignored = {0};
    bool found = false;
    if (!one)
      return recall_failure(strategy, i);
    if (unite(strategy, i))
      return ENDED;
    one = cul_classes_find(strategy->tester->classes,
                           /* it may be a separate artefact now */
                           step->commit);
    step->attempt = one->trials;
    trial = cul_artefact_class_trial(one, step->attempt);
    if (cul_tester_recall(strategy->tester, &trial, CUL_TO_JUDGE, &verdict,
                          &found, &ignored) < 0 ||
        !found)
      return TO_RUN;
    if (doubt(strategy, step->commit, verdict.answer) == CUL_DOUBT_TO_TRY)
      return WAITS;
    one->trials++;
    one->member = step->step.point;
    note_run(strategy, step, 0, true, &verdict);
    take(strategy, i, verdict.answer);
  }
  return ENDED;
}

/* A step whose next run can be made; takes new steps if all are busy. */
static struct cul_strategy_step *idle_step(struct cul_strategy *strategy,
                                           uint64_t now) {
  struct cul_bisect_step step;
  for (;;) {
    for (size_t i = 0; i < strategy->n_steps; i++) {
      enum standing standing =
          strategy->steps[i].ticket ? WAITS : settle(strategy, i, now);
      if (standing == TO_RUN)
        return &strategy->steps[i];
      if (standing == ENDED)
        i = (size_t)-1; /* its place has another step: start again */
    }
    /* A waiting step occupies a place among the builds. */
    if (strategy->n_steps >= (size_t)strategy->tester->probe.workers ||
        !cul_bisector_ask(strategy->bisector, &step))
      return NULL;
    strategy->steps[strategy->n_steps++] =
        (struct cul_strategy_step){.step = step,
                                   .left = step.runs,
                                   .commit = commit_of(strategy, step.point)};
  }
}

bool cul_strategy_has_doubts(const struct cul_strategy *strategy) {
  return !strategy->range->inside &&
         cul_lacking_has_doubts(strategy->tester->builder->lacking);
}

static bool in_flight(const struct cul_strategy *strategy) {
  for (size_t i = 0; i < strategy->n_steps; i++)
    if (strategy->steps[i].ticket)
      return true;
  return false;
}

/* The time at which a step that waits for the machine may be tried again; 0:
 * none waits. */
static uint64_t retry_at(const struct cul_strategy *strategy, uint64_t now) {
  uint64_t at = 0;
  for (size_t i = 0; i < strategy->n_steps; i++) {
    uint64_t one = strategy->steps[i].not_before_us;
    if (!strategy->steps[i].ticket && one > now && (at == 0 || one < at))
      at = one;
  }
  return at;
}

/* More runs would tell nothing; looked for rarely, as it reads all events, and
 * not inside a dependency, where the answer outside would be lost with it. */
static bool find_turns(struct cul_strategy *strategy) {
  const struct cul_tester *tester = strategy->tester;
  size_t n = tester->journal->n_events;
  struct cul_bisect_tally tally;
  if (strategy->range->inside || strategy->turns ||
      n < strategy->n_looked + strategy->n_looked / 8 + 16)
    return strategy->turns;
  strategy->n_looked = n;
  cul_bisector_tally(strategy->bisector, &tally);
  strategy->turns =
      tally.flaky &&
      cul_turns_show(tester->journal, tester->classes, &strategy->turn);
  return strategy->turns;
}

/* Read the clock once: if the waiting steps and the time to ask again used two
 * clock values, a step whose wait ends in between would be in neither. */
static bool ask(void *self, struct cul_point *point, uint64_t *ticket,
                uint64_t *again_us) {
  struct cul_strategy *strategy = self;
  uint64_t now = cul_now_us();
  struct cul_strategy_step *step = NULL;
  struct cul_artefact_class *one;
  if (!strategy->tester->trouble && !find_turns(strategy) &&
      !cul_strategy_has_doubts(strategy))
    step = idle_step(strategy, now);
  if (!step) {
    *again_us = retry_at(strategy, now);
    return false;
  }
  one = cul_classes_find(strategy->tester->classes, step->commit);
  step->attempt = one ? one->trials++ : 0;
  strategy->asked[0] = step->commit;
  strategy->asked[1] = step->attempt;
  *point = (struct cul_point){strategy->asked, 2};
  *ticket = step->ticket = ++strategy->next_ticket;
  return true;
}

/* The machine spoilt the run of a step. */
static void try_again(struct cul_strategy *strategy,
                      struct cul_strategy_step *step,
                      const struct cul_test *test) {
  uint64_t pause = 0;
  step->ticket = 0;
  if (cul_tester_again(strategy->tester, ++step->tries, test, &pause))
    step->not_before_us = cul_now_us() + pause;
}

static void tell_step(struct cul_strategy *strategy, size_t i,
                      const struct cul_verdict *verdict) {
  struct cul_strategy_step *step = &strategy->steps[i];
  struct cul_test *test = cul_tester_of(strategy->tester, step->commit);
  test->live = false;
  if (test->end == CUL_TEST_TROUBLE ||
      (test->doubtful && verdict->answer != CUL_SAME)) {
    try_again(strategy, step, test);
  } else if (test->end == CUL_TEST_ESCAPED) {
    strategy->tester->classes->by_tree = true;
    step->ticket = 0;
  } else if (test->end == CUL_TEST_SAME) {
    step->ticket = 0;
    unite(strategy, i); /* where it cannot be, it is run by itself */
  } else if (doubt(strategy, step->commit, verdict->answer) ==
             CUL_DOUBT_TO_TRY) {
    step->ticket = 0;
    step->doubtful = true;
    step->ended = *test;
    step->verdict = *verdict;
  } else {
    take_answer(strategy, i, test, verdict);
  }
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct cul_strategy *strategy = self;
  if (verdict->answer == CUL_SAME)
    strategy->accepted[strategy->n_accepted++] =
        ticket; /* lets go of its slot */
  for (size_t i = 0; i < strategy->n_steps; i++)
    if (strategy->steps[i].ticket == ticket) {
      tell_step(strategy, i, verdict);
      return;
    }
}

static uint64_t accepted(void *self) {
  struct cul_strategy *strategy = self;
  return strategy->n_accepted ? strategy->accepted[--strategy->n_accepted] : 0;
}

/* The step at a point is given up; its ticket, 0 where no run is in flight. */
static uint64_t give_up(struct cul_strategy *strategy, uint32_t point) {
  uint64_t ticket = 0;
  size_t i = 0;
  while (i < strategy->n_steps && strategy->steps[i].step.point != point)
    i++;
  if (i < strategy->n_steps) {
    ticket = strategy->steps[i].ticket;
    forget_step(strategy, i);
  }
  cul_bisector_cancelled(strategy->bisector, point);
  return ticket;
}

static size_t stale(void *self, uint64_t *tickets, size_t max) {
  struct cul_strategy *strategy = self;
  uint32_t points[64];
  size_t n = cul_bisector_stale(strategy->bisector, points, 64), out = 0;
  for (size_t k = 0; k < n && out < max; k++) {
    uint64_t ticket = give_up(strategy, points[k]);
    if (ticket)
      tickets[out++] = ticket;
  }
  return out;
}

static bool finished(void *self) {
  struct cul_strategy *strategy = self;
  struct cul_bisect_answer answer;
  bool done;
  if (strategy->tester->trouble || strategy->turns ||
      cul_strategy_has_doubts(strategy))
    return !in_flight(strategy);
  if (strategy->n_steps > 0)
    return false;
  cul_bisector_answer(strategy->bisector, &answer);
  done = answer.end != CUL_BISECT_UNDER_WAY;
  free(answer.suspects);
  return done;
}

struct cul_asker cul_strategy_asker(struct cul_strategy *strategy) {
  return (struct cul_asker){.self = strategy,
                            .ask = ask,
                            .tell = tell,
                            .stale = stale,
                            .accepted = accepted,
                            .finished = finished};
}
