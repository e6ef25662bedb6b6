/* Elements of lists: tokens between commas in brackets, with one of the commas;
 * tokens after a comma outside of such brackets; targets of a branch. */
#include "../../subject/text/language/edges.h"
#include "../../subject/text/language/terms.h"
#include "../../subject/text/ops.h"
#include "sites.h"

/* Which brackets are lists, by the token that opens them: those with a comma
 * directly inside, except for blocks: braces in which some line does not end in
 * a comma.  Heap. */
static bool *find_lists(const struct cul_text *text, const uint32_t *around) {
  bool *is_list = cul_xcalloc(text->n_tokens + 1, sizeof *is_list);
  CUL_HEAP bool *is_block = cul_xcalloc(text->n_tokens + 1, sizeof *is_block);
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
  return is_list;
}

/* The end of the tokens after a comma outside of lists, on its line. */
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

/* Add both targets of a branch, for languages that write no commas between
 * them. */
static void add_targets(struct cul_text *text, struct cul_sites *out) {
  struct cul_text_branch b;
  for (uint32_t line = 0; line < text->n_lines; line++)
    if (cul_text_branch(text, line, &b) && b.n == 2)
      for (uint32_t k = 0; k < b.n; k++)
        cul_text_add_range(b.target[k], b.end[k], out);
}

static void list_elements(struct cul_text *text, struct cul_sites *out) {
  CUL_HEAP uint32_t *around = cul_text_brackets(text);
  CUL_HEAP bool *is_list = find_lists(text, around);
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
  if (text->lang->fixed_operands)
    add_targets(text, out);
}

static bool erase_element(struct cul_text *text, uint64_t detail) {
  return cul_text_erase_element(text, cul_text_high(detail), (uint32_t)detail);
}

CUL_TEXT(text_erase_elements, .list = list_elements, .nested = true,
         .edit = erase_element, .fixes = true);

/* ---- parameters ---- */

/* text-drop-parameter: before mutations that erase one by one, because calls
 * and uses are fixed along with a parameter. */
static void list_parameters(struct cul_text *text, struct cul_sites *out) {
  uint32_t first, end;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    for (uint32_t k = 0; cul_text_opens_parameters(text, i) &&
                         cul_text_element(text, i, k, &first, &end);
         k++)
      cul_text_add_range(first, end, out);
}

CUL_TEXT(text_drop_parameter, .list = list_parameters, .edit = erase_element,
         .fixes = true);
