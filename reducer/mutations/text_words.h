/* The words of a text by what they say. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_WORDS_H
#define CUL_REDUCER_MUTATIONS_TEXT_WORDS_H

#include "../subject/text.h"

/* Tokens, sorted by what they say, then by place. */
struct cul_text_words {
  uint32_t *items;
  size_t n;
};
void cul_text_words_sort(struct cul_text *text, struct cul_text_words *out);
void cul_text_words_release(struct cul_text_words *words);
/* The first of those that say what the token does; where there is none, n or
 * one that says something else. */
size_t cul_text_words_find(const struct cul_text *text,
                           const struct cul_text_words *words, uint32_t token);

#endif
