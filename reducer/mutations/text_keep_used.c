/* Keep a run of declarations with all that they use, erase the others: the
 * first cut where most of a text has nothing to do with the failure.  One
 * function, one explicit instantiation or main is often enough of a run. */
#include <stdlib.h>

#include "text_declarations.h"

static void sites(struct cul_text *text, struct cul_sites *out) {
  struct cul_text_declarations all;
  cul_text_declarations_find(text, &all);
  for (uint32_t i = 0; i < all.n; i++)
    if (!all.items[i].stays)
      cul_sites_add(out, NULL, i, all.items[i].end - all.items[i].first);
  cul_text_declarations_release(&all);
}

static bool keep(struct cul_text *text, const struct cul_sites *sites,
                 uint32_t first, uint32_t last) {
  struct cul_text_declarations all;
  bool any = false, *used;
  cul_text_declarations_find(text, &all);
  used = cul_xcalloc(all.n + 1, sizeof *used);
  for (uint32_t i = 0; i < all.n; i++)
    used[i] = all.items[i].stays ||
              (i >= sites->detail[first] && i <= sites->detail[last]);
  cul_text_declarations_follow(text, &all, used);
  for (uint32_t i = 0; i < all.n; i++)
    if (!used[i])
      any |= cul_text_erase_tokens(text, all.items[i].first, all.items[i].end);
  free(used);
  cul_text_declarations_release(&all);
  return any;
}

const struct cul_mutation cul_mutation_text_keep_used = {
    .name = "text-keep-used",
    .summary = "keep a run of declarations with all that they use",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    CUL_TEXT_EACH(.list = sites, .keep = keep),
};
