/* The tickets of many searches as those of one: each search numbers its points
 * from 1 on, and all points have numbers of one row. */
#ifndef CUL_REDUCER_DRIVER_TICKET_ROW_H
#define CUL_REDUCER_DRIVER_TICKET_ROW_H

#include <stddef.h>
#include <stdint.h>

/* Those of one search; {0} to begin with. */
struct cul_ticket_row {
  uint64_t *row; /* inner number - 1 -> ticket, ascending */
  size_t n, room;
};

/* The search has given out its next number, inner; *last: the last ticket of
 * all searches.  Returns the ticket, the next one. */
uint64_t cul_ticket_row_give(struct cul_ticket_row *tickets, uint64_t inner,
                             uint64_t *last);
/* The ticket of a number that was given out. */
uint64_t cul_ticket_row_of(const struct cul_ticket_row *tickets,
                           uint64_t inner);
/* The number of a ticket; 0: it is none of this search. */
uint64_t cul_ticket_row_find(const struct cul_ticket_row *tickets,
                             uint64_t ticket);
void cul_ticket_row_release(struct cul_ticket_row *tickets);

#endif
