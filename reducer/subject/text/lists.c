/* Lists in brackets: see lists.h. */
#include "lists.h"

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

uint32_t cul_text_elements_of(const struct cul_text *text, uint32_t from,
                              uint32_t to) {
  uint32_t n = 0, first, end;
  while (cul_text_element_of(text, from, to, n, &first, &end))
    n++;
  return n;
}

uint32_t cul_text_elements(const struct cul_text *text, uint32_t open) {
  return cul_text_elements_of(text, open + 1, text->tokens[open].match);
}

bool cul_text_erase_element(struct cul_text *text, uint32_t first,
                            uint32_t end) {
  bool any = cul_text_erase_tokens(text, first, end);
  if (cul_text_is_char(text, first, ',') || !any)
    return any;
  if (cul_text_is_char(text, end, ',') && cul_text_erase_token(text, end))
    return true;
  while (first > 0 && text->tokens[first - 1].dead)
    first--;
  if (cul_text_is_char(text, first - 1, ','))
    cul_text_erase_token(text, first - 1);
  return true;
}
