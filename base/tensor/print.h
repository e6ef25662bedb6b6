/* Numbers in printed text.  Private to base/tensor. */
#ifndef CUL_BASE_TENSOR_PRINT_H
#define CUL_BASE_TENSOR_PRINT_H

#include "literal.h"

struct cul_printed {
  cul_number *values; /* heap; of complex numbers two each */
  size_t n;           /* values */
  bool complex;
  bool broken; /* some value is written with a point, or is none */
  bool ragged; /* brackets of one level hold different counts */
  size_t rank; /* levels of brackets */
  uint64_t dims[CUL_TENSOR_MAX_RANK];
};

void cul_printed_release(struct cul_printed *printed);

/* Values to the end of the text, brackets and commas between them ignored;
 * nothing else may stand there.  With `complex` set: pairs as a+bj, a-bi or
 * (a, b).  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_printed_flat(struct cul_literal *in,
                                    struct cul_printed *out,
                                    struct cul_err *err);
/* One nest of brackets, round or square; a round pair within square ones is a
 * complex number.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_printed_nested(struct cul_literal *in,
                                      struct cul_printed *out,
                                      struct cul_err *err);
/* The numbers of a line among other words, appended.  words: the line, with #
 * for each of them and X for an address (0x...); only where it has any. */
void cul_printed_loose(struct cul_bytes line, struct cul_printed *out,
                       struct cul_buf *words);
/* The type that holds them without loss: f64, or i64 for large integers. */
enum cul_dtype cul_printed_dtype(const struct cul_printed *printed);

#endif
