/* The two halves of a pattern: where the elements are that are off, and what
 * stands there instead.  Private to base/tensor. */
#ifndef CUL_BASE_TENSOR_PATTERN_H
#define CUL_BASE_TENSOR_PATTERN_H

#include "compare.h"

struct cul_pattern_input {
  const struct cul_tensor *got, *want;
  const struct cul_difference *difference;
};

/* Append where: "the last 4 of 20 along dimension 1 (a tail)", "whole tiles of
 * 16x16", ...  Nothing where it is everywhere, or nowhere in particular. */
void cul_pattern_region(const struct cul_pattern_input *in,
                        struct cul_buf *out);

#endif
