/* Erase statements: a line, or a line with the block that it opens, all
 * lines inside and those that close it.  The tree of blocks is the tree of
 * sites, so a search goes from functions to loops to lines.  In the mlir-text
 * form values whose definition went become arguments.  What stands on a line of
 * its own in a list or table of Python is no statement: text-erase-names and
 * text-erase-elements take those. */
#include "text_phi.h"

/* Does the line of Python begin inside brackets of the item around? */
static bool is_element(const struct cul_text *text, uint32_t item) {
  uint32_t first = cul_text_item_first(text, item), i;
  if (!text->lang->indents || text->items[item].parent == CUL_TEXT_NONE)
    return false;
  i = cul_text_item_first(text, text->items[item].parent);
  for (; i < first; i++)
    if (text->tokens[i].kind == CUL_TOKEN_OPEN &&
        text->tokens[i].match >= first)
      return true;
  return false;
}

static uint32_t weight(struct cul_text *text, uint32_t item) {
  return is_element(text, item) ? 0 : cul_text_item_weight(text, item);
}

const struct cul_mutation cul_mutation_text_erase_blocks = {
    .name = "text-erase-blocks",
    .summary = "erase statements with the blocks they open",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.tree = weight,
                                         .edit = cul_text_erase_item,
                                         .mends = true},
};

/* Lines, whatever they hold: the edit that needs no structure.  Blank ones are
 * left to text-blank, labels of LLVM IR to text-drop-blocks: a block without
 * one still is a block. */
static bool is_label(const struct cul_text *text, uint32_t line) {
  const struct cul_text_item *item = &text->items[text->lines[line].item];
  return cul_text_is_llvm(text) && item->label && item->first == line;
}

static void list_lines(struct cul_text *text, struct cul_sites *out) {
  for (uint32_t i = 0; i < text->n_lines; i++)
    if (text->lines[i].n && !is_label(text, i))
      cul_sites_add(out, NULL, i, text->lines[i].n);
}

static bool erase_line(struct cul_text *text, uint64_t line) {
  return cul_text_erase_line(text, (uint32_t)line);
}

const struct cul_mutation cul_mutation_text_erase_lines = {
    .name = "text-erase-lines",
    .summary = "erase lines",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how =
        &(const struct cul_text_each){.list = list_lines, .edit = erase_line},
};
