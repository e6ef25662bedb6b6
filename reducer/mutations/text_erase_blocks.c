/* Erase statements: a line, or a line with the block that it opens, all
 * lines inside and those that close it.  The tree of blocks is the tree of
 * sites, so a search goes from functions to loops to lines.  In the mlir-text
 * form values whose definition went become arguments.  What stands on a line of
 * its own in a list or table of Python is no statement: text-erase-names and
 * text-erase-elements take those. */
#include <stdlib.h>

#include "text_mend.h"

/* Does the line of Python begin inside brackets of the item around? */
static bool is_element(const struct cul_text *text, uint32_t item) {
  uint32_t first = cul_text_first_token(text, text->items[item].first), i;
  if (!text->lang->indents || text->items[item].parent == CUL_TEXT_NONE)
    return false;
  i = cul_text_first_token(text, text->items[text->items[item].parent].first);
  for (; i < first; i++)
    if (text->tokens[i].kind == CUL_TOKEN_OPEN &&
        text->tokens[i].match >= first)
      return true;
  return false;
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  const struct cul_text *text = cul_text_settled(subject);
  uint32_t *site_of = cul_xreallocarray(NULL, text->n_items + 1, 4);
  uint32_t *number = cul_xcalloc(text->n_groups + 1, sizeof *number);
  uint32_t n_groups = 0; /* that have a site; number: one more than each's */
  (void)err;
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t parent = text->items[i].parent;
    uint32_t *group = &number[text->items[i].group];
    site_of[i] = parent == CUL_TEXT_NONE ? CUL_SITE_NONE : site_of[parent];
    if (is_element(text, i))
      continue;
    parent = site_of[i];
    site_of[i] = cul_sites_add(out, NULL, i, cul_text_item_weight(text, i));
    *group = *group ? *group : ++n_groups;
    out->items[site_of[i]].parent = parent;
    out->items[site_of[i]].group = *group - 1;
  }
  free(site_of);
  free(number);
  return 0;
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_text *text = cul_text_of(subject);
  (void)err;
  for (size_t i = 0; i < n; i++)
    *applied += cul_text_erase_item(text, (uint32_t)sites->detail[ids[i]]);
  cul_text_mend(text);
  return 0;
}

const struct cul_mutation cul_mutation_text_erase_blocks = {
    .name = "text-erase-blocks",
    .summary = "erase statements with the blocks they open",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
