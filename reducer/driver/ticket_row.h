/* Maps the tickets of several searches to one sequence.  Each search numbers
 * its points from 1; the driver numbers the points of all searches together. */
#ifndef CUL_REDUCER_DRIVER_TICKET_ROW_H
#define CUL_REDUCER_DRIVER_TICKET_ROW_H

#include <stddef.h>
#include <stdint.h>

/* Tickets of one search; starts as {0}. */
struct cul_ticket_row {
  uint64_t *row; /* inner number - 1 -> ticket, ascending */
  size_t n, room;
};

/* Assign the next ticket to `inner`, the number that the search has just given
 * out.  *last: the last ticket of all searches; updated.  Returns the ticket.
 */
uint64_t cul_ticket_row_give(struct cul_ticket_row *tickets, uint64_t inner,
                             uint64_t *last);
/* The ticket of a number that was given out. */
uint64_t cul_ticket_row_of(const struct cul_ticket_row *tickets,
                           uint64_t inner);
/* The search's number of a ticket; 0: the ticket belongs to another search. */
uint64_t cul_ticket_row_find(const struct cul_ticket_row *tickets,
                             uint64_t ticket);
void cul_ticket_row_release(struct cul_ticket_row *tickets);

#endif
