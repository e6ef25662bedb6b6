/* The ask/tell loop around a rule.
 *
 * base: the state of the rule after all answers that took effect. ahead: a copy
 * that runs ahead of base; it assumes that every open point is a "no".  The
 * queue holds the open points in the order of the rule.  Only the answer to its
 * first point takes effect:
 *
 *   no   base learns it.  The assumption was right, so nothing else changes.
 *   yes  To a question: base learns it, and ahead starts again from base.
 *        Without merging: base learns it, all other open points become stale,
 *        and ahead starts again from base.  With merging: collect.
 *
 * Collecting keeps the other open points (the window) instead of discarding
 * them. path is a copy of base that learns the accepted point.  While the next
 * set of path is one of the window, path learns the answer that this point got.
 * A "no" is still valid, because the criterion is monotone; a "yes" adds the
 * set to gain.  When path leaves the window, the first point is accepted, and
 * the search asks for the union of the first point and gain.  Meanwhile, ahead
 * starts from the union, which is usually a "yes".  If it is, path becomes
 * base.  Otherwise the rule continues from safe, the state of path before the
 * first such "yes".
 *
 * If workers would be idle, the search also asks speculative points: points
 * that are needed only if an open point turns out to be a "yes".  Their answers
 * are only remembered: a "no" is final, and a "yes" is asked again when the
 * rule proposes the set.  So speculation changes the duration of a search,
 * never its result.
 *
 * Invariant: the window consists of the next sets of the rule under "no",
 * whether or not they have been asked.  So timing decides which answers arrive
 * first, but not what follows from them. */
#include "search.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "../../base/check.h"
#include "../../base/digest.h"
#include "rules.h"

struct cul_open_point {
  uint64_t ticket;          /* 0: not asked */
  struct cul_set add;       /* the set that the rule proposed */
  struct cul_set all;       /* add and all that was accepted before */
  struct cul_digest digest; /* of the effect of all (digest_of) */
  bool told, yes;
  bool early;    /* asked before the points that it extends were accepted */
  bool question; /* a "yes" is learnt, not accepted */
  enum { UNSEEN, GOES_ON, ENDS } after; /* cached answer of goes_on_after */
};

/* A point that is needed only if certain open points are a "yes". */
struct cul_speculative_point {
  uint64_t ticket;
  struct cul_set all;
  struct cul_digest digest;
};

/* A candidate for speculation. needed: the probability that the rule will ask
 * for it. taken: it was asked. */
struct cul_guess {
  struct cul_set all;
  struct cul_digest digest;
  double needed;
  bool taken;
};

enum { CUL_SIZE_CLASSES = 24 }; /* of sets, by log2 of their size */

struct cul_tickets {
  uint64_t *items;
  size_t n, cap;
};

struct cul_queue {
  struct cul_open_point *open;
  size_t n, cap;
  struct cul_tickets stale;
};

/* ---- known ---- */

/* A hash table of points, each with the ticket of its answer. */

static size_t slot_of(const struct cul_search_known *known,
                      const struct cul_digest *point) {
  size_t at = point->w[0] & (known->cap - 1);
  while (!cul_digest_is_zero(&known->slots[at].point) &&
         !cul_digest_equal(&known->slots[at].point, point))
    at = (at + 1) & (known->cap - 1);
  return at;
}

static void grow(struct cul_search_known *known) {
  struct cul_search_known larger = {NULL, known->n,
                                    known->cap ? known->cap * 2 : 64};
  larger.slots = cul_xcalloc(larger.cap, sizeof(*larger.slots));
  for (size_t i = 0; i < known->cap; i++)
    if (!cul_digest_is_zero(&known->slots[i].point))
      larger.slots[slot_of(&larger, &known->slots[i].point)] = known->slots[i];
  free(known->slots);
  *known = larger;
}

/* A point that is already in the table keeps its ticket. */
static void known_add(struct cul_search_known *known,
                      const struct cul_digest *point, uint64_t ticket) {
  if (known->n * 2 >= known->cap)
    grow(known);
  size_t at = slot_of(known, point);
  if (!cul_digest_is_zero(&known->slots[at].point))
    return;
  known->n++;
  known->slots[at] = (struct cul_known_point){*point, ticket};
}

/* The ticket of a point, valid until known_add; NULL: the point is not
 * known. */
static uint64_t *known_find(const struct cul_search_known *known,
                            const struct cul_digest *point) {
  struct cul_known_point *slot;
  if (known->cap == 0)
    return NULL;
  slot = &known->slots[slot_of(known, point)];
  return cul_digest_is_zero(&slot->point) ? NULL : &slot->ticket;
}

static void known_release(struct cul_search_known *known) {
  free(known->slots);
  *known = (struct cul_search_known){0};
}

/* ---- queue ---- */

/* The open points in the order of the rule, and the tickets of points that were
 * given up. */

static void tickets_add(struct cul_tickets *tickets, uint64_t ticket) {
  if (tickets->n == tickets->cap) {
    tickets->cap = tickets->cap ? tickets->cap * 2 : 8;
    tickets->items = cul_xreallocarray(tickets->items, tickets->cap,
                                       sizeof(*tickets->items));
  }
  tickets->items[tickets->n++] = ticket;
}

/* Move the first tickets, at most max, to out.  Returns their number. */
static size_t tickets_take(struct cul_tickets *tickets, uint64_t *out,
                           size_t max) {
  size_t n = tickets->n < max ? tickets->n : max;
  if (n == 0)
    return 0;
  memcpy(out, tickets->items, n * sizeof(*out));
  tickets->n -= n;
  memmove(tickets->items, tickets->items + n,
          tickets->n * sizeof(*tickets->items));
  return n;
}

static void tickets_release(struct cul_tickets *tickets) {
  free(tickets->items);
  *tickets = (struct cul_tickets){0};
}

/* Append a zeroed point.  Invalidates pointers to other points. */
static struct cul_open_point *queue_push(struct cul_queue *queue) {
  if (queue->n == queue->cap) {
    queue->cap = queue->cap ? queue->cap * 2 : 8;
    queue->open =
        cul_xreallocarray(queue->open, queue->cap, sizeof(*queue->open));
  }
  struct cul_open_point *point = &queue->open[queue->n++];
  *point = (struct cul_open_point){0};
  return point;
}

/* Report the ticket of the point as stale.  The caller of the search may hold
 * resources for each open ticket and for each "yes", but not after a "no". */
static void queue_give_up(struct cul_queue *queue,
                          const struct cul_open_point *point) {
  if (point->ticket == 0 || (point->told && !point->yes))
    return;
  tickets_add(&queue->stale, point->ticket);
}

/* Remove n points, starting at index first; open ones become stale. */
static void queue_drop(struct cul_queue *queue, size_t first, size_t n) {
  for (size_t i = first; i < first + n; i++) {
    queue_give_up(queue, &queue->open[i]);
    cul_set_release(&queue->open[i].add);
    cul_set_release(&queue->open[i].all);
  }
  queue->n -= n;
  if (n > 0 && first < queue->n)
    memmove(queue->open + first, queue->open + first + n,
            (queue->n - first) * sizeof(*queue->open));
}

static void queue_release(struct cul_queue *queue) {
  queue_drop(queue, 0, queue->n);
  free(queue->open);
  tickets_release(&queue->stale);
  *queue = (struct cul_queue){0};
}

/* ---- search ---- */

struct cul_search {
  const struct cul_search_rule *rule;
  const struct cul_item *items;
  size_t n, window;
  bool merge;
  struct cul_search_limits limits;
  size_t fruitless;    /* number of "no" since the last accepted point */
  size_t answers;      /* number of answers in this quantum */
  size_t quantum_from; /* size of accepted when it began */
  enum cul_gave_up gave_up;

  void *base;
  struct cul_set accepted;
  uint64_t last_ticket, accepted_ticket;

  struct cul_queue queue;

  void *ahead;
  struct cul_set ahead_from; /* the set that its points extend */
  struct cul_set ahead_next;
  bool ahead_has;

  bool collecting; /* open[0] is a "yes"; others may be merged with it */
  size_t member;   /* index in open of the next point that path may propose */
  void *path, *safe;
  struct cul_set gain;
  bool merging; /* open[0] is the union; the other points extend it */

  struct cul_search_known no;
  struct cul_tickets learnt;

  struct cul_speculative_point *speculative; /* open speculative points */
  size_t n_speculative;
  bool begun;                           /* cul_search_tell was called */
  struct cul_search_known likely;       /* speculative points with "yes" */
  size_t answered[2][CUL_SIZE_CLASSES]; /* counts: [yes][class] */
  struct cul_guess *guesses;            /* made after the last answer */
  size_t n_guesses;
  bool guessed;
  double ends; /* probability that no other point is needed */

  struct cul_set scratch;
  struct cul_rest reach_a, reach_b; /* scratch of same_effect and digest_of */
};

/* --- points ------------------------------------------------------------- */

static void combine(const struct cul_search *search, struct cul_set *out,
                    const struct cul_set *from, const struct cul_set *add) {
  if (search->rule->ranges) {
    cul_set_copy(out, add);
    return;
  }
  cul_set_copy(out, from);
  cul_set_add_all(out, add);
}

static void reach(struct cul_rest *rest, const struct cul_set *set) {
  memset(rest->gone, 0, rest->n * sizeof(*rest->gone));
  cul_rest_drop(rest, set);
}

/* Sets that remove the same items (a parent removes its children) are the same
 * point and have one digest. */
static struct cul_digest digest_of(struct cul_search *search,
                                   const struct cul_set *set) {
  if (search->rule->ranges)
    return cul_digest_of(set->ids, set->n * sizeof(*set->ids));
  reach(&search->reach_a, set);
  return cul_digest_of(search->reach_a.gone,
                       search->n * sizeof(*search->reach_a.gone));
}

static bool same_effect(struct cul_search *search, const struct cul_set *from,
                        const struct cul_set *a, const struct cul_set *b) {
  if (cul_set_equal(a, b))
    return true;
  combine(search, &search->scratch, from, a);
  reach(&search->reach_a, &search->scratch);
  combine(search, &search->scratch, from, b);
  reach(&search->reach_b, &search->scratch);
  return memcmp(search->reach_a.gone, search->reach_b.gone,
                search->n * sizeof(*search->reach_a.gone)) == 0;
}

/* --- speculative points ------------------------------------------------- */

static void remove_speculative(struct cul_search *search, size_t at) {
  cul_set_release(&search->speculative[at].all);
  search->speculative[at] = search->speculative[--search->n_speculative];
}

static void give_up_speculative(struct cul_search *search, size_t at) {
  tickets_add(&search->queue.stale, search->speculative[at].ticket);
  remove_speculative(search, at);
}

static size_t find_speculative(const struct cul_search *search,
                               const struct cul_digest *digest) {
  size_t i = 0;
  while (i < search->n_speculative &&
         !cul_digest_equal(&search->speculative[i].digest, digest))
    i++;
  return i;
}

/* The rule has reached a point that was asked speculatively: the point takes
 * over that ticket. */
static void take_speculative(struct cul_search *search,
                             struct cul_open_point *point) {
  size_t at = find_speculative(search, &point->digest);
  if (point->told || at == search->n_speculative)
    return;
  point->ticket = search->speculative[at].ticket;
  point->early = true;
  remove_speculative(search, at);
}

static void tell_speculative(struct cul_search *search, uint64_t ticket,
                             bool yes) {
  for (size_t i = 0; i < search->n_speculative; i++) {
    const struct cul_digest *digest = &search->speculative[i].digest;
    if (search->speculative[i].ticket != ticket)
      continue;
    known_add(yes ? &search->likely : &search->no, digest, ticket);
    if (yes)
      give_up_speculative(search, i);
    else
      remove_speculative(search, i);
    return;
  }
}

/* --- looking ahead ------------------------------------------------------ */

static void peek(struct cul_search *search) {
  cul_set_clear(&search->ahead_next);
  search->ahead_has = search->rule->next(search->ahead, &search->ahead_next);
}

static void restart_ahead(struct cul_search *search, const void *from,
                          const struct cul_set *stands_on) {
  if (search->ahead)
    search->rule->free(search->ahead);
  search->ahead = search->rule->copy(from);
  cul_set_copy(&search->ahead_from, stands_on);
  peek(search);
}

/* Append a point to the queue, unasked.  It counts as "no" if it is a known
 * "no", or if an equal point is open: this one takes effect only if the equal
 * one was a "no". */
static struct cul_open_point *add_point(struct cul_search *search,
                                        const struct cul_set *from,
                                        const struct cul_set *add) {
  struct cul_open_point *point = queue_push(&search->queue);
  cul_set_copy(&point->add, add);
  combine(search, &point->all, from, add);
  point->digest = digest_of(search, &point->all);
  point->told = known_find(&search->no, &point->digest) != NULL;
  for (size_t i = 0; i + 1 < search->queue.n && !point->told; i++)
    point->told =
        cul_digest_equal(&search->queue.open[i].digest, &point->digest);
  take_speculative(search, point);
  return point;
}

/* Is the next set of the rule only a question? */
static bool asks(const struct cul_search *search, const void *rule) {
  return search->rule->asks && search->rule->asks(rule);
}

/* Append the next set of the rule to the queue. */
static void extend(struct cul_search *search) {
  struct cul_open_point *point =
      add_point(search, &search->ahead_from, &search->ahead_next);
  point->question = asks(search, search->ahead);
  search->rule->learn(search->ahead, &point->add, false);
  peek(search);
}

/* --- answers ------------------------------------------------------------ */

static size_t class_of(const struct cul_set *add) {
  size_t class = 0;
  while (add->n >> (class + 1) && class + 1 < CUL_SIZE_CLASSES)
    class++;
  return class;
}

static void count_answer(struct cul_search *search, const struct cul_set *add,
                         bool yes) {
  search->answers++;
  search->answered[yes][class_of(add)]++;
}

static void replace(struct cul_search *search, void **state, void *by) {
  if (*state)
    search->rule->free(*state);
  *state = by;
}

static void accept(struct cul_search *search, struct cul_open_point *point) {
  search->fruitless = 0;
  search->accepted_ticket = point->ticket;
  point->ticket = 0;
  cul_set_copy(&search->accepted, &point->all);
}

/* Must the point be asked again?  An early "yes" only proves that the candidate
 * is smaller than the subject at the time of asking; the subject may be smaller
 * now.  The run itself is cached. */
static bool must_renew(struct cul_search *search,
                       struct cul_open_point *point) {
  if (!point->told || !point->yes || !point->early)
    return false;
  queue_give_up(&search->queue, point);
  point->ticket = 0;
  point->told = point->yes = point->early = false;
  return true;
}

/* Report that the rule learns the "no" of this point (once per ticket). */
static void learn_no(struct cul_search *search,
                     const struct cul_open_point *point) {
  uint64_t *by = known_find(&search->no, &point->digest);
  if (by && *by) {
    tickets_add(&search->learnt, *by);
    *by = 0;
  }
}

static void adopt(struct cul_search *search) {
  cul_check(search->queue.open[0].told && search->queue.open[0].yes);
  if (search->queue.open[0].question)
    search->fruitless = 0;
  else
    accept(search, &search->queue.open[0]);
  search->rule->learn(search->base, &search->queue.open[0].add, true);
  queue_drop(&search->queue, 0, search->queue.n);
  restart_ahead(search, search->base, &search->accepted);
}

static void begin_collecting(struct cul_search *search) {
  while (search->queue.n < search->window && search->ahead_has)
    extend(search);
  if (search->queue.n > search->window) /* asked while others were slow */
    queue_drop(&search->queue, search->window,
               search->queue.n - search->window);
  search->collecting = true;
  search->member = 1;
  cul_set_clear(&search->gain);
  search->path = search->rule->copy(search->base);
  search->rule->learn(search->path, &search->queue.open[0].add, true);
}

/* Ask for the union of the accepted point and gain. */
static void begin_merging(struct cul_search *search) {
  const struct cul_open_point *point =
      add_point(search, &search->accepted, &search->gain);
  replace(search, &search->base, search->safe);
  search->safe = NULL;
  search->merging = true;
  restart_ahead(search, search->path, &point->all);
}

static void end_collecting(struct cul_search *search) {
  search->collecting = false;
  accept(search, &search->queue.open[0]);
  queue_drop(&search->queue, 0, search->queue.n);
  if (search->gain.n > 0) {
    begin_merging(search);
    return;
  }
  replace(search, &search->base, search->path);
  search->path = NULL;
  restart_ahead(search, search->base, &search->accepted);
}

/* The first member of the window, from search->member on, that has the same
 * effect as set on top of path; queue.n: none. */
static size_t find_member(struct cul_search *search,
                          const struct cul_set *set) {
  struct cul_set from = {0};
  size_t at = search->member;
  combine(search, &from, &search->queue.open[0].all, &search->gain);
  while (at < search->queue.n &&
         !same_effect(search, &from, set, &search->queue.open[at].add))
    at++;
  cul_set_release(&from);
  return at;
}

/* Drop the members before `at`, which path does not propose.  A later member
 * that is equal to a dropped one was left unasked because of it (add_point), so
 * it inherits the ticket. */
static void skip_members(struct cul_search *search, size_t at) {
  struct cul_open_point *open = search->queue.open;
  for (size_t i = search->member; i < at; i++)
    for (size_t k = at; k < search->queue.n; k++)
      if (open[k].ticket == 0 &&
          cul_digest_equal(&open[k].digest, &open[i].digest)) {
        open[k].ticket = open[i].ticket;
        open[k].told = open[i].told;
        open[k].yes = open[i].yes;
        open[k].early = open[i].early;
        open[i].ticket = 0;
        break;
      }
  queue_drop(&search->queue, search->member, at - search->member);
}

/* Advance path by one set.  Returns false if an answer must arrive first.
 * Collecting ends before a question, because a "yes" to a question removes
 * nothing. */
static bool collect(struct cul_search *search) {
  struct cul_set next = {0};
  bool more =
      search->rule->next(search->path, &next) && !asks(search, search->path);
  size_t at = more ? find_member(search, &next) : search->queue.n;
  bool go_on = true;
  if (at == search->queue.n) {
    end_collecting(search);
  } else {
    skip_members(search, at);
    struct cul_open_point *point = &search->queue.open[search->member];
    go_on = !must_renew(search, point) && point->told;
    if (point->told && point->yes && !search->safe)
      search->safe = search->rule->copy(search->path);
    if (point->told && point->yes)
      cul_set_add_all(&search->gain, &point->add);
    if (point->told && !point->yes)
      learn_no(search, point);
    if (point->told) {
      search->rule->learn(search->path, &next, point->yes);
      count_answer(search, &next, point->yes);
      search->member++;
    }
  }
  cul_set_release(&next);
  return go_on;
}

static void settle_merge(struct cul_search *search) {
  search->merging = false;
  if (search->queue.open[0].yes) {
    accept(search, &search->queue.open[0]);
    replace(search, &search->base, search->path);
    search->path = NULL;
    queue_drop(&search->queue, 0, 1);
    return;
  }
  learn_no(search, &search->queue.open[0]);
  replace(search, &search->path, NULL);
  queue_drop(&search->queue, 0, search->queue.n);
  restart_ahead(search, search->base, &search->accepted);
}

/* End the search, with points unasked: too many "no" in a row, too slow, or the
 * caller set CUL_NO_PATIENCE. */
static void give_up(struct cul_search *search) {
  if (!search->gave_up && (search->queue.n > 0 || search->ahead_has))
    search->gave_up = CUL_GAVE_UP_SLOW;
  queue_drop(&search->queue, 0, search->queue.n);
  while (search->n_speculative > 0)
    give_up_speculative(search, 0);
  search->ahead_has = search->merging = false;
}

static size_t patience_of(const struct cul_search *search) {
  size_t first = search->limits.first;
  return first && first < search->limits.patience && search->accepted.n == 0
             ? first
             : search->limits.patience;
}

static void check_singly(struct cul_search *search) {
  if (!search->limits.leaves_singly || search->collecting || search->merging ||
      !search->rule->is_singly || !search->rule->is_singly(search->base))
    return;
  give_up(search);
  search->gave_up = CUL_GAVE_UP_SINGLY;
}

/* At the end of a quantum, give up if the search is slow. */
static void check_quantum(struct cul_search *search) {
  size_t gain = search->accepted.n - search->quantum_from;
  size_t slow = search->limits.slow ? search->limits.slow : CUL_SLOW;
  check_singly(search);
  if (!search->limits.quantum || search->answers < search->limits.quantum ||
      search->collecting || search->merging)
    return;
  search->answers = 0;
  search->quantum_from = search->accepted.n;
  if (gain > 0 && gain * slow < search->n)
    give_up(search);
}

static void settle_first(struct cul_search *search) {
  /* Invariant: answers take effect in the order of the queue. */
  cul_check(search->queue.n > 0 && search->queue.open[0].told);
  count_answer(search, &search->queue.open[0].add, search->queue.open[0].yes);
  if (search->merging) {
    settle_merge(search);
  } else if (!search->queue.open[0].yes) {
    learn_no(search, &search->queue.open[0]);
    search->rule->learn(search->base, &search->queue.open[0].add, false);
    queue_drop(&search->queue, 0, 1);
    if (++search->fruitless == patience_of(search))
      give_up(search);
  } else if (search->merge && !search->rule->ranges &&
             !search->queue.open[0].question) {
    begin_collecting(search);
  } else {
    adopt(search);
  }
}

/* Process all answers that can take effect, and skip points that are known. */
static void settle(struct cul_search *search) {
  for (;;) {
    if (search->collecting) {
      if (!collect(search))
        return;
      check_quantum(search);
    } else if (search->queue.n > 0) {
      if (must_renew(search, &search->queue.open[0]) ||
          !search->queue.open[0].told)
        return;
      settle_first(search);
      check_quantum(search);
    } else {
      if (!search->ahead_has)
        return;
      extend(search);
    }
  }
}

/* --- guessing ----------------------------------------------------------- */

/* Estimates which points may be needed.  Each open point has two outcomes, so
 * the possible continuations of the rule form a tree; its most probable branch
 * grows first.  A point may occur on several branches; its probabilities add
 * up.
 *
 * Method: speculative delta debugging, best-first by the probability that a
 * node is reached. */

/* A state of the rule under assumed answers to some points. */
struct branch {
  void *rule;
  struct cul_set accepted; /* under these answers */
  /* collects: as cul_search.collecting; window points are combined with base.
   * gains: as a non-empty cul_search.gain. */
  bool collects, gains;
  struct cul_set base;
  struct cul_digest *window; /* the remaining window; heap */
  size_t n_window;
  double probability;
};

enum { MOST_BRANCHES = 96, MOST_COPIED = 400000, MOST_STEPS = 64 };

struct tree {
  struct cul_search *search;
  struct branch branches[MOST_BRANCHES];
  size_t n;
  struct cul_set add, all;
};

/* Points with a lower probability are not asked speculatively; open ones with a
 * lower probability are given up. */
static const double least_asked = 0.1, least_kept = 0.03;

/* Smaller windows do not speculate: the points under "no" keep two workers
 * busy. */
static const size_t least_window = 3;

/* The probability that a union of points is a "yes". */
static const double union_likely = 0.8;

static void forget_guesses(struct cul_search *search) {
  for (size_t i = 0; i < search->n_guesses; i++)
    cul_set_release(&search->guesses[i].all);
  search->n_guesses = 0;
  search->guessed = false;
  search->ends = 0;
}

/* The probability of a "yes", from the answers to sets of this size class, and
 * less from those to all sets. */
static double likelihood(const struct cul_search *search,
                         const struct cul_set *add,
                         const struct cul_digest *digest) {
  size_t class = class_of(add), yes = 0, no = 0;
  if (known_find(&search->likely, digest))
    return 0.97;
  for (size_t i = 0; i < CUL_SIZE_CLASSES; i++) {
    no += search->answered[0][i];
    yes += search->answered[1][i];
  }
  double any = ((double)yes + 1) / ((double)(yes + no) + 3);
  return ((double)search->answered[1][class] + 2 * any) /
         ((double)(search->answered[0][class] + search->answered[1][class]) +
          2);
}

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_OPEN, ANSWER_UNASKED };

static enum answer answer_of(const struct cul_search *search,
                             const struct cul_digest *digest) {
  if (known_find(&search->no, digest))
    return ANSWER_NO;
  for (size_t i = 0; i < search->queue.n; i++) {
    const struct cul_open_point *point = &search->queue.open[i];
    if (!cul_digest_equal(&point->digest, digest))
      continue;
    if (point->told)
      return point->yes ? ANSWER_YES : ANSWER_NO;
    return point->ticket ? ANSWER_OPEN : ANSWER_UNASKED;
  }
  if (find_speculative(search, digest) < search->n_speculative)
    return ANSWER_OPEN;
  return known_find(&search->likely, digest) ? ANSWER_YES : ANSWER_UNASKED;
}

static bool is_in_window(const struct branch *branch,
                         const struct cul_digest *digest) {
  for (size_t i = 0; i < branch->n_window; i++)
    if (cul_digest_equal(&branch->window[i], digest))
      return true;
  return false;
}

static void add_guess(struct cul_search *search, const struct cul_set *all,
                      const struct cul_digest *digest, double needed) {
  size_t i = 0;
  while (i < search->n_guesses &&
         !cul_digest_equal(&search->guesses[i].digest, digest))
    i++;
  if (i == search->n_guesses) {
    search->guesses =
        cul_xreallocarray(search->guesses, i + 1, sizeof *search->guesses);
    search->guesses[search->n_guesses++] =
        (struct cul_guess){.digest = *digest};
    cul_set_copy(&search->guesses[i].all, all);
  }
  search->guesses[i].needed += needed;
}

/* Copies its arguments. */
static struct branch *add_branch(struct tree *tree, const void *rule,
                                 const struct cul_set *accepted,
                                 double probability) {
  struct branch *branch = &tree->branches[tree->n++];
  *branch = (struct branch){.rule = tree->search->rule->copy(rule),
                            .probability = probability};
  cul_set_copy(&branch->accepted, accepted);
  return branch;
}

static void remove_branch(struct tree *tree, struct branch *branch) {
  tree->search->rule->free(branch->rule);
  cul_set_release(&branch->accepted);
  cul_set_release(&branch->base);
  free(branch->window);
  *branch = tree->branches[--tree->n];
}

/* Set the window to the points that the rule proposes after tree->add if all of
 * them are "no". */
static void open_window(struct tree *tree, struct branch *branch) {
  struct cul_search *search = tree->search;
  void *rule = search->rule->copy(branch->rule);
  struct cul_set add = {0}, all = {0};
  search->rule->learn(rule, &tree->add, false);
  free(branch->window);
  branch->n_window = 0;
  branch->window = cul_xcalloc(search->window, sizeof *branch->window);
  while (branch->n_window + 1 < search->window &&
         search->rule->next(rule, &add)) {
    combine(search, &all, &branch->accepted, &add);
    branch->window[branch->n_window++] = digest_of(search, &all);
    search->rule->learn(rule, &add, false);
  }
  search->rule->free(rule);
  cul_set_release(&add);
  cul_set_release(&all);
}

static void learn_yes(struct tree *tree, struct branch *branch) {
  struct cul_search *search = tree->search;
  bool question = asks(search, branch->rule);
  if (!question && branch->collects) {
    branch->gains = true;
  } else if (!question) {
    branch->collects = search->merge && !search->rule->ranges;
    if (branch->collects)
      open_window(tree, branch);
    cul_set_copy(&branch->base, &branch->accepted);
  }
  search->rule->learn(branch->rule, &tree->add, true);
  if (search->rule->ranges && !question)
    cul_set_copy(&branch->accepted, &tree->add);
  else if (!question)
    cul_set_add_all(&branch->accepted, &tree->add);
}

/* The branch has left its window: the union is needed first. */
static void end_gains(struct tree *tree, struct branch *branch) {
  struct cul_search *search = tree->search;
  struct cul_digest digest;
  branch->collects = false;
  if (!branch->gains)
    return;
  branch->gains = false;
  digest = digest_of(search, &branch->accepted);
  if (answer_of(search, &digest) >= ANSWER_OPEN)
    add_guess(search, &branch->accepted, &digest, branch->probability);
  branch->probability *= union_likely;
}

/* The next point of a branch, in tree->add and tree->all; false: the rule has
 * finished. */
static bool find_next(struct tree *tree, struct branch *branch,
                      struct cul_digest *digest) {
  struct cul_search *search = tree->search;
  if (!search->rule->next(branch->rule, &tree->add)) {
    end_gains(tree, branch);
    search->ends += branch->probability;
    return false;
  }
  if (branch->collects) {
    combine(search, &tree->all, &branch->base, &tree->add);
    *digest = digest_of(search, &tree->all);
    if (!asks(search, branch->rule) && is_in_window(branch, digest))
      return true;
    end_gains(tree, branch);
  }
  combine(search, &tree->all, &branch->accepted, &tree->add);
  *digest = digest_of(search, &tree->all);
  return true;
}

/* Advance the branch to its next unanswered point and split it there: a new
 * branch assumes "yes", this one "no". */
static void grow_branch(struct tree *tree, struct branch *branch) {
  struct cul_search *search = tree->search;
  struct cul_digest digest = {{0, 0}};
  enum answer answer = ANSWER_NO;
  for (size_t steps = 0; answer <= ANSWER_YES; steps++) {
    if (steps == MOST_STEPS || !find_next(tree, branch, &digest)) {
      remove_branch(tree, branch);
      return;
    }
    answer = answer_of(search, &digest);
    if (answer == ANSWER_NO)
      search->rule->learn(branch->rule, &tree->add, false);
    else if (answer == ANSWER_YES)
      learn_yes(tree, branch);
  }
  add_guess(search, &tree->all, &digest, branch->probability);
  double yes = likelihood(search, &tree->add, &digest);
  if (tree->n < MOST_BRANCHES && branch->probability * yes > least_kept) {
    struct branch *other = add_branch(tree, branch->rule, &branch->accepted,
                                      branch->probability * yes);
    other->collects = branch->collects;
    other->gains = branch->gains;
    cul_set_copy(&other->base, &branch->base);
    other->n_window = branch->n_window;
    if (branch->n_window)
      other->window = cul_copy_array(branch->window, branch->n_window,
                                     sizeof *branch->window);
    learn_yes(tree, other);
  }
  search->rule->learn(branch->rule, &tree->add, false);
  branch->probability *= 1 - yes;
}

static void add_roots(struct tree *tree) {
  struct cul_search *search = tree->search;
  struct branch *branch;
  if (search->collecting) {
    branch = add_branch(tree, search->path, &search->queue.open[0].all, 1);
    cul_set_add_all(&branch->accepted, &search->gain);
    cul_set_copy(&branch->base, &search->accepted);
    branch->collects = true;
    branch->gains = search->gain.n > 0;
    branch->window = cul_xcalloc(search->queue.n + 1, sizeof *branch->window);
    for (size_t i = search->member; i < search->queue.n; i++)
      branch->window[branch->n_window++] = search->queue.open[i].digest;
  } else if (search->merging) {
    add_branch(tree, search->path, &search->queue.open[0].all, union_likely);
    add_branch(tree, search->base, &search->accepted, 1 - union_likely);
  } else {
    add_branch(tree, search->base, &search->accepted, 1);
  }
}

/* How often the tree may grow: each growth copies the rule, so less for many
 * items. */
static size_t most_growth(const struct cul_search *search) {
  size_t most = 4 * search->window + 8, copies = MOST_COPIED / (search->n + 1);
  most = most < MOST_BRANCHES ? most : MOST_BRANCHES;
  return copies < 8 ? 0 : most < copies ? most : copies;
}

static void guess(struct cul_search *search) {
  struct tree *tree = cul_xcalloc(1, sizeof *tree);
  size_t most = most_growth(search);
  forget_guesses(search);
  search->guessed = true;
  tree->search = search;
  if (most)
    add_roots(tree);
  for (size_t k = 0; k < most && tree->n > 0; k++) {
    struct branch *best = tree->branches;
    for (size_t i = 1; i < tree->n; i++)
      if (tree->branches[i].probability > best->probability)
        best = &tree->branches[i];
    if (best->probability < least_kept)
      break;
    grow_branch(tree, best);
  }
  while (tree->n > 0)
    remove_branch(tree, tree->branches);
  cul_set_release(&tree->add);
  cul_set_release(&tree->all);
  free(tree);
}

/* Give up speculative points that no probable branch needs any more. */
static void drop_unlikely(struct cul_search *search) {
  if (search->n_speculative > 0 && !search->guessed)
    guess(search);
  for (size_t i = search->n_speculative; i-- > 0;) {
    size_t k = 0;
    while (k < search->n_guesses &&
           !cul_digest_equal(&search->guesses[k].digest,
                             &search->speculative[i].digest))
      k++;
    if (k == search->n_guesses || search->guesses[k].needed < least_kept)
      give_up_speculative(search, i);
  }
}

/* Is the point open, or will it be asked as part of the queue? */
static bool is_asked(const struct cul_search *search,
                     const struct cul_digest *digest) {
  for (size_t i = 0; i < search->queue.n; i++)
    if (cul_digest_equal(&search->queue.open[i].digest, digest))
      return true;
  return find_speculative(search, digest) < search->n_speculative;
}

/* The most probable guess that is not open; NULL unless it is more likely to be
 * needed than next, the unasked point of the queue (NULL: none). */
static struct cul_guess *best_guess(struct cul_search *search,
                                    const struct cul_open_point *next) {
  double least = next || search->ahead_has ? 0 : search->ends;
  struct cul_guess *best = NULL;
  if (search->window < least_window || !search->begun)
    return NULL;
  if (!search->guessed)
    guess(search);
  for (size_t i = 0; i < search->n_guesses; i++) {
    struct cul_guess *one = &search->guesses[i];
    if (next && cul_digest_equal(&one->digest, &next->digest))
      least = one->needed;
    if (!one->taken && (!best || one->needed > best->needed) &&
        !is_asked(search, &one->digest))
      best = one;
  }
  return best && best->needed >= least_asked && best->needed > least ? best
                                                                     : NULL;
}

static void ask_speculative(struct cul_search *search, struct cul_guess *guess,
                            struct cul_set *set, uint64_t *ticket) {
  struct cul_speculative_point *point;
  search->speculative =
      cul_xreallocarray(search->speculative, search->n_speculative + 1,
                        sizeof *search->speculative);
  point = &search->speculative[search->n_speculative++];
  *point = (struct cul_speculative_point){.ticket = ++search->last_ticket,
                                          .digest = guess->digest};
  cul_set_copy(&point->all, &guess->all);
  guess->taken = true;
  cul_set_copy(set, &guess->all);
  *ticket = point->ticket;
}

/* --- the public side ---------------------------------------------------- */

struct cul_search *cul_search_new(const struct cul_search_rule *rule,
                                  const struct cul_item *items, size_t n,
                                  size_t window, uint64_t seed) {
  struct cul_search *search = cul_xcalloc(1, sizeof(*search));
  search->rule = rule;
  search->items = items;
  search->n = n;
  search->window = window ? window : 1;
  search->merge = true;
  search->base = rule->begin(items, n, seed);
  cul_rest_init(&search->reach_a, items, n);
  cul_rest_init(&search->reach_b, items, n);
  restart_ahead(search, search->base, &search->accepted);
  settle(search);
  return search;
}

void cul_search_free(struct cul_search *search) {
  if (!search)
    return;
  queue_release(&search->queue);
  replace(search, &search->base, NULL);
  replace(search, &search->ahead, NULL);
  replace(search, &search->path, NULL);
  replace(search, &search->safe, NULL);
  cul_set_release(&search->accepted);
  cul_set_release(&search->ahead_from);
  cul_set_release(&search->ahead_next);
  cul_set_release(&search->gain);
  cul_set_release(&search->scratch);
  cul_rest_release(&search->reach_a);
  cul_rest_release(&search->reach_b);
  known_release(&search->no);
  known_release(&search->likely);
  for (size_t i = 0; i < search->n_speculative; i++)
    cul_set_release(&search->speculative[i].all);
  free(search->speculative);
  forget_guesses(search);
  free(search->guesses);
  tickets_release(&search->learnt);
  free(search);
}

void cul_search_set_merge(struct cul_search *search, bool on) {
  search->merge = on;
}

/* The first point of the queue that still has to be asked. */
static struct cul_open_point *find_unasked(struct cul_search *search) {
  size_t first = search->collecting ? search->member : 0;
  for (size_t i = first; i < search->queue.n; i++)
    if (search->queue.open[i].ticket == 0 && !search->queue.open[i].told)
      return &search->queue.open[i];
  return NULL;
}

/* May the queue grow?  The window limits the points without an answer, and
 * those with a "yes".  It also limits all asked points, because the "no"
 * answers behind a slow point are wasted if that point is a "yes". */
static bool may_extend(const struct cul_search *search) {
  const size_t most_open = 4 * search->window + 8; /* including known points */
  size_t waiting = 0, yes = 0, asked = 0;
  for (size_t i = 0; i < search->queue.n; i++) {
    waiting += !search->queue.open[i].told;
    yes += search->queue.open[i].told && search->queue.open[i].yes;
    asked += search->queue.open[i].ticket != 0;
  }
  return !search->collecting && search->ahead_has &&
         search->queue.n < most_open &&
         (waiting == 0 || waiting + search->n_speculative < search->window) &&
         yes < search->window && asked <= search->window;
}

static bool may_speculate(const struct cul_search *search) {
  size_t waiting = search->n_speculative;
  for (size_t i = 0; i < search->queue.n; i++)
    waiting += !search->queue.open[i].told && search->queue.open[i].ticket;
  return waiting < search->window && !cul_search_finished(search);
}

bool cul_search_ask(struct cul_search *search, struct cul_set *set,
                    uint64_t *ticket) {
  struct cul_open_point *point = find_unasked(search);
  struct cul_guess *guess;
  while (!point && may_extend(search)) {
    extend(search);
    point = find_unasked(search);
  }
  guess = may_speculate(search) ? best_guess(search, point) : NULL;
  if (guess) {
    ask_speculative(search, guess, set, ticket);
    return true;
  }
  if (!point)
    return false;
  point->ticket = ++search->last_ticket;
  point->early = search->merging && point != search->queue.open;
  cul_set_copy(set, &point->all);
  *ticket = point->ticket;
  return true;
}

void cul_search_tell(struct cul_search *search, uint64_t ticket, bool yes) {
  search->begun = true;
  search->guessed = false;
  tell_speculative(search, ticket, yes);
  for (size_t i = 0; i < search->queue.n; i++) {
    struct cul_open_point *point = &search->queue.open[i];
    if (ticket == 0 || point->ticket != ticket || point->told)
      continue;
    point->told = true;
    point->yes = yes;
    if (!yes)
      known_add(&search->no, &point->digest, ticket);
    settle(search);
    break;
  }
  drop_unlikely(search);
}

size_t cul_search_stale(struct cul_search *search, uint64_t *tickets,
                        size_t max) {
  return tickets_take(&search->queue.stale, tickets, max);
}

uint64_t cul_search_learnt(struct cul_search *search) {
  uint64_t ticket = 0;
  tickets_take(&search->learnt, &ticket, 1);
  return ticket;
}

uint64_t cul_search_accepted(struct cul_search *search) {
  uint64_t ticket = search->accepted_ticket;
  search->accepted_ticket = 0;
  return ticket;
}

const struct cul_set *cul_search_state(const struct cul_search *search) {
  return &search->accepted;
}

static void begin_behind(struct cul_search *search, size_t passed) {
  if (!search->rule->pass || search->n == 0 || passed == 0)
    return;
  search->rule->pass(search->base, passed % search->n);
  queue_drop(&search->queue, 0, search->queue.n);
  restart_ahead(search, search->base, &search->accepted);
  settle(search);
}

void cul_search_limit(struct cul_search *search,
                      const struct cul_search_limits *limits) {
  search->limits = *limits;
  cul_check(limits->patience != CUL_NO_PATIENCE || !search->collecting);
  if (limits->patience == CUL_NO_PATIENCE)
    give_up(search);
  else
    begin_behind(search, limits->passed);
}

enum cul_gave_up cul_search_gave_up(const struct cul_search *search,
                                    struct cul_search_took *took) {
  if (took) {
    *took = (struct cul_search_took){0};
    for (size_t i = 0; i < CUL_SIZE_CLASSES; i++)
      took->answers += search->answered[0][i] + search->answered[1][i];
    for (size_t i = 1; i < CUL_SIZE_CLASSES; i++)
      took->together |= search->answered[1][i] > 0;
    if (search->rule->passed)
      took->passed = search->rule->passed(search->base);
  }
  return search->gave_up;
}

bool cul_search_is_accepting(const struct cul_search *search) {
  return search->collecting;
}

/* Does the rule propose another set if the first point is a "yes"? */
static bool goes_on_after(struct cul_search *search,
                          const struct cul_open_point *first) {
  void *rule =
      search->rule->copy(search->merging ? search->path : search->base);
  bool more;
  if (!search->merging)
    search->rule->learn(rule, &first->add, true);
  more = search->rule->next(rule, &search->scratch);
  search->rule->free(rule);
  return more;
}

uint64_t cul_search_last(struct cul_search *search, struct cul_set *set) {
  struct cul_open_point *first = search->queue.open;
  if (search->queue.n == 0 || search->collecting || first->told ||
      first->question)
    return 0;
  /* The result stays valid: the state before the first point changes only when
   * this point is answered. */
  if (first->after == UNSEEN)
    first->after = goes_on_after(search, first) ? GOES_ON : ENDS;
  if (first->after == GOES_ON)
    return 0;
  cul_set_copy(set, &first->all);
  return first->ticket;
}

bool cul_search_finished(const struct cul_search *search) {
  return search->queue.n == 0 && !search->ahead_has && !search->collecting;
}
