/* sweep: from the last item to the first, split each chunk down to single items
 * before trying the chunk in front of it (see chunks.c).  Use sweep for items
 * that can only be removed after later ones: definitions whose uses must be
 * removed first, as in text.  For these it needs a fraction of the tries of
 * halve; for others it needs as many, but additional workers help less and
 * large gains come later. */
#include "chunks.h"

static void *sweep_begin(const struct cul_item *items, size_t n,
                         uint64_t seed) {
  (void)seed;
  return cul_chunks_begin(items, n, false);
}

const struct cul_search_rule cul_search_rule_sweep = {
    .name = "sweep",
    .summary = "halves by weight, from the last item to the first",
    .begin = sweep_begin,
    .copy = cul_chunks_copy,
    .free = cul_chunks_free,
    .next = cul_chunks_next,
    .learn = cul_chunks_learn,
};
