/* Synthetic spaces of known minimum, and a pool of workers that runs a
 * search on them: for the tests of reducer/search and its benchmark. */
#ifndef CUL_TESTS_UNIT_REDUCER_SEARCH_SPACE_H
#define CUL_TESTS_UNIT_REDUCER_SEARCH_SPACE_H

#include <stdlib.h>
#include <string.h>

#include "../../../base/buf.h"
#include "../../../base/digest.h"
#include "../../../reducer/search/search.h"

/* splitmix64 */
static inline uint64_t next_random(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/* Yes where every culprit is kept, every item that went had what it needs
 * gone too, and at most `noise` of 256 removals are refused by chance (by the
 * removed set alone, so the space stays a function). */
struct space {
  size_t n;
  struct cul_item *items;
  bool *culprit;
  uint32_t *needs; /* goes only when this one goes too; CUL_NO_ITEM */
  int *growth; /* what going adds to the size; NULL = size does not matter */
  unsigned noise;
  uint64_t seed;
};

static inline void space_init(struct space *space, size_t n) {
  memset(space, 0, sizeof(*space));
  space->n = n;
  space->items = cul_xcalloc(n + 1, sizeof(*space->items));
  space->culprit = cul_xcalloc(n + 1, sizeof(*space->culprit));
  space->needs = cul_xcalloc(n + 1, sizeof(*space->needs));
  for (size_t i = 0; i < n; i++) {
    space->items[i] = (struct cul_item){1, CUL_NO_ITEM, 0};
    space->needs[i] = CUL_NO_ITEM;
  }
}

static inline void space_release(struct space *space) {
  free(space->items);
  free(space->culprit);
  free(space->needs);
  free(space->growth);
}

static inline void space_choose(struct space *space, size_t k, uint64_t seed) {
  while (k > 0) {
    size_t i = next_random(&seed) % space->n;
    k -= !space->culprit[i];
    space->culprit[i] = true;
  }
}

/* What is gone with set, children included.  Heap. */
static inline bool *space_gone(const struct space *space,
                               const struct cul_set *set) {
  bool *gone = cul_xcalloc(space->n + 1, sizeof(*gone));
  for (size_t i = 0; i < set->n; i++)
    gone[set->ids[i]] = true;
  for (size_t i = 0; i < space->n; i++)
    if (space->items[i].parent != CUL_NO_ITEM && gone[space->items[i].parent])
      gone[i] = true;
  return gone;
}

static inline bool space_refuses(const struct space *space, const bool *gone) {
  uint64_t hash = space->seed;
  if (space->noise == 0)
    return false;
  for (size_t i = 0; i < space->n; i++)
    if (gone[i])
      hash = next_random(&hash) ^ i;
  return next_random(&hash) % 256 < space->noise;
}

static inline bool space_yes(const struct space *space,
                             const struct cul_set *set) {
  bool *gone = space_gone(space, set);
  bool yes = !space_refuses(space, gone);
  for (size_t i = 0; i < space->n && yes; i++) {
    uint32_t needed = space->needs[i];
    if (gone[i] &&
        (space->culprit[i] || (needed != CUL_NO_ITEM && !gone[needed])))
      yes = false;
  }
  free(gone);
  return yes;
}

static inline int space_size(const struct space *space,
                             const struct cul_set *set) {
  int size = 0;
  for (size_t i = 0; i < set->n && space->growth; i++)
    size += space->growth[set->ids[i]];
  return size;
}

/* Segments: yes where every culprit lies inside the kept range. */
static inline bool space_keeps(const struct space *space,
                               const struct cul_set *range) {
  uint32_t first = range->ids[0], last = range->ids[range->n - 1];
  uint64_t hash = space->seed ^ ((uint64_t)first << 32 | last);
  if (space->noise && next_random(&hash) % 256 < space->noise)
    return false;
  for (uint32_t id = 0; id < space->n; id++) {
    uint32_t at = id;
    if (!space->culprit[id])
      continue;
    while (at != CUL_NO_ITEM &&
           !(space->items[at].group == space->items[first].group &&
             first <= at && at <= last))
      at = space->items[at].parent;
    if (at == CUL_NO_ITEM)
      return false;
  }
  return true;
}

/* What a run of a search cost and found. */
struct outcome {
  struct cul_set state;   /* accepted at the end */
  uint64_t last_accepted; /* ticket; 0 = none */
  size_t asked, stale, accepted;
  size_t yes;  /* told; more than accepted where some were questions */
  size_t runs; /* asked, less points that were run before */
  size_t time; /* when the last worker was done */
  /* Of the points whose "no" was learnt, in that order, and how many. */
  struct cul_digest learnt;
  size_t n_learnt;
  bool bad; /* the search broke its contract */
};

/* As the probe does: a place is taken by each point that runs, and by each
 * "yes" until it is accepted or stale; there are 3 * workers + 1. */
struct pool {
  size_t workers;
  unsigned slowest; /* a run takes 1..slowest ticks */
  uint64_t seed;    /* of the durations */
  bool (*yes)(const struct space *, const struct cul_set *);
};

struct job {
  uint64_t ticket;
  struct cul_set set;
  size_t ends;
  int best;  /* size accepted when it was asked */
  bool held; /* told "yes" */
};

struct shift {
  struct pool pool;
  const struct space *space;
  struct cul_search *search;
  struct outcome *out;
  struct job *jobs;
  size_t n_jobs;
  struct cul_digest *seen;
  size_t n_seen;
  struct cul_digest *points; /* by ticket */
};

static inline void end_job(struct shift *shift, size_t at) {
  cul_set_release(&shift->jobs[at].set);
  shift->jobs[at] = shift->jobs[--shift->n_jobs];
}

static inline size_t find_job(const struct shift *shift, uint64_t ticket) {
  size_t at = 0;
  while (at < shift->n_jobs && shift->jobs[at].ticket != ticket)
    at++;
  return at;
}

static inline void end_stale(struct shift *shift) {
  uint64_t stale[4];
  size_t got;
  while ((got = cul_search_stale(shift->search, stale, 4)) > 0) {
    shift->out->stale += got;
    for (size_t i = 0; i < got; i++) {
      size_t at = find_job(shift, stale[i]);
      if (at == shift->n_jobs)
        shift->out->bad = true;
      else
        end_job(shift, at);
    }
  }
}

static inline void end_accepted(struct shift *shift) {
  struct outcome *out = shift->out;
  uint64_t ticket = cul_search_accepted(shift->search);
  if (ticket == 0)
    return;
  size_t at = find_job(shift, ticket);
  out->accepted++;
  out->bad |= at == shift->n_jobs || !shift->jobs[at].held ||
              ticket <= out->last_accepted ||
              cul_search_accepted(shift->search) != 0;
  out->last_accepted = ticket;
  if (!out->bad) {
    const struct cul_set *state = cul_search_state(shift->search);
    out->bad |= !cul_set_equal(&shift->jobs[at].set, state) ||
                !shift->pool.yes(shift->space, state);
    cul_set_copy(&out->state, state);
    end_job(shift, at);
  }
}

/* Names what is gone with set. */
static inline struct cul_digest effect_of(const struct space *space,
                                          const struct cul_set *set) {
  bool *gone = space_gone(space, set);
  struct cul_digest digest = cul_digest_of(gone, space->n * sizeof(*gone));
  free(gone);
  return digest;
}

static inline void note_learnt(struct shift *shift) {
  struct outcome *out = shift->out;
  uint64_t ticket;
  while ((ticket = cul_search_learnt(shift->search))) {
    struct cul_digest both[2] = {out->learnt, shift->points[ticket]};
    out->learnt = cul_digest_of(both, sizeof(both));
    out->n_learnt++;
  }
}

static inline bool was_seen(struct shift *shift, const struct cul_set *set) {
  struct cul_digest digest =
      cul_digest_of(set->ids, set->n * sizeof(*set->ids));
  for (size_t i = 0; i < shift->n_seen; i++)
    if (cul_digest_equal(&shift->seen[i], &digest))
      return true;
  shift->seen =
      cul_xreallocarray(shift->seen, shift->n_seen + 1, sizeof(*shift->seen));
  shift->seen[shift->n_seen++] = digest;
  return false;
}

static inline size_t count_runs(const struct shift *shift) {
  size_t n = 0;
  for (size_t i = 0; i < shift->n_jobs; i++)
    n += !shift->jobs[i].held;
  return n;
}

static inline void start_jobs(struct shift *shift) {
  struct outcome *out = shift->out;
  uint64_t last = 0;
  while (count_runs(shift) < shift->pool.workers) {
    struct job *job = &shift->jobs[shift->n_jobs];
    out->bad |= shift->n_jobs > 3 * shift->pool.workers;
    if (out->bad)
      return;
    memset(job, 0, sizeof(*job));
    if (!cul_search_ask(shift->search, &job->set, &job->ticket))
      return;
    out->bad |= job->ticket <= last;
    last = job->ticket;
    out->asked++;
    shift->points = cul_xreallocarray(shift->points, job->ticket + 1,
                                      sizeof(*shift->points));
    shift->points[job->ticket] = effect_of(shift->space, &job->set);
    job->ends = out->time;
    job->best = space_size(shift->space, &out->state);
    if (!was_seen(shift, &job->set)) {
      out->runs++;
      job->ends += 1 + next_random(&shift->pool.seed) % shift->pool.slowest;
    }
    shift->n_jobs++;
  }
}

/* The running job that ends first; n_jobs when none runs. */
static inline size_t first_to_end(const struct shift *shift) {
  size_t first = shift->n_jobs;
  for (size_t i = 0; i < shift->n_jobs; i++)
    if (!shift->jobs[i].held && (first == shift->n_jobs ||
                                 shift->jobs[i].ends < shift->jobs[first].ends))
      first = i;
  return first;
}

/* Run search to its end; frees it.  The caller releases out->state. */
static inline void pool_run(struct pool pool, const struct space *space,
                            struct cul_search *search, struct outcome *out) {
  struct shift shift = {
      .pool = pool, .space = space, .search = search, .out = out};
  memset(out, 0, sizeof(*out));
  shift.jobs = cul_xcalloc(3 * pool.workers + 2, sizeof(*shift.jobs));
  size_t limit = 1000 + 8 * (space->n + 1) * (space->n + pool.workers);
  while (out->asked < limit) {
    start_jobs(&shift);
    size_t at = first_to_end(&shift);
    if (at == shift.n_jobs)
      break;
    struct job *job = &shift.jobs[at];
    uint64_t ticket = job->ticket;
    out->time = job->ends;
    job->held = pool.yes(space, &job->set) &&
                (!space->growth || space_size(space, &job->set) < job->best);
    out->yes += job->held;
    cul_search_tell(search, ticket, job->held);
    if (!job->held)
      end_job(&shift, at);
    note_learnt(&shift);
    end_accepted(&shift);
    end_stale(&shift);
  }
  out->bad |= !cul_search_finished(search) || shift.n_jobs > 0;
  while (shift.n_jobs > 0)
    end_job(&shift, 0);
  cul_search_free(search);
  free(shift.jobs);
  free(shift.seen);
  free(shift.points);
}

#endif
