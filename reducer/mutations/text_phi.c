/* Edges between blocks of LLVM IR: see text_phi.h. */
#include "text_phi.h"

#include <string.h>

bool cul_text_is_llvm(const struct cul_text *text) {
  return strcmp(text->lang->name, "llvm") == 0;
}

uint32_t cul_text_block_label(const struct cul_text *text, uint32_t item) {
  while (item != CUL_TEXT_NONE && !text->items[item].label)
    item = text->items[item].parent;
  return item == CUL_TEXT_NONE ? CUL_TEXT_NONE
                               : cul_text_item_first(text, item);
}

static bool is_phi(const struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  return l->n > 3 && (cul_text_token_is(text, l->first + 2, "phi") ||
                      cul_text_token_is(text, l->first, "phi"));
}

bool cul_text_erase_phi_entry(struct cul_text *text, uint32_t token) {
  const struct cul_line *l = &text->lines[text->tokens[token].line];
  uint32_t open = token, close, end = l->first + l->n, before;
  if (!is_phi(text, text->tokens[token].line))
    return false;
  while (open > l->first && !cul_text_is_char(text, open, '['))
    open--;
  close = text->tokens[open].match;
  if (open == l->first || close == CUL_TEXT_NONE || close >= end ||
      !cul_text_erase_tokens(text, open, close + 1))
    return false;
  before = open;
  while (before > l->first && text->tokens[before - 1].dead)
    before--;
  if (close + 1 < end && cul_text_is_char(text, close + 1, ','))
    cul_text_erase_token(text, close + 1);
  else if (cul_text_is_char(text, before - 1, ','))
    cul_text_erase_token(text, before - 1);
  return true;
}

void cul_text_erase_edge(struct cul_text *text, uint32_t from, uint32_t to) {
  const struct cul_text_names *names = cul_text_names(text);
  const struct cul_text_item *item = &text->items[cul_text_item_at(text, to)];
  for (uint32_t line = item->first; line < item->end; line++) {
    const struct cul_line *l = &text->lines[line];
    for (uint32_t i = l->first + 2; i < l->first + l->n; i++)
      if (names->def[i] == from && cul_text_is_char(text, i - 1, ',') &&
          cul_text_starts(text, i, '%') && cul_text_erase_phi_entry(text, i))
        break;
  }
}
