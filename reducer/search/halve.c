/* halve: try all chunks of one size before any smaller one (see chunks.c).
 * Large gains come first.  The chunks of one size do not depend on each other,
 * so many workers help.  Use halve for sites that can be removed in any order.
 */
#include "chunks.h"

static void *halve_begin(const struct cul_item *items, size_t n,
                         uint64_t seed) {
  (void)seed;
  return cul_chunks_begin(items, n, true);
}

const struct cul_search_rule cul_search_rule_halve = {
    .name = "halve",
    .summary = "everything, then halves by weight, the large ones first",
    .begin = halve_begin,
    .copy = cul_chunks_copy,
    .free = cul_chunks_free,
    .next = cul_chunks_next,
    .learn = cul_chunks_learn,
};
