/* Finds out where runs stay, by samples of their stacks: see stays.h. */
#include "stays.h"

#include <string.h>
#include <time.h>

#include "../../base/buf.h"
#include "../../base/clock.h"
#include "../stacks/stack.h"
#include "pace.h"

enum {
  MAX_READERS = 4,   /* processes whose mappings are kept at a time */
  MAX_STACKS = 16,   /* stacks of one sample */
  MAX_SAMPLES = 384, /* samples of one run from which a stay is learnt */
  FIRST_US = 30 * 1000,
  STEP_US = 10 * 1000,
  PARTS = 16, /* the interval of samples is a sixteenth of the elapsed time */
  HELD_US = 500,
  COST = 100, /* minimal interval of samples, in multiples of the cost of one */
  LEAST_SAMPLES = 8,
  LEAST_WAITING = 4,
  STRAY = 16,       /* one in so many samples may be elsewhere (a stray) */
  MOST_STRAYS = 4,  /* consecutive strays that end a stay */
  N_REFERENCES = 3, /* of so many samples, at least one is not a stray */
};

/* Shadow memory takes an eighth of the address space or more (16 TiB on x86-64
 * with 47 bits); other programs map far less. */
static const uint64_t shadow_bytes = (uint64_t)1 << 43;

struct cul_stays {
  const struct cul_stay_wish *wish;
  uint64_t start_us, next_us;
  uint64_t shadowed_us; /* sample processes with shadow memory from here on */
  struct cul_stack_reader readers[MAX_READERS];
  size_t next_reader;
  struct cul_stay_sample *samples; /* learn */
  size_t n;
  struct cul_stay_match match;
};

/* ---- sets ---- */

static bool has(const uint64_t *places, size_t n, uint64_t place) {
  for (size_t i = 0; i < n; i++)
    if (places[i] == place)
      return true;
  return false;
}

void cul_stay_sample_add(struct cul_stay_sample *sample, const uint64_t *places,
                         size_t n) {
  for (size_t i = 0; i < n && sample->n < CUL_STAY_MOST_FRAMES; i++)
    if (!has(sample->places, sample->n, places[i]))
      sample->places[sample->n++] = places[i];
}

static void keep_common(struct cul_stay_sample *common,
                        const struct cul_stay_sample *other) {
  size_t n = 0;
  for (size_t i = 0; i < common->n; i++)
    if (has(other->places, other->n, common->places[i]))
      common->places[n++] = common->places[i];
  common->n = n;
}

static bool holds(const struct cul_stay *stay,
                  const struct cul_stay_sample *sample) {
  if (sample->waiting != stay->waiting)
    return false;
  for (uint32_t i = 0; i < stay->n; i++)
    if (!has(sample->places, sample->n, stay->places[i]))
      return false;
  return true;
}

/* The time of a sample: processor time for tasks that compute, as it does not
 * depend on load. */
static uint64_t time_of(const struct cul_stay_sample *sample, bool waiting) {
  return waiting ? sample->at_us : sample->cpu_us;
}

/* ---- learn ---- */

/* From sample `first` on, do more samples wait than compute? */
static bool mostly_waits(const struct cul_stay_sample *samples, size_t first,
                         size_t n) {
  size_t waiting = 0;
  for (size_t i = first; i < n; i++)
    waiting += samples[i].waiting;
  return 2 * waiting > n - first;
}

/* Samples of one kind. */
struct chosen {
  const struct cul_stay_sample *items[MAX_SAMPLES];
  size_t n, partial, many;
};

static void choose(const struct cul_stay_sample *samples, size_t first,
                   size_t n, bool waiting, struct chosen *out) {
  *out = (struct chosen){0};
  for (size_t i = first; i < n && out->n < MAX_SAMPLES; i++) {
    if (samples[i].waiting != waiting)
      continue;
    out->partial += !samples[i].whole;
    if (!samples[i].whole)
      continue;
    out->many += samples[i].many;
    out->items[out->n++] = &samples[i];
  }
}

/* Do all samples have the place, except for strays? */
static bool is_common(const struct chosen *chosen, uint64_t place) {
  size_t lacks = 0;
  for (size_t i = 0; i < chosen->n && lacks * STRAY <= chosen->n; i++)
    lacks += !has(chosen->items[i]->places, chosen->items[i]->n, place);
  return lacks * STRAY <= chosen->n;
}

static void take_common(const struct chosen *chosen,
                        const struct cul_stay_sample *reference,
                        struct cul_stay *out) {
  out->n = 0;
  for (size_t i = 0; i < reference->n && out->n < CUL_STAY_MOST; i++)
    if (is_common(chosen, reference->places[i]))
      out->places[out->n++] = reference->places[i];
}

/* The time of the last sample elsewhere; 0: no sample was. */
static uint64_t reached_at(const struct cul_stay_sample *samples, size_t first,
                           const struct cul_stay *stay) {
  size_t begin = first;
  int strays = 0;
  for (size_t i = first; i-- > 0 && strays < MOST_STRAYS;) {
    if (!samples[i].whole)
      continue;
    if (holds(stay, &samples[i]))
      begin = i, strays = 0;
    else
      strays++;
  }
  return begin > 0 ? time_of(&samples[begin - 1], stay->waiting) : 0;
}

void cul_stay_learn(const struct cul_stay_sample *samples, size_t n,
                    struct cul_stay *out) {
  size_t first = 0;
  uint64_t half_us = n ? samples[n - 1].at_us / 2 : 0;
  struct chosen chosen;
  struct cul_stay common = {0};
  *out = (struct cul_stay){0};
  while (first < n && samples[first].at_us < half_us)
    first++;
  common.waiting = mostly_waits(samples, first, n);
  choose(samples, first, n, common.waiting, &chosen);
  if (chosen.n < LEAST_SAMPLES || chosen.partial > chosen.n)
    return;
  common.many = chosen.many * STRAY > chosen.n;
  for (size_t i = 0; i < N_REFERENCES; i++) {
    take_common(&chosen, chosen.items[i * (chosen.n - 1) / (N_REFERENCES - 1)],
                &common);
    if (common.n > out->n)
      *out = common;
  }
  if (out->n)
    out->reached_us = reached_at(samples, first, out);
}

/* ---- follow ---- */

static void leave(struct cul_stay_match *match) {
  match->n = match->partial = match->elsewhere = 0;
  match->left = false;
}

static void go_elsewhere(struct cul_stay_match *match) {
  size_t all = match->n + match->elsewhere + 1;
  if (match->left || (match->elsewhere + 1) * STRAY > all)
    leave(match);
  else
    match->elsewhere++, match->left = true;
}

/* Does a new window begin at sample n?  The lengths of windows double.  The
 * first window, of eight samples, is not used, because a single sample in the
 * loop before the run got stuck deeper would falsify it. */
static bool begins_window(size_t n) {
  return n == 0 || (n >= LEAST_SAMPLES && (n & (n - 1)) == 0);
}

void cul_stay_follow(struct cul_stay_match *match,
                     const struct cul_stay_wish *wish,
                     const struct cul_stay_sample *sample) {
  uint64_t now = time_of(sample, wish->stay.waiting);
  if (!sample->whole) {
    match->partial++;
    return;
  }
  if (!holds(&wish->stay, sample)) {
    go_elsewhere(match);
    return;
  }
  match->left = false;
  if (match->n == 0)
    match->since_us = now;
  if (begins_window(match->n++)) {
    match->window = 1;
    match->common = *sample;
  } else {
    match->window++;
    keep_common(&match->common, sample);
  }
  match->last_us = now;
  if (match->last_us - match->since_us > match->longest_us)
    match->longest_us = match->last_us - match->since_us;
}

bool cul_stay_is_settled(const struct cul_stay_match *match,
                         const struct cul_stay_wish *wish) {
  const struct cul_stay *stay = &wish->stay;
  size_t least = stay->waiting ? LEAST_WAITING : 2 * LEAST_SAMPLES;
  if (!stay->n || match->n < least || match->partial > match->n ||
      match->left || match->last_us < wish->after_us ||
      match->last_us - match->since_us < wish->settled_us)
    return false;
  return stay->waiting || stay->many ||
         (match->window >= LEAST_SAMPLES &&
          match->common.places[0] == stay->places[0]);
}

/* ---- samples ---- */

static struct cul_stack_reader *reader_of(struct cul_stays *stays, pid_t pid) {
  for (size_t i = 0; i < MAX_READERS; i++)
    if (stays->readers[i].modules.pid == pid)
      return &stays->readers[i];
  return &stays->readers[stays->next_reader++ % MAX_READERS];
}

/* Take the stacks of all tasks.  False: none could be taken. */
static bool take_stacks(struct cul_stays *stays,
                        const struct cul_pace_tasks *tasks,
                        struct cul_stay_sample *out) {
  size_t taken = 0;
  out->whole = true;
  for (size_t i = 0; i < tasks->n && taken < MAX_STACKS; i++) {
    const struct cul_pace_task *task = &tasks->items[i];
    struct cul_stack_reader *reader;
    struct cul_stack stack;
    if (!out->waiting && task->state != 'R')
      continue;
    if (task->mapped >= shadow_bytes && cul_now_us() < stays->shadowed_us)
      continue;
    reader = reader_of(stays, task->pid);
    if (!cul_stack_take(reader, task->pid, task->tid, out->waiting, &stack))
      continue;
    cul_stay_sample_add(out, stack.places, stack.n);
    /* the frame pointer of a waiting task is unknown */
    out->whole &= stack.whole || out->waiting;
    taken++;
  }
  out->many = taken > 1;
  return taken > 0;
}

/* Drop every second sample to make room. */
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

/* Does a reader still hold a task stopped?  It would look like a waiting
 * task. */
static bool is_any_held(const struct cul_stays *stays) {
  bool held = false;
  for (size_t i = 0; i < MAX_READERS; i++)
    held |= stays->readers[i].held != 0;
  return held;
}

static void take_sample(struct cul_stays *stays, const ino_t pipes[2]) {
  struct cul_stay_sample sample = {0};
  struct cul_pace_tasks tasks = {0};
  struct cul_pace_sample pace;
  if (is_any_held(stays))
    return;
  cul_pace_take(pipes, &pace, &tasks);
  sample.at_us =
      pace.at_us - stays->start_us - cul_pace_held_us(&pace, stays->start_us);
  sample.cpu_us = pace.cpu_us < sample.at_us ? pace.cpu_us : sample.at_us;
  sample.waiting = !pace.runnable;
  if (pace.writes || !take_stacks(stays, &tasks, &sample))
    return;
  if (stays->wish->learn) {
    thin_out(stays);
    stays->samples[stays->n++] = sample;
  }
  if (stays->wish->stay.n)
    cul_stay_follow(&stays->match, stays->wish, &sample);
}

static struct cul_stays *begin(const struct cul_stay_wish *wish,
                               uint64_t start_us, uint64_t wall_ms) {
  struct cul_stays *stays;
  if (!wish->learn && !wish->stay.n)
    return NULL;
  stays = cul_xcalloc(1, sizeof *stays);
  stays->wish = wish;
  stays->start_us = start_us;
  stays->next_us = start_us + FIRST_US;
  if (!wish->stay.n)
    stays->shadowed_us = wall_ms ? start_us + wall_ms * 500 : UINT64_MAX;
  if (wish->learn)
    stays->samples = cul_xcalloc(MAX_SAMPLES, sizeof *stays->samples);
  return stays;
}

bool cul_stays_advance(struct cul_stays **all, const struct cul_stay_wish *wish,
                       uint64_t start_us, uint64_t wall_ms,
                       const ino_t pipes[2], uint64_t *next_us) {
  struct cul_stays *stays = *all = *all ? *all : begin(wish, start_us, wall_ms);
  uint64_t now = cul_now_us();
  *next_us = 0;
  if (!stays)
    return false;
  for (size_t i = 0; i < MAX_READERS; i++)
    cul_stack_let_held_go(&stays->readers[i]);
  if (now >= stays->next_us) {
    uint64_t began_us = own_us();
    take_sample(stays, pipes);
    plan_next(stays, began_us);
  }
  *next_us = stays->next_us;
  if (is_any_held(stays) && now + HELD_US < *next_us)
    *next_us = now + HELD_US;
  return wish->stay.n && cul_stay_is_settled(&stays->match, wish);
}

void cul_stays_tell(const struct cul_stays *stays, struct cul_stayed *out) {
  if (!stays)
    return;
  if (stays->wish->learn)
    cul_stay_learn(stays->samples, stays->n, &out->stay);
  out->longest_us = stays->match.longest_us;
}
