/* The open points of a search: see queue.h. */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"

void cul_tickets_add(struct cul_tickets *tickets, uint64_t ticket) {
  if (tickets->n == tickets->cap) {
    tickets->cap = tickets->cap ? tickets->cap * 2 : 8;
    tickets->items = cul_xreallocarray(tickets->items, tickets->cap,
                                       sizeof(*tickets->items));
  }
  tickets->items[tickets->n++] = ticket;
}

size_t cul_tickets_take(struct cul_tickets *tickets, uint64_t *out,
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

void cul_tickets_release(struct cul_tickets *tickets) {
  free(tickets->items);
  *tickets = (struct cul_tickets){0};
}

struct cul_open_point *cul_queue_push(struct cul_queue *queue) {
  if (queue->n == queue->cap) {
    queue->cap = queue->cap ? queue->cap * 2 : 8;
    queue->open =
        cul_xreallocarray(queue->open, queue->cap, sizeof(*queue->open));
  }
  struct cul_open_point *point = &queue->open[queue->n++];
  *point = (struct cul_open_point){0};
  return point;
}

void cul_queue_give_up(struct cul_queue *queue,
                       const struct cul_open_point *point) {
  if (point->ticket == 0 || (point->told && !point->yes))
    return;
  cul_tickets_add(&queue->stale, point->ticket);
}

void cul_queue_drop(struct cul_queue *queue, size_t first, size_t n) {
  for (size_t i = first; i < first + n; i++) {
    cul_queue_give_up(queue, &queue->open[i]);
    cul_set_release(&queue->open[i].add);
    cul_set_release(&queue->open[i].all);
  }
  queue->n -= n;
  if (n > 0 && first < queue->n)
    memmove(queue->open + first, queue->open + first + n,
            (queue->n - first) * sizeof(*queue->open));
}

void cul_queue_release(struct cul_queue *queue) {
  cul_queue_drop(queue, 0, queue->n);
  free(queue->open);
  cul_tickets_release(&queue->stale);
  *queue = (struct cul_queue){0};
}
