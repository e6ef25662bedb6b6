/* A hash table of points: see known.h. */
#include "known.h"

#include <stdlib.h>

#include "../../base/buf.h"

static size_t slot_of(const struct cul_known *known,
                      const struct cul_digest *point) {
  size_t at = point->w[0] & (known->cap - 1);
  while (!cul_digest_is_zero(&known->slots[at].point) &&
         !cul_digest_equal(&known->slots[at].point, point))
    at = (at + 1) & (known->cap - 1);
  return at;
}

static void grow(struct cul_known *known) {
  struct cul_known larger = {NULL, known->n, known->cap ? known->cap * 2 : 64};
  larger.slots = cul_xcalloc(larger.cap, sizeof(*larger.slots));
  for (size_t i = 0; i < known->cap; i++)
    if (!cul_digest_is_zero(&known->slots[i].point))
      larger.slots[slot_of(&larger, &known->slots[i].point)] = known->slots[i];
  free(known->slots);
  *known = larger;
}

void cul_known_add(struct cul_known *known, const struct cul_digest *point,
                   uint64_t ticket) {
  if (known->n * 2 >= known->cap)
    grow(known);
  size_t at = slot_of(known, point);
  if (!cul_digest_is_zero(&known->slots[at].point))
    return;
  known->n++;
  known->slots[at] = (struct cul_known_point){*point, ticket};
}

uint64_t *cul_known_find(const struct cul_known *known,
                         const struct cul_digest *point) {
  struct cul_known_point *slot;
  if (known->cap == 0)
    return NULL;
  slot = &known->slots[slot_of(known, point)];
  return cul_digest_is_zero(&slot->point) ? NULL : &slot->ticket;
}

void cul_known_release(struct cul_known *known) {
  free(known->slots);
  *known = (struct cul_known){0};
}
