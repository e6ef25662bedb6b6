/* The ask/tell loop around a rule.
 *
 * base is the rule after every answer that counts.  ahead is the rule after
 * base and every open point, each taken for a "no".  The open points are kept
 * in rule order.  Only the answer to the first of them takes effect:
 *
 *   no   base learns it; the look-ahead was right.
 *   yes  To a question: base learns it, and the look-ahead starts again.
 *        Without merging: base learns it, the other open points become stale,
 *        and the look-ahead starts again from base.  With merging: collect.
 *        path is the rule after the accepted point.  As long as the next set of
 *        path is one of the window, path learns the answer given there.  A "no"
 *        still holds, by monotony; each "yes" adds to gain.  At the end the
 *        first point is accepted, and the union of all is asked.  If the union
 *        is a "yes", path becomes base; otherwise the rule continues from safe,
 *        which is path before the first such "yes".
 *
 * Meanwhile the look-ahead starts from the union, which usually is a "yes".
 *
 * Where workers are left, points are also asked that stand on a "yes" that is
 * not known yet (beside).  Their answers are no more than known in advance: a
 * "no" is kept, a "yes" is asked once more when the rule comes there.  Which of
 * them are asked changes the time, never the result.
 *
 * The members of a window are the next sets of the rule under "no", whether
 * asked already or not.  Timing thus decides which answers arrive first, but
 * never what follows from them. */
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
  uint64_t ticket;          /* 0 = not asked (yet) */
  struct cul_set add;       /* what the rule proposed */
  struct cul_set all;       /* with what was accepted before */
  struct cul_digest digest; /* of all, as a point */
  bool told, yes;
  bool early;    /* asked before what it stands on was accepted */
  bool question; /* "yes" is learnt, not accepted */
  enum {
    UNSEEN,
    GOES_ON,
    ENDS
  } after; /* the search, once it is the first and
              is answered "yes" */
};

/* A point that is needed if some open points are a "yes". */
struct cul_beside {
  uint64_t ticket;
  struct cul_set all;
  struct cul_digest digest;
};

/* A point that may be needed, with the probability that it is. */
struct cul_guess {
  struct cul_set all;
  struct cul_digest digest;
  double needed;
  bool taken;
};

enum { CUL_SIZE_CLASSES = 24 }; /* of sets, by the logarithm of their size */

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

/* Points that are known to be "no", each with the ticket that said so: the
 * same point is never asked twice. */

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

/* One that is known keeps its ticket. */
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

/* Its ticket, until the next is added; NULL where it is not known. */
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

/* The open points of a search (search.c), in the order of its rule, and the
 * tickets of those that were given up, or learnt. */

static void tickets_add(struct cul_tickets *tickets, uint64_t ticket) {
  if (tickets->n == tickets->cap) {
    tickets->cap = tickets->cap ? tickets->cap * 2 : 8;
    tickets->items = cul_xreallocarray(tickets->items, tickets->cap,
                                       sizeof(*tickets->items));
  }
  tickets->items[tickets->n++] = ticket;
}

/* The first ones, at most max, leave; returns how many. */
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

/* A zeroed point at the end; others may move. */
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

/* The ticket of a point, where it has one, is stale: the caller may hold
 * something for open tickets, and for each "yes". */
static void queue_give_up(struct cul_queue *queue,
                          const struct cul_open_point *point) {
  if (point->ticket == 0 || (point->told && !point->yes))
    return;
  tickets_add(&queue->stale, point->ticket);
}

/* Take n points from first on out of the queue; open ones are stale from now
 * on. */
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
  size_t patience, fruitless; /* "no" since the last accepted point */
  size_t quantum, answers;    /* answers since the quantum began */
  size_t quantum_from;        /* accepted by then */
  bool gave_up;

  void *base;
  struct cul_set accepted;
  uint64_t last_ticket, accepted_ticket;

  struct cul_queue queue;

  void *ahead;
  struct cul_set ahead_from; /* what its points stand on */
  struct cul_set ahead_next;
  bool ahead_has;

  bool collecting; /* open[0] is a "yes", and others may join it */
  size_t member;   /* of open: the next that path may meet */
  void *path, *safe;
  struct cul_set gain;
  bool merging; /* open[0] is the union; the rest stands on it */

  struct cul_search_known no;
  struct cul_tickets learnt;

  struct cul_beside *beside; /* open ones */
  size_t n_beside;
  bool begun;                           /* an answer was told */
  struct cul_search_known likely;       /* a "yes", when asked beside */
  size_t answered[2][CUL_SIZE_CLASSES]; /* in the rule's order; "no", "yes" */
  struct cul_guess *guesses;            /* since the last answer */
  size_t n_guesses;
  bool guessed;
  double ends; /* probability that nothing more has to be asked */

  struct cul_set scratch;
  struct cul_rest reach_a, reach_b; /* scratch of same_effect, digest_of */
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

/* Two sets with the same items gone are the same point. */
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

/* --- beside ------------------------------------------------------------- */

static void remove_beside(struct cul_search *search, size_t at) {
  cul_set_release(&search->beside[at].all);
  search->beside[at] = search->beside[--search->n_beside];
}

static void give_up_beside(struct cul_search *search, size_t at) {
  tickets_add(&search->queue.stale, search->beside[at].ticket);
  remove_beside(search, at);
}

static size_t find_beside(const struct cul_search *search,
                          const struct cul_digest *digest) {
  size_t i = 0;
  while (i < search->n_beside &&
         !cul_digest_equal(&search->beside[i].digest, digest))
    i++;
  return i;
}

/* The rule has come to a point that is asked already: it takes the answer. */
static void take_beside(struct cul_search *search,
                        struct cul_open_point *point) {
  size_t at = find_beside(search, &point->digest);
  if (point->told || at == search->n_beside)
    return;
  point->ticket = search->beside[at].ticket;
  point->early = true;
  remove_beside(search, at);
}

static void tell_beside(struct cul_search *search, uint64_t ticket, bool yes) {
  for (size_t i = 0; i < search->n_beside; i++) {
    const struct cul_digest *digest = &search->beside[i].digest;
    if (search->beside[i].ticket != ticket)
      continue;
    known_add(yes ? &search->likely : &search->no, digest, ticket);
    if (yes)
      give_up_beside(search, i);
    else
      remove_beside(search, i);
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

/* A new point at the end of the queue, not asked yet.  It is a "no" where it
 * was one before, and where an open point is the same: it acts only when that
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
  take_beside(search, point);
  return point;
}

/* Is what the rule gives next in this state only a question? */
static bool asks(const struct cul_search *search, const void *rule) {
  return search->rule->asks && search->rule->asks(rule);
}

/* The next set of the rule joins the queue. */
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

/* A "yes" of an early point compared it with a larger subject than the one
 * it stands on: it is asked once more (the run itself is known by then). */
static bool must_renew(struct cul_search *search,
                       struct cul_open_point *point) {
  if (!point->told || !point->yes || !point->early)
    return false;
  queue_give_up(&search->queue, point);
  point->ticket = 0;
  point->told = point->yes = point->early = false;
  return true;
}

/* The answer to a point was "no", and the rule learns it. */
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

/* Ask for the union of the accepted point and all that was gained. */
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

/* The first member from search->member on that does what set does on top of
 * the path; n_open where there is none. */
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

/* The path does not meet the members before `at`; an equal one further on, that
 * was to have their answer, is asked in their place. */
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

/* One step along the path; false where an answer is wanted first.  It ends
 * before a question: its "yes" is no gain. */
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

/* Too many "no" in a row, too slow, or the user's word: what is left is not
 * asked. */
static void lose_patience(struct cul_search *search) {
  search->gave_up = search->queue.n > 0 || search->ahead_has;
  queue_drop(&search->queue, 0, search->queue.n);
  while (search->n_beside > 0)
    give_up_beside(search, 0);
  search->ahead_has = search->merging = false;
}

/* At the end of a quantum. */
static void check_quantum(struct cul_search *search) {
  size_t gain = search->accepted.n - search->quantum_from;
  if (!search->quantum || search->answers < search->quantum ||
      search->collecting || search->merging)
    return;
  search->answers = 0;
  search->quantum_from = search->accepted.n;
  if (gain > 0 && gain * CUL_SLOW < search->n)
    lose_patience(search);
}

static void settle_first(struct cul_search *search) {
  /* Answers are learnt in the order of questions: no other acts before. */
  cul_check(search->queue.n > 0 && search->queue.open[0].told);
  count_answer(search, &search->queue.open[0].add, search->queue.open[0].yes);
  if (search->merging) {
    settle_merge(search);
  } else if (!search->queue.open[0].yes) {
    learn_no(search, &search->queue.open[0]);
    search->rule->learn(search->base, &search->queue.open[0].add, false);
    queue_drop(&search->queue, 0, 1);
    if (++search->fruitless == search->patience)
      lose_patience(search);
  } else if (search->merge && !search->rule->ranges &&
             !search->queue.open[0].question) {
    begin_collecting(search);
  } else {
    adopt(search);
  }
}

/* Act on every answer that can act, and pass over points known before. */
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

/* Which points may be needed?  A tree of both answers to each open point, whose
 * most probable branch grows first; the same point may be met on several
 * branches.
 *
 * Method: speculative delta debugging; best-first by the probability that a
 * node is reached. */

/* A state of the rule, if some points are answered so. */
struct branch {
  void *rule;
  struct cul_set on; /* what would be accepted */
  /* A point was accepted: the next ones keep answers that they had before, on
   * top of `under`, and those with a "yes" join it (collect). */
  bool collects, gains;
  struct cul_set under;
  struct cul_digest *window; /* those points; heap */
  size_t n_window;
  double reached;
};

enum { MOST_BRANCHES = 96, MOST_COPIED = 400000, MOST_STEPS = 64 };

struct tree {
  struct cul_search *search;
  struct branch branches[MOST_BRANCHES];
  size_t n;
  struct cul_set add, all;
};

/* The probability below which a point is not asked beside, and that below which
 * an open one is given up. */
static const double least_asked = 0.1, least_kept = 0.03;

/* Two workers have as much to do under "no": a run that is called off would be
 * the only gain. */
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

/* As often as sets of this size were a "yes", and sets of any size. */
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
  if (find_beside(search, digest) < search->n_beside)
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

/* A branch of its own; what is given is copied. */
static struct branch *plant(struct tree *tree, const void *rule,
                            const struct cul_set *on, double reached) {
  struct branch *branch = &tree->branches[tree->n++];
  *branch = (struct branch){.rule = tree->search->rule->copy(rule),
                            .reached = reached};
  cul_set_copy(&branch->on, on);
  return branch;
}

static void uproot(struct tree *tree, struct branch *branch) {
  tree->search->rule->free(branch->rule);
  cul_set_release(&branch->on);
  cul_set_release(&branch->under);
  free(branch->window);
  *branch = tree->branches[--tree->n];
}

/* The points that the rule gives after tree->add, under "no". */
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
    combine(search, &all, &branch->on, &add);
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
    cul_set_copy(&branch->under, &branch->on);
  }
  search->rule->learn(branch->rule, &tree->add, true);
  if (search->rule->ranges && !question)
    cul_set_copy(&branch->on, &tree->add);
  else if (!question)
    cul_set_add_all(&branch->on, &tree->add);
}

/* The rule has left the window of what was accepted: the union of all that
 * joined it is asked first. */
static void end_gains(struct tree *tree, struct branch *branch) {
  struct cul_search *search = tree->search;
  struct cul_digest digest;
  branch->collects = false;
  if (!branch->gains)
    return;
  branch->gains = false;
  digest = digest_of(search, &branch->on);
  if (answer_of(search, &digest) >= ANSWER_OPEN)
    add_guess(search, &branch->on, &digest, branch->reached);
  branch->reached *= union_likely;
}

/* The next point of a branch, in tree->add and tree->all; false: none. */
static bool find_next(struct tree *tree, struct branch *branch,
                      struct cul_digest *digest) {
  struct cul_search *search = tree->search;
  if (!search->rule->next(branch->rule, &tree->add)) {
    end_gains(tree, branch);
    search->ends += branch->reached;
    return false;
  }
  if (branch->collects) {
    combine(search, &tree->all, &branch->under, &tree->add);
    *digest = digest_of(search, &tree->all);
    if (!asks(search, branch->rule) && is_in_window(branch, digest))
      return true;
    end_gains(tree, branch);
  }
  combine(search, &tree->all, &branch->on, &tree->add);
  *digest = digest_of(search, &tree->all);
  return true;
}

/* On to the next point without an answer, and beyond it both ways. */
static void grow_branch(struct tree *tree, struct branch *branch) {
  struct cul_search *search = tree->search;
  struct cul_digest digest = {{0, 0}};
  enum answer answer = ANSWER_NO;
  for (size_t steps = 0; answer <= ANSWER_YES; steps++) {
    if (steps == MOST_STEPS || !find_next(tree, branch, &digest)) {
      uproot(tree, branch);
      return;
    }
    answer = answer_of(search, &digest);
    if (answer == ANSWER_NO)
      search->rule->learn(branch->rule, &tree->add, false);
    else if (answer == ANSWER_YES)
      learn_yes(tree, branch);
  }
  add_guess(search, &tree->all, &digest, branch->reached);
  double yes = likelihood(search, &tree->add, &digest);
  if (tree->n < MOST_BRANCHES && branch->reached * yes > least_kept) {
    struct branch *other =
        plant(tree, branch->rule, &branch->on, branch->reached * yes);
    other->collects = branch->collects;
    other->gains = branch->gains;
    cul_set_copy(&other->under, &branch->under);
    other->n_window = branch->n_window;
    if (branch->n_window)
      other->window = cul_copy_array(branch->window, branch->n_window,
                                     sizeof *branch->window);
    learn_yes(tree, other);
  }
  search->rule->learn(branch->rule, &tree->add, false);
  branch->reached *= 1 - yes;
}

static void plant_roots(struct tree *tree) {
  struct cul_search *search = tree->search;
  struct branch *branch;
  if (search->collecting) {
    branch = plant(tree, search->path, &search->queue.open[0].all, 1);
    cul_set_add_all(&branch->on, &search->gain);
    cul_set_copy(&branch->under, &search->accepted);
    branch->collects = true;
    branch->gains = search->gain.n > 0;
    branch->window = cul_xcalloc(search->queue.n + 1, sizeof *branch->window);
    for (size_t i = search->member; i < search->queue.n; i++)
      branch->window[branch->n_window++] = search->queue.open[i].digest;
  } else if (search->merging) {
    plant(tree, search->path, &search->queue.open[0].all, union_likely);
    plant(tree, search->base, &search->accepted, 1 - union_likely);
  } else {
    plant(tree, search->base, &search->accepted, 1);
  }
}

/* How many copies of the rule are worth their time. */
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
    plant_roots(tree);
  for (size_t k = 0; k < most && tree->n > 0; k++) {
    struct branch *best = tree->branches;
    for (size_t i = 1; i < tree->n; i++)
      if (tree->branches[i].reached > best->reached)
        best = &tree->branches[i];
    if (best->reached < least_kept)
      break;
    grow_branch(tree, best);
  }
  while (tree->n > 0)
    uproot(tree, tree->branches);
  cul_set_release(&tree->add);
  cul_set_release(&tree->all);
  free(tree);
}

/* Those that no likely branch needs any more are given up. */
static void drop_unlikely(struct cul_search *search) {
  if (search->n_beside > 0 && !search->guessed)
    guess(search);
  for (size_t i = search->n_beside; i-- > 0;) {
    size_t k = 0;
    while (k < search->n_guesses &&
           !cul_digest_equal(&search->guesses[k].digest,
                             &search->beside[i].digest))
      k++;
    if (k == search->n_guesses || search->guesses[k].needed < least_kept)
      give_up_beside(search, i);
  }
}

/* Or will it be, as a point of the queue? */
static bool is_asked(const struct cul_search *search,
                     const struct cul_digest *digest) {
  for (size_t i = 0; i < search->queue.n; i++)
    if (cul_digest_equal(&search->queue.open[i].digest, digest))
      return true;
  return find_beside(search, digest) < search->n_beside;
}

/* The most probable guess that is no open point, if it is more probable than
 * the point that the rule would ask next (or NULL). */
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

static void ask_beside(struct cul_search *search, struct cul_guess *guess,
                       struct cul_set *set, uint64_t *ticket) {
  struct cul_beside *point;
  search->beside = cul_xreallocarray(search->beside, search->n_beside + 1,
                                     sizeof *search->beside);
  point = &search->beside[search->n_beside++];
  *point = (struct cul_beside){.ticket = ++search->last_ticket,
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
  for (size_t i = 0; i < search->n_beside; i++)
    cul_set_release(&search->beside[i].all);
  free(search->beside);
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

/* The window counts those that wait for their answer, and those that wait to be
 * accepted; what was answered "no" behind a slow one is for nothing where that
 * is a "yes", so there is a limit to it. */
static bool may_extend(const struct cul_search *search) {
  const size_t most_open = 4 * search->window + 8; /* known ones and all */
  size_t waiting = 0, yes = 0, asked = 0;
  for (size_t i = 0; i < search->queue.n; i++) {
    waiting += !search->queue.open[i].told;
    yes += search->queue.open[i].told && search->queue.open[i].yes;
    asked += search->queue.open[i].ticket != 0;
  }
  return !search->collecting && search->ahead_has &&
         search->queue.n < most_open &&
         (waiting == 0 || waiting + search->n_beside < search->window) &&
         yes < search->window && asked <= search->window;
}

static bool may_ask_beside(const struct cul_search *search) {
  size_t waiting = search->n_beside;
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
  guess = may_ask_beside(search) ? best_guess(search, point) : NULL;
  if (guess) {
    ask_beside(search, guess, set, ticket);
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
  tell_beside(search, ticket, yes);
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

void cul_search_limit(struct cul_search *search, size_t patience,
                      size_t quantum) {
  search->patience = patience;
  search->quantum = quantum;
  cul_check(patience != CUL_NO_PATIENCE || !search->collecting);
  if (patience == CUL_NO_PATIENCE)
    lose_patience(search);
}

bool cul_search_gave_up(const struct cul_search *search) {
  return search->gave_up;
}

bool cul_search_is_accepting(const struct cul_search *search) {
  return search->collecting;
}

/* Does the rule give another set once the first point is a "yes"? */
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
  /* What it stands on does not change before it is answered. */
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
