/* Scanning small literals of foreign text: strings, numbers, brackets.
 * Private to base/tensor. */
#ifndef CUL_BASE_TENSOR_LITERAL_H
#define CUL_BASE_TENSOR_LITERAL_H

#include "tensor.h"

struct cul_literal {
  const char *at, *end;
};

/* All functions skip blanks and newlines first. */
bool cul_literal_peek(struct cul_literal *in, char c);
/* Skip c if it is next; else false. */
bool cul_literal_char(struct cul_literal *in, char c);
/* The same for a word. */
bool cul_literal_word(struct cul_literal *in, const char *word);
/* A decimal number without a sign; false where there is none, or one that does
 * not fit. */
bool cul_literal_number(struct cul_literal *in, uint64_t *out);
/* A string in ' or "; no escapes.  Heap; NULL where there is none. */
char *cul_literal_string(struct cul_literal *in);
/* A real number: decimal, hexadecimal float, nan, inf, true, false.  False
 * where there is none.  *whole: written as an integer. */
bool cul_literal_real(struct cul_literal *in, cul_number *out, bool *whole);

/* Compute the bytes that a shape needs; EUSAGE where they are above the limits,
 * or above `have`: the file is cut off. */
CUL_MUST_CHECK int cul_tensor_room(enum cul_dtype dtype, size_t rank,
                                   const uint64_t *dims, uint64_t have,
                                   uint64_t *need, struct cul_err *err);

#endif
