/* Samples of the stacks of a tree: see stays.h. */
#include "stays.h"

#include <stdlib.h>
#include <time.h>

#include "../../base/buf.h"
#include "../../base/clock.h"
#include "../stacks/stack.h"

enum {
  MAX_READERS = 4,   /* processes whose code is known at a time */
  MAX_STACKS = 16,   /* of one sample */
  MAX_SAMPLES = 384, /* of one run, to learn from */
  FIRST_US = 30 * 1000,
  STEP_US = 10 * 1000,
  PARTS = 16, /* a sample each sixteenth of the time so far */
  HELD_US = 500,
  COST = 100, /* a pause is so many times the cost of a sample */
};

struct cul_stays {
  const struct cul_stay_wish *wish;
  uint64_t start_us, next_us;
  struct cul_stack_reader readers[MAX_READERS];
  size_t next_reader;
  struct cul_stay_sample *samples; /* learn */
  size_t n;
  struct cul_stay_match match;
};

struct cul_stays *cul_stays_new(const struct cul_stay_wish *wish,
                                uint64_t start_us) {
  struct cul_stays *stays;
  if (!wish->learn && !wish->stay.n)
    return NULL;
  stays = cul_xcalloc(1, sizeof *stays);
  stays->wish = wish;
  stays->start_us = start_us;
  stays->next_us = start_us + FIRST_US;
  if (wish->learn)
    stays->samples = cul_xcalloc(MAX_SAMPLES, sizeof *stays->samples);
  return stays;
}

void cul_stays_free(struct cul_stays *stays) {
  if (!stays)
    return;
  for (size_t i = 0; i < MAX_READERS; i++)
    cul_stack_reader_release(&stays->readers[i]);
  free(stays->samples);
  free(stays);
}

uint64_t cul_stays_next_us(const struct cul_stays *stays) {
  uint64_t soon = cul_now_us() + HELD_US;
  for (size_t i = 0; i < MAX_READERS; i++)
    if (stays->readers[i].held && soon < stays->next_us)
      return soon;
  return stays->next_us;
}

void cul_stays_tend(struct cul_stays *stays) {
  for (size_t i = 0; i < MAX_READERS; i++)
    cul_stack_let_held_go(&stays->readers[i]);
}

static struct cul_stack_reader *reader_of(struct cul_stays *stays, pid_t pid) {
  for (size_t i = 0; i < MAX_READERS; i++)
    if (stays->readers[i].modules.pid == pid)
      return &stays->readers[i];
  return &stays->readers[stays->next_reader++ % MAX_READERS];
}

/* False: not one stack could be taken. */
static bool take_stacks(struct cul_stays *stays,
                        const struct cul_pace_tasks *tasks,
                        struct cul_stay_sample *out) {
  size_t taken = 0;
  out->whole = true;
  for (size_t i = 0; i < tasks->n && taken < MAX_STACKS; i++) {
    const struct cul_pace_task *task = &tasks->items[i];
    struct cul_stack_reader *reader;
    struct cul_stack stack;
    bool is;
    if (!out->waiting && task->state != 'R')
      continue;
    reader = reader_of(stays, task->pid);
    is = out->waiting
             ? cul_stack_take_waiting(reader, task->pid, task->tid, &stack)
             : cul_stack_take(reader, task->pid, task->tid, &stack);
    if (!is)
      continue;
    cul_stay_sample_add(out, stack.places, stack.n);
    /* A waiting task's frame pointer is not known. */
    out->whole &= stack.whole || out->waiting;
    taken++;
  }
  out->many = taken > 1;
  return taken > 0;
}

/* Half of the samples go, so that others fit. */
static void thin_out(struct cul_stays *stays) {
  if (stays->n < MAX_SAMPLES)
    return;
  for (size_t i = 0; i < MAX_SAMPLES / 2; i++)
    stays->samples[i] = stays->samples[2 * i + 1];
  stays->n = MAX_SAMPLES / 2;
}

static uint64_t own_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void plan_next(struct cul_stays *stays, uint64_t began_us) {
  uint64_t now = cul_now_us(), step = (now - stays->start_us) / PARTS;
  uint64_t least = COST * (own_us() - began_us);
  uint64_t most = stays->wish->learn ? 40 * 1000 : 50 * 1000;
  if (stays->wish->stay.waiting)
    most = 200 * 1000;
  step = step > STEP_US ? step : STEP_US;
  step = step < most ? step : most;
  stays->next_us = now + (step > least ? step : least);
}

bool cul_stays_take(struct cul_stays *stays, const ino_t pipes[2]) {
  struct cul_stay_sample sample = {0};
  struct cul_pace_tasks tasks = {0};
  struct cul_pace_sample pace;
  uint64_t began_us = own_us();
  cul_pace_take(pipes, &pace, &tasks);
  sample.at_us =
      pace.at_us - stays->start_us - cul_pace_held_us(&pace, stays->start_us);
  sample.waiting = !pace.runnable;
  if (!pace.writes && take_stacks(stays, &tasks, &sample)) {
    if (stays->wish->learn) {
      thin_out(stays);
      stays->samples[stays->n++] = sample;
    }
    if (stays->wish->stay.n)
      cul_stay_follow(&stays->match, stays->wish, &sample);
  }
  plan_next(stays, began_us);
  return stays->wish->stay.n && cul_stay_is_settled(&stays->match, stays->wish);
}

void cul_stays_tell(struct cul_stays *stays, struct cul_stayed *out) {
  if (stays->wish->learn)
    cul_stay_learn(stays->samples, stays->n, &out->stay);
  out->longest_us = stays->match.longest_us;
}
