/* Keep a run of statements with what they need and how they are reached, erase
 * all others: where a function is long, most of it has nothing to do with the
 * statement that fails. */
#include <stdlib.h>

#include "text_c.h"
#include "text_mend.h"
#include "text_slice.h"

/* A body counts when it holds this part of the text. */
enum { PART = 32, FEWEST = 3 };

static void sites(struct cul_text *text, struct cul_sites *out) {
  if (cul_text_is_c(text) || text->lang->indents)
    cul_text_add_bodies(text, PART, FEWEST, out);
}

static bool keep(struct cul_text *text, const struct cul_sites *sites,
                 uint32_t first, uint32_t last) {
  uint32_t group = sites->items[first].group;
  bool any = false, *kept = cul_xcalloc(text->n_items + 1, sizeof *kept);
  for (uint32_t i = first; i <= last; i++) {
    uint32_t item = (uint32_t)sites->detail[i];
    uint32_t end = text->items[item].end;
    if (sites->items[i].group != group)
      continue;
    for (; item < text->n_items && text->items[item].first < end; item++)
      kept[item] = true;
  }
  cul_text_slice(text, kept);
  for (uint32_t i = 0; i < text->n_items; i++)
    if (!kept[i])
      any |= cul_text_erase_item(text, i);
  free(kept);
  return any;
}

const struct cul_mutation cul_mutation_text_keep_slice = {
    .name = "text-keep-slice",
    .summary = "keep a run of statements with all that they need",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .frame = &cul_text_frame,
    .how = &(
        const struct cul_text_each){.list = sites, .keep = keep, .mends = true},
};
