/* Erase statements: a line, or a line with the block that it opens, all
 * lines inside and those that close it.  The tree of blocks is the tree of
 * sites, so a search goes from functions to loops to lines.  In the mlir-text
 * form values whose definition went become arguments. */
#include "text_mend.h"

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  const struct cul_text *text = cul_text_settled(subject);
  (void)err;
  for (uint32_t i = 0; i < text->n_items; i++)
    cul_text_add_item(text, i, out);
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
