/* See ticket_row.h. */
#include "ticket_row.h"

#include <stdlib.h>

#include "../../base/buf.h"
#include "../../base/check.h"

uint64_t cul_ticket_row_give(struct cul_ticket_row *tickets, uint64_t inner,
                             uint64_t *last) {
  if (inner != tickets->n + 1)
    cul_bug("a search gave out number %llu behind %zu",
            (unsigned long long)inner, tickets->n);
  /* Tickets only grow. */
  cul_check(tickets->n == 0 || tickets->row[tickets->n - 1] <= *last);
  if (tickets->n == tickets->room) {
    tickets->room = tickets->room ? 2 * tickets->room : 16;
    tickets->row =
        cul_xreallocarray(tickets->row, tickets->room, sizeof *tickets->row);
  }
  return tickets->row[tickets->n++] = ++*last;
}

uint64_t cul_ticket_row_of(const struct cul_ticket_row *tickets,
                           uint64_t inner) {
  if (inner == 0 || inner > tickets->n)
    cul_bug("no search gave out number %llu", (unsigned long long)inner);
  return tickets->row[inner - 1];
}

uint64_t cul_ticket_row_find(const struct cul_ticket_row *tickets,
                             uint64_t ticket) {
  size_t low = 0, high = tickets->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (tickets->row[middle] < ticket)
      low = middle + 1;
    else
      high = middle;
  }
  return low < tickets->n && tickets->row[low] == ticket ? low + 1 : 0;
}

void cul_ticket_row_release(struct cul_ticket_row *tickets) {
  free(tickets->row);
  *tickets = (struct cul_ticket_row){0};
}
