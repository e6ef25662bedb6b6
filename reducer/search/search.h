/* Searches: which subset of the sites next.  Numbers only: no IR, no process.
 *
 * A job lists the sites of one revision (items 0..n-1).  A search proposes
 * sets of items; the set is applied, as edits, to that revision, *together
 * with everything accepted so far in this search*.  A rule is a pure state
 * machine: next set, then learn the answer.  cul_search turns a rule into an
 * ask/tell loop with look-ahead: it runs the rule ahead on the assumption
 * that every answer still open is "no", rolls back where it was not, and so
 * gives the same result as one worker, whatever finishes first. */
#ifndef CUL_REDUCER_SEARCH_SEARCH_H
#define CUL_REDUCER_SEARCH_SEARCH_H

#include "../../base/digest.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUL_NO_ITEM UINT32_MAX

/* One site as a search sees it. */
struct cul_item {
  uint32_t weight; /* what its removal is worth: operations, at least 1 */
  uint32_t parent; /* the item around it (its subtree lies inside), or
                      CUL_NO_ITEM; parents come before their children */
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

/* One search rule.  All state lives behind the pointer; copy is deep. */
struct cul_search_rule {
  const char *name, *summary;
  bool ranges; /* sets are {first, last} of one group, just {first} where both
                  are one: keep only these (segment); else sets of items to
                  remove or rewrite */
  bool chains; /* only looks for where to cut a sequence (prefix): what is left
                  may still hold items that could go */
  /* items: borrowed while the state lives.  seed: for tie-breaking. */
  void *(*begin)(const struct cul_item *items, size_t n, uint64_t seed);
  void *(*copy)(const void *state);
  void (*free)(void *state);
  /* The next set to try on top of what was accepted; false = finished.
   * Calling it twice without learn gives the same set. */
  bool (*next)(void *state, struct cul_set *out);
  /* Is that set only a question?  Then a "yes" is learnt, and nothing is
   * accepted.  NULL: never. */
  bool (*asks)(const void *state);
  /* The answer to the set that next gives in this state (next need not have
   * been called).  yes: it was accepted, unless it was a question; then the
   * items of the set are gone (and, for trees, all below them). */
  void (*learn)(void *state, const struct cul_set *tried, bool yes);
};

extern const struct cul_search_rule *const cul_search_rules[]; /* NULL ends */
const struct cul_search_rule *cul_search_rule_find(const char *name);

struct cul_search; /* a rule, its snapshots and tickets */

/* window: how many points may wait for an answer, and how many "yes" for
 * acceptance, at least 1: the number of workers.  A caller that keeps something
 * for each open point and each "yes" needs 3 * window + 1 places: where one is
 * accepted, others of the window may be asked still, and their union.
 *
 * Merging (on at first, not for ranges): when a point is accepted, the others
 * of its window are not thrown away.  Their "no" is taken over, those with
 * "yes" are asked once more, all together with the accepted one.  The result
 * depends on seed and window only, never on who finishes first.  Without
 * merging it does not depend on the window either: it is what one worker
 * finds. */
struct cul_search *cul_search_new(const struct cul_search_rule *rule,
                                  const struct cul_item *items, size_t n,
                                  size_t window, uint64_t seed);
void cul_search_free(struct cul_search *search);
/* Before the first ask. */
void cul_search_set_merge(struct cul_search *search, bool on);
/* End after `most` answers "no" in a row (in the rule's order; 0 = never): a
 * search over many sites that yields nothing is left for later.  Before the
 * first ask; or, at any time when none is being accepted,
 * CUL_NO_PATIENCE: what is not accepted by now is given up. */
#define CUL_NO_PATIENCE SIZE_MAX
void cul_search_set_patience(struct cul_search *search, size_t most);
/* Whether the search ended so, with points unasked. */
bool cul_search_gave_up(const struct cul_search *search);

/* The next point: set = everything to apply to the revision (accepted ones
 * included; for ranges just {first, last}).  *ticket numbers it, ascending.
 * Returns false when nothing can be asked now: either open tickets must be
 * told first, or the search is finished (cul_search_finished).  "Smaller"
 * means smaller than what is accepted when the point is asked. */
bool cul_search_ask(struct cul_search *search, struct cul_set *set,
                    uint64_t *ticket);
/* Tell an answer; in any order.  yes: the sought failure with a smaller
 * subject.  Acts only when all earlier tickets are told.  Tickets that are
 * stale or unknown are ignored. */
void cul_search_tell(struct cul_search *search, uint64_t ticket, bool yes);
/* Tickets that will never be accepted though they are open or were told
 * "yes": stop them, let go of what is kept for them; they count as told.
 * Each is given once.  Returns the number written to tickets (at most max). */
size_t cul_search_stale(struct cul_search *search, uint64_t *tickets,
                        size_t max);
/* The last accepted ticket since the previous call (its set is now the
 * state of the search), or 0 when none.  Tickets start at 1. */
uint64_t cul_search_accepted(struct cul_search *search);
/* A ticket whose "no" was learnt: the rule has gone on from it, as it would
 * have with one worker; other answers may be thrown away.  Each is given once,
 * in the rule's order, a point that is asked twice (the first was given up, but
 * answered) under the ticket that answered it; 0 when there is none now. */
uint64_t cul_search_learnt(struct cul_search *search);
/* Has a point been answered "yes" that will be accepted, once it is known what
 * else goes with it? */
bool cul_search_is_accepting(const struct cul_search *search);
/* The ticket of the point that all others wait for, where it has no answer yet
 * and the search is over once it is a "yes"; set: as ask gave it.  Else 0. */
uint64_t cul_search_last(struct cul_search *search, struct cul_set *set);
/* The set that is accepted; borrowed, until the next tell. */
const struct cul_set *cul_search_state(const struct cul_search *search);
bool cul_search_finished(const struct cul_search *search);

struct cul_search_known {
  struct cul_known_point {
    struct cul_digest point;
    uint64_t ticket;
  } *slots; /* open addressing; zero = free */
  size_t n, cap;
};

#endif
