/* The open points of a search: see queue.h. */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"

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
  if (queue->n_stale == queue->cap_stale) {
    queue->cap_stale = queue->cap_stale ? queue->cap_stale * 2 : 8;
    queue->stale = cul_xreallocarray(queue->stale, queue->cap_stale,
                                     sizeof(*queue->stale));
  }
  queue->stale[queue->n_stale++] = point->ticket;
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

size_t cul_queue_stale(struct cul_queue *queue, uint64_t *tickets, size_t max) {
  size_t n = queue->n_stale < max ? queue->n_stale : max;
  if (n == 0)
    return 0;
  memcpy(tickets, queue->stale, n * sizeof(*tickets));
  queue->n_stale -= n;
  memmove(queue->stale, queue->stale + n,
          queue->n_stale * sizeof(*queue->stale));
  return n;
}

void cul_queue_release(struct cul_queue *queue) {
  cul_queue_drop(queue, 0, queue->n);
  free(queue->open);
  free(queue->stale);
  *queue = (struct cul_queue){0};
}
