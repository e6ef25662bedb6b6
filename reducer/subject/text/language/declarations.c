/* Declarations of a text, and an index of its words: see declarations.h. */
#include "declarations.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

struct cul_bytes cul_text_said(const struct cul_text *text, uint32_t token) {
  struct cul_bytes bytes = cul_text_token(text, token);
  if (text->tokens[token].kind == CUL_TOKEN_STRING && bytes.len >= 2)
    bytes = (struct cul_bytes){bytes.data + 1, bytes.len - 2};
  return bytes;
}

static int compare(struct cul_bytes x, struct cul_bytes y) {
  size_t n = x.len < y.len ? x.len : y.len;
  int order = n ? memcmp(x.data, y.data, n) : 0;
  return order ? order : (x.len > y.len) - (x.len < y.len);
}

static int compare_tokens(const void *left, const void *right, void *text) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = compare(cul_text_said(text, a), cul_text_said(text, b));
  return order ? order : (a > b) - (a < b);
}

void cul_text_words_sort(struct cul_text *text, cul_text_words_filter *filter,
                         const void *self, struct cul_text_words *out) {
  out->items = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *out->items);
  out->n = 0;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (filter ? filter(text, i, self) : text->tokens[i].kind == CUL_TOKEN_WORD)
      out->items[out->n++] = i;
  qsort_r(out->items, out->n, sizeof *out->items, compare_tokens, text);
}

void cul_text_words_release(struct cul_text_words *words) {
  free(words->items);
}

size_t cul_text_words_find(const struct cul_text *text,
                           const struct cul_text_words *words,
                           struct cul_bytes said, size_t *first) {
  size_t low = 0, high = words->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare(cul_text_said(text, words->items[middle]), said) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *first = low;
  while (low < words->n &&
         compare(cul_text_said(text, words->items[low]), said) == 0)
    low++;
  return low;
}

bool cul_text_words_replace(struct cul_text *text,
                            const struct cul_text_words *words,
                            struct cul_bytes said, const char *with) {
  size_t i, end = cul_text_words_find(text, words, said, &i);
  bool any = false;
  for (; i < end; i++)
    any |= cul_text_replace(text, words->items[i], with);
  return any;
}

/* ---- declarations ---- */

void cul_text_declares(struct cul_text_declarations *all, uint32_t first,
                       uint32_t end, bool stays) {
  for (uint32_t i = first; i < end; i++)
    all->of[i] = (uint32_t)all->n;
  CUL_XADD(all->items, all->n, all->cap) =
      (struct cul_text_declaration){first, end, stays};
}
