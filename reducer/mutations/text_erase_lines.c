/* Erase lines, whatever they hold: the edit that needs no structure.  Blank
 * ones are left to text-blank, labels of LLVM IR to text-drop-blocks: a block
 * without one still is a block. */
#include "text_phi.h"

static bool is_label(const struct cul_text *text, uint32_t line) {
  const struct cul_text_item *item = &text->items[text->lines[line].item];
  return cul_text_is_llvm(text) && item->label && item->first == line;
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_lines; i++)
    if (text->lines[i].n && !is_label(text, i))
      cul_sites_add(out, NULL, i, text->lines[i].n);
}

static bool erase(struct cul_text *text, uint64_t line) {
  return cul_text_erase_line(text, (uint32_t)line);
}

const struct cul_mutation cul_mutation_text_erase_lines = {
    .name = "text-erase-lines",
    .summary = "erase lines",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = erase},
};
