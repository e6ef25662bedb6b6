/* The open points of a search (search.c), in the order of its rule, and the
 * tickets of those that were given up, or learnt. */
#ifndef CUL_REDUCER_SEARCH_QUEUE_H
#define CUL_REDUCER_SEARCH_QUEUE_H

#include "../../base/digest.h"
#include "search.h"

struct cul_open_point {
  uint64_t ticket;          /* 0 = not asked (yet) */
  struct cul_set add;       /* what the rule proposed */
  struct cul_set all;       /* with what was accepted before */
  struct cul_digest digest; /* of all, as a point */
  bool told, yes;
  bool early;    /* asked before what it stands on was accepted */
  bool question; /* "yes" is learnt, not accepted */
};

struct cul_tickets {
  uint64_t *items;
  size_t n, cap;
};
void cul_tickets_add(struct cul_tickets *tickets, uint64_t ticket);
/* The first ones, at most max, leave; returns how many. */
size_t cul_tickets_take(struct cul_tickets *tickets, uint64_t *out, size_t max);
void cul_tickets_release(struct cul_tickets *tickets);

struct cul_queue {
  struct cul_open_point *open;
  size_t n, cap;
  struct cul_tickets stale;
};

/* A zeroed point at the end; others may move. */
struct cul_open_point *cul_queue_push(struct cul_queue *queue);
/* The ticket of a point, where it has one, is stale: the caller may hold
 * something for open tickets, and for each "yes". */
void cul_queue_give_up(struct cul_queue *queue,
                       const struct cul_open_point *point);
/* Take n points from first on out of the queue; open ones are stale from now
 * on. */
void cul_queue_drop(struct cul_queue *queue, size_t first, size_t n);
void cul_queue_release(struct cul_queue *queue);

#endif
