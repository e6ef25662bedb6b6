/* Replace the body of a block by "pass": where blocks are made by indentation
 * a header cannot stand without one.  Elsewhere text-erase-balanced does it. */
#include <stdlib.h>

#include "text_sites.h"

/* detail: the first item of the body. */
static void sites(struct cul_text *text, struct cul_sites *out) {
  uint32_t *site_of = cul_xreallocarray(NULL, text->n_groups + 1, 4);
  for (size_t i = 0; i <= text->n_groups; i++)
    site_of[i] = CUL_SITE_NONE;
  for (uint32_t i = 0; text->lang->indents && i < text->n_items; i++) {
    uint32_t *site = &site_of[text->items[i].group];
    if (text->items[i].parent == CUL_TEXT_NONE)
      continue;
    if (*site == CUL_SITE_NONE) {
      *site = cul_sites_add(out, NULL, i, 1);
      out->items[*site].parent =
          site_of[text->items[text->items[i].parent].group];
      out->items[*site].group = *site;
    }
    out->items[*site].weight += cul_text_item_weight(text, i);
  }
  free(site_of);
}

static bool is_pass(const struct cul_text *text, uint32_t item) {
  uint32_t first = cul_text_item_first(text, item);
  return cul_text_item_weight(text, item) == 1 &&
         cul_text_token_is(text, first, "pass");
}

static bool empty(struct cul_text *text, uint64_t detail) {
  uint32_t first = (uint32_t)detail;
  uint32_t group = text->items[first].group;
  uint32_t end = text->items[text->items[first].parent].end;
  const struct cul_line *line = &text->lines[text->items[first].first];
  bool any =
      !is_pass(text, first) && cul_text_replace(text, line->first, "pass");
  if (!any)
    return false;
  cul_text_erase_tokens(text, line->first + 1, line->first + line->n);
  cul_text_erase_lines(text, text->items[first].first + 1,
                       text->items[first].end);
  for (uint32_t i = first + 1; i < text->n_items && text->items[i].first < end;
       i++)
    if (text->items[i].group == group)
      cul_text_erase_item(text, i);
  return true;
}

const struct cul_mutation cul_mutation_text_empty_body = {
    .name = "text-empty-body",
    .summary = "replace the body of a block by pass",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = empty},
};
