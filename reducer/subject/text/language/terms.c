/* Names and terms: see terms.h. */
#include "terms.h"

#include <stdlib.h>
#include <string.h>

#include "../ops.h"

bool cul_text_is_keyword(const struct cul_text *text, uint32_t token) {
  return text->tokens[token].kind == CUL_TOKEN_WORD &&
         cul_lang_is_keyword(text->lang, cul_text_token(text, token));
}

bool cul_text_is_unkeyed(const struct cul_text *text, uint32_t token) {
  return token < text->n_tokens && text->tokens[token].kind == CUL_TOKEN_WORD &&
         !cul_text_is_keyword(text, token);
}

bool cul_text_is_name(const struct cul_text *text, uint32_t token) {
  return cul_text_is_unkeyed(text, token) &&
         !cul_text_is_char(text, token - 1, '.');
}

uint32_t cul_text_end_of_use(const struct cul_text *text, uint32_t token) {
  bool one_line = text->lang->indents;
  const char *members = one_line ? " . " : " . -> :: ";
  uint32_t i = token + 1;
  while (i < text->n_tokens &&
         !(one_line && text->tokens[i].line != text->tokens[i - 1].line))
    if (cul_text_opens(text, i, '[') || cul_text_opens(text, i, '('))
      i = cul_text_after(text, i);
    else if (cul_text_is_word(text, i, members) && i + 1 < text->n_tokens &&
             (!one_line || text->tokens[i + 1].kind == CUL_TOKEN_WORD))
      i += 2;
    else
      break;
  return i;
}

/* ---- terms ---- */

static bool starts_term(const struct cul_text *text, uint32_t token) {
  uint8_t kind = text->tokens[token].kind;
  return kind == CUL_TOKEN_NUMBER || kind == CUL_TOKEN_STRING ||
         kind == CUL_TOKEN_OPEN ||
         (kind == CUL_TOKEN_WORD && !cul_text_is_keyword(text, token)) ||
         cul_text_is_word(text, token, " None True False ");
}

bool cul_text_is_term(const struct cul_text *text, uint32_t first,
                      uint32_t end) {
  uint32_t i = first;
  if (first >= end || !starts_term(text, first))
    return false;
  for (i = cul_text_after(text, i); i < end;)
    if (cul_text_is_char(text, i, '.') && i + 1 < end &&
        text->tokens[i + 1].kind == CUL_TOKEN_WORD)
      i += 2;
    else if (cul_text_is_any(text, i, "(["))
      i = cul_text_after(text, i);
    else
      return false;
  return i == end;
}

bool cul_text_stands_alone(const struct cul_text *text, uint32_t first,
                           uint32_t end) {
  uint32_t start = text->lines[text->tokens[first].line].first;
  bool before = first > start && (cul_text_is_any(text, first - 1, "([,=") ||
                                  cul_text_token_is(text, first - 1, "return"));
  bool after = end >= cul_text_line_end(text, first) ||
               cul_text_is_any(text, end, ",)];");
  return (before || first == start) && after;
}

uint32_t cul_text_definition(const struct cul_text *text, uint32_t item) {
  uint32_t i = cul_text_item_first(text, item);
  uint32_t end = cul_text_item_end(text, item);
  while (i < end && cul_text_is_char(text, i, '@')) {
    uint32_t line = text->tokens[i].line;
    for (; i < end && text->tokens[i].line == line; i = cul_text_after(text, i))
      line = text->tokens[cul_text_after(text, i) - 1].line;
  }
  return i < end ? i : CUL_TEXT_NONE;
}

char *cul_text_written(const struct cul_text *text, uint32_t first,
                       uint32_t end, bool brackets) {
  struct cul_buf out = {0};
  cul_buf_adds(&out, brackets ? "(" : "");
  for (uint32_t i = first; i < end; i++) {
    const struct cul_token *t = &text->tokens[i];
    struct cul_bytes bytes = cul_text_now(text, i);
    uint32_t gap = i > first ? t[-1].start + t[-1].len : t->start;
    if (!cul_text_is_live(text, i))
      continue;
    cul_buf_add(&out, text->bytes + gap, t->start - gap);
    cul_buf_add(&out, bytes.data, bytes.len);
  }
  cul_buf_adds(&out, brackets ? ")" : "");
  return cul_buf_take(&out);
}

void cul_text_put_zero(struct cul_text *text, uint32_t first, uint32_t end,
                       uint32_t name) {
  for (uint32_t i = first; i < end; i++)
    if (cul_text_is_name(text, i) && cul_text_same(text, i, name) &&
        !(i + 2 < text->n_tokens && cul_text_is_char(text, i + 1, '=') &&
          !cul_text_is_char(text, i + 2, '=')) &&
        cul_text_is_live(text, i) && cul_text_replace(text, i, "0"))
      cul_text_erase_tokens(text, i + 1, cul_text_end_of_use(text, i));
}
