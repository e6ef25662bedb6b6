/* Synthetic subjects for whole schedules, and a loop that runs them: for the
 * test of reducer/driver/rounds.c and its benchmark.
 *
 * A subject has operations in functions, and attributes on operations.  It
 * fails while it holds its core.  Each class of mutations removes operations or
 * attributes in its own way.  In one subject a class may be useful for sets of
 * sites, useful for one site at a time only, or useless. */
#ifndef CUL_TESTS_UNIT_REDUCER_SCHEDULE_SPACE_H
#define CUL_TESTS_UNIT_REDUCER_SCHEDULE_SPACE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/buf.h"
#include "../../../base/check.h"
#include "../../../base/digest.h"
#include "../../../reducer/driver/rounds.h"
#include "../../../reducer/mutations/mutation.h"
#include "search_space.h"

enum {
  SCHEDULE_MOST = 1400, /* operations, attributes and functions */
  SCHEDULE_SLOTS = 64,
};

enum mode { USEFUL, SINGLY, USELESS };

/* What a class of mutations lists as one site. */
enum sites_of {
  BY_RANGE,    /* keeps a range of operations, or of functions */
  BY_FUNCTION, /* a function */
  BY_END,      /* an operation and the rest of its function behind it */
  BY_START,    /* an operation and all before it in its function */
  BY_REGION,   /* 8 operations that stand together */
  BY_PAIR,     /* two operations that stand together */
  BY_OP,       /* an operation */
  BY_ATTRIBUTE /* an attribute of `which` kind */
};

struct schedule_class {
  const char *name;
  enum sites_of sites;
  unsigned which;
  bool strict; /* an operation is removed only when its users are */
  enum cul_phase phase;
  uint32_t flags;
};

static const struct schedule_class schedule_classes[] = {
    {"segment", BY_RANGE, 0, false, CUL_PHASE_CUT, CUL_MUT_RANGE},
    {"bodies", BY_FUNCTION, 0, false, CUL_PHASE_CUT, 0},
    {"end-early", BY_END, 0, false, CUL_PHASE_CUT, CUL_MUT_CHAIN},
    {"start-late", BY_START, 0, false, CUL_PHASE_CUT, CUL_MUT_CHAIN},
    {"symbols", BY_FUNCTION, 0, true, CUL_PHASE_DELTA, 0},
    {"attribute-0", BY_ATTRIBUTE, 0, false, CUL_PHASE_DELTA, 0},
    {"pairs", BY_PAIR, 0, true, CUL_PHASE_DELTA, 0},
    {"erase", BY_OP, 0, true, CUL_PHASE_DELTA, 0},
    {"forward", BY_OP, 0, true, CUL_PHASE_DELTA, 0},
    {"argument", BY_OP, 0, false, CUL_PHASE_DELTA, 0},
    {"region", BY_REGION, 0, true, CUL_PHASE_DELTA, 0},
    {"hoist", BY_REGION, 0, false, CUL_PHASE_DELTA, 0},
    {"attribute-1", BY_ATTRIBUTE, 1, false, CUL_PHASE_DELTA, 0},
    {"attribute-2", BY_ATTRIBUTE, 2, false, CUL_PHASE_DELTA, 0},
    {"dominating", BY_OP, 0, false, CUL_PHASE_DELTA, 0},
    {"attribute-3", BY_ATTRIBUTE, 3, false, CUL_PHASE_DELTA, CUL_MUT_LAST},
};
enum {
  SCHEDULE_CLASSES = sizeof schedule_classes / sizeof *schedule_classes,
  SCHEDULE_ERASE = 7, /* the plain cut */
};

struct schedule_slot {
  bool used, held;
  uint64_t ticket;
  bool *set;  /* elements of the candidate; heap */
  bool *best; /* when it was asked; heap */
  bool *base; /* the revision that it edits; heap */
  uint32_t mutation;
};

struct schedule {
  size_t n_ops, n; /* elements: operations, then attributes */
  size_t n_functions;
  uint32_t function[SCHEDULE_MOST]; /* of an operation */
  uint32_t owner[SCHEDULE_MOST];    /* of an attribute */
  uint32_t uses[SCHEDULE_MOST];     /* operation -> an earlier one, or
                                       CUL_NO_ITEM */
  bool core[SCHEDULE_MOST];
  enum mode mode[SCHEDULE_CLASSES];

  bool revision[SCHEDULE_MOST], best[SCHEDULE_MOST], ahead[SCHEDULE_MOST];
  bool has_best;
  struct cul_listing lists[2 * CUL_MAX_LISTINGS];
  size_t first_list, n_lists, n_ahead;
  struct schedule_slot slots[SCHEDULE_SLOTS];
  size_t workers;
  uint64_t chance; /* of who is judged next */

  struct cul_driver driver;
  struct cul_rounds rounds;
  struct cul_statistics statistics[SCHEDULE_CLASSES];
  struct cul_digest *seen; /* candidates that were run: open addressing */
  size_t n_seen, cap_seen;
  uint64_t runs;
  uint64_t most_runs; /* the loop ends with EBUDGET; 0: never */
  uint64_t runs_at[SCHEDULE_MOST + 1]; /* when no more operations were left */
  struct cul_digest trail;             /* of all that was accepted */
};

static inline size_t schedule_ops(const struct schedule *s, const bool *set) {
  size_t n = 0;
  for (size_t i = 0; i < s->n_ops; i++)
    n += set[i];
  return n;
}

static inline size_t schedule_size(const struct schedule *s, const bool *set) {
  size_t n = 0;
  for (size_t i = s->n_ops; i < s->n; i++)
    n += set[i];
  return n + schedule_ops(s, set) * SCHEDULE_MOST;
}

static inline struct cul_digest schedule_digest(const struct schedule *s,
                                                const bool *set) {
  return cul_digest_of(set, s->n * sizeof *set);
}

/* ---- sites ---- */

/* What a class would remove at the site that begins at element i. */
static inline bool schedule_belongs(const struct schedule *s,
                                    const struct schedule_class *class,
                                    uint32_t site, uint32_t i) {
  switch (class->sites) {
  case BY_FUNCTION:
    return s->function[i] == s->function[site];
  case BY_END:
    return s->function[i] == s->function[site] && i >= site;
  case BY_START:
    return s->function[i] == s->function[site] && i <= site;
  case BY_REGION:
    return i / 8 == site / 8 && s->function[i] == s->function[site];
  case BY_PAIR:
    return i / 2 == site / 2 && s->function[i] == s->function[site];
  default:
    return i == site;
  }
}

static inline struct cul_listed *schedule_add(struct cul_listing *list,
                                              uint32_t site, uint32_t weight) {
  struct cul_listed *out = &list->sites[list->n_sites++];
  *out = (struct cul_listed){.mutation = list->mutation,
                             .site = site,
                             .weight = weight,
                             .parent = CUL_SITE_NONE};
  return out;
}

static inline void schedule_list_attributes(const struct schedule *s,
                                            const bool *set, unsigned which,
                                            struct cul_listing *list) {
  for (uint32_t i = (uint32_t)s->n_ops; i < s->n; i++)
    if (set[i] && i % 4 == which)
      schedule_add(list, i, 1);
}

/* Functions, and in them operations. */
static inline void schedule_list_ranges(const struct schedule *s,
                                        const bool *set,
                                        struct cul_listing *list) {
  for (uint32_t i = 0, parent = CUL_SITE_NONE, last = CUL_NO_ITEM; i < s->n_ops;
       i++) {
    struct cul_listed *site;
    if (!set[i])
      continue;
    if (s->function[i] != last) {
      last = s->function[i];
      parent = (uint32_t)list->n_sites;
      schedule_add(list, i | 1U << 31, 1)->group = 0;
    }
    site = schedule_add(list, i, 1);
    site->parent = parent;
    site->group = last + 1;
    list->sites[parent].weight++;
  }
}

/* From the last operation of each function to the first, or from the first to
 * the last: each below the one before it. */
static inline void schedule_list_chains(const struct schedule *s,
                                        const bool *set, bool backwards,
                                        struct cul_listing *list) {
  uint32_t last = CUL_NO_ITEM;
  for (uint32_t k = 0; k < s->n_ops; k++) {
    uint32_t i = backwards ? (uint32_t)s->n_ops - 1 - k : k;
    if (!set[i])
      continue;
    schedule_add(list, i, 1);
    if (s->function[i] == last)
      list->sites[list->n_sites - 1].parent = (uint32_t)list->n_sites - 2;
    last = s->function[i];
  }
  for (size_t k = list->n_sites; k-- > 0;)
    if (list->sites[k].parent != CUL_SITE_NONE)
      list->sites[list->sites[k].parent].weight += list->sites[k].weight;
}

static inline void schedule_list_groups(const struct schedule *s,
                                        const bool *set,
                                        const struct schedule_class *class,
                                        struct cul_listing *list) {
  for (uint32_t i = 0; i < s->n_ops; i++) {
    if (!set[i])
      continue;
    if (list->n_sites > 0 &&
        schedule_belongs(s, class, list->sites[list->n_sites - 1].site, i))
      list->sites[list->n_sites - 1].weight++;
    else
      schedule_add(list, i, 1);
  }
}

static inline void schedule_list(struct schedule *s, size_t number,
                                 uint32_t mutation, const bool *set) {
  const struct schedule_class *class = &schedule_classes[mutation];
  struct cul_listing *list = &s->lists[number];
  *list = (struct cul_listing){.mutation = mutation};
  list->sites = cul_xcalloc(2 * SCHEDULE_MOST, sizeof *list->sites);
  if (class->sites == BY_RANGE)
    schedule_list_ranges(s, set, list);
  else if (class->sites == BY_END || class->sites == BY_START)
    schedule_list_chains(s, set, class->sites == BY_START, list);
  else if (class->sites == BY_ATTRIBUTE)
    schedule_list_attributes(s, set, class->which, list);
  else
    schedule_list_groups(s, set, class, list);
}

/* ---- the table of edits ---- */

static inline size_t schedule_other_half(const struct schedule *s) {
  return CUL_MAX_LISTINGS - s->first_list;
}

static inline void schedule_free_lists(struct schedule *s, size_t first,
                                       size_t *n) {
  for (size_t i = first; i < first + *n; i++)
    free(s->lists[i].sites);
  *n = 0;
}

static inline void schedule_drop_ahead(void *self) {
  struct schedule *s = self;
  schedule_free_lists(s, schedule_other_half(s), &s->n_ahead);
}

static inline int schedule_edits_list(void *self, enum cul_list_place place,
                                      uint32_t mutation, size_t *number,
                                      struct cul_err *err) {
  struct schedule *s = self;
  (void)err;
  if (place == CUL_LIST_FIRST) {
    schedule_drop_ahead(self);
    schedule_free_lists(s, s->first_list, &s->n_lists);
    s->first_list = 0;
  }
  *number = place == CUL_LIST_AHEAD ? schedule_other_half(s) + s->n_ahead++
                                    : s->first_list + s->n_lists++;
  schedule_list(s, *number, mutation,
                place == CUL_LIST_AHEAD ? s->ahead : s->revision);
  return 0;
}

static inline const struct cul_listing *schedule_listing(void *self,
                                                         size_t number) {
  return &((struct schedule *)self)->lists[number];
}

static inline bool schedule_is_alone(void *self, uint32_t mutation) {
  (void)self;
  (void)mutation;
  return false;
}

static inline struct cul_revision schedule_revision(void *self, bool ahead) {
  const struct schedule *s = self;
  const bool *set = ahead ? s->ahead : s->revision;
  return (struct cul_revision){schedule_digest(s, set), schedule_ops(s, set)};
}

static inline bool schedule_best(void *self, struct cul_digest *digest) {
  const struct schedule *s = self;
  *digest = schedule_digest(s, s->best);
  return s->has_best;
}

static inline bool schedule_can_speculate(void *self) {
  (void)self;
  return true;
}

static inline bool *schedule_candidate(const struct schedule *s,
                                       const struct cul_point *point);

static inline int schedule_speculate(void *self, const struct cul_point *point,
                                     bool *made, struct cul_err *err) {
  struct schedule *s = self;
  bool *set = point ? schedule_candidate(s, point) : NULL;
  (void)err;
  schedule_drop_ahead(self);
  *made = set || s->has_best;
  memcpy(s->ahead, set ? set : s->best, s->n * sizeof *s->ahead);
  free(set);
  return 0;
}

static inline void schedule_promote(void *self) {
  struct schedule *s = self;
  memcpy(s->revision, s->ahead, s->n * sizeof *s->revision);
  s->has_best = false;
  schedule_free_lists(s, s->first_list, &s->n_lists);
  s->first_list = schedule_other_half(s);
  s->n_lists = s->n_ahead;
  s->n_ahead = 0;
}

static inline int schedule_adopt(void *self, bool *changed,
                                 struct cul_err *err) {
  struct schedule *s = self;
  (void)err;
  *changed = s->has_best;
  memcpy(s->revision, s->best, s->n * sizeof *s->revision);
  s->has_best = false;
  return 0;
}

/* ---- candidates ---- */

static inline void schedule_drop_attributes(const struct schedule *s,
                                            bool *set) {
  for (size_t i = s->n_ops; i < s->n; i++)
    set[i] = set[i] && set[s->owner[i]];
}

static inline void schedule_keep_range(const struct schedule *s, bool *set,
                                       uint32_t first, uint32_t last) {
  bool functions = first >> 31;
  first &= ~(1U << 31);
  last &= ~(1U << 31);
  for (uint32_t i = 0; i < s->n_ops; i++)
    set[i] = set[i] && (functions ? s->function[i] >= s->function[first] &&
                                        s->function[i] <= s->function[last]
                                  : i >= first && i <= last);
}

/* The revision that a point edits. */
static inline const bool *schedule_base(const struct schedule *s,
                                        const struct cul_point *point) {
  size_t number = point->ids[0] >> CUL_LISTING_SHIFT;
  bool ahead = number / CUL_MAX_LISTINGS != s->first_list / CUL_MAX_LISTINGS;
  return ahead ? s->ahead : s->revision;
}

/* Heap. */
static inline bool *schedule_candidate(const struct schedule *s,
                                       const struct cul_point *point) {
  static const uint32_t bits = (UINT32_C(1) << CUL_LISTING_SHIFT) - 1;
  size_t number = point->ids[0] >> CUL_LISTING_SHIFT;
  const struct cul_listing *list = &s->lists[number];
  const struct schedule_class *class = &schedule_classes[list->mutation];
  bool *set = cul_xcalloc(s->n, sizeof *set);
  memcpy(set, schedule_base(s, point), s->n * sizeof *set);
  if (class->sites == BY_RANGE)
    schedule_keep_range(s, set, list->sites[point->ids[0] & bits].site,
                        list->sites[point->ids[point->n - 1] & bits].site);
  else if (class->sites == BY_ATTRIBUTE)
    for (size_t k = 0; k < point->n; k++)
      set[list->sites[point->ids[k] & bits].site] = false;
  else
    for (size_t k = 0; k < point->n; k++)
      for (uint32_t i = 0; i < s->n_ops; i++)
        if (set[i] && schedule_belongs(
                          s, class, list->sites[point->ids[k] & bits].site, i))
          set[i] = false;
  schedule_drop_attributes(s, set);
  return set;
}

/* Is what was removed one site, or of a range or chain one operation? */
static inline bool schedule_is_single(const struct schedule *s,
                                      const struct schedule_class *class,
                                      const bool *before, const bool *now) {
  bool whole = class->sites == BY_FUNCTION || class->sites == BY_REGION ||
               class->sites == BY_PAIR;
  uint32_t first = CUL_NO_ITEM;
  uint32_t from = class->sites == BY_ATTRIBUTE ? (uint32_t)s->n_ops : 0;
  uint32_t to =
      class->sites == BY_ATTRIBUTE ? (uint32_t)s->n : (uint32_t)s->n_ops;
  for (uint32_t i = from; i < to; i++) {
    if (!before[i] || now[i])
      continue;
    if (first != CUL_NO_ITEM &&
        !(whole && schedule_belongs(s, class, first, i)))
      return false;
    first = first == CUL_NO_ITEM ? i : first;
  }
  return true;
}

static inline enum cul_answer schedule_judge(const struct schedule *s,
                                             const struct schedule_slot *slot) {
  const struct schedule_class *class = &schedule_classes[slot->mutation];
  enum mode mode = s->mode[slot->mutation];
  if (mode == USELESS)
    return CUL_PASSES;
  if (schedule_size(s, slot->set) >= schedule_size(s, slot->best))
    return CUL_INVALID;
  if (mode == SINGLY && !schedule_is_single(s, class, slot->best, slot->set))
    return CUL_INVALID;
  for (uint32_t i = 0; i < s->n_ops && class->strict; i++)
    if (slot->set[i] && s->uses[i] != CUL_NO_ITEM && slot->base[s->uses[i]] &&
        !slot->set[s->uses[i]])
      return CUL_INVALID;
  for (uint32_t i = 0; i < s->n; i++)
    if (s->core[i] && !slot->set[i])
      return CUL_PASSES;
  return CUL_SAME;
}

/* ---- the loop ---- */

/* The class counts, too: what is useless in one may be of use in another. */
static inline bool schedule_was_run(struct schedule *s,
                                    const struct schedule_slot *slot) {
  struct cul_digest both[2] = {schedule_digest(s, slot->set),
                               {{s->mode[slot->mutation] == USELESS}}};
  struct cul_digest name = cul_digest_of(both, sizeof both);
  if (2 * s->n_seen >= s->cap_seen) {
    struct cul_digest *old = s->seen;
    size_t cap = s->cap_seen;
    s->cap_seen = cap ? 2 * cap : 1024;
    s->seen = cul_xcalloc(s->cap_seen, sizeof *s->seen);
    for (size_t i = 0; i < cap; i++)
      if (!cul_digest_is_zero(&old[i])) {
        size_t at = old[i].w[0] & (s->cap_seen - 1);
        while (!cul_digest_is_zero(&s->seen[at]))
          at = (at + 1) & (s->cap_seen - 1);
        s->seen[at] = old[i];
      }
    free(old);
  }
  for (size_t at = name.w[0] & (s->cap_seen - 1);;
       at = (at + 1) & (s->cap_seen - 1)) {
    if (cul_digest_equal(&s->seen[at], &name))
      return true;
    if (cul_digest_is_zero(&s->seen[at])) {
      s->seen[at] = name;
      s->n_seen++;
      return false;
    }
  }
}

static inline void schedule_free_slot(struct schedule_slot *slot) {
  free(slot->set);
  free(slot->best);
  free(slot->base);
  *slot = (struct schedule_slot){0};
}

static inline struct schedule_slot *schedule_slot_of(struct schedule *s,
                                                     uint64_t ticket) {
  for (size_t i = 0; i < SCHEDULE_SLOTS; i++)
    if (s->slots[i].used && s->slots[i].ticket == ticket)
      return &s->slots[i];
  return NULL;
}

static inline void schedule_commit(struct schedule *s,
                                   struct schedule_slot *won) {
  struct cul_statistics *known = &s->statistics[won->mutation];
  size_t ops = schedule_ops(s, won->set), before = schedule_ops(s, s->best);
  struct cul_digest both[2] = {s->trail, schedule_digest(s, won->set)};
  known->accepted++;
  known->ops_removed += before - ops;
  known->round_removed += before - ops;
  memcpy(s->best, won->set, s->n * sizeof *s->best);
  s->has_best = true;
  s->trail = cul_digest_of(both, sizeof both);
  for (size_t i = ops; i < before; i++)
    s->runs_at[i] = s->runs;
  schedule_free_slot(won);
}

static inline void schedule_settle(struct schedule *s,
                                   struct cul_asker *asker) {
  uint64_t accepted, stale;
  while ((accepted = asker->accepted(asker->self)))
    schedule_commit(s, schedule_slot_of(s, accepted));
  while (asker->stale(asker->self, &stale, 1)) {
    struct schedule_slot *gone = schedule_slot_of(s, stale);
    if (gone)
      schedule_free_slot(gone);
  }
}

static inline size_t schedule_active(struct schedule *s,
                                     struct schedule_slot **out) {
  size_t n = 0;
  for (size_t i = 0; i < SCHEDULE_SLOTS; i++)
    if (s->slots[i].used && !s->slots[i].held)
      out[n++] = &s->slots[i];
  return n;
}

static inline void schedule_begin(struct schedule *s,
                                  const struct cul_point *point,
                                  uint64_t ticket) {
  size_t i = 0;
  while (i < SCHEDULE_SLOTS && s->slots[i].used)
    i++;
  if (i == SCHEDULE_SLOTS)
    cul_bug("no slot is free");
  s->slots[i] = (struct schedule_slot){
      .used = true,
      .ticket = ticket,
      .set = schedule_candidate(s, point),
      .best = cul_xcalloc(s->n, sizeof(bool)),
      .base = cul_xcalloc(s->n, sizeof(bool)),
      .mutation = s->lists[point->ids[0] >> CUL_LISTING_SHIFT].mutation};
  memcpy(s->slots[i].best, s->best, s->n * sizeof *s->best);
  memcpy(s->slots[i].base, schedule_base(s, point), s->n * sizeof(bool));
}

static inline void schedule_tell(struct schedule *s, struct cul_asker *asker,
                                 struct schedule_slot *slot) {
  struct cul_verdict verdict = {.answer = schedule_judge(s, slot)};
  uint64_t ticket = slot->ticket;
  s->runs += !schedule_was_run(s, slot);
  s->statistics[slot->mutation].tried++;
  if (verdict.answer == CUL_SAME)
    slot->held = true;
  else
    schedule_free_slot(slot);
  asker->tell(asker->self, ticket, &verdict);
  schedule_settle(s, asker);
}

static inline int schedule_loop(void *self, struct cul_asker *asker,
                                struct cul_err *err) {
  struct schedule *s = self;
  struct schedule_slot *work[SCHEDULE_SLOTS];
  int rc = 0;
  while (!asker->finished(asker->self)) {
    size_t n = schedule_active(s, work);
    struct cul_point point;
    uint64_t ticket, again = 0;
    while (n < s->workers && asker->ask(asker->self, &point, &ticket, &again)) {
      schedule_begin(s, &point, ticket);
      n = schedule_active(s, work);
    }
    if (asker->finished(asker->self))
      break;
    if (n == 0)
      cul_bug("nothing is asked, and nothing is open");
    if (s->most_runs && s->runs >= s->most_runs) {
      rc = cul_fail(err, CUL_EBUDGET, "", "enough runs");
      break;
    }
    schedule_tell(s, asker, work[next_random(&s->chance) % n]);
  }
  for (size_t i = 0; i < SCHEDULE_SLOTS; i++)
    schedule_free_slot(&s->slots[i]);
  return rc;
}

static inline int schedule_run(void *self, const struct cul_turn *turns,
                               size_t n, size_t *done, size_t *changed,
                               struct cul_err *err) {
  struct schedule *s = self;
  struct cul_driven driven;
  int rc = cul_driver_run(&s->driver, turns, n, &driven, err);
  *done = driven.done;
  *changed = driven.changed;
  return rc;
}

/* ---- subjects ---- */

static inline void schedule_plant(struct schedule *s, uint64_t *seed) {
  size_t k = 1 + next_random(seed) % 6, functions = s->n_functions;
  size_t attributes = 0;
  for (size_t i = 0, f = 0; i < s->n_ops; i++) {
    s->function[i] = (uint32_t)f;
    s->uses[i] = CUL_NO_ITEM;
    if (i > 0 && s->function[i - 1] == f && next_random(seed) % 2)
      s->uses[i] = (uint32_t)(i - 1);
    if (f + 1 < functions && next_random(seed) % s->n_ops < functions)
      f++;
  }
  for (size_t i = 0; i < k; i++)
    s->core[next_random(seed) % s->n_ops] = true;
  while (attributes < s->n_ops / 2)
    s->owner[s->n_ops + attributes++] =
        (uint32_t)(next_random(seed) % s->n_ops);
  s->n = s->n_ops + attributes;
  for (size_t i = s->n_ops; i < s->n; i++)
    s->core[i] = s->core[s->owner[i]] && next_random(seed) % 4 == 0;
}

static inline void schedule_release(struct schedule *s) {
  schedule_drop_ahead(s);
  schedule_free_lists(s, s->first_list, &s->n_lists);
  cul_driver_release(&s->driver);
  free(s->seen);
}

/* Subject number `seed`: a third of the classes each way, or as the low bits of
 * the number say. */
static inline void schedule_init(struct schedule *s, uint64_t number,
                                 size_t workers, uint64_t order) {
  uint64_t seed = number * 2654435761u + 17;
  memset(s, 0, sizeof *s);
  s->workers = workers;
  s->chance = order;
  s->n_ops = 40 + next_random(&seed) % 40 * (1 + next_random(&seed) % 20);
  s->n_functions = 1 + next_random(&seed) % (1 + s->n_ops / 20);
  schedule_plant(s, &seed);
  for (size_t m = 0; m < SCHEDULE_CLASSES; m++) {
    unsigned share = (unsigned)(number % 4); /* of useful ones: few to many */
    unsigned dice = (unsigned)(next_random(&seed) % 6);
    s->mode[m] = dice < 1 + share       ? USEFUL
                 : dice < 1 + share + 1 ? SINGLY
                                        : USELESS;
  }
  memset(s->revision, true, s->n * sizeof *s->revision);
  memset(s->best, true, s->n * sizeof *s->best);
  for (size_t m = 0; m < SCHEDULE_CLASSES; m++) {
    snprintf(s->statistics[m].name, sizeof s->statistics[m].name, "%s",
             schedule_classes[m].name);
    s->statistics[m].phase = schedule_classes[m].phase;
    s->statistics[m].flags = schedule_classes[m].flags;
  }
  s->driver = (struct cul_driver){
      .edits = {.self = s,
                .list = schedule_edits_list,
                .listing = schedule_listing,
                .is_alone = schedule_is_alone,
                .revision = schedule_revision,
                .best = schedule_best,
                .can_speculate = schedule_can_speculate,
                .speculate = schedule_speculate,
                .drop_ahead = schedule_drop_ahead,
                .promote = schedule_promote,
                .adopt = schedule_adopt,
                .run = schedule_loop},
      .statistics = s->statistics,
      .workers = workers,
  };
  s->rounds = (struct cul_rounds){.driver = &s->driver,
                                  .n_mutations = SCHEDULE_CLASSES,
                                  .run = schedule_run,
                                  .self = s};
}

/* The rounds, until nothing changes. */
static inline int schedule_reduce(struct schedule *s) {
  struct cul_err err = {0};
  bool changed = true;
  int rc = 0;
  while (changed && rc == 0) {
    changed = false;
    rc = cul_rounds_shrink(&s->rounds, &changed, &err);
  }
  return rc;
}

#endif
