/* Let a function return nothing: the types behind its arrow go, the operands
 * of its returns, and the results of its calls where nothing uses them. */
#include <string.h>

#include "../subject/text_names.h"
#include "text_sites.h"

/* The arrow behind an argument list that opens at `open`, or NONE. */
static uint32_t arrow_of(const struct cul_text *text, uint32_t open) {
  uint32_t i = text->tokens[open].match + 1;
  return i < text->n_tokens && cul_text_token_is(text, i, "->") ? i
                                                                : CUL_TEXT_NONE;
}

/* The end of the types behind an arrow. */
static uint32_t types_end(const struct cul_text *text, uint32_t arrow) {
  const struct cul_line *l = &text->lines[text->tokens[arrow].line];
  uint32_t i = arrow + 1;
  while (i < l->first + l->n && !cul_text_is_char(text, i, '{') &&
         !cul_text_token_is(text, i, "attributes")) {
    uint32_t match = text->tokens[i].match;
    i = (match != CUL_TEXT_NONE && match > i ? match : i) + 1;
  }
  return i;
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  uint32_t open, arrow;
  for (uint32_t i = 0; i < text->n_items; i++) {
    open = cul_text_header(text, text->items[i].first);
    if (open == CUL_TEXT_NONE)
      continue;
    arrow = arrow_of(text, open);
    if (arrow != CUL_TEXT_NONE)
      cul_sites_add(out, NULL, cul_text_two(i, open),
                    types_end(text, arrow) - arrow);
  }
}

/* "return %a, %b : T" is "return". */
static void strip_returns(struct cul_text *text, uint32_t function) {
  const struct cul_text_item *item = &text->items[function];
  for (uint32_t line = item->first; line < item->end; line++) {
    const struct cul_line *l = &text->lines[line];
    struct cul_bytes word;
    if (!l->n)
      continue;
    word = cul_text_token(text, l->first);
    if (memmem(word.data, word.len, "return", 6))
      cul_text_erase_tokens(text, l->first + 1, l->first + l->n);
  }
}

/* "%r = call @f(...) : (...) -> T": no result. */
static void strip_call(struct cul_text *text, uint32_t line) {
  const struct cul_line *l = &text->lines[line];
  uint32_t end = l->first + l->n, equals;
  if (cul_text_results(text, line, &equals))
    cul_text_erase_tokens(text, l->first, equals + 1);
  for (uint32_t i = l->first; i + 1 < end; i++)
    if (cul_text_token_is(text, i, "->")) {
      cul_text_erase_tokens(text, i + 2, types_end(text, i));
      cul_text_replace(text, i + 1, "()");
    }
}

static bool drop(struct cul_text *text, uint64_t detail) {
  const struct cul_text_names *names = cul_text_names(text);
  uint32_t open = (uint32_t)detail, arrow = arrow_of(text, open);
  uint32_t symbol = open - 1;
  bool any = cul_text_erase_tokens(text, arrow, types_end(text, arrow));
  strip_returns(text, cul_text_high(detail));
  for (uint32_t u = names->first_use[symbol]; u < names->first_use[symbol + 1];
       u++)
    strip_call(text, text->tokens[names->uses[u]].line);
  return any;
}

const struct cul_mutation cul_mutation_text_drop_results = {
    .name = "text-drop-results",
    .summary = "let a function return nothing",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit = drop},
};
