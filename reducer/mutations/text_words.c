/* See text_words.h. */
#include "text_words.h"

#include <stdlib.h>

static int compare(const void *left, const void *right, void *text) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = cul_text_compare(text, a, b);
  return order ? order : (a > b) - (a < b);
}

void cul_text_words_sort(struct cul_text *text, struct cul_text_words *out) {
  out->items = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *out->items);
  out->n = 0;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (text->tokens[i].kind == CUL_TOKEN_WORD)
      out->items[out->n++] = i;
  qsort_r(out->items, out->n, sizeof *out->items, compare, text);
}

void cul_text_words_release(struct cul_text_words *words) {
  free(words->items);
}

size_t cul_text_words_find(const struct cul_text *text,
                           const struct cul_text_words *words, uint32_t token) {
  size_t low = 0, high = words->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (cul_text_compare(text, words->items[middle], token) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
