/* Elements of lists: what stands between commas inside brackets, with one of
 * the commas; what follows a comma outside of such brackets; targets of a
 * branch. */
#include <stdlib.h>

#include "../language/language.h"

/* Which brackets are lists, per token: those with a comma right inside, except
 * braces where some line ends without one: these are blocks.  Heap. */
static bool *find_lists(const struct cul_text *text, const uint32_t *around) {
  bool *is_list = cul_xcalloc(text->n_tokens + 1, sizeof *is_list);
  bool *is_block = cul_xcalloc(text->n_tokens + 1, sizeof *is_block);
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    const struct cul_token *t = &text->tokens[i];
    uint32_t open = around[i];
    if (open == CUL_TEXT_NONE || t->kind == CUL_TOKEN_CLOSE)
      continue;
    is_block[open] |= t[-1].line != t->line && i - 1 != open &&
                      cul_text_is_char(text, open, '{') &&
                      !cul_text_is_char(text, i - 1, ',');
    is_list[open] |= cul_text_is_char(text, i, ',');
  }
  for (uint32_t i = 0; i < text->n_tokens; i++)
    is_list[i] &= !is_block[i];
  free(is_block);
  return is_list;
}

/* Behind what follows a comma outside of lists, on its line. */
static uint32_t end_of_tail(const struct cul_text *text, uint32_t comma) {
  uint32_t end = comma + 1, line_end = cul_text_line_end(text, comma);
  while (end < line_end && !cul_text_is_any(text, end, ",:=;{") &&
         !cul_text_token_is(text, end, "->") &&
         text->tokens[end].kind != CUL_TOKEN_CLOSE)
    end = cul_text_after(text, end);
  return end;
}

static uint32_t end_of_element(const struct cul_text *text, uint32_t i,
                               uint32_t open) {
  while (i < text->tokens[open].match && !cul_text_is_char(text, i, ','))
    i = cul_text_after(text, i);
  return i;
}

static void list_elements(struct cul_text *text, struct cul_sites *out) {
  uint32_t *around = cul_text_brackets(text);
  bool *is_list = find_lists(text, around);
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t open = around[i];
    bool inside = open != CUL_TEXT_NONE && is_list[open];
    if (text->tokens[i].kind == CUL_TOKEN_CLOSE)
      continue;
    if (!cul_text_is_char(text, i, ',')) {
      if (inside && (i == open + 1 || cul_text_is_char(text, i - 1, ',')))
        cul_text_add_range(i, end_of_element(text, i, open), out);
    } else if (!inside) {
      cul_text_add_range(i, end_of_tail(text, i), out);
    }
  }
  free(around);
  free(is_list);
  if (text->lang->fixed_operands)
    cul_text_add_targets(text, out);
}

const struct cul_text_each cul_mutation_text_erase_elements = {
    .list = list_elements,
    .nested = true,
    .edit = cul_text_erase_element,
    .fixes = true};
