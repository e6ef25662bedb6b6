/* The declarations of a text outside functions and types, the names that they
 * declare, and an index of words.  This is not a parser: its errors cost
 * candidates only. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_DECLARATIONS_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_DECLARATIONS_H

#include "../text.h"

/* ---- words ---- */

/* The text of a token; for a string, the text between its quotes. */
struct cul_bytes cul_text_said(const struct cul_text *text, uint32_t token);

/* Tokens, sorted by text (cul_text_said), then by position. */
struct cul_text_words {
  uint32_t *items;
  size_t n;
};
/* The tokens that filter accepts; NULL: words, but not strings. */
typedef bool cul_text_words_filter(const struct cul_text *text, uint32_t token,
                                   const void *self);
/* Set out, whose items are heap, to the tokens that the filter accepts; self:
 * for the filter. */
void cul_text_words_sort(struct cul_text *text, cul_text_words_filter *filter,
                         const void *self, struct cul_text_words *out);
/* Free what it owns; {0} is fine. */
void cul_text_words_release(struct cul_text_words *words);
/* All tokens with this text: items[*first] up to the returned index. */
size_t cul_text_words_find(const struct cul_text *text,
                           const struct cul_text_words *words,
                           struct cul_bytes said, size_t *first);

/* Replace all tokens with this text by `with`; returns whether that changed
 * anything. */
bool cul_text_words_replace(struct cul_text *text,
                            const struct cul_text_words *words,
                            struct cul_bytes said, const char *with);

/* ---- declarations ---- */

struct cul_text_declaration {
  uint32_t first, end; /* tokens */
  bool stays; /* other text may depend on it without using a name, as on
                 "#include" */
};

/* In text order, including those inside namespaces, but not the namespaces. */
struct cul_text_declarations {
  struct cul_text_declaration *items;
  size_t n, cap;
  uint32_t *of;  /* token -> the declaration that contains it, or NONE */
  bool *is_name; /* token -> it declares a name */
  struct cul_text_words names; /* these tokens */
};

/* For languages: add a declaration; its names are marked before or after. */
void cul_text_declares(struct cul_text_declarations *all, uint32_t first,
                       uint32_t end, bool stays);

#endif
