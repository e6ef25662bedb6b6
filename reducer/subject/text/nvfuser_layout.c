/* Extents and strides of the inputs of nvFuser's definitions: see nvfuser.h. */
#include "nvfuser.h"

/* The next dimension from the inside outwards, among those not in done: the one
 * with the smallest stride; among several, the last. */
static uint32_t innermost(const struct cul_nvfuser_layout *l,
                          const bool *done) {
  uint32_t best = CUL_TEXT_NONE;
  for (uint32_t d = 0; d < l->n; d++)
    if (!done[d] && (best == CUL_TEXT_NONE || l->stride[d] <= l->stride[best]))
      best = d;
  return best;
}

/* Compute new strides in the old order: dense if they were dense, larger by one
 * element if there was a gap, 0 if they were 0. */
static void restride(struct cul_nvfuser_layout *l) {
  bool done[CUL_NVFUSER_RANK] = {false};
  uint64_t was = 1, now = 1;
  for (uint32_t i = 0; i < l->n; i++) {
    uint32_t d = innermost(l, done);
    done[d] = true;
    l->to[d] = l->stride[d];
    if (l->stride[d] == 0)
      continue;
    if (l->stride[d] == was || l->old[d] == 1)
      l->to[d] = now;
    else if (l->stride[d] > was || l->stride[d] > now)
      l->to[d] = now + (l->stride[d] > was);
    if (l->old[d] == 1)
      continue;
    was = l->stride[d] * l->old[d];
    now = l->to[d] * l->new[d];
  }
}

static uint64_t room(const uint64_t *sizes, const uint64_t *strides,
                     uint32_t n) {
  uint64_t last = 1;
  for (uint32_t d = 0; d < n; d++)
    last += (sizes[d] - 1) * strides[d];
  return last;
}

/* Update the last number, which is the number of elements of the storage or
 * more. */
static void put_room(struct cul_text *text, uint32_t open, uint64_t was,
                     uint64_t now) {
  uint32_t found = CUL_TEXT_NONE;
  uint64_t n;
  for (uint32_t i = open; i < text->tokens[open].match; i++)
    if (cul_text_nvfuser_number(text, i, &n) && n >= was)
      found = i;
  if (found != CUL_TEXT_NONE)
    cul_text_nvfuser_put(text, found, now);
}

bool cul_text_nvfuser_read(const struct cul_text *text,
                           const struct cul_nvfuser_entry *entry,
                           struct cul_nvfuser_layout *l) {
  uint32_t first, end;
  *l = (struct cul_nvfuser_layout){.n = 0};
  for (; cul_text_element(text, entry->size, l->n, &first, &end); l->n++) {
    if (l->n == CUL_NVFUSER_RANK ||
        !cul_text_nvfuser_number(text, first, &l->old[l->n]) ||
        !cul_text_element(text, entry->stride, l->n, &first, &end) ||
        !cul_text_nvfuser_number(text, first, &l->stride[l->n]))
      return false;
    l->new[l->n] = l->old[l->n];
  }
  return true;
}

void cul_text_nvfuser_write(struct cul_text *text,
                            const struct cul_nvfuser_entry *entry,
                            struct cul_nvfuser_layout *l) {
  uint32_t first, end;
  restride(l);
  for (uint32_t d = 0; d < l->n; d++) {
    if (l->new[d] != l->old[d] &&
        cul_text_element(text, entry->size, d, &first, &end))
      cul_text_nvfuser_put(text, first, l->new[d]);
    if (l->to[d] != l->stride[d] &&
        cul_text_element(text, entry->stride, d, &first, &end))
      cul_text_nvfuser_put(text, first, l->to[d]);
  }
  if (entry->room != CUL_TEXT_NONE)
    put_room(text, entry->room, room(l->old, l->stride, l->n),
             room(l->new, l->to, l->n));
}
