/* The words of a text by what they say. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_WORDS_H
#define CUL_REDUCER_MUTATIONS_TEXT_WORDS_H

#include "../subject/text.h"

/* What a token says; a string: what stands between its quotes. */
struct cul_bytes cul_text_said(const struct cul_text *text, uint32_t token);

/* Tokens, sorted by what they say, then by place. */
struct cul_text_words {
  uint32_t *items;
  size_t n;
};
/* Those that filter lets pass. */
typedef bool cul_text_words_filter(const struct cul_text *text, uint32_t token,
                                   const void *self);
void cul_text_words_sort(struct cul_text *text, cul_text_words_filter *filter,
                         const void *self, struct cul_text_words *out);
void cul_text_words_release(struct cul_text_words *words);
/* All that say this: items[*first] up to the one returned. */
size_t cul_text_words_find(const struct cul_text *text,
                           const struct cul_text_words *words,
                           struct cul_bytes said, size_t *first);

/* A filter: words, no strings.  self: ignored. */
cul_text_words_filter cul_text_words_only;

#endif
