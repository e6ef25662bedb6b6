/* The pattern of mismatches: in which region they are, and which values they
 * have.  Private to base/tensor. */
#ifndef CUL_BASE_TENSOR_PATTERN_H
#define CUL_BASE_TENSOR_PATTERN_H

#include "compare.h"

struct cul_pattern_input {
  const struct cul_tensor *got, *want;
  const struct cul_difference *difference;
};

/* Append the region: "the last 4 of 20 along dimension 1 (a tail)", "whole
 * tiles of 16x16", ...  Appends nothing if mismatches are everywhere, or in no
 * particular region. */
void cul_pattern_region(const struct cul_pattern_input *in,
                        struct cul_buf *out);

#endif
