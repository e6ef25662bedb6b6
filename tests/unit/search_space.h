/* Synthetic spaces of known minimum, and a crew of workers that runs a
 * search on them: for the tests of reducer/search and its benchmark. */
#ifndef CUL_TESTS_UNIT_SEARCH_SPACE_H
#define CUL_TESTS_UNIT_SEARCH_SPACE_H

#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "../../reducer/search/search.h"

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
    if (space->items[i].parent != CUL_NO_ITEM &&
        gone[space->items[i].parent])
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
    if (gone[i] && (space->culprit[i] ||
                    (needed != CUL_NO_ITEM && !gone[needed])))
      yes = false;
  }
  free(gone);
  return yes;
}

/* Segments: yes where every culprit lies inside the kept range. */
static inline bool space_keeps(const struct space *space,
                               const struct cul_set *range) {
  uint32_t first = range->ids[0], last = range->ids[range->n - 1];
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
  size_t asked, stale, accepted, merged;
  size_t time; /* when the last worker was done; a run takes 1..`slowest` */
  bool bad;    /* the search broke its contract */
};

struct crew {
  size_t workers;
  unsigned slowest;     /* a run takes 1..slowest ticks */
  uint64_t seed;        /* of the durations */
  bool (*yes)(const struct space *, const struct cul_set *);
};

struct job {
  uint64_t ticket;
  struct cul_set set;
  size_t ends;
};

static inline void finish_job(struct job *jobs, size_t *n, size_t at) {
  cul_set_release(&jobs[at].set);
  jobs[at] = jobs[--*n];
}

static inline void kill_stale(struct cul_search *search, struct job *jobs,
                              size_t *n, struct outcome *out) {
  uint64_t stale[4];
  size_t got;
  while ((got = cul_search_stale(search, stale, 4)) > 0) {
    out->stale += got;
    for (size_t i = 0; i < got; i++) {
      size_t at = 0;
      while (at < *n && jobs[at].ticket != stale[i])
        at++;
      if (at == *n)
        out->bad = true;
      else
        finish_job(jobs, n, at);
    }
  }
}

static inline void note_accepted(struct cul_search *search,
                                 const struct space *space,
                                 const struct crew *crew,
                                 struct outcome *out) {
  uint64_t ticket = cul_search_accepted(search);
  if (ticket == 0)
    return;
  out->accepted++;
  out->bad |= ticket <= out->last_accepted || cul_search_accepted(search) != 0;
  out->last_accepted = ticket;
  cul_set_copy(&out->state, cul_search_state(search));
  out->bad |= !crew->yes(space, &out->state);
}

static inline void start_jobs(struct cul_search *search, struct job *jobs,
                              size_t *n, struct crew *crew,
                              struct outcome *out) {
  uint64_t last = 0;
  while (*n < crew->workers) {
    struct job *job = &jobs[*n];
    memset(job, 0, sizeof(*job));
    if (!cul_search_ask(search, &job->set, &job->ticket))
      break;
    out->bad |= job->ticket <= last;
    last = job->ticket;
    job->ends = out->time + 1 + next_random(&crew->seed) % crew->slowest;
    out->asked++;
    ++*n;
  }
}

/* Run search to its end; frees it. */
static inline void crew_run(struct crew crew, const struct space *space,
                            struct cul_search *search, struct outcome *out) {
  struct job *jobs = cul_xcalloc(crew.workers + 1, sizeof(*jobs));
  size_t n = 0;
  memset(out, 0, sizeof(*out));
  for (;;) {
    start_jobs(search, jobs, &n, &crew, out);
    if (n == 0)
      break;
    size_t first = 0;
    for (size_t i = 1; i < n; i++)
      if (jobs[i].ends < jobs[first].ends)
        first = i;
    out->time = jobs[first].ends;
    cul_search_tell(search, jobs[first].ticket,
                    crew.yes(space, &jobs[first].set));
    finish_job(jobs, &n, first);
    note_accepted(search, space, &crew, out);
    kill_stale(search, jobs, &n, out);
  }
  out->bad |= !cul_search_finished(search);
  cul_search_free(search);
  free(jobs);
}

#endif
