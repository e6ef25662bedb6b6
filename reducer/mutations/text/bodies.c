/* text-drop-bodies and text-keep-bodies: drop the bodies of functions, whose
 * callers stay. */
#include "../../subject/text/language/language.h"
#include "../../subject/text/ops.h"
#include "sites.h"

/* The brace that opens the body of the function in the item, "@f(...) {", or
 * CUL_TEXT_NONE. */
static uint32_t find_brace(const struct cul_text *text, uint32_t item) {
  uint32_t open = cul_text_header(text, text->items[item].first), close;
  uint32_t brace = CUL_TEXT_NONE;
  if (open == CUL_TEXT_NONE)
    return CUL_TEXT_NONE;
  close = text->tokens[open].match;
  for (uint32_t i = close; i < cul_text_line_end(text, close); i++)
    if (cul_text_is_char(text, i, '{'))
      brace = i;
  return brace != CUL_TEXT_NONE && text->tokens[brace].match != CUL_TEXT_NONE &&
                 text->tokens[text->tokens[brace].match].line >
                     text->tokens[close].line
             ? brace
             : CUL_TEXT_NONE;
}

static uint32_t body(struct cul_text *text, uint32_t item, bool drop) {
  const struct cul_text_language *language = cul_text_language(text);
  uint32_t brace, end;
  if (language->body)
    return language->body(text, item, drop);
  brace = language->declare ? find_brace(text, item) : CUL_TEXT_NONE;
  if (brace == CUL_TEXT_NONE)
    return 0;
  end = text->tokens[brace].match + 1;
  if (drop && !cul_text_erase_tokens(text, brace, end))
    return 0;
  if (drop)
    language->declare(text, cul_text_item_first(text, item), brace);
  return end - brace;
}

static uint32_t weigh_body(struct cul_text *text, uint32_t item) {
  return body(text, item, false);
}

static bool drop_body(struct cul_text *text, uint64_t item) {
  return body(text, (uint32_t)item, true) > 0;
}

const struct cul_text_each cul_mutation_text_drop_bodies = {
    .items = weigh_body, .edit = drop_body, .fixes = true};

/* The first cut if functions call each other. */
const struct cul_text_each cul_mutation_text_keep_bodies = {
    .items = weigh_body, .edit = drop_body, .others = true, .fixes = true};
