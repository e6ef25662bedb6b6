/* Numbers in printed text.  Private to base/tensor. */
#ifndef CUL_BASE_TENSOR_TEXT_H
#define CUL_BASE_TENSOR_TEXT_H

#include "literal.h"

struct cul_printed {
  cul_number *values; /* heap; two for each complex number */
  size_t n;           /* values */
  bool complex;
  bool broken;     /* some value is written with a point, or is nan or inf */
  unsigned digits; /* the most significant digits of a value */
  bool ragged;     /* brackets of one level contain different counts */
  size_t rank;     /* levels of brackets */
  uint64_t dims[CUL_TENSOR_MAX_RANK];
};

void cul_printed_release(struct cul_printed *printed);

/* Read values to the end of the text; brackets and commas between them are
 * ignored, anything else is an error.  With `complex` set: pairs as a+bj, a-bi
 * or (a, b).  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_printed_flat(struct cul_literal *in,
                                    struct cul_printed *out,
                                    struct cul_err *err);
/* Read one nest of brackets, round or square; a round pair within square ones
 * is a complex number.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_printed_nested(struct cul_literal *in,
                                      struct cul_printed *out,
                                      struct cul_err *err);
/* Append the numbers that a line has among other words.  words: the line, with
 * # for each number and X for an address (0x...); written only if the line has
 * numbers. */
void cul_printed_loose(struct cul_bytes line, struct cul_printed *out,
                       struct cul_buf *words);

#endif
