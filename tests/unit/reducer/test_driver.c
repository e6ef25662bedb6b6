/* The driver on spaces of numbers: no MLIR, no process, no store.
 *
 * The subject is a set of elements; it fails while it holds its core; an
 * element that stands without what it needs makes a candidate invalid.  A
 * mutation removes groups of elements.  Here the loop is one that decides by
 * chance which candidate is built, dies, or is judged next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/err.h"
#include "../../../reducer/driver/driver.h"
#include "../../../reducer/driver/singles.h"
#include "../../../reducer/search/search.h"

enum {
  ELEMENTS = 48,
  MUTATIONS = 5, /* groups of 16, 8, 4, 2, 1 elements */
  MOST_TURNS = 2 * MUTATIONS,
  MOST_SLOTS = 64,
  MOST_TRAIL = 4096,
};

static const uint32_t none = UINT32_MAX; /* no site, as CUL_SITE_NONE */

/* Chance of its own: schedules must not depend on others who draw. */
static uint32_t draw(uint64_t *chance, uint32_t below) {
  *chance = *chance * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((*chance >> 33) % below);
}

struct slot {
  bool used, built, held;
  uint64_t ticket;
  uint32_t ids[ELEMENTS];
  size_t n_ids;
  uint64_t set;  /* elements of the candidate */
  uint64_t best; /* when it was asked */
};

struct subject {
  uint64_t core;
  int needs[ELEMENTS]; /* the element without which it is invalid, or -1 */
  uint64_t revision, best, ahead;
  bool has_best, is_ahead;
  struct cul_listing lists[2 * CUL_MAX_LISTINGS];
  uint64_t groups[2 * CUL_MAX_LISTINGS][ELEMENTS];
  size_t first_list, n_lists, n_ahead;
  struct slot slots[MOST_SLOTS];
  size_t workers;
  uint64_t chance;  /* of the schedule */
  unsigned deaths;  /* one of so many builds dies, and is made again; 0: none */
  size_t end_after; /* answers until the loop ends with EBUDGET */
  int unlisted;     /* mutation whose listing fails, or -1 */
  struct cul_driver driver;
  struct cul_statistics statistics[MUTATIONS];
  uint64_t asked, judged, speculated, promoted, ended_stale;
  uint64_t of_ticket[MOST_TRAIL]; /* candidate of a ticket of this loop */
  struct trail {
    uint64_t sets[MOST_TRAIL];
    size_t n;
  } accepted, learnt;
  bool is_due;
  uint64_t pauses; /* one of so many questions whether to ask; 0: none */
  uint32_t skip;   /* one of so many questions whether to skip; 0: none */
  uint64_t whims;  /* chance of the user's */
  uint64_t n_paused, n_skipped;
  bool skipped_once; /* then no more */
};

static void note(struct trail *trail, uint64_t set) {
  assert_in_range(trail->n, 0, MOST_TRAIL - 1);
  trail->sets[trail->n++] = set;
}

static void assert_same_trail(const struct trail *a, const struct trail *b) {
  assert_int_equal(a->n, b->n);
  assert_memory_equal(a->sets, b->sets, a->n * sizeof *a->sets);
}

static struct cul_digest digest_of(uint64_t set) {
  return cul_digest_of(&set, sizeof set);
}

static size_t size_of(uint64_t set) {
  return (size_t)__builtin_popcountll(set);
}

/* ---- the table of edits ---- */

static size_t other_half(const struct subject *s) {
  return CUL_MAX_LISTINGS - s->first_list;
}

static void free_lists(struct subject *s, size_t first, size_t *n) {
  for (size_t i = first; i < first + *n; i++)
    free(s->lists[i].sites);
  *n = 0;
}

static void drop_ahead(void *self) {
  struct subject *s = self;
  free_lists(s, other_half(s), &s->n_ahead);
  s->is_ahead = false;
}

/* Groups of `width` of what is there, one after the other. */
static void make_list(struct subject *s, size_t number, uint32_t mutation,
                      uint64_t set) {
  struct cul_listing *list = &s->lists[number];
  int width = 16 >> mutation, have = 0;
  *list = (struct cul_listing){.mutation = mutation};
  list->sites = cul_xcalloc(ELEMENTS, sizeof *list->sites);
  for (int i = 0; i < ELEMENTS; i++) {
    if (!(set >> i & 1))
      continue;
    if (have++ % width == 0) {
      list->sites[list->n_sites] = (struct cul_listed){
          .mutation = mutation, .site = (uint32_t)i, .parent = none};
      s->groups[number][list->n_sites++] = 0;
    }
    s->groups[number][list->n_sites - 1] |= UINT64_C(1) << i;
    list->sites[list->n_sites - 1].weight++;
  }
}

static int list(void *self, enum cul_list_place place, uint32_t mutation,
                size_t *number, struct cul_err *err) {
  struct subject *s = self;
  if ((int)mutation == s->unlisted)
    return cul_fail(err, CUL_ECHILD, "", "the worker died of it");
  if (place == CUL_LIST_FIRST) {
    drop_ahead(s);
    free_lists(s, s->first_list, &s->n_lists);
    s->first_list = 0;
  }
  *number = place == CUL_LIST_AHEAD ? other_half(s) + s->n_ahead++
                                    : s->first_list + s->n_lists++;
  make_list(s, *number, mutation,
            place == CUL_LIST_AHEAD ? s->ahead : s->revision);
  return 0;
}

static const struct cul_listing *listing(void *self, size_t number) {
  return &((struct subject *)self)->lists[number];
}

static bool is_alone(void *self, uint32_t mutation) {
  (void)self;
  (void)mutation;
  return false;
}

static struct cul_revision revision(void *self, bool ahead) {
  const struct subject *s = self;
  uint64_t set = ahead ? s->ahead : s->revision;
  return (struct cul_revision){digest_of(set), size_of(set)};
}

static bool best(void *self, struct cul_digest *digest) {
  const struct subject *s = self;
  *digest = digest_of(s->best);
  return s->has_best;
}

static bool can_speculate(void *self) {
  (void)self;
  return true;
}

static int speculate(void *self, const struct cul_point *point, bool *made,
                     struct cul_err *err) {
  struct subject *s = self;
  (void)err;
  drop_ahead(s);
  *made = !point && s->has_best;
  s->ahead = s->best;
  for (size_t i = 0; point && i < MOST_SLOTS; i++) {
    const struct slot *slot = &s->slots[i];
    if (!slot->used || !slot->built || slot->n_ids != point->n ||
        memcmp(slot->ids, point->ids, point->n * sizeof *point->ids) != 0)
      continue;
    *made = true;
    s->ahead = slot->set;
  }
  s->is_ahead = *made;
  s->speculated += *made;
  return 0;
}

static void promote(void *self) {
  struct subject *s = self;
  assert_true(s->has_best && s->is_ahead && s->ahead == s->best);
  s->revision = s->ahead;
  s->has_best = s->is_ahead = false;
  free_lists(s, s->first_list, &s->n_lists);
  s->first_list = other_half(s);
  s->n_lists = s->n_ahead;
  s->n_ahead = 0;
  s->promoted++;
}

static int adopt(void *self, bool *changed, struct cul_err *err) {
  struct subject *s = self;
  (void)err;
  *changed = s->has_best;
  s->revision = s->best;
  s->has_best = false;
  return 0;
}

/* ---- the loop ---- */

static enum cul_answer judge(const struct subject *s, const struct slot *slot) {
  if (size_of(slot->set) >= size_of(slot->best))
    return CUL_INVALID;
  for (int i = 0; i < ELEMENTS; i++)
    if ((slot->set >> i & 1) && s->needs[i] >= 0 &&
        !(slot->set >> s->needs[i] & 1))
      return CUL_INVALID;
  return (slot->set & s->core) == s->core ? CUL_SAME : CUL_PASSES;
}

static uint64_t candidate_of(const struct subject *s,
                             const struct cul_point *point) {
  size_t number = point->ids[0] >> CUL_LISTING_SHIFT;
  bool ahead = number / CUL_MAX_LISTINGS != s->first_list / CUL_MAX_LISTINGS;
  uint64_t set = ahead ? s->ahead : s->revision;
  for (size_t i = 0; i < point->n; i++)
    set &= ~s->groups[number]
                     [point->ids[i] & ((UINT32_C(1) << CUL_LISTING_SHIFT) - 1)];
  return set;
}

static void begin(struct subject *s, const struct cul_point *point,
                  uint64_t ticket) {
  size_t i = 0;
  while (i < MOST_SLOTS && s->slots[i].used)
    i++;
  assert_in_range(i, 0, 4 * s->workers + 1); /* what a real loop has */
  s->slots[i] = (struct slot){.used = true,
                              .ticket = ticket,
                              .n_ids = point->n,
                              .set = candidate_of(s, point),
                              .best = s->best};
  memcpy(s->slots[i].ids, point->ids, point->n * sizeof *point->ids);
  assert_in_range(ticket, 1, MOST_TRAIL - 1);
  s->of_ticket[ticket] = s->slots[i].set;
  s->asked++;
}

static struct slot *slot_of(struct subject *s, uint64_t ticket) {
  for (size_t i = 0; i < MOST_SLOTS; i++)
    if (s->slots[i].used && s->slots[i].ticket == ticket)
      return &s->slots[i];
  return NULL;
}

static void settle(struct subject *s, struct cul_asker *asker) {
  uint64_t accepted, stale[4];
  size_t n;
  while ((accepted = asker->accepted(asker->self))) {
    struct slot *won = slot_of(s, accepted);
    assert_non_null(won);
    assert_true(won->held);
    s->best = won->set;
    s->has_best = true;
    won->used = false;
    note(&s->accepted, won->set);
  }
  while ((n = asker->stale(asker->self, stale, CUL_ARRAY_SIZE(stale))))
    for (size_t i = 0; i < n; i++) {
      struct slot *gone = slot_of(s, stale[i]);
      s->ended_stale += gone && !gone->held;
      if (gone)
        gone->used = false;
    }
}

static void tell(struct subject *s, struct cul_asker *asker,
                 struct slot *slot) {
  struct cul_verdict verdict = {.answer = judge(s, slot)};
  uint64_t ticket = slot->ticket;
  slot->held = verdict.answer == CUL_SAME;
  slot->used = slot->held;
  s->judged++;
  asker->tell(asker->self, ticket, &verdict);
  settle(s, asker);
}

static size_t active(struct subject *s, struct slot **out) {
  size_t n = 0;
  for (size_t i = 0; i < MOST_SLOTS; i++)
    if (s->slots[i].used && !s->slots[i].held)
      out[n++] = &s->slots[i];
  return n;
}

static int run(void *self, struct cul_asker *asker, struct cul_err *err) {
  struct subject *s = self;
  struct slot *work[MOST_SLOTS];
  size_t n, told = 0;
  while (!asker->finished(asker->self)) {
    struct cul_point point;
    uint64_t ticket, again = 0;
    if (asker->left && asker->left(asker->self))
      settle(s, asker);
    if (asker->finished(asker->self))
      break;
    n = active(s, work);
    while (n < s->workers && asker->ask(asker->self, &point, &ticket, &again)) {
      begin(s, &point, ticket);
      n = active(s, work);
    }
    if (asker->finished(asker->self))
      break;
    if (n == 0 && again > 0)
      continue;
    assert_true(n > 0); /* else nothing would ever happen */
    if (s->end_after && told == s->end_after) {
      memset(s->slots, 0, sizeof s->slots);
      return cul_fail(err, CUL_EBUDGET, "", "no more time");
    }
    n = draw(&s->chance, (uint32_t)n);
    if (!work[n]->built && s->deaths && draw(&s->chance, s->deaths) == 0)
      continue; /* made again */
    if (!work[n]->built)
      work[n]->built = true;
    else
      told++, tell(s, asker, work[n]);
  }
  memset(s->slots, 0, sizeof s->slots);
  return 0;
}

/* ---- events ---- */

static void learnt(void *self, uint64_t ticket) {
  struct subject *s = self;
  note(&s->learnt, s->of_ticket[ticket]);
}

static bool is_due(void *self) { return ((struct subject *)self)->is_due; }

static uint64_t paused_until(void *self) {
  struct subject *s = self;
  bool paused = s->pauses && draw(&s->whims, (uint32_t)s->pauses) == 0;
  s->n_paused += paused;
  return paused;
}

static bool is_skipped(void *self, const struct cul_turn *turn) {
  struct subject *s = self;
  assert_in_range(turn->mutation, 0, MUTATIONS - 1);
  return s->skip && !(s->skipped_once && s->n_skipped) &&
         draw(&s->whims, s->skip) == 0;
}

static void skipped(void *self, const struct cul_turn *turn) {
  struct subject *s = self;
  assert_in_range(turn->mutation, 0, MUTATIONS - 1);
  s->n_skipped++;
}

/* ---- a job ---- */

/* A subject by chance: of its elements some are the core, and some need one
 * that stands before them. */
static void init(struct subject *s, uint64_t seed, size_t workers) {
  uint64_t chance = seed * 2654435761u + 1;
  *s = (struct subject){.workers = workers, .unlisted = -1};
  s->revision = s->best = (UINT64_C(1) << ELEMENTS) - 1;
  for (int i = 0; i < ELEMENTS; i++)
    s->needs[i] =
        i && draw(&chance, 3) == 0 ? (int)draw(&chance, (uint32_t)i) : -1;
  for (uint32_t i = 0, n = 1 + draw(&chance, 5); i < n; i++)
    s->core |= UINT64_C(1) << draw(&chance, ELEMENTS);
  s->driver = (struct cul_driver){.edits = {.self = s,
                                            .list = list,
                                            .listing = listing,
                                            .is_alone = is_alone,
                                            .revision = revision,
                                            .best = best,
                                            .can_speculate = can_speculate,
                                            .speculate = speculate,
                                            .drop_ahead = drop_ahead,
                                            .promote = promote,
                                            .adopt = adopt,
                                            .run = run},
                                  .events = {.self = s,
                                             .learnt = learnt,
                                             .is_due = is_due,
                                             .paused_until = paused_until,
                                             .is_skipped = is_skipped,
                                             .skipped = skipped},
                                  .statistics = s->statistics,
                                  .workers = workers,
                                  .seed = seed};
}

static void release(struct subject *s) {
  drop_ahead(s);
  free_lists(s, s->first_list, &s->n_lists);
  cul_driver_release(&s->driver);
}

static size_t make_turns(struct cul_turn *turns) {
  size_t n = 0;
  for (uint32_t m = 0; m < MUTATIONS; m++)
    turns[n++] = (struct cul_turn){.mutation = m,
                                   .rule = "halve",
                                   .patience = m < 3 ? 6 : 0,
                                   .kind = CUL_TURN_DELTA,
                                   .wakes = true};
  for (uint32_t m = 0; m < MUTATIONS; m++)
    turns[n++] = (struct cul_turn){.mutation = m,
                                   .rule = "minimal",
                                   .kind = CUL_TURN_MINIMAL,
                                   .exhausted = true};
  return n;
}

/* Rounds until a whole one changes nothing. */
static int reduce(struct subject *s) {
  struct cul_turn turns[MOST_TURNS];
  size_t n = make_turns(turns);
  struct cul_err err = {0};
  bool changed = true;
  int rc = 0;
  while (changed && rc == 0) {
    changed = false;
    s->driver.cut_short = false;
    for (size_t i = 0; i < n && rc == 0;) {
      struct cul_driven driven;
      bool stopped = turns[i].exhausted && s->driver.cut_short;
      if (stopped)
        break;
      rc = cul_driver_run(&s->driver, turns + i, n - i, &driven, &err);
      assert_true(driven.done > 0 || rc || driven.unlisted);
      changed |= driven.changed > 0 || s->driver.cut_short;
      i += driven.done;
    }
    if (s->driver.cut_short) /* asked on until the end, the next time */
      for (size_t i = 0; i < n; i++)
        turns[i].patience = 0;
  }
  return rc;
}

/* Nothing that one mutation lists can go any more. */
static void assert_minimal(struct subject *s) {
  assert_int_equal(s->revision & s->core, s->core);
  for (int i = 0; i < ELEMENTS; i++) {
    struct slot slot = {.set = s->revision & ~(UINT64_C(1) << i),
                        .best = s->revision};
    if (s->revision >> i & 1)
      assert_int_not_equal(judge(s, &slot), CUL_SAME);
  }
}

/* ---- tests ---- */

/* 1,000 schedules: 25 subjects, 1, 2, 3 and 8 workers, ten orders of who is
 * built, dies and is judged first. */
static void who_is_first_does_not_matter(void **state) {
  uint64_t speculated = 0, promoted = 0, stale = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 25; seed++)
    for (size_t w = 0; w < 4; w++) {
      static const size_t workers[] = {1, 2, 3, 8};
      static struct subject first, s;
      for (uint64_t schedule = 0; schedule < 10; schedule++) {
        init(&s, seed, workers[w]);
        s.chance = schedule * 7919 + 17;
        s.deaths = schedule % 3 == 2 ? 4 : 0;
        assert_int_equal(reduce(&s), 0);
        assert_minimal(&s);
        if (schedule == 0)
          first = s;
        assert_int_equal(s.revision, first.revision);
        assert_same_trail(&s.accepted, &first.accepted);
        assert_same_trail(&s.learnt, &first.learnt);
        speculated += s.speculated;
        promoted += s.promoted;
        stale += s.ended_stale;
        release(&s);
      }
    }
  assert_true(speculated > 1000 && promoted > 300 && stale > 1000);
}

/* The first of two turns of one mutation is left after it has removed
 * something; the second one may be opened before or after that. */
static void where_a_turn_begins_does_not_depend_on_chance(void **state) {
  static struct subject first, s;
  (void)state;
  for (uint64_t seed = 1; seed <= 25; seed++)
    for (uint64_t schedule = 0; schedule < 10; schedule++) {
      struct cul_turn turns[2 * MUTATIONS];
      struct cul_err err = {0};
      struct cul_driven driven;
      for (uint32_t i = 0; i < 2 * MUTATIONS; i++)
        turns[i] = (struct cul_turn){.mutation = i / 2,
                                     .rule = "minimal",
                                     .patience = 3,
                                     .kind = CUL_TURN_DELTA};
      init(&s, seed, 3);
      s.chance = schedule * 7919 + 17;
      for (size_t i = 0; i < 2 * MUTATIONS; i += driven.done)
        assert_int_equal(cul_driver_run(&s.driver, turns + i, 2 * MUTATIONS - i,
                                        &driven, &err),
                         0);
      if (schedule == 0)
        first = s;
      assert_same_trail(&s.accepted, &first.accepted);
      assert_same_trail(&s.learnt, &first.learnt);
      release(&s);
    }
}

/* With one worker a turn asks what its search asks alone, and no more. */
static void one_worker_asks_what_the_search_asks(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    static struct subject s;
    const struct cul_turn turn = {
        .mutation = 4, .rule = "halve", .kind = CUL_TURN_CUT};
    struct cul_item items[ELEMENTS];
    struct cul_search *search;
    struct cul_driven driven;
    struct cul_set set = {0};
    struct cul_err err = {0};
    uint64_t ticket, points = 0;
    init(&s, seed, 1);
    assert_int_equal(cul_driver_run(&s.driver, &turn, 1, &driven, &err), 0);
    assert_int_equal(driven.done, 1);
    assert_int_equal(s.speculated, 0);
    for (uint32_t i = 0; i < ELEMENTS; i++)
      items[i] = (struct cul_item){.weight = 1, .parent = CUL_NO_ITEM};
    search =
        cul_search_new(cul_search_rule_find("halve"), items, ELEMENTS, 1, seed);
    for (uint64_t now = (UINT64_C(1) << ELEMENTS) - 1;
         cul_search_ask(search, &set, &ticket); points++) {
      struct slot slot = {.set = (UINT64_C(1) << ELEMENTS) - 1, .best = now};
      bool yes;
      for (size_t i = 0; i < set.n; i++)
        slot.set &= ~(UINT64_C(1) << set.ids[i]);
      yes = judge(&s, &slot) == CUL_SAME;
      cul_search_tell(search, ticket, yes);
      now = yes ? slot.set : now;
    }
    assert_true(cul_search_finished(search));
    assert_int_equal(s.asked, points);
    cul_search_free(search);
    cul_set_release(&set);
    release(&s);
  }
}

/* Where nothing needs anything, halving finds k elements of n with at most
 * k (2 log2(n / k) + 4) + 2 points: each level of the tree is asked twice for
 * each element of the core, and a last sweep over what is left. */
static void points_are_as_few_as_theory_says(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    static struct subject s;
    const struct cul_turn turn = {
        .mutation = 4, .rule = "halve", .kind = CUL_TURN_CUT};
    struct cul_driven driven;
    struct cul_err err = {0};
    size_t k, levels = 0;
    init(&s, seed, 1);
    for (int i = 0; i < ELEMENTS; i++)
      s.needs[i] = -1;
    k = size_of(s.core);
    assert_int_equal(cul_driver_run(&s.driver, &turn, 1, &driven, &err), 0);
    assert_int_equal(s.revision, s.core);
    while ((size_t)ELEMENTS >> levels > k)
      levels++;
    assert_in_range(s.asked, 1, k * (2 * levels + 4) + 2);
    release(&s);
  }
}

/* What was accepted before the end of the time is kept, and the next call goes
 * on from there to the same minimum property. */
static void a_cut_loses_nothing(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    static struct subject s;
    uint64_t before;
    int rc;
    init(&s, seed % 20, seed % 2 ? 3 : 1);
    s.chance = seed;
    do {
      s.end_after = 3 + seed % 5;
      before = s.revision;
      rc = reduce(&s);
      assert_int_equal(s.revision & s.core, s.core);
      assert_true(s.revision == before ||
                  size_of(s.revision) < size_of(before));
      if (rc == CUL_EBUDGET && s.revision == before) { /* never without end */
        s.end_after = 0;
        rc = reduce(&s);
      }
    } while (rc == CUL_EBUDGET);
    assert_int_equal(rc, 0);
    assert_minimal(&s);
    release(&s);
  }
}

static void what_found_nothing_is_not_asked_again(void **state) {
  static struct subject s;
  uint64_t asked;
  (void)state;
  init(&s, 3, 2);
  assert_int_equal(reduce(&s), 0);
  asked = s.asked;
  assert_int_equal(reduce(&s), 0);
  assert_int_equal(s.asked, asked);
  release(&s);
}

static void a_dead_mutation_does_not_come(void **state) {
  static struct subject s;
  (void)state;
  init(&s, 4, 2);
  for (int m = 0; m < MUTATIONS; m++)
    s.statistics[m].dead = true;
  assert_int_equal(reduce(&s), 0);
  assert_int_equal(s.asked, 0);
  assert_int_equal(s.revision, (UINT64_C(1) << ELEMENTS) - 1);
  release(&s);
}

/* The first cannot be listed: nothing is asked.  A later one: all before it is
 * done, and the driver says which. */
static void a_listing_that_fails_is_named(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    static struct subject s;
    struct cul_turn turns[MOST_TURNS];
    struct cul_driven driven;
    struct cul_err err = {0};
    size_t at = 0;
    make_turns(turns);
    init(&s, 5, 2);
    s.unlisted = m;
    do {
      assert_int_equal(
          cul_driver_run(&s.driver, turns + at, MUTATIONS - at, &driven, &err),
          0);
      at += driven.unlisted ? driven.next : driven.done;
    } while (driven.unlisted == 0 && at < MUTATIONS);
    assert_int_equal(driven.unlisted, CUL_ECHILD);
    assert_int_equal(turns[at - 1].mutation, m);
    release(&s);
  }
}

static void the_driver_ends_where_something_is_due(void **state) {
  static struct subject s;
  struct cul_turn turns[MOST_TURNS];
  struct cul_driven driven;
  struct cul_err err = {0};
  (void)state;
  make_turns(turns);
  init(&s, 6, 2);
  s.is_due = true;
  assert_int_equal(cul_driver_run(&s.driver, turns, MUTATIONS, &driven, &err),
                   0);
  assert_int_equal(driven.done, 1);
  release(&s);
}

/* Singles: the first "yes" in order, whoever is judged first. */
static void the_first_single_wins(void **state) {
  (void)state;
  for (uint64_t schedule = 0; schedule < 50; schedule++) {
    static struct subject s;
    uint32_t ids[CUL_MAX_SINGLES];
    struct cul_singles singles = {0};
    struct cul_err err = {0};
    size_t number, first;
    init(&s, 7, 3);
    s.chance = schedule;
    s.core = 7; /* the first three elements cannot go */
    for (int i = 0; i < ELEMENTS; i++)
      s.needs[i] = -1;
    assert_int_equal(list(&s, CUL_LIST_FIRST, 4, &number, &err), 0);
    for (; singles.n < CUL_MAX_SINGLES; singles.n++) {
      ids[singles.n] = (uint32_t)singles.n;
      singles.points[singles.n] = (struct cul_point){&ids[singles.n], 1};
    }
    assert_int_equal(cul_singles_run(&s.driver, &singles, &first, &err), 0);
    assert_int_equal(first, 3);
    assert_true(s.has_best);
    assert_int_equal(s.best, s.revision & ~(UINT64_C(1) << 3));
    release(&s);
  }
}

/* Pauses, at whatever moment, change nothing of what is found. */
static void pauses_do_not_matter(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 25; seed++)
    for (size_t workers = 1; workers <= 3; workers++) {
      static struct subject plain, s;
      init(&plain, seed, workers);
      assert_int_equal(reduce(&plain), 0);
      init(&s, seed, workers);
      s.pauses = 2;
      s.whims = seed;
      assert_int_equal(reduce(&s), 0);
      assert_true(s.n_paused > 10);
      assert_int_equal(s.revision, plain.revision);
      assert_same_trail(&s.accepted, &plain.accepted);
      assert_same_trail(&s.learnt, &plain.learnt);
      release(&plain);
      release(&s);
    }
}

static void single_ones_pause(void **state) {
  static struct subject s;
  uint32_t id = 0;
  struct cul_singles singles = {.points = {{&id, 1}}, .n = 1};
  struct cul_err err = {0};
  size_t number, first;
  (void)state;
  init(&s, 7, 2);
  s.pauses = 2;
  s.core = 1;
  assert_int_equal(list(&s, CUL_LIST_FIRST, 4, &number, &err), 0);
  for (s.whims = 0; s.n_paused == 0; s.whims++)
    assert_int_equal(cul_singles_run(&s.driver, &singles, &first, &err), 0);
  assert_int_equal(first, 1);
  release(&s);
}

/* Searches that are left at any moment: all ends, nothing that was accepted is
 * lost, and each that was left is counted. */
static void skips_lose_nothing(void **state) {
  uint64_t all = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    static struct subject s;
    uint64_t counted = 0, best = (UINT64_C(1) << ELEMENTS) - 1;
    init(&s, seed % 25, 1 + seed % 4);
    s.chance = seed;
    s.skip = 2 + seed % 9;
    s.pauses = seed % 3 ? 0 : 3;
    s.whims = seed * 31;
    assert_int_equal(reduce(&s), 0);
    assert_int_equal(s.revision & s.core, s.core);
    for (size_t i = 0; i < s.accepted.n; i++)
      if (size_of(s.accepted.sets[i]) < size_of(best))
        best = s.accepted.sets[i];
    assert_int_equal(s.revision, best);
    for (int m = 0; m < MUTATIONS; m++)
      counted += s.statistics[m].skipped;
    assert_int_equal(counted, s.n_skipped);
    all += s.n_skipped;
    release(&s);
  }
  assert_true(all > 500);
}

/* What is skipped is not asked on the same revision, in neither way; and it is
 * no search to the end. */
static void what_is_skipped_waits_for_a_change(void **state) {
  static struct subject s;
  const struct cul_turn turn = {
      .mutation = 4, .rule = "halve", .kind = CUL_TURN_DELTA};
  struct cul_driven driven;
  struct cul_err err = {0};
  (void)state;
  init(&s, 3, 1);
  s.core = s.revision; /* nothing can go */
  s.skip = 1;
  s.skipped_once = true;
  assert_int_equal(cul_driver_run(&s.driver, &turn, 1, &driven, &err), 0);
  assert_int_equal(driven.done, 1);
  assert_int_equal(driven.changed, 0);
  assert_int_equal(s.n_skipped, 1);
  assert_int_equal(s.asked, 0);
  assert_false(s.driver.cut_short);
  assert_false(s.statistics[4].left_some);
  assert_int_equal(cul_driver_run(&s.driver, &turn, 1, &driven, &err), 0);
  assert_int_equal(s.asked, 0);
  s.revision = s.best = s.core = s.revision >> 1;
  assert_int_equal(cul_driver_run(&s.driver, &turn, 1, &driven, &err), 0);
  assert_true(s.asked > 0);
  assert_int_equal(s.statistics[4].points[CUL_FRUITLESS_DELTA], s.asked);
  assert_int_equal(s.statistics[4].searched, 1 << CUL_FRUITLESS_DELTA);
  assert_int_equal(s.n_skipped, 1);
  release(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_is_first_does_not_matter),
      cmocka_unit_test(where_a_turn_begins_does_not_depend_on_chance),
      cmocka_unit_test(one_worker_asks_what_the_search_asks),
      cmocka_unit_test(points_are_as_few_as_theory_says),
      cmocka_unit_test(a_cut_loses_nothing),
      cmocka_unit_test(what_found_nothing_is_not_asked_again),
      cmocka_unit_test(a_dead_mutation_does_not_come),
      cmocka_unit_test(a_listing_that_fails_is_named),
      cmocka_unit_test(the_driver_ends_where_something_is_due),
      cmocka_unit_test(the_first_single_wins),
      cmocka_unit_test(pauses_do_not_matter),
      cmocka_unit_test(single_ones_pause),
      cmocka_unit_test(skips_lose_nothing),
      cmocka_unit_test(what_is_skipped_waits_for_a_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
