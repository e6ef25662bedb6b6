/* Keep a run of neighbours of one body, erase the others before and behind.
 * For large bodies only: this is the first cut, a few runs each; what is left
 * goes statement by statement. */
#include <stdlib.h>

#include "text_mend.h"

/* A body counts when it holds this part of the text, and so many items. */
enum { PART = 16, FEWEST = 3 };

struct body {
  uint32_t n, weight;
  uint32_t number; /* its group among the listed ones, + 1 */
};

static struct body *weigh(const struct cul_text *text) {
  struct body *bodies = cul_xcalloc(text->n_groups + 1, sizeof *bodies);
  for (uint32_t i = 0; i < text->n_items; i++) {
    bodies[text->items[i].group].n++;
    bodies[text->items[i].group].weight += cul_text_item_weight(text, i);
  }
  return bodies;
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  const struct cul_text *text = cul_text_settled(subject);
  struct body *bodies = weigh(text);
  uint32_t *site_of = cul_xreallocarray(NULL, text->n_items + 1, 4);
  uint32_t n_groups = 0;
  (void)err;
  for (uint32_t i = 0; i < text->n_items; i++) {
    const struct cul_text_item *item = &text->items[i];
    struct body *body = &bodies[item->group];
    uint32_t around =
        item->parent == CUL_TEXT_NONE ? CUL_SITE_NONE : site_of[item->parent];
    site_of[i] = around;
    if (body->n < FEWEST || body->weight < text->n_tokens / PART)
      continue;
    if (!body->number)
      body->number = ++n_groups;
    site_of[i] = cul_sites_add(out, NULL, i, cul_text_item_weight(text, i));
    out->items[site_of[i]].parent = around;
    out->items[site_of[i]].group = body->number - 1;
  }
  free(site_of);
  free(bodies);
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
    if (sites->items[i].group == group && (i < ids[0] || i > ids[n - 1]) &&
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
