/* The bisector, as the probe asks it: steps of several runs become points of
 * one run each, one after the other; what an earlier, same job saw is told
 * without any. */
#include <stdlib.h>

#include "commits_private.h"

enum cul_bisect_outcome cul_commits_outcome(const struct cul_commits *job,
                                            enum cul_answer answer) {
  bool fails = answer == CUL_SAME;
  if (answer != CUL_SAME && answer != CUL_PASSES)
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
static void take(struct cul_commits *job, size_t i,
                 const struct cul_verdict *verdict) {
  struct cul_commits_step *step = &job->steps[i];
  enum cul_bisect_outcome outcome = cul_commits_outcome(job, verdict->answer);
  uint32_t point = step->step.point;
  step->ticket = 0;
  step->left--;
  if (step->left == 0 || outcome == CUL_BISECT_UNTESTABLE)
    forget_step(job, i);
  cul_bisector_tell(job->bisector, point, outcome);
}

/* Runs of a step that are known already; false: it has ended. */
static bool recall_runs(struct cul_commits *job, size_t i) {
  size_t n = job->n_steps;
  while (job->n_steps == n) {
    struct cul_verdict verdict;
    uint32_t commit = commit_of(job, job->steps[i].step.point);
    uint32_t attempt = job->attempts[commit];
    if (!cul_commits_recall(job, commit, attempt, &verdict))
      return true;
    cul_commits_note(job, commit, attempt, true, &verdict);
    take(job, i, &verdict);
  }
  return false;
}

/* A step whose next run is to be made; takes new ones where all are busy. */
static struct cul_commits_step *idle_step(struct cul_commits *job) {
  struct cul_bisect_step step;
  for (;;) {
    for (size_t i = 0; i < job->n_steps; i++)
      if (job->steps[i].ticket == 0 && recall_runs(job, i))
        return &job->steps[i];
    if (job->n_steps == CUL_ARRAY_SIZE(job->steps) ||
        !cul_bisector_ask(job->bisector, &step))
      return NULL;
    job->steps[job->n_steps++] =
        (struct cul_commits_step){.step = step, .left = step.runs};
  }
}

static bool ask(void *self, struct cul_point *point, uint64_t *ticket) {
  struct cul_commits *job = self;
  struct cul_commits_step *step = idle_step(job);
  if (!step)
    return false;
  job->asked[0] = commit_of(job, step->step.point);
  job->asked[1] = job->attempts[job->asked[0]];
  *point = (struct cul_point){job->asked, 2};
  *ticket = step->ticket = ++job->next_ticket;
  return true;
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct cul_commits *job = self;
  if (verdict->answer == CUL_SAME)
    job->accepted[job->n_accepted++] = ticket; /* lets go of its slot */
  for (size_t i = 0; i < job->n_steps; i++)
    if (job->steps[i].ticket == ticket) {
      uint32_t commit = commit_of(job, job->steps[i].step.point);
      cul_commits_note(job, commit, job->attempts[commit], false, verdict);
      take(job, i, verdict);
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
