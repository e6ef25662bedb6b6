/* The bisector, as the probe asks it: steps of several runs become points of
 * one run each, one after the other; what an earlier, same job saw is told
 * without any. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "commits_private.h"

/* What an answer of the oracle means for the bisector. */
static enum cul_bisect_outcome
outcome_of(struct cul_commits *job, uint32_t commit, enum cul_answer answer) {
  bool fails = answer == CUL_SAME;
  if ((answer != CUL_SAME && answer != CUL_PASSES) ||
      cul_commits_doubt(job, commit, answer) == CUL_DOUBT_NOT)
    return CUL_BISECT_UNTESTABLE;
  /* Looking for a fix: what it brings is that it passes. */
  return fails != job->conf->find_fix ? CUL_BISECT_FAILS : CUL_BISECT_PASSES;
}

static uint32_t commit_of(const struct cul_commits *job, uint32_t point) {
  return job->points[point];
}

static void forget_step(struct cul_commits *job, size_t i) {
  job->steps[i] = job->steps[--job->n_steps];
}

/* One run of step i is known. */
static void take(struct cul_commits *job, size_t i, enum cul_answer answer) {
  struct cul_commits_step *step = &job->steps[i];
  enum cul_bisect_outcome outcome = outcome_of(job, step->commit, answer);
  uint32_t point = step->step.point;
  step->ticket = 0;
  step->tries = 0;
  step->left--;
  if (step->left == 0 || outcome == CUL_BISECT_UNTESTABLE)
    forget_step(job, i);
  cul_bisector_tell(job->bisector, point, outcome);
}

static void note_run(struct cul_commits *job,
                     const struct cul_commits_step *step, uint64_t us,
                     bool recalled, const struct cul_verdict *verdict) {
  struct cul_commits_event event = {.commit = step->commit,
                                    .attempt = step->attempt,
                                    .answer = verdict->answer,
                                    .recalled = recalled,
                                    .us = us};
  snprintf(event.why, sizeof event.why, "%s", verdict->why);
  if ((verdict->answer == CUL_SAME || verdict->answer == CUL_PASSES) &&
      cul_commits_doubt(job, step->commit, verdict->answer) == CUL_DOUBT_NOT) {
    snprintf(event.why, sizeof event.why, "what it did does not count");
    cul_commits_blame_lack(job, step->commit, event.why);
  }
  cul_commits_note(job, &event);
}

/* Its build may be wanted again. */
static void keep(struct cul_commits *job, uint32_t commit, bool fails) {
  struct cul_override *held;
  struct cul_revision revision;
  cul_commits_revision(job, commit, &revision, &held);
  cul_pool_keep(job->pool, &revision, fails);
  free(held);
}

static bool is_end(const struct cul_commits *job, uint32_t point) {
  return point == job->dag.n - 1 || point == job->dag.n;
}

/* Both ends are the same binary: what tells them apart is in no file that the
 * test reads, as far as is seen. */
static void distrust(struct cul_commits *job) {
  cul_commits_warn(job, "both ends are the same binary to the test: what it "
                        "depends on beside the files it reads is not known, "
                        "and every commit is run by itself");
  job->by_tree = true;
  memset(job->coin_of, 0, job->history.n * sizeof *job->coin_of);
}

/* The step's point is the same artefact as one that was told of.  True: what
 * that tells is told, and the step has ended. */
static bool unite(struct cul_commits *job, size_t i) {
  struct cul_commits_step *step = &job->steps[i];
  struct cul_commits_coin *coin = cul_commits_coin(job, step->commit);
  uint32_t point = step->step.point, member = coin ? coin->member : point;
  if (member == CUL_DAG_NONE || member == point ||
      cul_bisector_are_same(job->bisector, point, member))
    return false;
  if (cul_bisector_same(job->bisector, point, member)) {
    job->seen[step->commit] |= CUL_SEEN_TOLD;
    keep(job, step->commit,
         cul_bisector_runs(job->bisector, member)->fails > 0);
    forget_step(job, i);
    return true;
  }
  if (is_end(job, point) && is_end(job, member))
    distrust(job);
  else
    cul_commits_set_apart(job, step->commit, commit_of(job, member));
  return false;
}

enum standing { TO_RUN, ENDED, WAITS };

static enum standing recall_failure(struct cul_commits *job, size_t i) {
  struct cul_commits_step *step = &job->steps[i];
  struct cul_verdict verdict = {.answer = CUL_INVALID, .confidence = 1};
  if (!cul_commits_failed_before(job, step->commit, verdict.why))
    return TO_RUN;
  note_run(job, step, 0, true, &verdict);
  take(job, i, CUL_INVALID);
  return ENDED;
}

static void take_answer(struct cul_commits *job, size_t i,
                        const struct cul_commits_run *run,
                        const struct cul_verdict *verdict) {
  struct cul_commits_step *step = &job->steps[i];
  struct cul_commits_coin *coin;
  uint32_t point = step->step.point;
  enum cul_bisect_outcome outcome =
      outcome_of(job, step->commit, verdict->answer);
  step->attempt = run->attempt;
  if (verdict->answer != CUL_INVALID) { /* of a build: noted */
    note_run(job, step, run->run_us, false, verdict);
    if (!run->refused)
      cul_commits_remember(job, step->commit, run->attempt, verdict);
  }
  if (unite(job, i)) { /* one more run of the same */
    cul_bisector_tell(job->bisector, point, outcome);
    return;
  }
  coin = cul_commits_coin(job, step->commit);
  if (coin)
    coin->member = point;
  if (outcome != CUL_BISECT_UNTESTABLE)
    keep(job, step->commit, outcome == CUL_BISECT_FAILS);
  take(job, i, verdict->answer);
}

/* Its run has ended, and what that means is known by now, or not yet. */
static enum standing settle_doubtful(struct cul_commits *job, size_t i) {
  struct cul_commits_step *step = &job->steps[i];
  struct cul_commits_run run = step->ended;
  struct cul_verdict verdict = step->verdict;
  if (cul_commits_doubt(job, step->commit, verdict.answer) == CUL_DOUBT_TO_TRY)
    return WAITS;
  step->doubtful = false;
  take_answer(job, i, &run, &verdict);
  return ENDED;
}

/* What is known already of the step's runs is told without any. */
static enum standing settle(struct cul_commits *job, size_t i) {
  size_t n = job->n_steps;
  if (job->steps[i].not_before_us > cul_now_us())
    return WAITS;
  if (job->steps[i].doubtful)
    return settle_doubtful(job, i);
  while (job->n_steps == n) {
    struct cul_commits_step *step = &job->steps[i];
    struct cul_commits_coin *coin = cul_commits_coin(job, step->commit);
    struct cul_verdict verdict;
    struct cul_err ignored = {0};
    bool found = false;
    if (!coin)
      return recall_failure(job, i);
    if (unite(job, i))
      return ENDED;
    coin = cul_commits_coin(job, step->commit); /* it may stand apart now */
    step->attempt = coin->tosses;
    if (cul_commits_recall(job, coin, step->attempt, false, &verdict, &found,
                           &ignored) < 0 ||
        !found)
      return TO_RUN;
    if (cul_commits_doubt(job, step->commit, verdict.answer) ==
        CUL_DOUBT_TO_TRY)
      return WAITS;
    coin->tosses++;
    coin->member = step->step.point;
    note_run(job, step, 0, true, &verdict);
    take(job, i, verdict.answer);
  }
  return ENDED;
}

/* A step whose next run is to be made; takes new ones where all are busy.
 * *wait: some are to be made later. */
static struct cul_commits_step *idle_step(struct cul_commits *job, bool *wait) {
  struct cul_bisect_step step;
  for (;;) {
    *wait = false;
    for (size_t i = 0; i < job->n_steps; i++) {
      enum standing standing = job->steps[i].ticket ? WAITS : settle(job, i);
      if (standing == TO_RUN)
        return &job->steps[i];
      if (standing == ENDED)
        i = (size_t)-1; /* another one has its place: from the start */
      else
        *wait |= !job->steps[i].ticket;
    }
    /* A step that waits has its place among the builds. */
    if (job->n_steps >= (size_t)job->probe.workers ||
        !cul_bisector_ask(job->bisector, &step))
      return NULL;
    job->steps[job->n_steps++] = (struct cul_commits_step){
        .step = step, .left = step.runs, .commit = commit_of(job, step.point)};
  }
}

static bool in_flight(const struct cul_commits *job) {
  for (size_t i = 0; i < job->n_steps; i++)
    if (job->steps[i].ticket)
      return true;
  return false;
}

/* False: a trial failed, or is to be made once no run is in flight. */
static bool settle_doubts(struct cul_commits *job) {
  if (job->failure.code || in_flight(job))
    return false;
  return cul_commits_settle_doubts(job, &job->failure) == 0;
}

/* When a step may be tried again that waits for the machine; 0: none does. */
static uint64_t retry_at(const struct cul_commits *job) {
  uint64_t now = cul_now_us(), at = 0;
  for (size_t i = 0; i < job->n_steps; i++) {
    uint64_t one = job->steps[i].not_before_us;
    if (!job->steps[i].ticket && one > now && (at == 0 || one < at))
      at = one;
  }
  return at;
}

static bool ask(void *self, struct cul_point *point, uint64_t *ticket,
                uint64_t *again_us) {
  struct cul_commits *job = self;
  bool wait = false;
  struct cul_commits_step *step = NULL;
  struct cul_commits_coin *coin;
  if (!job->trouble && (!cul_commits_has_doubts(job) || settle_doubts(job)))
    step = idle_step(job, &wait);
  if (!step) {
    *again_us = retry_at(job);
    /* A doubt arose that is settled when no run is in flight: at once. */
    if (wait && *again_us == 0 && !in_flight(job))
      *again_us = cul_now_us();
    return false;
  }
  coin = cul_commits_coin(job, step->commit);
  step->attempt = coin ? coin->tosses++ : 0;
  job->asked[0] = step->commit;
  job->asked[1] = step->attempt;
  *point = (struct cul_point){job->asked, 2};
  *ticket = step->ticket = ++job->next_ticket;
  return true;
}

/* The machine spoilt the run of a step. */
static void try_again(struct cul_commits *job, struct cul_commits_step *step,
                      const struct cul_commits_run *run) {
  uint64_t pause = 0;
  step->ticket = 0;
  if (cul_commits_again(job, ++step->tries, run, &pause))
    step->not_before_us = cul_now_us() + pause;
}

static void tell_step(struct cul_commits *job, size_t i,
                      const struct cul_verdict *verdict) {
  struct cul_commits_step *step = &job->steps[i];
  struct cul_commits_run *run = cul_commits_run_of(job, step->commit);
  run->live = false;
  if (run->fate == CUL_FATE_TROUBLE ||
      (run->doubtful && verdict->answer != CUL_SAME)) {
    try_again(job, step, run);
  } else if (run->fate == CUL_FATE_ESCAPED) {
    job->by_tree = true;
    step->ticket = 0;
  } else if (run->fate == CUL_FATE_SAME) {
    step->ticket = 0;
    unite(job, i); /* where it cannot be, it is run by itself */
  } else if (cul_commits_doubt(job, step->commit, verdict->answer) ==
             CUL_DOUBT_TO_TRY) {
    step->ticket = 0;
    step->doubtful = true;
    step->ended = *run;
    step->verdict = *verdict;
  } else {
    take_answer(job, i, run, verdict);
  }
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct cul_commits *job = self;
  if (verdict->answer == CUL_SAME)
    job->accepted[job->n_accepted++] = ticket; /* lets go of its slot */
  for (size_t i = 0; i < job->n_steps; i++)
    if (job->steps[i].ticket == ticket) {
      tell_step(job, i, verdict);
      return;
    }
}

static uint64_t accepted(void *self) {
  struct cul_commits *job = self;
  return job->n_accepted ? job->accepted[--job->n_accepted] : 0;
}

/* The step at a point is given up; its ticket, 0 where no run is in flight. */
static uint64_t give_up(struct cul_commits *job, uint32_t point) {
  uint64_t ticket = 0;
  size_t i = 0;
  while (i < job->n_steps && job->steps[i].step.point != point)
    i++;
  if (i < job->n_steps) {
    ticket = job->steps[i].ticket;
    forget_step(job, i);
  }
  cul_bisector_cancelled(job->bisector, point);
  return ticket;
}

static size_t stale(void *self, uint64_t *tickets, size_t max) {
  struct cul_commits *job = self;
  uint32_t points[64];
  size_t n = cul_bisector_stale(job->bisector, points, 64), out = 0;
  for (size_t k = 0; k < n && out < max; k++) {
    uint64_t ticket = give_up(job, points[k]);
    if (ticket)
      tickets[out++] = ticket;
  }
  return out;
}

static bool finished(void *self) {
  struct cul_commits *job = self;
  struct cul_bisect_answer answer;
  bool done;
  if (job->trouble || job->failure.code)
    return !in_flight(job);
  if (job->n_steps > 0)
    return false;
  cul_bisector_answer(job->bisector, &answer);
  done = answer.end != CUL_BISECT_UNDER_WAY;
  free(answer.suspects);
  return done;
}

struct cul_asker cul_commits_asker(struct cul_commits *job) {
  return (struct cul_asker){.self = job,
                            .ask = ask,
                            .tell = tell,
                            .stale = stale,
                            .accepted = accepted,
                            .finished = finished};
}
