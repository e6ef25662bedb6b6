/* text-shrink-names: give a name of three characters or more a short one,
 * wherever it occurs. */
#include <string.h>

#include "../../subject/text/language/declarations.h"
#include "sites.h"

enum { SHORTEST = 3, MOST = 18278 /* a ... zzz */ };

/* May the word be shortened?  In a language that marks names, words without a
 * mark are keywords. */
static bool may_shrink(const struct cul_text *text, uint32_t token) {
  struct cul_bytes word = cul_text_token(text, token);
  bool marked = word.len && strchr("%@^", word.data[0]) != NULL;
  return word.len >= SHORTEST && (marked || !*text->lang->sigils);
}

static void sites(struct cul_text *text, struct cul_sites *out) {
  CUL_OWNED(cul_text_words) words = {0};
  cul_text_words_sort(text, NULL, NULL, &words);
  for (size_t i = 0; i < words.n && out->n < MOST; i++)
    if ((i == 0 || !cul_text_same(text, words.items[i - 1], words.items[i])) &&
        may_shrink(text, words.items[i]))
      cul_sites_add(out, NULL, words.items[i], 1);
}

/* The next free short name after the number *at: a, b ... z, aa ...  It ends
 * where `end` ends. */
static const char *next_name(const struct cul_text *text,
                             const struct cul_text_words *words, char sigil,
                             uint32_t *at, char *end) {
  size_t first;
  char *name;
  do {
    name = end;
    for (uint32_t left = ++*at; left; left = (left - 1) / 26)
      *--name = (char)('a' + (left - 1) % 26);
    if (sigil)
      *--name = sigil;
  } while (cul_text_words_find(text, words,
                               (struct cul_bytes){name, (size_t)(end - name)},
                               &first) > first);
  return name;
}

static size_t apply(struct cul_text *text, const struct cul_sites *sites,
                    const uint32_t *ids, size_t n) {
  CUL_OWNED(cul_text_words) words = {0};
  size_t applied = 0;
  uint32_t at = 0;
  char name[16] = {0};
  cul_text_words_sort(text, NULL, NULL, &words);
  for (size_t i = 0; i < n; i++) {
    uint32_t token = (uint32_t)sites->detail[ids[i]];
    char first = text->bytes[text->tokens[token].start];
    applied += cul_text_words_replace(
        text, &words, cul_text_token(text, token),
        next_name(text, &words, strchr("%@^", first) ? first : 0, &at,
                  name + sizeof name - 1));
  }
  return applied;
}

CUL_TEXT(text_shrink_names, .list = sites, .edit_all = apply);
