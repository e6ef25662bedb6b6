/* Read parts of MLIR text: lists, brackets, names of values. */
#ifndef CUL_REDUCER_NUMBERS_MLIR_WORDS_H
#define CUL_REDUCER_NUMBERS_MLIR_WORDS_H

#include "../../base/buf.h"

/* Does the text start with these bytes? */
static inline bool cul_mlir_starts(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

struct cul_mlir_words {
  char **items; /* heap, as each item */
  size_t n, cap;
};
/* Append a word, which is taken over. */
void cul_mlir_words_add(struct cul_mlir_words *words, char *taken);
/* Is it one of the words? */
bool cul_mlir_words_have(const struct cul_mlir_words *words, const char *word);
/* Free what it owns; {0} is fine. */
void cul_mlir_words_release(struct cul_mlir_words *words);

/* Add the items of a list such as "a, b<c, d>" that ends at end, without the
 * blanks before them.  Add none if end is before at, which callers pass for
 * brackets that are not closed. */
void cul_mlir_words_split(const char *at, const char *end,
                          struct cul_mlir_words *out);
/* The position behind the bracket that closes the one at `at`; the end of the
 * text if none does. */
const char *cul_mlir_behind_brackets(const char *at);
/* The length of the name of a value that begins at `at`, with its '%'. */
size_t cul_mlir_name_length(const char *at);
/* The bytes of an element of a tensor type: "tensor<4x8xf32>"; 0: unknown. */
unsigned cul_mlir_element_bytes(const char *type);

#endif
