/* Words in the text of MLIR: lists of them, brackets, names of values. */
#ifndef CUL_REDUCER_NUMBERS_MLIR_WORDS_H
#define CUL_REDUCER_NUMBERS_MLIR_WORDS_H

#include "../../base/buf.h"

static inline bool cul_mlir_starts(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

struct cul_mlir_words {
  char **items; /* heap, as each item */
  size_t n, cap;
};
void cul_mlir_words_add(struct cul_mlir_words *words, char *taken);
bool cul_mlir_words_have(const struct cul_mlir_words *words, const char *word);
void cul_mlir_words_release(struct cul_mlir_words *words);

/* Add the items of "a, b<c, d>" up to end, without the blanks before them;
 * none, if end is before at: the brackets around them are not closed. */
void cul_mlir_words_split(const char *at, const char *end,
                          struct cul_mlir_words *out);
/* Where the bracketed text that begins at `at` ends, behind its bracket; the
 * end of the text, if it is not closed. */
const char *cul_mlir_behind_brackets(const char *at);
/* Bytes of the name of a value that begins at `at`, with its '%'. */
size_t cul_mlir_name_length(const char *at);
/* The bytes of an element of a tensor type: "tensor<4x8xf32>"; 0: unknown. */
unsigned cul_mlir_element_bytes(const char *type);

#endif
