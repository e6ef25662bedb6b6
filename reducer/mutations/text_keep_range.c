/* Keep a run of neighbours of one body, erase the others before and behind.
 * For large bodies only: this is the first cut, a few runs each; what is left
 * goes statement by statement. */
#include "text_mend.h"

/* A body counts when it holds this part of the text, and so many items. */
enum { PART = 16, FEWEST = 3 };

static void sites(struct cul_text *text, struct cul_sites *out) {
  cul_text_add_bodies(text, PART, FEWEST, out);
}

/* In the mlir-text form: the end of the block, aliases, file metadata. */
static bool stays(const struct cul_text *text, uint32_t item) {
  return cul_text_is_mlir(text) &&
         (cul_text_is_terminator(text, text->habits, item) ||
          cul_text_is_alias(text, cul_text_item_first(text, item)));
}

static bool keep(struct cul_text *text, const struct cul_sites *sites,
                 uint32_t first, uint32_t last) {
  uint32_t group = sites->items[first].group;
  bool any = false;
  for (uint32_t i = 0; i < sites->n; i++)
    if ((i < first || i > last) && sites->items[i].group == group &&
        !stays(text, (uint32_t)sites->detail[i]))
      any |= cul_text_erase_item(text, (uint32_t)sites->detail[i]);
  return any;
}

const struct cul_mutation cul_mutation_text_keep_range = {
    .name = "text-keep-range",
    .summary = "keep a run of statements of one body, erase the others",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .frame = &cul_text_frame,
    .how = &(
        const struct cul_text_each){.list = sites, .keep = keep, .mends = true},
};
