/* A hash set of points. */
#include "known.h"

#include <stdlib.h>

#include "../../base/buf.h"

static size_t slot_of(const struct cul_known *known,
                      const struct cul_digest *point) {
  size_t at = point->w[0] & (known->cap - 1);
  while (!cul_digest_is_zero(&known->slots[at]) &&
         !cul_digest_equal(&known->slots[at], point))
    at = (at + 1) & (known->cap - 1);
  return at;
}

static void grow(struct cul_known *known) {
  struct cul_known larger = {NULL, known->n, known->cap ? known->cap * 2 : 64};
  larger.slots = cul_xcalloc(larger.cap, sizeof(*larger.slots));
  for (size_t i = 0; i < known->cap; i++)
    if (!cul_digest_is_zero(&known->slots[i]))
      larger.slots[slot_of(&larger, &known->slots[i])] = known->slots[i];
  free(known->slots);
  *known = larger;
}

void cul_known_add(struct cul_known *known, const struct cul_digest *point) {
  if (known->n * 2 >= known->cap)
    grow(known);
  size_t at = slot_of(known, point);
  known->n += cul_digest_is_zero(&known->slots[at]);
  known->slots[at] = *point;
}

bool cul_known_has(const struct cul_known *known,
                   const struct cul_digest *point) {
  return known->cap > 0 &&
         !cul_digest_is_zero(&known->slots[slot_of(known, point)]);
}

void cul_known_release(struct cul_known *known) {
  free(known->slots);
  *known = (struct cul_known){0};
}
