/* Keep a run of neighbours of one body, erase the others before and behind.
 * For large bodies only: this is the first cut, a few runs each; what is left
 * goes statement by statement. */
#include "text_mend.h"

/* A body counts when it holds this part of the text, and so many items. */
enum { PART = 16, FEWEST = 3 };

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  cul_text_add_bodies(cul_text_settled(subject), PART, FEWEST, out);
  return 0;
}

/* In the mlir-text form: the end of the block, aliases, file metadata. */
static bool stays(const struct cul_text *text, uint32_t item) {
  return cul_text_is_mlir(text) &&
         (cul_text_is_terminator(text, text->habits, item) ||
          cul_text_is_alias(text, text->lines[text->items[item].first].first));
}

/* ids: the first and the last item to keep. */
static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_of(subject);
  uint32_t group = sites->items[ids[0]].group;
  bool any = false;
  (void)err;
  for (uint32_t i = 0; i < sites->n; i++)
    if ((i < ids[0] || i > ids[n - 1]) && sites->items[i].group == group &&
        !stays(text, (uint32_t)sites->detail[i]))
      any |= cul_text_erase_item(text, (uint32_t)sites->detail[i]);
  cul_text_mend(text);
  *applied += any ? n : 0;
  return 0;
}

const struct cul_mutation cul_mutation_text_keep_range = {
    .name = "text-keep-range",
    .summary = "keep a run of statements of one body, erase the others",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .sites = sites,
    .apply = apply,
};
