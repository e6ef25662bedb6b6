/* What a text declares outside of functions and types, and which names that
 * gives; its words by what they say.  Without a parser: what it takes wrongly
 * costs candidates. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_DECLARATIONS_H
#define CUL_REDUCER_SUBJECT_TEXT_LANGUAGE_DECLARATIONS_H

#include "../text.h"

/* ---- words ---- */

/* What a token says; a string: what stands between its quotes. */
struct cul_bytes cul_text_said(const struct cul_text *text, uint32_t token);

/* Tokens, sorted by what they say, then by place. */
struct cul_text_words {
  uint32_t *items;
  size_t n;
};
/* Those that filter lets pass; NULL: words, no strings. */
typedef bool cul_text_words_filter(const struct cul_text *text, uint32_t token,
                                   const void *self);
void cul_text_words_sort(struct cul_text *text, cul_text_words_filter *filter,
                         const void *self, struct cul_text_words *out);
void cul_text_words_release(struct cul_text_words *words);
/* All that say this: items[*first] up to the one returned. */
size_t cul_text_words_find(const struct cul_text *text,
                           const struct cul_text_words *words,
                           struct cul_bytes said, size_t *first);

/* Write `with` wherever they say this; whether that changed anything. */
bool cul_text_words_replace(struct cul_text *text,
                            const struct cul_text_words *words,
                            struct cul_bytes said, const char *with);

/* ---- declarations ---- */

struct cul_text_declaration {
  uint32_t first, end; /* tokens */
  bool stays; /* nobody says its name, but it may be meant: "#include" */
};

/* In text order; those in namespaces too, but no namespaces. */
struct cul_text_declarations {
  struct cul_text_declaration *items;
  size_t n, cap;
  uint32_t *of;  /* token -> the declaration that it stands in, or NONE */
  bool *is_name; /* token -> it gives that a name */
  struct cul_text_words names; /* these tokens */
};

/* For languages: another one; its names are marked before or behind. */
void cul_text_declares(struct cul_text_declarations *all, uint32_t first,
                       uint32_t end, bool stays);

#endif
