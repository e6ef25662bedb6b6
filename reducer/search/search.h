/* Searches decide which subset of the sites to try next.  They deal with
 * numbers only: no IR, no process.
 *
 * A job lists the sites of one revision (items 0..n-1).  A search proposes sets
 * of items.  Each set is applied, as edits, to that revision *together with
 * everything accepted so far in this search*.  A rule is a pure state machine:
 * it gives the next set, then learns the answer.  cul_search turns a rule into
 * an ask/tell loop with look-ahead.  It runs the rule ahead on the assumption
 * that every open answer is "no", and rolls back if the assumption fails.  The
 * result is therefore the same as with one worker, in whatever order the
 * answers arrive.
 *
 * Once an answer has arrived, a search with a window above 2 also asks
 * speculative points, which are needed only if an open answer is "yes", if such
 * a point is more likely to be needed than the next one under "no".  The
 * likelihood comes from the answers to sets of similar size.  The answer to a
 * speculative point is only remembered: it does not change what the rule asks
 * for, and a "yes" is asked once more. */
#ifndef CUL_REDUCER_SEARCH_SEARCH_H
#define CUL_REDUCER_SEARCH_SEARCH_H

#include "../../base/digest.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUL_NO_ITEM UINT32_MAX

/* One site, as a search sees it. */
struct cul_item {
  uint32_t weight; /* the number of operations that its removal removes, at
                      least 1 */
  uint32_t parent; /* the item whose subtree contains this one, or CUL_NO_ITEM;
                      parents come before their children */
  uint32_t group;  /* siblings of one group form an ordered sequence (the
                      operations of a block); numbered by first item */
};

/* A set of items; ids ascending, unique. */
struct cul_set {
  uint32_t *ids;
  size_t n, cap;
};
void cul_set_add(struct cul_set *set, uint32_t id); /* keeps order */
void cul_set_clear(struct cul_set *set);
void cul_set_release(struct cul_set *set);
void cul_set_copy(struct cul_set *dst, const struct cul_set *src);
void cul_set_add_all(struct cul_set *set, const struct cul_set *more);
bool cul_set_has(const struct cul_set *set, uint32_t id);
bool cul_set_equal(const struct cul_set *a, const struct cul_set *b);

/* One search rule.  The opaque state holds everything; copy is deep. */
struct cul_search_rule {
  const char *name, *summary;
  bool ranges; /* a set is a range to keep: {first, last} of one group, or
                  {first} for a single item (segment); otherwise a set lists the
                  items to remove or rewrite */
  bool chains; /* only finds where to cut a sequence (prefix): the rest may
                  still contain removable items */
  /* items: borrowed while the state lives.  seed: for breaking ties. */
  void *(*begin)(const struct cul_item *items, size_t n, uint64_t seed);
  void *(*copy)(const void *state);
  void (*free)(void *state);
  /* The next set to try on top of what was accepted; false = finished.  A
   * second call without learn gives the same set. */
  bool (*next)(void *state, struct cul_set *out);
  /* Is the next set only a question?  A "yes" to a question is learnt but not
   * accepted.  NULL: never. */
  bool (*asks)(const void *state);
  /* Learn the answer to the set that next gives in this state; next need not
   * have been called.  yes: the set was accepted, unless it was a question; its
   * items are then gone, with their subtrees. */
  void (*learn)(void *state, const struct cul_set *tried, bool yes);
  /* For rules that go round the items in an order: the number of items that are
   * left and come before the next one in this order; and begin behind the first
   * n items (n < number of items).  NULL: no such order. */
  size_t (*passed)(const void *state);
  void (*pass)(void *state, size_t n);
  /* Do single items go and pairs stay, as far as the answers tell, with many
   * items left?  NULL: never. */
  bool (*is_singly)(const void *state);
};

extern const struct cul_search_rule *const cul_search_rules[]; /* NULL ends */
const struct cul_search_rule *cul_search_rule_find(const char *name);

struct cul_search; /* a rule, its snapshots and its tickets */

/* window: how many points may be open, and how many "yes" may wait for
 * acceptance; at least 1.  Use the number of workers.  A caller that keeps
 * something for each open point and each "yes" needs 3 * window + 1 places:
 * when a point is accepted, the other points of its window, and their union,
 * may still be asked.
 *
 * Merging is on by default, except for ranges.  With merging, accepting a point
 * does not discard the other points of its window.  Their "no" answers are
 * kept, and those answered "yes" are asked once more, all together with the
 * accepted point.  The result depends on seed and window only, never on which
 * answer comes first.  Without merging, the result does not depend on the
 * window either: it is what one worker finds. */
struct cul_search *cul_search_new(const struct cul_search_rule *rule,
                                  const struct cul_item *items, size_t n,
                                  size_t window, uint64_t seed);
void cul_search_free(struct cul_search *search);
/* Call before the first ask. */
void cul_search_set_merge(struct cul_search *search, bool on);
/* When a search that finds too little ends, to be left for later. */
#define CUL_NO_PATIENCE SIZE_MAX
enum { CUL_SLOW = 16 };
struct cul_search_limits {
  size_t patience; /* after so many answers "no" in a row, in the rule's order;
                      0: never */
  size_t first;    /* the same before its first "yes", if less; 0: patience */
  size_t quantum;  /* where so many answers removed less than one item in
                      `slow` of all; 0: never */
  size_t slow;     /* 0: CUL_SLOW */
  bool leaves_singly; /* once its rule is_singly */
  size_t passed; /* begin behind so many items of the rule's order, modulo their
                    number, and come to those last; rules without an order
                    ignore it */
};
/* Call before the first ask.  A patience of CUL_NO_PATIENCE may also be set
 * later, whenever no point is being accepted: the search ends, and points not
 * yet accepted are given up. */
void cul_search_limit(struct cul_search *search,
                      const struct cul_search_limits *limits);
/* Did the search end by a limit, with points unasked? */
enum cul_gave_up {
  CUL_GAVE_UP_NOT = 0,
  CUL_GAVE_UP_SLOW,   /* by patience or quantum */
  CUL_GAVE_UP_SINGLY, /* by leaves_singly */
};
struct cul_search_took {
  size_t answers; /* that took effect */
  size_t passed;  /* items that are left and come before the next one, for the
                     limits of the search that goes on there; 0 for rules
                     without an order */
  bool together;  /* several items were removed by one answer */
};
/* *took: what the search took so far; may be NULL. */
enum cul_gave_up cul_search_gave_up(const struct cul_search *search,
                                    struct cul_search_took *took);

/* The next point.  *set: everything to apply to the revision, accepted items
 * included; for ranges just {first, last}.  *ticket: its number, ascending.
 * Returns false when nothing can be asked now: either open tickets must be told
 * first, or the search is finished (cul_search_finished). */
bool cul_search_ask(struct cul_search *search, struct cul_set *set,
                    uint64_t *ticket);
/* Report an answer; the order does not matter.  yes: the candidate shows the
 * sought failure and is smaller than the accepted one at the time of asking.
 * The answer takes effect only when all earlier tickets are told.  Stale and
 * unknown tickets are ignored. */
void cul_search_tell(struct cul_search *search, uint64_t ticket, bool yes);
/* Get the tickets that will never be accepted, although they are open or were
 * told "yes".  The caller stops them and frees what it keeps for them; they
 * count as told.  Each ticket is returned once.  Returns the number written to
 * tickets, at most max. */
size_t cul_search_stale(struct cul_search *search, uint64_t *tickets,
                        size_t max);
/* The last ticket accepted since the previous call, or 0; its set is now the
 * state of the search.  Tickets start at 1. */
uint64_t cul_search_accepted(struct cul_search *search);
/* Get a ticket whose "no" the rule has learnt; 0: none now.  Such an answer is
 * final, as with one worker, whereas other answers may be discarded.  Each
 * ticket is returned once, in the rule's order.  If a point was asked twice
 * (given up first, but answered), this is the ticket that answered it. */
uint64_t cul_search_learnt(struct cul_search *search);
/* Has a point been answered "yes" that will be accepted as soon as the points
 * that are merged with it are known? */
bool cul_search_is_accepting(const struct cul_search *search);
/* The ticket of the point that all others wait for, if it is unanswered and its
 * "yes" would end the search; otherwise 0.  *set: as given by ask. */
uint64_t cul_search_last(struct cul_search *search, struct cul_set *set);
/* The accepted set; borrowed until the next tell. */
const struct cul_set *cul_search_state(const struct cul_search *search);
bool cul_search_finished(const struct cul_search *search);

/* Points whose answer is "no", in a hash table by their digest, each with the
 * ticket of that answer.  A search asks for no point again.  {0} is empty. */
struct cul_search_known {
  struct cul_known_point {
    struct cul_digest point;
    uint64_t ticket;
  } *slots; /* open addressing; a zero slot is free */
  size_t n, cap;
};

#endif
