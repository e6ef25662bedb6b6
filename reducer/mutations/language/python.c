/* Python as text, without a parser: see language.h. */
#include "../../subject/text/ops.h"
#include "declarations.h"
#include "language.h"
#include "terms.h"

/* "import a, b as c", "x, y = ...". */
static void name_line(const struct cul_text *text, const struct cul_line *l,
                      struct cul_text_declarations *all) {
  uint32_t first = l->first, end = first + l->n, i = first;
  bool imports = cul_text_is_word(text, i, " import from ");
  if (!imports) {
    while (i < end && !cul_text_is_char(text, i, '='))
      i = cul_text_after(text, i);
    end = i < end ? i : first;
  } else if (text->tokens[end - 1].kind == CUL_TOKEN_OPEN) {
    end = text->tokens[end - 1].match;
  }
  for (i = first; i < end; i++)
    if (text->tokens[i].kind == CUL_TOKEN_WORD && !cul_text_is_keyword(text, i))
      cul_text_declares_name(all, i);
}

static void add_item(const struct cul_text *text, uint32_t item,
                     struct cul_text_declarations *all) {
  const struct cul_text_item *it = &text->items[item];
  uint32_t first = cul_text_definition(text, item), line;
  if (first == CUL_TEXT_NONE)
    return;
  line = text->tokens[first].line;
  first += cul_text_token_is(text, first, "async");
  if (cul_text_is_word(text, first, " def class "))
    cul_text_declares_name(all, first + 1);
  else
    for (; line < it->end; line++)
      if (text->lines[line].n)
        name_line(text, &text->lines[line], all);
  cul_text_declares(all, cul_text_item_first(text, item),
                    cul_text_item_end(text, item), false);
}

static void declarations(const struct cul_text *text,
                         struct cul_text_declarations *all) {
  for (uint32_t i = 0; i < text->n_items; i++)
    if (text->items[i].parent == CUL_TEXT_NONE)
      add_item(text, i, all);
}

/* In "x, y = ...", "for x in", "as x", "def x(x)". */
static bool defines(const struct cul_text *text, uint32_t i) {
  const struct cul_line *l = &text->lines[text->tokens[i].line];
  uint32_t k = l->first;
  if (i > l->first && cul_text_is_word(text, i - 1, " as def "))
    return true;
  if (cul_text_token_is(text, l->first, "for")) {
    while (k < i && !cul_text_token_is(text, k, "in"))
      k++;
    return k == i;
  }
  while (k < l->first + l->n && (text->tokens[k].kind == CUL_TOKEN_WORD ||
                                 cul_text_is_any(text, k, ",():.")))
    k++;
  return k > i && k < l->first + l->n && cul_text_is_char(text, k, '=');
}

static void fix_up(struct cul_text *text) {
  cul_text_fix_up_python(text);
  cul_text_fix_up_parameters(text);
}

const struct cul_text_language cul_text_python = {
    .name = "python",
    .fix_up = fix_up,
    .declarations = declarations,
    .defines = defines,
};
