/* Operations, blocks and functions of MLIR text: see text_ops.h. */
#include "text_ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_name_of_op(const struct cul_text *text, uint32_t i,
                          uint32_t end) {
  const struct cul_token *t = &text->tokens[i];
  struct cul_bytes word = cul_text_token(text, i);
  if (t->kind == CUL_TOKEN_STRING)
    return i + 1 < end && cul_text_is_char(text, i + 1, '(') &&
           memchr(word.data, '.', word.len);
  if (t->kind != CUL_TOKEN_WORD || !isalpha((unsigned char)word.data[0]))
    return false;
  /* "name = value", "name," and "name }" are entries of a dictionary. */
  if (i + 1 < end && (cul_text_is_char(text, i + 1, '=') ||
                      cul_text_is_char(text, i + 1, ',') ||
                      cul_text_is_char(text, i + 1, ':')))
    return false;
  /* Names without a dialect, as printers shorten them. */
  return cul_bytes_among(word, " module func return call br cond_br ") ||
         memchr(word.data, '.', word.len);
}

uint32_t cul_text_op(const struct cul_text *text, uint32_t item) {
  uint32_t line = text->items[item].first, equals;
  const struct cul_line *l = &text->lines[line];
  uint32_t at = l->first, end = l->first + l->n;
  if (!text->lang->dimensions || !l->n || text->items[item].label)
    return CUL_TEXT_NONE;
  if (cul_text_starts(text, at, '%')) {
    if (!cul_text_results(text, line, &equals))
      return CUL_TEXT_NONE;
    at = equals + 1;
  }
  if (at >= end || !is_name_of_op(text, at, end) || text->items[item].list)
    return CUL_TEXT_NONE;
  return at;
}

static const char modules[] = " module builtin.module \"builtin.module\" ";

uint32_t cul_text_whole_module(const struct cul_text *text) {
  uint32_t found = CUL_TEXT_NONE;
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t op = cul_text_op(text, i);
    if (op == CUL_TEXT_NONE || text->items[i].parent != CUL_TEXT_NONE ||
        !cul_text_is_live(text, op))
      continue;
    if (found != CUL_TEXT_NONE || !cul_text_is_word(text, op, modules))
      return CUL_TEXT_NONE;
    found = i;
  }
  return found;
}

uint64_t cul_text_count_ops(const struct cul_text *text) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < text->n_items; i++) {
    uint32_t op = cul_text_op(text, i);
    n += op != CUL_TEXT_NONE && cul_text_is_live(text, op);
  }
  return n + (cul_text_whole_module(text) == CUL_TEXT_NONE);
}

uint32_t cul_text_item_ops(const struct cul_text *text, uint32_t item) {
  uint32_t n = 0;
  for (uint32_t i = item;
       i < text->n_items && text->items[i].first < text->items[item].end; i++)
    n += cul_text_op(text, i) != CUL_TEXT_NONE;
  return n ? n : 1;
}

bool cul_text_has_children(const struct cul_text *text, uint32_t item) {
  return item + 1 < text->n_items && text->items[item + 1].parent == item;
}

bool cul_text_element_of(const struct cul_text *text, uint32_t from,
                         uint32_t to, uint32_t k, uint32_t *first,
                         uint32_t *end) {
  *first = from;
  for (uint32_t i = from;; i = cul_text_after(text, i)) {
    if (i < to && !cul_text_is_char(text, i, ','))
      continue;
    *end = i;
    if (k-- == 0)
      return *first < i;
    if (i >= to)
      return false;
    *first = i + 1;
  }
}

bool cul_text_element(const struct cul_text *text, uint32_t open, uint32_t k,
                      uint32_t *first, uint32_t *end) {
  return cul_text_element_of(text, open + 1, text->tokens[open].match, k, first,
                             end);
}

uint32_t cul_text_elements(const struct cul_text *text, uint32_t open) {
  uint32_t n = 0, first, end;
  while (cul_text_element(text, open, n, &first, &end))
    n++;
  return n;
}
