/* Give a name of three characters or more a short one, wherever it stands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_sites.h"

enum { SHORTEST = 3, MOST = 18278 /* a ... zzz */ };

static int compare_tokens(const void *left, const void *right, void *text) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = cul_text_compare(text, a, b);
  return order ? order : (a > b) - (a < b);
}

/* All words, sorted by what they say, then by place.  Caller frees. */
static uint32_t *sort_words(struct cul_text *text, size_t *n) {
  uint32_t *words = cul_xreallocarray(NULL, text->n_tokens + 1, sizeof *words);
  *n = 0;
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (text->tokens[i].kind == CUL_TOKEN_WORD)
      words[(*n)++] = i;
  qsort_r(words, *n, sizeof *words, compare_tokens, text);
  return words;
}

/* Where marked names of the language are names, others are keywords. */
static bool may_shrink(const struct cul_text *text, uint32_t token) {
  struct cul_bytes word = cul_text_token(text, token);
  bool marked = word.len && strchr("%@^", word.data[0]) != NULL;
  return word.len >= SHORTEST && (marked || !*text->lang->sigils);
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  size_t n;
  uint32_t *words = sort_words(text, &n);
  for (size_t i = 0; i < n && out->n < MOST; i++)
    if ((i == 0 || cul_text_compare(text, words[i - 1], words[i]) != 0) &&
        may_shrink(text, words[i]))
      cul_sites_add(out, NULL, words[i], 1);
  free(words);
}

static bool is_taken(const struct cul_text *text, const uint32_t *words,
                     size_t n, const char *name) {
  size_t low = 0, high = n, len = strlen(name);
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    struct cul_bytes word = cul_text_token(text, words[mid]);
    int order = memcmp(word.data, name, word.len < len ? word.len : len);
    if (order == 0 && word.len == len)
      return true;
    if (order < 0 || (order == 0 && word.len < len))
      low = mid + 1;
    else
      high = mid;
  }
  return false;
}

/* The next free short name after the number *at: a, b ... z, aa ... */
static void next_name(const struct cul_text *text, const uint32_t *words,
                      size_t n, char sigil, uint32_t *at, char *out) {
  do {
    char digits[8];
    size_t len = 0;
    for (uint32_t left = ++*at; left; left = (left - 1) / 26)
      digits[len++] = (char)('a' + (left - 1) % 26);
    if (sigil)
      *out = sigil;
    for (size_t i = 0; i < len; i++)
      out[i + (sigil != 0)] = digits[len - 1 - i];
    out[len + (sigil != 0)] = '\0';
  } while (is_taken(text, words, n, out));
}

/* Replace every occurrence of the word that stands at `token`. */
static bool rename_word(struct cul_text *text, const uint32_t *words, size_t n,
                        uint32_t token, const char *name) {
  size_t low = 0, high = n;
  bool any = false;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (compare_tokens(&words[mid], &token, text) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  for (; low < n && cul_text_compare(text, words[low], token) == 0; low++)
    any |= cul_text_replace(text, words[low], name);
  return any;
}

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  size_t n_words, applied = 0;
  uint32_t *words = sort_words(text, &n_words), at = 0;
  char name[16];
  for (size_t i = 0; i < n; i++) {
    uint32_t token = (uint32_t)sites->detail[ids[i]];
    char first = text->bytes[text->tokens[token].start];
    next_name(text, words, n_words, strchr("%@^", first) ? first : 0, &at,
              name);
    applied += rename_word(text, words, n_words, token, name);
  }
  free(words);
  return applied;
}

const struct cul_mutation cul_mutation_text_shrink_names = {
    .name = "text-shrink-names",
    .summary = "give a name a short one",
    .kinds = CUL_SUBJECT_TEXTS,
    .phase = CUL_PHASE_FINE,
    .frame = &cul_text_frame,
    .how = &(const struct cul_text_each){.list = sites, .edit_all = apply},
};
